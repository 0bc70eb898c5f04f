#include "linalg/decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <unsupported/Eigen/MatrixFunctions>

namespace wgp {

Spectrum symmetric_spectrum(ConstMatrixRef A) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors(), solver.info() == Eigen::Success};
}

Vector symmetric_eigenvalues(ConstMatrixRef A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

ComplexSpectrum hermitian_spectrum(const Eigen::Ref<const Eigen::MatrixXcd>& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

namespace {

// Eigen's decompositions destroy a part of themselves before they allocate another one in its place. One that found no
// memory then must not be destroyed as a whole: it would free that part twice.
template <class Decomposition>
Svd svd_by(ConstMatrixRef A, unsigned parts) {
  auto svd = std::make_unique<Decomposition>();
  try {
    svd->compute(A, parts);
  } catch (...) {
    (void)svd.release();
    throw;
  }
  return {svd->computeU() ? svd->matrixU() : Matrix(), svd->singularValues(),
          svd->computeV() ? svd->matrixV() : Matrix()};
}

constexpr Index worth_dividing = 16;  // columns; Eigen's own limit

}  // namespace

Svd jacobi_svd(ConstMatrixRef A, SvdSize size) {
  return svd_by<Eigen::JacobiSVD<Matrix>>(
      A, size == SvdSize::thin ? Eigen::ComputeThinU | Eigen::ComputeThinV : Eigen::ComputeFullU | Eigen::ComputeFullV);
}

Svd divided_svd(ConstMatrixRef A, SvdParts parts) {
  const unsigned wanted = (parts != SvdParts::right ? unsigned{Eigen::ComputeThinU} : 0U) |
                          (parts != SvdParts::left ? unsigned{Eigen::ComputeThinV} : 0U);
  return A.cols() < worth_dividing ? svd_by<Eigen::JacobiSVD<Matrix>>(A, wanted)
                                   : svd_by<Eigen::BDCSVD<Matrix>>(A, wanted);
}

struct Qr::Factors {
  Eigen::HouseholderQR<Matrix> qr;
};
Qr::Qr(ConstMatrixRef A) : factors_(new Factors{Eigen::HouseholderQR<Matrix>(A)}) {}
Matrix Qr::Q() const { return factors_->qr.householderQ(); }
Matrix Qr::R() const {
  const Matrix& packed = factors_->qr.matrixQR();
  return packed.topRows(std::min(packed.rows(), packed.cols())).triangularView<Eigen::Upper>();
}
Matrix Qr::times(ConstMatrixRef X) const {
  Matrix result = X;
  result.applyOnTheLeft(factors_->qr.householderQ());
  return result;
}
Matrix Qr::transpose_times(ConstMatrixRef X) const {
  Matrix result = X;
  result.applyOnTheLeft(factors_->qr.householderQ().adjoint());
  return result;
}

Matrix triangle_of_qr(MatrixRef A) {
  const Eigen::HouseholderQR<Eigen::Ref<Matrix>> qr(A);
  return qr.matrixQR().topRows(std::min(A.rows(), A.cols())).triangularView<Eigen::Upper>();
}

Vector least_squares(ConstMatrixRef A, ConstVectorRef b) { return A.colPivHouseholderQr().solve(b); }

Eigen::MatrixXcd unitary_of_qr(const Eigen::Ref<const Eigen::MatrixXcd>& A) {
  return Eigen::HouseholderQR<Eigen::MatrixXcd>(A).householderQ();
}

struct Lu::Factors {
  Eigen::PartialPivLU<Matrix> lu;
};
Lu::Lu(ConstMatrixRef A) : factors_(new Factors{Eigen::PartialPivLU<Matrix>(A)}) {}
Matrix Lu::solve(ConstMatrixRef B) const { return factors_->lu.solve(B); }
Matrix Lu::transpose_solve(ConstMatrixRef B) const { return factors_->lu.transpose().solve(B); }
double Lu::determinant() const { return factors_->lu.determinant(); }
double Lu::log_abs_determinant() const { return factors_->lu.matrixLU().diagonal().array().abs().log().sum(); }
double determinant(ConstMatrixRef A) { return A.determinant(); }

Cholesky::Cholesky(ConstMatrixRef A) {
  const Eigen::LLT<Matrix> factor(A);
  ok_ = factor.info() == Eigen::Success;
  L_ = factor.matrixL();
}
Matrix Cholesky::solve(ConstMatrixRef B) const {
  Matrix X = B;
  L_.triangularView<Eigen::Lower>().solveInPlace(X);
  L_.triangularView<Eigen::Lower>().transpose().solveInPlace(X);
  return X;
}
bool is_positive_definite(ConstMatrixRef A) { return Eigen::LLT<Matrix>(A).info() == Eigen::Success; }
Vector solve_symmetric(ConstMatrixRef A, ConstVectorRef b) { return A.ldlt().solve(b); }

Hessenberg hessenberg(ConstMatrixRef A) {
  const Eigen::HessenbergDecomposition<Matrix> reduced(A);
  return {reduced.matrixQ(), reduced.packedMatrix().diagonal(-1)};
}

Matrix matrix_exponential(ConstMatrixRef A) { return A.exp(); }

}  // namespace wgp
