#include "report/figures/latent_order.h"

#include <algorithm>

namespace wgp::report {
namespace {

// Of many, of every so many-th.
double mean_pair_distance(ConstMatrixRef all) {
  constexpr Index most = 4000;
  const Index every = (all.cols() + most - 1) / most;
  const Matrix features = all(Eigen::all, Eigen::seq(Index{0}, all.cols() - 1, every));
  const Index n = features.cols();
  double sum = 0;
  for (Index i = 0; i + 1 < n; ++i)
    sum += (features.rightCols(n - 1 - i).colwise() - features.col(i)).colwise().norm().sum();
  return sum / (0.5 * static_cast<double>(n) * static_cast<double>(n - 1));
}

}  // namespace

std::optional<LatentOrder> latent_order(const Model& model, const Colouring& colouring) {
  if (colouring.kind != Colouring::Kind::numbers || !colouring.numbers.allFinite() ||
      !std::is_sorted(colouring.numbers.begin(), colouring.numbers.end()))
    return std::nullopt;
  const Matrix features = model.parts().latent.features(model.parts().X);
  const Index n = features.cols(), third = n / 3;
  const double all = mean_pair_distance(features);
  if (!(all > 0)) return LatentOrder{};
  const double steps = (features.rightCols(n - 1) - features.leftCols(n - 1)).colwise().norm().mean();
  return LatentOrder{steps / all, third > 1 ? mean_pair_distance(features.leftCols(third)) / all : 1};
}

}  // namespace wgp::report
