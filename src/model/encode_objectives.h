// What encoding minimises over latents, for many candidates at once.
//
//   density      -log p(v | x): of a normal law (d/2) log(2 pi s_t^2) + |v - m(x)|^2 / (2 s_t^2),  s_t^2 = s^2(x) +
//   noise projection   half the squared distance between the point and the mean prediction at x
// One evaluation of all candidates is one kernel matrix, one product with K^-1 and one with A; or, where many come by,
// polynomials.
#pragma once

#include <memory>
#include <vector>

#include "gp/prediction_table.h"
#include "wgp/model.h"

namespace wgp {

struct EncodeValues {
  Vector f;  // to be minimised
  Matrix gradient;
};

// f and its gradient at the columns of X, each for its own point.
class EncodeObjective {
 public:
  virtual ~EncodeObjective() = default;
  virtual EncodeValues at(ConstMatrixRef X, const std::vector<Index>& owner) const = 0;
};

// Per unit of Riemannian volume. support_limit: s^2 beyond it is penalised steeply; infinity for the density alone.
// table: predictions of the model's process for latents that many candidates come by; kept by reference, or null.
// law: of the density, kept by reference; null: the model's. Points and model are kept by reference.
std::unique_ptr<const EncodeObjective> density_objective(const Model& model, const Matrix& points, double support_limit,
                                                         PredictionTable* table = nullptr,
                                                         const NoiseLaw* law = nullptr);
// An objective with minus the log prior of latents, for models that integrated them out: x^2/2 of plain ones, minus the
// logarithm of an angle's learned density.
std::unique_ptr<const EncodeObjective> with_latent_prior(std::unique_ptr<const EncodeObjective> objective,
                                                         const Model& model);
// In the tangent space at a base point that stays, in units of the mean square of V.
std::unique_ptr<const EncodeObjective> tangent_projection(const Model& model, const Matrix& points);
// On the manifold, with central differences: predictions of the mean are cheap.
std::unique_ptr<const EncodeObjective> manifold_projection(const Model& model, const Matrix& points);

}  // namespace wgp
