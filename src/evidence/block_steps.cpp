#include "evidence/block_steps.h"

#include <algorithm>
#include <cmath>

#include "evidence/latent_divergence.h"
#include "evidence/variational_evidence.h"
#include "linalg/products.h"

namespace wgp {
namespace {

constexpr double slower = 0.3, faster = 1.4, least_precision = 0.2, most_precision = 5;

double least_variance() { return std::exp(least_log_variance); }
double most_variance(const LatentSpace& latent, Index j) {
  return std::exp(latent.is_angle(j) ? most_log_variance_of_angles : most_log_variance);
}

Vector divergences(const LatentSpace& latent, ConstMatrixRef X, ConstMatrixRef S) {
  Vector of(X.cols());
  Matrix none;
  for (Index i = 0; i < X.cols(); ++i) of[i] = latent_divergence(latent, X.col(i), S.col(i), none, none);
  return of;
}

}  // namespace

void BlockSums::add(const BlockSums& other) {
  table += other.table;
  cross += other.cross;
  count += other.count;
  squares += other.squares;
  divergence += other.divergence;
}

void BlockSums::subtract(const BlockSums& other) {
  table -= other.table;
  cross -= other.cross;
  count -= other.count;
  squares -= other.squares;
  divergence -= other.divergence;
}

BlockExtents BlockExtents::of(ConstMatrixRef X, ConstMatrixRef S) {
  return {X.rowwise().minCoeff(), X.rowwise().maxCoeff(), X.rowwise().sum(), X.rowwise().squaredNorm(),
          S.array().log().rowwise().sum()};
}

void BlockExtents::add(const BlockExtents& other) {
  low = low.cwiseMin(other.low);
  high = high.cwiseMax(other.high);
  sum += other.sum;
  squares += other.squares;
  log_variances += other.log_variances;
}

void keep_in_range(const LatentSpace& latent, MatrixRef S) {
  for (Index j = 0; j < S.rows(); ++j)
    S.row(j) = S.row(j).cwiseMax(least_variance()).cwiseMin(most_variance(latent, j)).eval();
}

BlockSums BlockSteps::sums_of(const LatticeBlock& block, ConstMatrixRef V, ConstMatrixRef X, ConstMatrixRef S) const {
  Matrix none;
  return {block.table(), block.cross(V), static_cast<double>(X.cols()), V.squaredNorm(),
          latent_divergence(lattice_.latent(), X, S, none, none)};
}

BlockSums BlockSteps::sums(ConstMatrixRef V, ConstMatrixRef X, ConstMatrixRef S) const {
  return sums_of(LatticeBlock(lattice_, X, S), V, X, S);
}

std::vector<BlockSums> BlockSteps::sums_of_folds(int folds, const std::vector<Index>& members, ConstMatrixRef V,
                                                 ConstMatrixRef X, ConstMatrixRef S) const {
  std::vector<std::vector<Index>> of_folds(static_cast<std::size_t>(folds));
  for (std::size_t i = 0; i < members.size(); ++i)
    of_folds[static_cast<std::size_t>(members[i] % folds)].push_back(static_cast<Index>(i));
  std::vector<BlockSums> sums;
  for (const std::vector<Index>& own : of_folds) {
    const Matrix some_X = X(Eigen::all, own), some_S = S(Eigen::all, own);
    sums.push_back(this->sums(V(Eigen::all, own), some_X, some_S));
  }
  return sums;
}

BlockSums BlockSteps::move(const PassWeights& weights, ConstMatrixRef V, Matrix& X, Matrix& S, Vector& pace) const {
  const LatentSpace& latent = lattice_.latent();
  const Index q = latent.dim(), count = X.cols();
  const LatticeBlock before(lattice_, X, S);
  Matrix by_features = Matrix::Zero(count, lattice_.size());
  simd().products.add_product(columns(MatrixRef(by_features)), 1, columns(V), Turned::yes,
                              columns(ConstMatrixRef(weights.by_cross)), Turned::yes);
  Matrix d_X = Matrix::Zero(q, count), d_S = Matrix::Zero(q, count);
  before.pull_back(by_features, weights.by_table, Vector(), d_X, d_S);
  Matrix X_new(q, count), S_new(q, count);
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < q; ++j) {
      const bool angle = latent.is_angle(j);
      const double prior = angle ? 0 : 1, s = S(j, i);
      double precision = prior - 2 * d_S(j, i);
      // A wide normal that is wrapped has less entropy to gain.
      if (angle && s >= 0.15) precision /= 2 * s * wrapped_normal_entropy(s).by_variance;
      precision = std::clamp(precision, least_precision / s, most_precision / s);
      const double next = 1 / ((1 - pace[i]) / s + pace[i] * precision);
      S_new(j, i) = std::clamp(next, least_variance(), most_variance(latent, j));
      X_new(j, i) = X(j, i) + pace[i] * S_new(j, i) * (d_X(j, i) - prior * X(j, i));
    }
  const auto worth = [&](const LatticeBlock& of, ConstMatrixRef at, ConstMatrixRef variance) -> Vector {
    return of.features().cwiseProduct(by_features).rowwise().sum() + of.polynomial(weights.by_table) -
           divergences(latent, at, variance);
  };
  const LatticeBlock after(lattice_, X_new, S_new);
  const Vector gain = worth(after, X_new, S_new) - worth(before, X, S);
  bool undone = false;
  for (Index i = 0; i < count; ++i) {
    const bool rose = gain[i] >= 0;
    pace[i] = rose ? std::min(1.0, faster * pace[i]) : slower * pace[i];
    if (rose) continue;
    undone = true;
    X_new.col(i) = X.col(i);
    S_new.col(i) = S.col(i);
  }
  X = std::move(X_new);
  S = std::move(S_new);
  if (undone) return sums_of(LatticeBlock(lattice_, X, S), V, X, S);
  return sums_of(after, V, X, S);
}

}  // namespace wgp
