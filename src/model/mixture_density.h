// The density of new points under a fitted model, their latents integrated out.
#pragma once

#include "model/prior_nodes.h"
#include "wgp/model.h"

namespace wgp {

// A mixture over latents, of each the predictive density with noise. Of a model that integrated its latents out: nodes
// of their prior, if the base point stays. Of others a kernel density of the training latents: of one coordinate nodes
// too, where they are close enough for these points, else draws. Everything but the variances' scale is worked out
// once.
class LatentMixture {
 public:
  // widest_scale: the largest that log_density will be asked for.
  LatentMixture(const Model& model, ConstMatrixRef points, std::uint64_t seed, double widest_scale = 1);

  // Per unit of Riemannian volume; all predictive variances times `scale`.
  Vector log_density(double scale = 1) const;

 private:
  void take(const Model& model, ConstMatrixRef points, const PriorNodes& components, double widest_scale);
  // Whether the components are so close that a sum over them is the integral for nine points of ten: those far beyond
  // an end see the last node alone, wherever it is.
  bool sees_enough() const;

  NoiseLawPtr law_;
  Matrix squared_;     // |w - mean|^2 of each component and point, in the law's whitened coordinates
  Matrix log_volume_;  // at each component and point where base points move; else empty, and
  Vector offset_;      // minus the log volume of each point
  Vector variance_;    // of the function at each component
  Vector log_weight_;  // of each component
};

}  // namespace wgp
