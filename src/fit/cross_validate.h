// What points show that a fit has not seen: a fold of them left out at a time, the rest fitted again without them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/executor.h"
#include "wgp/fit.h"

namespace wgp {

struct Folds {
  std::vector<std::vector<Index>> out;  // increasing within a fold; every point in one of them
  std::vector<Index> kept(std::size_t fold) const;
  Index points() const;
};
Folds make_folds(Index N, FoldPolicy policy, std::uint64_t seed);

// The log densities of some points, per unit of volume, with all predictive variances multiplied by a scale.
using ScaledDensities = std::function<Vector(double scale)>;
// Of a fold: the model of the other points alone, its variances as fitted, and what it says of these points (rows of
// the data); null if the other points make no model. widest: the largest scale that will be asked for.
using RefitFold =
    std::function<ScaledDensities(std::size_t fold, const std::vector<Index>& asked, double widest, Executor& inner)>;

// Of all variances.
enum class Widening {
  none,     // as they are
  densest,  // the scale under which left-out points are densest
  careful,  // the widest under which they are as dense as that within a standard error, and at most half an octave
            // wider
};

struct HeldOut {
  double variance_scale = 1;
  Vector log_densities;  // of the left-out points under the densest scale, per unit of volume, fold after fold
  double log_density() const { return log_densities.size() > 0 ? log_densities.mean() : -infinity; }
};

// From the plainest on: one that bends more must make left-out points denser by more than so many standard errors. Log
// densities of the same points under each; null where nothing is known.
std::size_t plainest_good(const std::vector<const Vector*>& log_densities, double standard_errors = 1);

// Without log densities if the rest of some fold makes no model.
HeldOut cross_validate(const Folds& folds, const RefitFold& refit, Widening widening, Executor& executor);

}  // namespace wgp
