// What points show that a fit has not seen: a fifth of them left out at a time, the rest fitted again without them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "wgp/model.h"

namespace wgp {

// Iterations that the rest of the points has, from where all were fitted: the latents around a point keep the place
// they had made for it until then.
inline constexpr int relaxing_iterations = 60;

struct HeldOut {
  double variance_scale =
      1;                   // the widest under which left-out points are as dense as can be, within one standard error
  double log_density = 0;  // their mean under it, the latents integrated out, per unit of volume
};

// refit: the model of these points alone, its variances as fitted. scaled: variance_scale may be another than 1.
// Nothing if there are too few points.
std::optional<HeldOut> leave_out_fifths(ConstMatrixRef P,
                                        const std::function<Model::Parts(const std::vector<Index>& kept)>& refit,
                                        bool scaled, int threads);

}  // namespace wgp
