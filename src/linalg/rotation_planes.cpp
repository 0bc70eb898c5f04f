#include "linalg/rotation_planes.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace wgp {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

// A half turn has no orientation: take the one whose generator has its first entry (rows of the lower triangle)
// positive.
bool first_entry_negative(ConstVectorRef from, ConstVectorRef to) {
  for (Index i = 1; i < from.size(); ++i)
    for (Index j = 0; j < i; ++j) {
      const double entry = to[i] * from[j] - from[i] * to[j];
      if (std::abs(entry) > 1e-10) return entry < 0;
    }
  return false;
}

// Small angles: from sin(angle), the skew part of A, which keeps its relative accuracy.
RotationLog log_near_identity(ConstMatrixRef A_minus_I) {
  RotationLog result;
  result.planes = planes_of_skew((A_minus_I - A_minus_I.transpose()) / 2);
  for (double& angle : result.planes.angle) angle = std::asin(angle);
  result.margin = pi - result.planes.angle.maxCoeff();
  return result;
}

}  // namespace

Matrix RotationPlanes::skew(ConstVectorRef other) const {
  const Index n = W.rows(), planes = other.size();
  Matrix from(n, planes), to(n, planes);
  for (Index a = 0; a < planes; ++a) {
    from.col(a) = W.col(2 * a);
    to.col(a) = other[a] * W.col(2 * a + 1);
  }
  const Matrix half = to * from.transpose();
  return half - half.transpose();
}

Matrix RotationPlanes::rotation_minus_identity(double fraction) const {
  Matrix moved = Matrix::Zero(W.rows(), W.cols());
  for (Index a = 0; a < angle.size(); ++a) {
    const double half_sine = std::sin(fraction * angle[a] / 2), s = std::sin(fraction * angle[a]);
    const double cosine_minus_one = -2 * half_sine * half_sine;
    moved.col(2 * a) = cosine_minus_one * W.col(2 * a) + s * W.col(2 * a + 1);
    moved.col(2 * a + 1) = cosine_minus_one * W.col(2 * a + 1) - s * W.col(2 * a);
  }
  return moved * W.transpose();
}

RotationPlanes planes_of_skew(ConstMatrixRef Omega) {
  const Index n = Omega.rows(), odd_rows = n / 2, even_rows = n - odd_rows;
  const Eigen::HessenbergDecomposition<Matrix> reduced(Omega);
  const Vector t = reduced.packedMatrix().diagonal(-1);
  // Q' Omega Q = T with T(i+1, i) = t_i = -T(i, i+1): it maps odd rows to even ones by B and back by -B'.
  Matrix B = Matrix::Zero(even_rows, odd_rows);
  for (Index k = 0; k < odd_rows; ++k) {
    B(k, k) = -t[2 * k];
    if (k + 1 < even_rows) B(k + 1, k) = t[2 * k + 1];
  }
  const Eigen::JacobiSVD<Matrix> svd(B, Eigen::ComputeFullU | Eigen::ComputeFullV);
  // T = sum_a s_a (x_a y_a' - y_a x_a'), x_a the left vector on even rows, y_a the right one on odd rows.
  Matrix vectors = Matrix::Zero(n, n);
  for (Index a = 0; a < odd_rows; ++a) {
    for (Index k = 0; k < odd_rows; ++k) vectors(2 * k + 1, 2 * a) = svd.matrixV()(k, a);
    for (Index k = 0; k < even_rows; ++k) vectors(2 * k, 2 * a + 1) = svd.matrixU()(k, a);
  }
  if (even_rows > odd_rows)
    for (Index k = 0; k < even_rows; ++k) vectors(2 * k, n - 1) = svd.matrixU()(k, odd_rows);
  return {reduced.matrixQ() * vectors, svd.singularValues()};
}

RotationLog planes_of_rotation(ConstMatrixRef A_minus_I) {
  const Index n = A_minus_I.rows();
  if (A_minus_I.norm() < 0.5) return log_near_identity(A_minus_I);

  // A normal matrix has a block diagonal real Schur form: 2 x 2 rotations, and single entries +1 and -1.
  const Eigen::RealSchur<Matrix> schur(A_minus_I + Matrix::Identity(n, n));
  const Matrix &T = schur.matrixT(), &U = schur.matrixU();
  RotationLog result;
  result.converged = schur.info() == Eigen::Success;
  result.planes.W.resize(n, n);
  result.planes.angle.resize(n / 2);
  result.margin = pi;
  Index plane = 0;
  const auto add_plane = [&](Index first, Index second, double cosine, double sine) {
    const double turn = std::atan2(std::abs(sine), cosine), margin = std::atan2(std::abs(sine), -cosine);
    bool reversed = sine < 0;
    if (margin <= 4 * static_cast<double>(n) * epsilon) {
      result.half_turn = true;
      reversed = first_entry_negative(U.col(first), U.col(second));
    }
    result.margin = std::min(result.margin, margin);
    result.planes.W.col(2 * plane) = U.col(reversed ? second : first);
    result.planes.W.col(2 * plane + 1) = U.col(reversed ? first : second);
    result.planes.angle[plane++] = turn;
  };
  std::vector<Index> plus, minus;
  for (Index i = 0; i < n; ++i) {
    if (i + 1 < n && T(i + 1, i) != 0) {
      add_plane(i, i + 1, (T(i, i) + T(i + 1, i + 1)) / 2, (T(i + 1, i) - T(i, i + 1)) / 2);
      ++i;
    } else {
      (T(i, i) > 0 ? plus : minus).push_back(i);
    }
  }
  // The determinant is +1, so that single entries -1 come in pairs.
  for (std::size_t i = 0; i + 1 < minus.size(); i += 2) add_plane(minus[i], minus[i + 1], -1, 0);
  if (minus.size() % 2 == 1) plus.push_back(minus.back());
  for (std::size_t i = 0; i + 1 < plus.size(); i += 2) add_plane(plus[i], plus[i + 1], 1, 0);
  if (n % 2 == 1) result.planes.W.col(n - 1) = U.col(plus.back());
  return result;
}

}  // namespace wgp
