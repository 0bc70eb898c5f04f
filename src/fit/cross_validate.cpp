#include "fit/cross_validate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/random_streams.h"
#include "fit/settings.h"
#include "model/error_summary.h"

namespace wgp {
namespace {

constexpr int octave = settings::steps_an_octave;
constexpr int lowest = settings::lowest_octave * octave, highest = settings::highest_octave * octave;

double scale_at(int step) { return std::exp2(static_cast<double>(step) / octave); }

// The left-out points of each fold under the model that the rest of the points makes.
class LeftOut {
 public:
  LeftOut(const Folds& folds, const RefitFold& refit, double widest, Executor& executor)
      : executor_(executor), densities_(folds.out.size()) {
    executor_.tasks(static_cast<Index>(folds.out.size()), [&](Index fold, Executor& inner) {
      const auto k = static_cast<std::size_t>(fold);
      const std::vector<Index>& out = folds.out[k];
      // Some hundred of them say enough.
      constexpr auto most = static_cast<std::size_t>(settings::most_points_a_fold);
      const std::size_t stride = (out.size() + most - 1) / most;
      std::vector<Index> asked;
      for (std::size_t i = 0; i < out.size(); i += stride) asked.push_back(out[i]);
      densities_[k] = refit(k, asked, widest, inner);
    });
  }

  bool known() const {
    return std::all_of(densities_.begin(), densities_.end(), [](const auto& one) { return one != nullptr; });
  }

  // Of every left-out point.
  const Vector& log_density(int step) {
    const auto [found, is_new] = at_step_.try_emplace(step);
    if (!is_new) return found->second;
    std::vector<Vector> parts(densities_.size());
    executor_.each(static_cast<Index>(parts.size()), [&](Index fold, int) {
      const auto k = static_cast<std::size_t>(fold);
      parts[k] = densities_[k](scale_at(step));
    });
    for (const Vector& part : parts) {
      Vector& all = found->second;
      all.conservativeResize(all.size() + part.size());
      all.tail(part.size()) = part;
    }
    return found->second;
  }

 private:
  Executor& executor_;
  std::vector<ScaledDensities> densities_;
  std::map<int, Vector> at_step_;
};

// Uphill from a step, by `stride`: densities have one maximum over scales, near where the variances are right already.
// From a scale that makes no number of them, the best of all.
int densest(LeftOut& left_out, int from, int stride) {
  const auto at = [&](int step) { return left_out.log_density(step).mean(); };
  int best = from;
  double most = at(from);
  const auto take = [&](int step) {
    if (step < lowest || step > highest) return false;
    const double mean = at(step);
    if (!(mean > most)) return false;
    most = mean;
    best = step;
    return true;
  };
  if (!std::isfinite(most)) {
    most = -infinity;
    for (int step = lowest; step <= highest; step += stride) take(step);
    return best;
  }
  for (const int direction : {stride, -stride}) {
    while (take(best + direction)) continue;
    if (best != from) break;
  }
  return best;
}

// The widest variances that left-out points do not speak against: where they lose less density than the standard error
// of the loss. The latents around a left-out point have made a place for it, so the densest scale is on the sure side;
// by how much few points cannot say, so half an octave is the limit.
int widest_good(LeftOut& left_out, int best) {
  const Vector top = left_out.log_density(best);
  const int limit = std::min(highest, best + octave / 2);
  for (int step = best; step < limit; ++step) {
    const Vector loss = top - left_out.log_density(step + 1);
    if (!(loss.mean() <= standard_error(loss))) return step;
  }
  return limit;
}

}  // namespace

Index Folds::points() const {
  Index count = 0;
  for (const auto& fold : out) count += static_cast<Index>(fold.size());
  return count;
}

std::vector<Index> Folds::kept(std::size_t fold) const {
  std::vector<bool> inside(static_cast<std::size_t>(points()), true);
  for (const Index i : out[fold]) inside[static_cast<std::size_t>(i)] = false;
  std::vector<Index> kept;
  for (std::size_t i = 0; i < inside.size(); ++i)
    if (inside[i]) kept.push_back(static_cast<Index>(i));
  return kept;
}

Folds make_folds(Index N, FoldPolicy policy, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(N));
  std::iota(order.begin(), order.end(), Index{0});
  if (policy == FoldPolicy::random) {
    Random random(seed, stream::folds);
    for (Index i = N - 1; i > 0; --i)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
  }
  Folds folds;
  for (Index k = 0; k < settings::folds; ++k) {
    folds.out.emplace_back(order.begin() + k * N / settings::folds, order.begin() + (k + 1) * N / settings::folds);
    std::sort(folds.out.back().begin(), folds.out.back().end());
  }
  return folds;
}

std::size_t plainest_good(const std::vector<const Vector*>& log_densities, double standard_errors) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < log_densities.size(); ++k) {
    if (!log_densities[k] || !log_densities[best]) continue;
    const Vector &now = *log_densities[k], &before = *log_densities[best];
    if (now.size() != before.size() || now.size() == 0) continue;  // its rest makes no model
    const Vector gain = now - before;
    const bool only_finite = !before.allFinite() && now.allFinite();
    if (only_finite || gain.mean() > standard_errors * standard_error(gain)) best = k;
  }
  return best;
}

HeldOut cross_validate(const Folds& folds, const RefitFold& refit, Widening widening, Executor& executor) {
  const bool scaled = widening != Widening::none;
  LeftOut left_out(folds, refit, scaled ? scale_at(highest) : 1, executor);
  if (!left_out.known()) return {};
  int best = 0;
  if (scaled) {
    for (const int stride : {octave / 2, octave / 4, 1}) best = densest(left_out, best, stride);
  }
  const Vector densities = left_out.log_density(best);
  if (!std::isfinite(densities.mean())) return {1, left_out.log_density(0)};
  return {scale_at(widening == Widening::careful ? widest_good(left_out, best) : best), densities};
}

}  // namespace wgp
