// What points show that a fit has not seen: a fifth of them left out at a time, the rest fitted again without them.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "wgp/model.h"

namespace wgp {

// Iterations that the rest of the points has at most, from where all were fitted: the latents around a point keep the
// place they had made for it until then. No more than the fit itself had; a quick one has them make most of the way
// only.
inline int relaxing_iterations(const FitOptions& options) {
  return std::min(options.effort == Effort::quick ? 60 : 500, options.max_iterations);
}

// Of all variances.
enum class Widening {
  none,     // as they are
  densest,  // the scale under which left-out points are densest
  careful,  // the widest under which they are as dense as that within a standard error, and at most half an octave
            // wider
};

struct HeldOut {
  double variance_scale = 1;
  Vector log_densities;  // of the left-out points under the densest scale, the latents integrated out, per volume
  double log_density() const { return log_densities.size() > 0 ? log_densities.mean() : -infinity; }
};

// refit: the model of these points alone, its variances as fitted.
// Nothing if there are too few points.
std::optional<HeldOut> leave_out_fifths(ConstMatrixRef P,
                                        const std::function<Model::Parts(const std::vector<Index>& kept)>& refit,
                                        Widening widening, int threads);

}  // namespace wgp
