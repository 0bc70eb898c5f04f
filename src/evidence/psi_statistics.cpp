#include "evidence/psi_statistics.h"

#include <cmath>
#include <numbers>

#include "simd/kernels.h"

namespace wgp {
namespace {

constexpr Index multiple = 8;   // of lanes at every level
constexpr double never = 2000;  // 2^-never is 0

double variance_of(ConstMatrixRef S, Index j, Index n) { return S.size() > 0 ? S(j, n) : 0; }

}  // namespace

struct PsiStatistics::Point {
  Vector w, c;

  explicit Point(const PsiStatistics& of) : w(of.padded_), c(of.coordinates()) {}
  PsiPoint of(const PsiStatistics& statistics, ConstMatrixRef mu, ConstMatrixRef S, Index n) {
    const Index M = statistics.M_, q = statistics.coordinates();
    double constant = 0;
    w.head(M).setZero();
    w.tail(w.size() - M).setConstant(never);
    for (Index j = 0; j < q; ++j) {
      const double s = variance_of(S, j, n), b = 1 / (1 + 2 * s);
      const auto z = statistics.z_.col(j).head(M).array();
      w.head(M).array() += b / 2 * ((mu(j, n) - z).square() + s * z.square());
      constant += std::log1p(2 * s) / 4;
      c[j] = std::numbers::log2e * s * b;
    }
    w.head(M) = std::numbers::log2e * (w.head(M).array() + constant);
    return {statistics.z_.data(), w.data(), c.data(), M, statistics.padded_, q};
  }
};

PsiStatistics::PsiStatistics(ConstMatrixRef z)
    : M_(z.cols()), padded_((M_ + multiple - 1) / multiple * multiple), z_(Matrix::Zero(padded_, z.rows())) {
  z_.topRows(M_) = z.transpose();
}

Matrix PsiStatistics::first(ConstMatrixRef mu, ConstMatrixRef S) const {
  const Index count = mu.cols(), q = coordinates();
  Matrix exponents = Matrix::Zero(count, M_);
  for (Index j = 0; j < q; ++j) {
    Vector a = Vector::Ones(count), half_log = Vector::Zero(count);
    if (S.size() > 0) {
      a = (1 + S.row(j).transpose().array()).inverse();
      half_log = -0.5 * a.array().log();
    }
    const Vector at = mu.row(j).transpose();
    for (Index m = 0; m < M_; ++m)
      exponents.col(m).array() -= 0.5 * a.array() * (at.array() - z_(m, j)).square() + half_log.array();
  }
  return exponents.array().exp();
}

void PsiStatistics::add_second(ConstMatrixRef mu, ConstMatrixRef S, MatrixRef sums) const {
  Point point(*this);
  for (Index n = 0; n < mu.cols(); ++n) simd().psi.add_second(point.of(*this, mu, S, n), sums.data());
}

Matrix PsiStatistics::whole(ConstMatrixRef sums) const {
  Matrix second = sums.topRows(M_);
  second.triangularView<Eigen::StrictlyUpper>() = second.transpose();
  return second;
}

Matrix PsiStatistics::prepared(ConstMatrixRef by_second) const {
  Matrix lower = room();
  lower.topRows(M_).triangularView<Eigen::Lower>() = by_second;
  lower.diagonal() *= 0.5;
  return lower;
}

void PsiStatistics::pull_back(ConstMatrixRef mu, ConstMatrixRef S, ConstMatrixRef by_first, ConstMatrixRef by_second,
                              PsiGradient& gradient) const {
  const Index count = mu.cols(), q = coordinates();
  gradient.mu.setZero(q, count);
  gradient.S.setZero(S.size() > 0 ? q : 0, S.size() > 0 ? count : 0);
  if (gradient.z.size() == 0) gradient.z.setZero(M_, q);

  // Psi1, D = mu - z: -a D by mu, (a^2 D^2 - a)/2 by S, a D by z, all times Psi1.
  const Matrix weighted = by_first.cwiseProduct(first(mu, S));
  const Vector totals = weighted.rowwise().sum();
  for (Index j = 0; j < q; ++j) {
    const Vector at = mu.row(j).transpose();
    Vector a = Vector::Ones(count), pulls = Vector::Zero(count), squares = Vector::Zero(count);
    if (S.size() > 0) a = (1 + S.row(j).transpose().array()).inverse();
    for (Index m = 0; m < M_; ++m) {
      const auto D = at.array() - z_(m, j);
      const Vector pull = weighted.col(m).array() * D;
      pulls += pull;
      squares.array() += pull.array() * D;
      gradient.z(m, j) += pull.dot(a);
    }
    gradient.mu.row(j) -= a.cwiseProduct(pulls).transpose();
    if (S.size() > 0)
      gradient.S.row(j) += (0.5 * a.array() * (a.array() * squares.array() - totals.array())).matrix().transpose();
  }

  // Psi2, with r_m = sum_m' p, D_m = mu - z_m and y_m = sum_m' p D_m' over the pairs of one point:
  //   by mu  -2b sum r D,   by S  b^2 sum (r D^2 + D y) - b sum r,   by z_m  -(y - r D) + b (y + r D).
  Point point(*this);
  Matrix pulls(padded_, 1 + q);
  for (Index n = 0; n < count; ++n) {
    pulls.setZero();
    simd().psi.pull_back_second(point.of(*this, mu, S, n), by_second.data(), pulls.data());
    const auto r = pulls.col(0).head(M_).array();
    const double total = r.sum();
    for (Index j = 0; j < q; ++j) {
      const double b = 1 / (1 + 2 * variance_of(S, j, n));
      const Vector D = mu(j, n) - z_.col(j).head(M_).array();
      const Vector rD = r * D.array(), y = mu(j, n) * r - pulls.col(1 + j).head(M_).array();
      gradient.mu(j, n) -= 2 * b * rD.sum();
      if (S.size() > 0) gradient.S(j, n) += b * b * (rD + y).dot(D) - b * total;
      gradient.z.col(j) += (b - 1) * y + (b + 1) * rD;
    }
  }
}

}  // namespace wgp
