// The density of new points as the mean over draws of the process (gp/lattice_posterior.h), their latents integrated
// out under N(0, 1).
//
// Draws are free to turn and shift their latents, so that no code of a point is one in all of them: each is a sum over
// nodes of its own, as close as the latents are known. Of each point the nodes that it cannot be near are left out.
// What is left is kept, so that densities under other laws cost next to nothing.
#pragma once

#include "gp/lattice_posterior.h"
#include "wgp/model.h"

namespace wgp {

// Whether the nodes are close enough for what is known of a model's latents: of two plain coordinates, about a base
// point that stays.
bool has_close_nodes(const Model& model);
// Whether a model has draws to take the mean over.
bool has_draws(const Model& model);

class DrawnDensity {
 public:
  // processes: the model's draws, or others on its lattice. laws: those that densities will be asked under, or the ends
  // of their range; they differ from the model's by scale alone. What counts under none of them is left out.
  DrawnDensity(const Model& model, const std::vector<DrawnProcess>& processes, ConstMatrixRef points,
               const std::vector<NoiseLawPtr>& laws);
  // Log densities of the points, per unit of Riemannian volume. Minus infinity where a point is too far for a number.
  Vector log_density(const NoiseLaw& law) const;

 private:
  // Of one draw: what is near the points, point after point.
  struct Near {
    double noise_times = 1;  // of the draw's over the model's
    std::vector<Index> end;  // of each point's
    std::vector<double> squared, variance, log_weight;
  };
  double whitened(const NoiseLaw& law) const;

  std::vector<Near> draws_;
  Vector offset_;  // minus the log volume of each point
  Index dim_;
  double unit_;  // what the model's law makes of a vector
};

}  // namespace wgp
