#include "linalg/rotation_planes.h"

#include <algorithm>
#include <cmath>

#include "core/constants.h"
#include "linalg/decompositions.h"

namespace wgp {
namespace {

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

// Turns of at most 2 pi / 3, given as B = A - I: the Cayley transform (A - I)(A + I)^-1 is skew-symmetric, turns by
// tan(angle / 2) in the same planes, and is well conditioned. It keeps the relative accuracy of small angles.
RotationPlanes planes_of_moderate_turns(const Matrix& B) {
  const Index n = B.rows();
  const Matrix X = Lu(2 * Matrix::Identity(n, n) + B).solve(B);  // the two factors commute
  RotationPlanes planes = planes_of_skew((X - X.transpose()) / 2);
  for (double& angle : planes.angle) angle = 2 * std::atan(angle);
  return planes;
}

// The middle of the widest interval within [-1/2, 1/2] that is free of the given increasing numbers.
double widest_gap(ConstVectorRef increasing) {
  double left = -0.5, best = 0, middle = 0;
  const auto consider = [&](double right) {
    if (right - left > best) {
      best = right - left;
      middle = (left + right) / 2;
    }
    left = right;
  };
  for (const double c : increasing)
    if (std::abs(c) < 0.5) consider(c);
  consider(0.5);
  return middle;
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
  // Squares of very large and very small entries are not numbers any more; a power of two changes no digit.
  const double largest = Omega.size() > 0 ? Omega.cwiseAbs().maxCoeff() : 0;
  if (std::isfinite(largest) && (largest > 1e100 || (largest > 0 && largest < 1e-100))) {
    const int exponent = std::ilogb(largest);
    RotationPlanes planes = planes_of_skew(Omega * std::ldexp(1.0, -exponent));
    for (double& angle : planes.angle) angle = std::ldexp(angle, exponent);
    return planes;
  }
  const Index n = Omega.rows(), odd_rows = n / 2, even_rows = n - odd_rows;
  if (n == 1) return {Matrix::Identity(1, 1), Vector(0)};
  const Hessenberg reduced = hessenberg(Omega);
  const Vector& t = reduced.subdiagonal;
  // Q' Omega Q = T with T(i+1, i) = t_i = -T(i, i+1): it maps odd rows to even ones by B and back by -B'.
  Matrix B = Matrix::Zero(even_rows, odd_rows);
  for (Index k = 0; k < odd_rows; ++k) {
    B(k, k) = -t[2 * k];
    if (k + 1 < even_rows) B(k + 1, k) = t[2 * k + 1];
  }
  const Svd svd = jacobi_svd(B, SvdSize::full);
  // T = sum_a s_a (x_a y_a' - y_a x_a'), x_a the left vector on even rows, y_a the right one on odd rows.
  Matrix vectors = Matrix::Zero(n, n);
  for (Index a = 0; a < odd_rows; ++a) {
    for (Index k = 0; k < odd_rows; ++k) vectors(2 * k + 1, 2 * a) = svd.V(k, a);
    for (Index k = 0; k < even_rows; ++k) vectors(2 * k, 2 * a + 1) = svd.U(k, a);
  }
  if (even_rows > odd_rows)
    for (Index k = 0; k < even_rows; ++k) vectors(2 * k, n - 1) = svd.U(k, odd_rows);
  return {reduced.Q * vectors, svd.s};
}

// Small and large turns are told apart by the eigenvalues cos(angle) of the symmetric part of A, at a wide gap, so that
// the two invariant subspaces are accurate however close or equal the angles are. Large turns are those of -A, by
// pi - angle in the opposite sense. (A QR iteration on A itself may go round in circles when angles nearly coincide.)
RotationLog planes_of_rotation(ConstMatrixRef A_minus_I) {
  const Index n = A_minus_I.rows();
  RotationLog result;
  if (A_minus_I.norm() < 1) {  // all angles below pi / 3
    result.planes = planes_of_moderate_turns(A_minus_I);
    result.margin = pi - result.planes.angle.maxCoeff();
    return result;
  }
  const Spectrum symmetric = symmetric_spectrum((A_minus_I + A_minus_I.transpose()) / 2);
  const Vector cosine = symmetric.values.array() + 1;
  Index large = (cosine.array() < widest_gap(cosine)).count();
  large -= large % 2;  // their number is even since det A = 1
  const auto V_large = symmetric.vectors.leftCols(large), V_small = symmetric.vectors.rightCols(n - large);

  result.planes.W.resize(n, n);
  result.planes.angle.resize(n / 2);
  result.margin = pi;
  if (large > 0) {
    const Matrix B = -V_large.transpose() * A_minus_I * V_large - 2 * Matrix::Identity(large, large);  // -A - I
    RotationPlanes opposite = planes_of_moderate_turns(B);
    opposite.W = V_large * opposite.W;
    result.margin = opposite.angle.minCoeff();
    for (Index a = 0; a < large / 2; ++a) {
      const auto first = opposite.W.col(2 * a + 1), second = opposite.W.col(2 * a);
      const bool half_turn = opposite.angle[a] <= 4 * static_cast<double>(n) * epsilon;
      const bool reversed = half_turn && first_entry_negative(first, second);
      result.half_turn = result.half_turn || half_turn;
      result.planes.W.col(2 * a) = reversed ? second : first;
      result.planes.W.col(2 * a + 1) = reversed ? first : second;
      result.planes.angle[a] = pi - opposite.angle[a];
    }
  }
  if (large < n) {
    const RotationPlanes direct = planes_of_moderate_turns(V_small.transpose() * A_minus_I * V_small);
    result.planes.W.rightCols(n - large) = V_small * direct.W;
    result.planes.angle.tail((n - large) / 2) = direct.angle;
    for (const double angle : direct.angle) result.margin = std::min(result.margin, pi - angle);
  }
  return result;
}

}  // namespace wgp
