#include "model/held_out.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "model/error_summary.h"
#include "model/mixture_density.h"
#include "model/search.h"

namespace wgp {
namespace {

constexpr Index folds = 5, least_points = 10, most_points_a_fold = 150;
constexpr int octave = 8, lowest = -octave, highest = 6 * octave;  // steps of the scale

double scale_at(int step) { return std::exp2(static_cast<double>(step) / octave); }

// The left-out points of each fold under the mixture that the rest of the points makes.
class LeftOut {
 public:
  LeftOut(ConstMatrixRef P, const std::function<Model::Parts(const std::vector<Index>& kept)>& refit,
          double widest_scale, int threads)
      : threads_(threads) {
    const Index N = P.cols();
    in_parallel(threads_, folds, [&](Index fold) {
      std::vector<Index> in, out;
      for (Index i = 0; i < N; ++i) (i % folds == fold ? out : in).push_back(i);
      // Some hundred of them say enough.
      const std::size_t step = (out.size() + most_points_a_fold - 1) / most_points_a_fold;
      std::vector<Index> tried;
      for (std::size_t k = 0; k < out.size(); k += step) tried.push_back(out[k]);
      try {
        mixtures_[static_cast<std::size_t>(fold)].emplace(Model(refit(in)), P(Eigen::all, tried), 0, widest_scale);
      } catch (const Error&) {  // the rest of the points makes no model: nothing is known
      }
    });
  }

  bool known() const {
    return std::all_of(mixtures_.begin(), mixtures_.end(), [](const auto& mixture) { return mixture.has_value(); });
  }

  // Of every left-out point.
  const Vector& log_density(int step) {
    const auto [found, is_new] = densities_.try_emplace(step);
    if (!is_new) return found->second;
    std::array<Vector, folds> parts;
    in_parallel(threads_, folds, [&](Index fold) {
      const auto k = static_cast<std::size_t>(fold);
      parts[k] = mixtures_[k]->log_density(scale_at(step));
    });
    for (const Vector& part : parts) {
      Vector& all = found->second;
      all.conservativeResize(all.size() + part.size());
      all.tail(part.size()) = part;
    }
    return found->second;
  }

 private:
  int threads_;
  std::array<std::optional<LatentMixture>, folds> mixtures_;
  std::map<int, Vector> densities_;
};

// Of all steps of `stride` between the two.
int densest(LeftOut& left_out, int from, int to, int stride) {
  int best = from;
  double most = -infinity;
  for (int step = from; step <= to; step += stride)
    if (const double mean = left_out.log_density(step).mean(); mean > most) {
      most = mean;
      best = step;
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

std::optional<HeldOut> leave_out_fifths(ConstMatrixRef P,
                                        const std::function<Model::Parts(const std::vector<Index>& kept)>& refit,
                                        Widening widening, int threads) {
  if (P.cols() < least_points) return std::nullopt;
  const bool scaled = widening != Widening::none;
  LeftOut left_out(P, refit, scaled ? scale_at(highest) : 1, threads);
  if (!left_out.known()) return HeldOut{};
  int best = 0;
  if (scaled) {
    const int coarse = octave / 2, near = densest(left_out, lowest, highest, coarse);
    best = densest(left_out, std::max(lowest, near - coarse), std::min(highest, near + coarse), 1);
  }
  const Vector densities = left_out.log_density(best);
  if (!std::isfinite(densities.mean())) return HeldOut{1, left_out.log_density(0)};
  return HeldOut{scale_at(widening == Widening::careful ? widest_good(left_out, best) : best), densities};
}

}  // namespace wgp
