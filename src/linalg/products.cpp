#include "linalg/products.h"

namespace wgp {

Matrix product(ConstMatrixRef A, ConstMatrixRef B) {
  Matrix C = Matrix::Zero(A.rows(), B.cols());
  add_product(C, A, B);
  return C;
}

Matrix product_tn(ConstMatrixRef A, ConstMatrixRef B) {
  Matrix C = Matrix::Zero(A.cols(), B.cols());
  add_product_tn(C, A, B);
  return C;
}

Matrix product_nt(ConstMatrixRef A, ConstMatrixRef B) {
  Matrix C = Matrix::Zero(A.rows(), B.rows());
  add_product_nt(C, A, B);
  return C;
}

}  // namespace wgp
