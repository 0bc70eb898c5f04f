// What encoding minimises over latents, for many candidates at once.
//
//   density      (d/2) log(2 pi s_t^2) + |v - m(x)|^2 / (2 s_t^2),  s_t^2 = s^2(x) + noise
//   projection   half the squared distance between the point and the mean prediction at x
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

// support_limit: s^2 beyond it is penalised steeply; infinity for the density alone. table: predictions of the model's
// process for latents that many candidates come by; kept by reference, or null.
std::unique_ptr<const EncodeObjective> density_objective(const Model& model, Matrix V, double support_limit,
                                                         PredictionTable* table = nullptr);
// The same for points where the base moves: v is the point seen from the latent, and the volume term comes in, since it
// depends on the latent.
std::unique_ptr<const EncodeObjective> moving_density_objective(const Model& model, ConstMatrixRef points,
                                                                double support_limit);
// In the tangent space at the base point, in units of the mean square of V.
std::unique_ptr<const EncodeObjective> tangent_projection(const Model& model, Matrix V);
// On the manifold, with central differences: predictions of the mean are cheap.
std::unique_ptr<const EncodeObjective> manifold_projection(const Model& model, ConstMatrixRef points);

// Of s^2 within the support: no latent is lonelier there than the loneliest training latent is among the others. Left
// out, a training latent has the variance 1/Q_ii - noise, Q = K^-1.
double variance_limit(const Model& model);

}  // namespace wgp
