#include "core/format.h"
#include "linalg/decompositions.h"
#include "linalg/products.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "statistics/pga_common.h"

namespace wgp {
namespace {

// Columns of logs that the second-level cache holds.
Index block_columns(Index d) { return std::clamp<Index>((Index{1} << 16) / d, 64, 4096); }
constexpr Index kept_numbers = Index{1} << 20;  // logs up to this size are taken once and kept
// Eigenvalues of V V' are known to eps times the largest: down to this share of it they keep eleven digits.
constexpr double gram_limit = 1e-5;

struct Principal {
  Vector singular_values;
  Matrix directions;
};

// Left singular vectors of V = [V_1 V_2 ...], delivered in blocks of columns, from V' = Q R with R updated block by
// block: as accurate as the SVD of V itself, where the eigenvalues of V V' would lose half of the digits.
template <class Blocks>
Principal by_blocks(Index d, Index N, const Blocks& log_block) {
  const Index block_size = block_columns(d);
  Matrix R(0, d);
  for (Index first = 0; first < N; first += block_size) {
    const auto V = log_block(first, std::min(block_size, N - first));
    Matrix stacked(R.rows() + V.cols(), d);
    stacked.topRows(R.rows()) = R;
    stacked.bottomRows(V.cols()) = V.transpose();
    R = triangle_of_qr(stacked);
  }
  Svd svd = divided_svd(R, SvdParts::right);
  return {std::move(svd.s), std::move(svd.V)};
}

// From the eigenvalues of V V', several times faster; nothing if a component asked for is too small for that.
template <class Blocks>
std::optional<Principal> by_scatter(Index d, Index N, Index components, const Blocks& log_block) {
  const Index block_size = block_columns(d);
  Matrix scatter = Matrix::Zero(d, d);
  for (Index first = 0; first < N; first += block_size)
    add_gram(scatter, log_block(first, std::min(block_size, N - first)));
  const double largest = scatter.diagonal().maxCoeff();
  if (!(largest > 1e-200 && largest < 1e200)) return std::nullopt;
  const Spectrum spectrum = symmetric_spectrum(scatter);
  const Vector eigenvalues = spectrum.values.reverse().cwiseMax(0);
  if (eigenvalues[components - 1] < gram_limit * eigenvalues[0]) return std::nullopt;
  return Principal{eigenvalues.cwiseSqrt(), spectrum.vectors.rowwise().reverse()};
}

// The same for fewer points than dimensions: V = Q R.
Principal of_few(ConstMatrixRef V) {
  const Index N = V.cols();
  const Qr qr(V);
  Svd svd = divided_svd(qr.R(), SvdParts::left);
  Matrix padded = Matrix::Zero(V.rows(), N);
  padded.topRows(N) = svd.U;
  return {std::move(svd.s), qr.times(padded)};
}

}  // namespace

void check_pga_input(const Manifold& manifold, ConstMatrixRef points, ConstVectorRef mean, Index components) {
  const Index D = manifold.ambient_dim(), bound = std::min(manifold.dim(), points.cols());
  if (points.cols() == 0) throw Error("principal geodesics of no points do not exist: give at least one");
  if (points.rows() != D || mean.size() != D)
    throw Error(fmt::format("points of {} have {} numbers, but the points given have {} and the mean {}",
                            manifold.spec(), D, points.rows(), mean.size()));
  if (components < 1 || components > bound)
    throw Error(fmt::format("{} principal geodesics were asked for; {} points on {} (dimension {}) have 1 to {}",
                            components, points.cols(), manifold.spec(), manifold.dim(), bound));
}

void fix_signs(Matrix& directions, Matrix& scores) {
  for (Index j = 0; j < directions.cols(); ++j) {
    const double largest = directions.col(j).cwiseAbs().maxCoeff();
    Index lead = 0;
    while (std::abs(directions(lead, j)) < (1 - 1e-6) * largest) ++lead;
    if (directions(lead, j) >= 0) continue;
    directions.col(j) *= -1;
    scores.row(j) *= -1;
  }
}

Pga tangent_pga(const Manifold& manifold, ConstMatrixRef points, ConstVectorRef mean, Index components) {
  check_pga_input(manifold, points, mean, components);
  const Index N = points.cols(), d = manifold.dim(), block_size = block_columns(d);
  const auto space = manifold.at(mean);
  // In blocks: what a log reports beside the coordinates stays in the cache.
  Matrix kept(d, N * d <= kept_numbers || N < d ? N : 0);
  for (Index first = 0; first < kept.cols(); first += block_size) {
    const Index count = std::min(block_size, N - first);
    space->log(points.middleCols(first, count), kept.middleCols(first, count));
  }
  Matrix room(d, kept.cols() > 0 ? 0 : block_size);
  const auto block = [&](Index first, Index count) -> Eigen::Block<Matrix, Eigen::Dynamic, Eigen::Dynamic, true> {
    if (kept.cols() > 0) return kept.middleCols(first, count);
    space->log(points.middleCols(first, count), room.leftCols(count));
    return room.leftCols(count);
  };

  const auto principal_directions = [&] {
    if (N < d) return of_few(kept);
    if (N > 1024)
      if (auto found = by_scatter(d, N, components, block)) return *found;
    return by_blocks(d, N, block);
  };
  const Principal principal = principal_directions();
  const Vector spectrum = principal.singular_values.cwiseAbs2() / static_cast<double>(N);
  Pga pga;
  pga.mean = space->base();
  pga.eigenvalues = spectrum.head(components);
  pga.directions = principal.directions.leftCols(components);
  pga.scores.resize(components, N);
  for (Index first = 0; first < N; first += block_size) {
    const Index count = std::min(block_size, N - first);
    pga.scores.middleCols(first, count) = product_tn(pga.directions, block(first, count));
  }
  fix_signs(pga.directions, pga.scores);
  pga.total_variance = spectrum.sum();
  pga.projected_variance = pga.eigenvalues.sum();
  pga.residual = spectrum.tail(spectrum.size() - components).sum();
  return pga;
}

}  // namespace wgp
