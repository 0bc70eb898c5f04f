// Dense products and triangular solutions with the instructions that the processor has (simd/kernels.h), where Eigen's
// operators have those that the library was compiled for.
#pragma once

#include "simd/kernels.h"
#include "wgp/types.h"

namespace wgp {

inline ConstColumns columns(ConstMatrixRef A) { return {A.data(), A.rows(), A.cols(), A.outerStride()}; }
inline Columns columns(MatrixRef A) { return {A.data(), A.rows(), A.cols(), A.outerStride()}; }

inline void add_product(MatrixRef C, ConstMatrixRef A, ConstMatrixRef B, double scale = 1) {  // C += scale A B
  simd().products.add_product(columns(C), scale, columns(A), Turned::no, columns(B), Turned::no);
}
inline void add_product_tn(MatrixRef C, ConstMatrixRef A, ConstMatrixRef B, double scale = 1) {  // C += scale A' B
  simd().products.add_product(columns(C), scale, columns(A), Turned::yes, columns(B), Turned::no);
}
inline void add_product_nt(MatrixRef C, ConstMatrixRef A, ConstMatrixRef B, double scale = 1) {  // C += scale A B'
  simd().products.add_product(columns(C), scale, columns(A), Turned::no, columns(B), Turned::yes);
}
Matrix product(ConstMatrixRef A, ConstMatrixRef B);
Matrix product_tn(ConstMatrixRef A, ConstMatrixRef B);  // A' B
Matrix product_nt(ConstMatrixRef A, ConstMatrixRef B);  // A B'

// B <- L^-1 B and L^-T B.
inline void solve_lower(ConstMatrixRef L, MatrixRef B) {
  simd().products.solve_lower(columns(L), Turned::no, columns(B));
}
inline void solve_lower_transpose(ConstMatrixRef L, MatrixRef B) {
  simd().products.solve_lower(columns(L), Turned::yes, columns(B));
}
// The lower triangle of C += scale A A'.
inline void add_gram(MatrixRef C, ConstMatrixRef A, double scale = 1) {
  simd().products.add_gram(columns(C), scale, columns(A));
}

}  // namespace wgp
