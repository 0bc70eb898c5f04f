#include "evidence/inducing_bound.h"

#include <cmath>
#include <numbers>

#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "wgp/manifold.h"

namespace wgp {
namespace {

constexpr double least_pivot = 0.995;  // its square is that of B

// L^-1 S L^-T of a symmetric matrix.
void divide_both_sides(const Matrix& L, Matrix& S) {
  solve_lower(L, S);
  S.transposeInPlace();
  solve_lower(L, S);
}

}  // namespace

double InducingBound::value(ConstMatrixRef K, double noise, const InducingSums& sums) {
  noise_ = noise;
  L_ = K.triangularView<Eigen::Lower>();
  if (!L_.allFinite() || !sums.second.allFinite() || !cholesky_lower(L_)) return -infinity;
  A_ = sums.second;
  divide_both_sides(L_, A_);
  const double b = 1 / noise, d = static_cast<double>(sums.d);
  R_ = b * A_;
  R_.diagonal().array() += 1;
  R_.triangularView<Eigen::StrictlyUpper>().setZero();
  if (!R_.allFinite() || !cholesky_lower(R_) || R_.diagonal().minCoeff() < least_pivot) return -infinity;
  c_ = sums.cross;
  solve_lower(L_, c_);
  w_ = c_;
  solve_lower(R_, w_);
  explained_ = w_.squaredNorm();
  solve_lower_transpose(R_, w_);
  return -sums.count * d / 2 * std::log(2 * std::numbers::pi * noise) - d / 2 * log_det_from_cholesky(R_) -
         b / 2 * sums.squares + b * b / 2 * explained_ - b * d / 2 * (sums.variance - A_.trace());
}

void InducingBound::gradient(const InducingSums& sums, InducingGradient& gradient) const {
  const double b = 1 / noise_, d = static_cast<double>(sums.d);
  const Index M = L_.rows();
  Matrix inverse = R_;  // of B
  inverse_from_cholesky(inverse);
  inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
  const double trace = inverse.trace();
  // (d/2)(I - B^-1) - (b^2/2) w w', which both derivatives share.
  Matrix shared = -d / 2 * inverse;
  shared.diagonal().array() += d / 2;
  add_product_nt(shared, w_, w_, -b * b / 2);
  Matrix inverse_L = L_;
  invert_triangle(inverse_L);
  const auto between = [&](const Matrix& inner) {
    const Matrix whole = product(product_tn(inverse_L, inner), inverse_L);
    return Matrix(0.5 * (whole + whole.transpose()));
  };
  gradient.by_second = b * between(shared);
  gradient.by_K = between(shared - b * d / 2 * A_);
  gradient.by_cross = b * b * product_tn(inverse_L, w_);
  gradient.by_variance = -b * d / 2;
  // tr(B^-1 A) and tr(w'A w) from A = (B - I)/b.
  const double of_inverse = (static_cast<double>(M) - trace) / b,
               of_weights = (w_.cwiseProduct(c_).sum() - w_.squaredNorm()) / b;
  gradient.by_noise = -b * b *
                      (sums.count * d / (2 * b) - sums.squares / 2 + b * explained_ - d / 2 * of_inverse -
                       b * b / 2 * of_weights - d / 2 * (sums.variance - A_.trace()));
}

Matrix InducingBound::weights() const {
  Matrix weights = 1 / noise_ * w_;
  solve_lower_transpose(L_, weights);
  return weights;
}

}  // namespace wgp
