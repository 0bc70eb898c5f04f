#include "cli/output/check_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random_streams.h"
#include "linalg/decompositions.h"

namespace wgp::cli {
namespace {

constexpr double near_distance = 1e-9;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double condition(const Matrix& A) {
  const Vector eigenvalues = symmetric_eigenvalues(A);
  return eigenvalues[0] > 0 ? eigenvalues[eigenvalues.size() - 1] / eigenvalues[0] : infinity;
}

}  // namespace

// Near points have near projections on any direction: sort along one and compare neighbours within reach.
Duplicates find_duplicates(ConstMatrixRef points) {
  const Index N = points.cols();
  Duplicates found;
  std::vector<Index> order(static_cast<std::size_t>(N));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::lexicographical_compare(points.col(a).begin(), points.col(a).end(), points.col(b).begin(),
                                        points.col(b).end());
  });
  const auto same = [&](Index a, Index b) { return points.col(a) == points.col(b); };
  const auto last = std::unique(order.begin(), order.end(), same);
  found.exact = order.end() - last;
  order.erase(last, order.end());

  Random random(1);
  Vector direction = random.normals(points.rows());
  direction.normalize();
  const Vector along = points.transpose() * direction;
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return along[a] < along[b]; });
  const double reach = near_distance * std::max(1e-300, points.colwise().norm().maxCoeff());
  constexpr std::size_t furthest = 50;  // a cap on the window keeps this near N log N
  for (std::size_t i = 1; i < order.size(); ++i)
    for (std::size_t back = 1; back <= std::min(i, furthest); ++back) {
      const Index a = order[i], b = order[i - back];
      if (along[a] - along[b] > reach) break;
      if ((points.col(a) - points.col(b)).norm() > reach) continue;
      ++found.near;
      break;
    }
  return found;
}

Conditions find_conditions(ConstMatrixRef spd_points) {
  const auto n = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(spd_points.rows()))));
  Conditions found;
  for (Index i = 0; i < spd_points.cols(); ++i) {
    const Vector entries = spd_points.col(i);
    const Matrix A = Eigen::Map<const RowMajor>(entries.data(), n, n);
    const Vector scale = A.diagonal().cwiseSqrt().cwiseInverse();
    const double plain = condition(A), scaled = condition(scale.asDiagonal() * A * scale.asDiagonal());
    found.smallest = std::min(found.smallest, plain);
    found.largest = std::max(found.largest, plain);
    if (scaled > found.largest_scaled) {
      found.largest_scaled = scaled;
      found.worst = i;
    }
  }
  return found;
}

CutPairs find_cut_pairs(const Manifold& manifold, ConstMatrixRef points, double mean_radius, std::uint64_t seed) {
  CutPairs found;
  const double reach = manifold.injectivity_radius();
  const Index N = points.cols();
  // d(p, q) <= 2 mean_radius, and below the injectivity radius there is no cut locus.
  if (reach == infinity || 2 * mean_radius < (1 - 1e-5) * reach) {
    found.checked = N * (N - 1) / 2;
    return found;
  }
  const auto look = [&](Index i, const std::vector<Index>& others) {
    if (others.empty()) return;
    const auto space = manifold.at(points.col(i));
    Matrix coords(space->dim(), static_cast<Index>(others.size()));
    const LogReport report = space->log(points(Eigen::all, others), coords);
    found.checked += static_cast<Index>(others.size());
    for (std::size_t j = 0; j < others.size(); ++j) {
      if (report.status[j] != LogStatus::cut_locus && report.status[j] != LogStatus::near_cut) continue;
      ++(report.status[j] == LogStatus::cut_locus ? found.cut_locus : found.near_cut);
      if (found.first < 0) {
        found.first = i;
        found.second = others[j];
      }
    }
  };
  // Logs without a closed form are dearer: fewer pairs.
  const Index largest = manifold.is_symmetric() ? 2000 : 300;
  found.all_pairs = N <= largest;
  Random random(seed, stream::checked_pairs);
  for (Index i = 0; i < std::min(N, largest); ++i) {
    std::vector<Index> others;
    if (found.all_pairs) {
      others.resize(static_cast<std::size_t>(N - i - 1));
      std::iota(others.begin(), others.end(), i + 1);
      look(i, others);
    } else {
      const Index from = random.below(N);
      for (Index k = 0; k < largest / 2; ++k)
        if (const Index to = random.below(N); to != from) others.push_back(to);
      look(from, others);
    }
  }
  return found;
}

}  // namespace wgp::cli
