// Matrix decompositions by Eigen, compiled once: each of them is ten thousand lines of templates to whoever includes
// it.
//
// Symmetric matrices are read from their lower triangle. Small ones to high relative accuracy:
// linalg/small_symmetric.h.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "wgp/types.h"

namespace wgp {

// A = vectors diag(values) vectors', values increasing.
struct Spectrum {
  Vector values;
  Matrix vectors;
  bool ok = true;  // false: not finite, or no convergence
};
Spectrum symmetric_spectrum(ConstMatrixRef A);
Vector symmetric_eigenvalues(ConstMatrixRef A);

struct ComplexSpectrum {
  Vector values;
  Eigen::MatrixXcd vectors;
};
ComplexSpectrum hermitian_spectrum(const Eigen::Ref<const Eigen::MatrixXcd>& A);

// A = U diag(s) V', s decreasing. Jacobi: one-sided rotations, accurate; divided: for large matrices.
struct Svd {
  Matrix U;
  Vector s;
  Matrix V;
};
enum class SvdSize { thin, full };
Svd jacobi_svd(ConstMatrixRef A, SvdSize size = SvdSize::thin);
enum class SvdParts { left, right, both };  // of U and V the one that is not asked for is empty
Svd divided_svd(ConstMatrixRef A, SvdParts parts = SvdParts::both);  // thin

// A = Q R by Householder reflections, Q square.
class Qr {
 public:
  explicit Qr(ConstMatrixRef A);
  Matrix Q() const;
  Matrix R() const;                                // the upper triangle, min(rows, cols) rows
  Matrix times(ConstMatrixRef X) const;            // Q X
  Matrix transpose_times(ConstMatrixRef X) const;  // Q' X

 private:
  struct Factors;
  std::shared_ptr<const Factors> factors_;
};
// R alone, over A's own memory.
Matrix triangle_of_qr(MatrixRef A);
// With column pivoting: the least-squares solution of A x = b where the rank may be short.
Vector least_squares(ConstMatrixRef A, ConstVectorRef b);
// Of a complex matrix with at least as many rows as columns.
Eigen::MatrixXcd unitary_of_qr(const Eigen::Ref<const Eigen::MatrixXcd>& A);

// P A = L U by partial pivoting; A is square.
class Lu {
 public:
  explicit Lu(ConstMatrixRef A);
  Matrix solve(ConstMatrixRef B) const;
  Matrix transpose_solve(ConstMatrixRef B) const;  // A'^-1 B
  double determinant() const;
  double log_abs_determinant() const;

 private:
  struct Factors;
  std::shared_ptr<const Factors> factors_;
};
double determinant(ConstMatrixRef A);

// A = L L'.
class Cholesky {
 public:
  explicit Cholesky(ConstMatrixRef A);
  bool ok() const { return ok_; }         // false: A is not positive definite
  const Matrix& L() const { return L_; }  // zero above the diagonal
  Matrix solve(ConstMatrixRef B) const;   // A^-1 B

 private:
  Matrix L_;
  bool ok_ = false;
};
bool is_positive_definite(ConstMatrixRef A);
// Of a symmetric matrix that need not be definite.
Vector solve_symmetric(ConstMatrixRef A, ConstVectorRef b);

// A = Q H Q' with H zero below its first subdiagonal.
struct Hessenberg {
  Matrix Q;
  Vector subdiagonal;
};
Hessenberg hessenberg(ConstMatrixRef A);

Matrix matrix_exponential(ConstMatrixRef A);

}  // namespace wgp
