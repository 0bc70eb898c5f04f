#include "geometry/spd_common.h"

#include <cmath>

#include "core/format.h"

#include "linalg/householder.h"
#include "linalg/small_symmetric.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

// a11, a21, a22, a31, ...
class LowerTriangleForm final : public RowForm {
 public:
  explicit LowerTriangleForm(Index n) : RowForm("lower triangle", n * (n + 1) / 2), n_(n) {}

  Vector to_point(ConstVectorRef row) const override {
    Vector point(n_ * n_);
    for (Index i = 0, e = 0; i < n_; ++i)
      for (Index j = 0; j <= i; ++j, ++e) point[i * n_ + j] = point[j * n_ + i] = row[e];
    return point;
  }
  Vector from_point(ConstVectorRef point) const override {
    Vector row(width());
    for (Index i = 0, e = 0; i < n_; ++i)
      for (Index j = 0; j <= i; ++j, ++e) row[e] = point[i * n_ + j];
    return row;
  }
  Vector to_tangent(ConstVectorRef, ConstVectorRef row) const override { return to_point(row); }
  Vector from_tangent(ConstVectorRef, ConstVectorRef ambient) const override { return from_point(ambient); }

 private:
  Index n_;
};

}  // namespace

Matrix outer_square(ConstMatrixRef W) {
  Matrix lower = Matrix::Zero(W.rows(), W.rows());
  lower.selfadjointView<Eigen::Lower>().rankUpdate(W);
  return lower.selfadjointView<Eigen::Lower>();
}

std::optional<std::string> spd_defect(ConstMatrixRef matrix, double tolerance) {
  const Index n = matrix.rows();
  if (!matrix.allFinite()) return "an entry is not a finite number";
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j) {
      const double difference = std::abs(matrix(i, j) - matrix(j, i));
      const double size =
          std::max({std::sqrt(std::abs(matrix(i, i) * matrix(j, j))), std::abs(matrix(i, j)), std::abs(matrix(j, i))});
      if (difference > tolerance * size)
        return fmt::format("not symmetric: entries ({},{}) and ({},{}) differ by {:.3g}", i + 1, j + 1, j + 1, i + 1,
                           difference);
    }
  const Matrix symmetric = (matrix + matrix.transpose()) / 2;
  Matrix L;
  if (cholesky_factor(symmetric, L)) return std::nullopt;
  const Vector values = symmetric_eigen(symmetric).values;
  const double smallest = values.minCoeff(), largest = values.maxCoeff();
  if (smallest < -1e-14 * std::abs(largest) || largest <= 0)
    return fmt::format("not positive definite, smallest eigenvalue {:.3g}", smallest);
  return fmt::format("not positive definite to working precision, smallest eigenvalue {:.3g}, largest {:.3g}", smallest,
                     largest);
}

Matrix nearest_spd(ConstMatrixRef matrix) {
  if (!matrix.allFinite())
    throw Error("a matrix with entries that are not finite has no nearest positive definite matrix");
  const Matrix symmetric = (matrix + matrix.transpose()) / 2;
  Matrix L;
  if (cholesky_factor(symmetric, L)) return symmetric;
  const SymmetricEigen eigen = symmetric_eigen(symmetric);
  const double largest = eigen.values.maxCoeff();
  if (!(largest > 0)) throw Error("no eigenvalue is positive: there is no nearest positive definite matrix");
  // Large matrices may need a higher floor before rounding in the product lets them be definite.
  for (double floor = 1e-12;; floor *= 10) {
    const Vector roots = eigen.values.cwiseMax(floor * largest).cwiseSqrt();
    const Matrix clipped = outer_square(eigen.vectors * roots.asDiagonal());
    if (cholesky_factor(clipped, L) || floor > 1e-3) return clipped;
  }
}

RowForms symmetric_row_forms(Index n) {
  RowForms forms = {std::make_shared<RowForm>("matrix", n * n)};
  if (n > 1) forms.push_back(std::make_shared<LowerTriangleForm>(n));
  return forms;
}

std::vector<std::string> matrix_entry_names(const std::string& letter, Index n) {
  const char* separator = n < 10 ? "" : "_";
  std::vector<std::string> names;
  for (Index i = 1; i <= n; ++i)
    for (Index j = 1; j <= n; ++j) names.push_back(fmt::format("{}{}{}{}", letter, i, separator, j));
  return names;
}

SpdManifold::SpdManifold(Index n, std::string metric) : n_(n), metric_(std::move(metric)) {
  if (n < 1) throw Error(fmt::format("spd:{}{} does not exist: the matrix size must be at least 1", n, metric_));
}

std::string SpdManifold::spec() const { return fmt::format("spd:{}{}", n_, metric_); }

std::optional<std::string> SpdManifold::defect(ConstVectorRef x, double tolerance) const {
  return spd_defect(as_matrix(x, n_), tolerance);
}

namespace {

// Both halves are the same and the pivots of L D L' are positive, by more than the rounding that spd_defect looks at:
// what is near the edge is left to it. room: n * n numbers.
template <class Size>
bool is_exact(Size n, const double* a, double* room) {
  for (Index i = 1; i < n; ++i)
    for (Index j = 0; j < i; ++j)
      if (!(a[i * n + j] == a[j * n + i])) return false;
  const double least = 4 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  double* const inverse = room;  // on the diagonal those of the pivots, below it L D
  for (Index j = 0; j < n; ++j) {
    double* const row = room + j * n;
    double pivot = a[j * n + j];
    if (!(pivot < std::numeric_limits<double>::infinity())) return false;
    for (Index k = 0; k < j; ++k) {
      double x = a[j * n + k];
      for (Index l = 0; l < k; ++l) x -= row[l] * (room[k * n + l] * inverse[l * n + l]);
      row[k] = x;
      pivot -= x * (x * inverse[k * n + k]);
    }
    if (!(pivot > least * a[j * n + j])) return false;
    row[j] = 1 / pivot;
  }
  return true;
}

template <int n>
Index leading_exact_of(ConstMatrixRef X) {
  double room[n * n];
  Index i = 0;
  while (i < X.cols() && is_exact(std::integral_constant<Index, n>(), X.data() + i * X.outerStride(), room)) ++i;
  return i;
}

}  // namespace

Index SpdManifold::leading_exact(ConstMatrixRef X) const {
  switch (n_) {
    case 2:
      return leading_exact_of<2>(X);
    case 3:
      return leading_exact_of<3>(X);
    case 4:
      return leading_exact_of<4>(X);
    default:
      std::vector<double> room(static_cast<std::size_t>(n_ * n_));
      Index i = 0;
      while (i < X.cols() && is_exact(n_, X.data() + i * X.outerStride(), room.data())) ++i;
      return i;
  }
}

Vector SpdManifold::project(ConstVectorRef x) const { return as_column(nearest_spd(as_matrix(x, n_))); }

Vector SpdManifold::random_point(Random& random) const {
  const Matrix Q = random_orthogonal(random, n_);
  const Vector roots = (random.normals(n_) / 2).array().exp();
  return as_column(outer_square(Q * roots.asDiagonal()));
}

}  // namespace wgp
