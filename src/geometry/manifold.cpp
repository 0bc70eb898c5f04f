#include "wgp/manifold.h"

#include <algorithm>

namespace wgp {

std::string to_string(LogStatus status) {
  switch (status) {
    case LogStatus::ok:
      return "ok";
    case LogStatus::near_cut:
      return "near_cut";
    case LogStatus::cut_locus:
      return "cut_locus";
    case LogStatus::not_converged:
      return "not_converged";
    case LogStatus::outside_domain:
      return "outside_domain";
  }
  return "unknown";
}

Index LogReport::count(LogStatus which) const { return std::count(status.begin(), status.end(), which); }

double LogReport::smallest_margin() const { return margin.size() == 0 ? infinity : margin.minCoeff(); }

void LogReport::set_margin(Index i, double value, double injectivity_radius) {
  margin[i] = std::max(value, 0.0);
  status[static_cast<std::size_t>(i)] =
      value < near_cut_share * injectivity_radius ? LogStatus::near_cut : LogStatus::ok;
}

namespace {

// The largest norm, also where its square overflows or underflows.
double longest_column(ConstMatrixRef V, ConstVectorRef squared) {
  const double largest = squared.maxCoeff();
  if (largest > 1e-280 && largest < infinity) return std::sqrt(largest);
  double result = 0;
  for (Index i = 0; i < V.cols(); ++i) result = std::max(result, V.col(i).stableNorm());
  return result;
}

}  // namespace

LogSums TangentSpace::log_sums(ConstMatrixRef points, ConstVectorRef weights) const {
  // Blocks of logs that the second-level cache holds.
  const Index N = points.cols(), block = std::clamp<Index>((Index{1} << 15) / dim(), 8, 1024);
  LogSums sums;
  sums.weighted = Vector::Zero(dim());
  Matrix coords(dim(), std::min(N, block));
  for (Index first = 0; first < N; first += block) {
    const Index count = std::min(block, N - first);
    const auto w = weights.segment(first, count);
    const LogReport report = log(points.middleCols(first, count), coords.leftCols(count));
    const auto V = coords.leftCols(count);
    const Vector squared = V.colwise().squaredNorm();
    sums.weighted += V * w;
    sums.squares += squared.dot(w);
    sums.longest = std::max(sums.longest, longest_column(V, squared));
    for (const LogStatus status : report.status) {
      sums.near_cut += status == LogStatus::near_cut;
      sums.cut_locus += status == LogStatus::cut_locus;
      sums.failed += status == LogStatus::not_converged || status == LogStatus::outside_domain;
    }
  }
  return sums;
}

Vector TangentSpace::distance(ConstMatrixRef points) const {
  Matrix coords(dim(), points.cols());
  log(points, coords);
  return coords.colwise().norm();
}

std::optional<Vector> TangentSpace::curvature(ConstVectorRef, ConstVectorRef, ConstVectorRef) const {
  return std::nullopt;
}

Preimages TangentSpace::preimages(ConstVectorRef q, double) const {
  Preimages found;
  found.coords.resize(dim(), 1);
  const LogReport report = log(q, found.coords);
  found.countable = report.status[0] != LogStatus::cut_locus;
  found.complete = injectivity_radius() == infinity;
  found.log_abs_det = Vector::Constant(1, jacobi(found.coords.col(0))->log_det());
  return found;
}

std::optional<Vector> Manifold::mean_start(ConstMatrixRef, ConstVectorRef) const { return std::nullopt; }

Matrix Manifold::aligned(ConstVectorRef, ConstVectorRef, ConstMatrixRef x) const { return x; }

std::optional<double> Manifold::log_volume_density(ConstVectorRef) const { return std::nullopt; }

std::function<Vector(ConstVectorRef)> Manifold::random_isometry(Random&) const { return {}; }

double distance(const Manifold& manifold, ConstVectorRef p, ConstVectorRef q) { return manifold.at(p)->distance(q)[0]; }

Vector log_coords(const TangentSpace& space, ConstVectorRef q) {
  Matrix coords(space.dim(), 1);
  space.log(q, coords);
  return coords;
}

Vector exp_point(const TangentSpace& space, ConstVectorRef coords) {
  Matrix point(space.base().size(), 1);
  space.exp(coords, point);
  return point;
}

}  // namespace wgp
