#include "statistics/covariance_rank.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "linalg/decompositions.h"

namespace wgp {
namespace {

// Eigenvalues below `level` of the largest, and by a factor `gap` below the next larger one, are rounding.
struct Rounding {
  double level, gap;
};
constexpr std::array<Rounding, 2> roundings = {{{1e-11, 1e3}, {1e-6, 1e4}}};  // of double, of float

bool is_symmetric(ConstMatrixRef matrix) {
  return matrix.allFinite() &&
         (matrix - matrix.transpose()).cwiseAbs().maxCoeff() <= 1e-6 * matrix.cwiseAbs().maxCoeff();
}

}  // namespace

Index covariance_rank(ConstMatrixRef matrix) {
  const Index n = matrix.rows();
  if (n == 0 || !is_symmetric(matrix) || !(matrix.diagonal().maxCoeff() > 0)) return 0;
  // A channel that is constant has a variance of 0 and no scale of its own.
  const double largest_variance = matrix.diagonal().maxCoeff();
  if (matrix.diagonal().minCoeff() < -1e-6 * largest_variance) return 0;
  const Vector scale = (matrix.diagonal().array() > 1e-28 * largest_variance)
                           .select(matrix.diagonal().array().abs().rsqrt(), 1 / std::sqrt(largest_variance));
  const Vector values = symmetric_eigenvalues(scale.asDiagonal() * matrix * scale.asDiagonal());
  const double largest = values[n - 1];
  for (const Rounding& rounding : roundings)
    for (Index k = n - 1; k > 0; --k)  // the k smallest, all but one at most
      if (values.head(k).cwiseAbs().maxCoeff() <= rounding.level * largest &&
          values[k] >= rounding.gap * values.head(k).cwiseAbs().maxCoeff())
        return n - k;
  return values[0] > 0 ? n : 0;
}

void RankSurvey::add(ConstMatrixRef matrix) {
  const Index rank = covariance_rank(matrix), n = matrix.rows();
  if (sum_.size() == 0) sum_ = Matrix::Zero(n, n);
  if (rank == 0) return;
  sum_ += matrix / matrix.trace();
  if (rank == n) return;
  lowest_ = deficient_ == 0 ? rank : std::min(lowest_, rank);
  highest_ = std::max(highest_, rank);
  ++deficient_;
  zero_sums_ += matrix.rowwise().sum().cwiseAbs().maxCoeff() <= 1e-6 * matrix.diagonal().maxCoeff();
}

Index RankSurvey::shared() const { return covariance_rank(sum_); }

Matrix RankSurvey::directions(Index R, double& share) const {
  const Spectrum spectrum = symmetric_spectrum(sum_);
  Matrix U = spectrum.vectors.rightCols(R).rowwise().reverse();
  for (Index j = 0; j < R; ++j) {
    Index largest = 0;
    U.col(j).cwiseAbs().maxCoeff(&largest);
    if (U(largest, j) < 0) U.col(j) *= -1;
  }
  share = spectrum.values.tail(R).sum() / spectrum.values.sum();
  return U;
}

bool RankSurvey::sums_to_zero() const { return deficient_ > 0 && zero_sums_ == deficient_; }

}  // namespace wgp
