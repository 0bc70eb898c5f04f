#include "model/held_out.h"

#include <algorithm>
#include <cmath>

#include "model/mixture_density.h"
#include "model/search.h"

namespace wgp {
namespace {

constexpr Index folds = 5, least_points = 10, most_points_a_fold = 150;
constexpr int lowest = -2, highest = 12;  // half octaves of the scale

double scale_at(double half_octaves) { return std::exp2(half_octaves / 2); }

}  // namespace

std::optional<HeldOut> leave_out_fifths(ConstMatrixRef P,
                                        const std::function<Model::Parts(const std::vector<Index>& kept)>& refit,
                                        bool scaled, int threads) {
  const Index N = P.cols();
  if (N < least_points) return std::nullopt;
  const int first = scaled ? lowest : 0, last = scaled ? highest : 0;
  Matrix sums = Matrix::Constant(last - first + 1, folds, -infinity);
  std::vector<Index> counts(folds);
  in_parallel(threads, folds, [&](Index fold) {
    std::vector<Index> in, out;
    for (Index i = 0; i < N; ++i) (i % folds == fold ? out : in).push_back(i);
    // Some hundred of them say enough.
    const std::size_t step = (out.size() + most_points_a_fold - 1) / most_points_a_fold;
    std::vector<Index> tried;
    for (std::size_t k = 0; k < out.size(); k += step) tried.push_back(out[k]);
    counts[static_cast<std::size_t>(fold)] = static_cast<Index>(tried.size());
    try {
      const LatentMixture mixture(Model(refit(in)), P(Eigen::all, tried), 0, scale_at(last));
      for (int k = first; k <= last; ++k) sums(k - first, fold) = mixture.log_density(scale_at(k)).sum();
    } catch (const Error&) {  // the rest of the points makes no model: nothing is known
    }
  });
  Index count = 0;
  for (const Index one : counts) count += one;
  const Vector mean = sums.rowwise().sum() / static_cast<double>(count);
  Index best = 0;
  if (!mean.allFinite()) return HeldOut{1, mean[-first]};
  HeldOut result{1, mean.maxCoeff(&best)};
  double place = static_cast<double>(first + best);
  if (best > 0 && best + 1 < mean.size()) {  // the top of a parabola
    const double below = mean[best - 1] - mean[best], above = mean[best + 1] - mean[best];
    if (below + above < 0) {
      const double step = (below - above) / (2 * (below + above));
      place += step;
      result.log_density -= (above - below) * (above - below) / (8 * (below + above));
    }
  }
  // To the eighth of an octave: what is finer says nothing, and would depend on the last digits of the refits.
  if (scaled) result.variance_scale = scale_at(std::round(4 * place) / 4);
  return result;
}

}  // namespace wgp
