// What all metrics on SPD(n), the symmetric positive definite n x n matrices, share: everything but the metric.
//
// A point is a column of n * n numbers, the matrix row by row. Tangent vectors are symmetric matrices in the same form.
#pragma once

#include <Eigen/Core>

#include "wgp/exact_points.h"
#include "wgp/manifold.h"
#include "wgp/row_form.h"

namespace wgp {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A column of n * n numbers as a matrix, and back.
inline Eigen::Map<const RowMajorMatrix> as_matrix(ConstVectorRef column, Index n) { return {column.data(), n, n}; }
inline Vector as_column(ConstMatrixRef matrix) {
  Vector column(matrix.size());
  Eigen::Map<RowMajorMatrix>(column.data(), matrix.rows(), matrix.cols()) = matrix;
  return column;
}

// W W', symmetric to the last bit.
Matrix outer_square(ConstMatrixRef W);

// Why a square matrix is not symmetric (entries relative to the diagonal's geometric mean) or not positive definite;
// nothing if it is both. Positive definite means: to working precision, judged after scaling to unit diagonal, so that
// graded matrices with condition numbers far beyond 1e16 pass.
std::optional<std::string> spd_defect(ConstMatrixRef matrix, double tolerance);

// (A + A') / 2 if that is positive definite, else with its eigenvalues raised to 1e-12 of the largest. Throws Error
// where no eigenvalue is positive or an entry is not finite.
Matrix nearest_spd(ConstMatrixRef matrix);

// Full matrix and lower triangle (row by row: a11, a21, a22, a31, ...) as rows of a file.
RowForms symmetric_row_forms(Index n);
// p11, p12, ... ; p1_1, p1_2, ... from n = 10 on, where p111 would be ambiguous.
std::vector<std::string> matrix_entry_names(const std::string& letter, Index n);

class SpdManifold : public Manifold, public RowLayout, public ExactPoints {
 public:
  // metric: what follows "spd:n" in the spec, "" or "/affine-invariant".
  SpdManifold(Index n, std::string metric);

  std::string spec() const final;
  Index dim() const final { return n_ * (n_ + 1) / 2; }
  Index ambient_dim() const final { return n_ * n_; }
  Index size() const { return n_; }

  using Manifold::defect;
  std::optional<std::string> defect(ConstVectorRef x, double tolerance) const final;
  double default_tolerance() const final { return 1e-10; }
  Vector project(ConstVectorRef x) const final;
  Index leading_exact(ConstMatrixRef X) const final;  // symmetric to the last bit and well within the cone

  Vector random_point(Random& random) const final;  // Q diag(exp N(0, 1)) Q', Q Haar distributed
  RowForms row_forms() const final { return symmetric_row_forms(n_); }
  std::vector<std::string> ambient_names() const final { return matrix_entry_names("p", n_); }

 private:
  Index n_;
  std::string metric_;
};

}  // namespace wgp
