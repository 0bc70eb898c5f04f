#include "cli/input/shrink_flags.h"

#include <cmath>

#include "core/format.h"
#include "io/bytes/line_reader.h"
#include "io/bytes/number.h"

namespace wgp::cli {

Index covariance_size(const Manifold& manifold) {
  const std::string spec = manifold.spec();
  if (!spec.starts_with("spd:") || spec.find_first_of(",^*") != std::string::npos) return 0;
  return static_cast<Index>(std::lround(std::sqrt(static_cast<double>(manifold.ambient_dim()))));
}

Shrinkage shrinkage_of(const std::string& how, Index samples) {
  Shrinkage shrinkage;
  if (how.empty()) return shrinkage;
  if (const auto share = parse_number(how)) {
    shrinkage.by = Shrinkage::By::share;
    shrinkage.share = *share;
    return shrinkage;
  }
  shrinkage.by = how == "oas" ? Shrinkage::By::oas : Shrinkage::By::ledoit_wolf;
  shrinkage.samples = samples;
  return shrinkage;
}

Shrinkage shrinkage_from(const Arguments& arguments, const Manifold& manifold) {
  Shrinkage shrinkage;
  if (!arguments.has("shrink")) {
    if (arguments.has("samples")) throw UsageError("--samples says how many samples --shrink oas is for: add --shrink");
    return shrinkage;
  }
  if (covariance_size(manifold) == 0)
    throw UsageError(fmt::format("--shrink is for covariance matrices (spd:n), not for {}", manifold.spec()));
  const std::string how = arguments.text("shrink");
  if (const auto share = parse_number(how)) {
    if (!(*share > 0 && *share < 1))
      throw UsageError(fmt::format("--shrink {}: a share is between 0 and 1, e.g. --shrink 0.01", how));
    if (arguments.has("samples"))
      throw UsageError("--samples: a given share does not depend on it; it is for --shrink oas or ledoit-wolf");
    shrinkage.by = Shrinkage::By::share;
    shrinkage.share = *share;
    return shrinkage;
  }
  arguments.choice("shrink", "", {"oas", "ledoit-wolf"});
  shrinkage.by = how == "oas" ? Shrinkage::By::oas : Shrinkage::By::ledoit_wolf;
  if (!arguments.has("samples"))
    throw UsageError(
        how == "oas"
            ? "--shrink oas: the share depends on how many samples each matrix was computed from, which a matrix does "
              "not say: add --samples N, or give a share (--shrink 0.01)"
            : "--shrink ledoit-wolf: the estimate of Ledoit and Wolf needs the samples themselves, of which a matrix "
              "has only the second moments. With --samples N wgp takes what it is expected to be for N normal samples "
              "(Rao-Blackwell Ledoit-Wolf); --shrink oas --samples N is nearly the same, and scikit-learn and "
              "pyRiemann "
              "compute the original before the matrices are saved");
  shrinkage.samples = arguments.integer("samples", 0, 2, 1000000000);
  return shrinkage;
}

}  // namespace wgp::cli
