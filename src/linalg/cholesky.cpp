#include "linalg/cholesky.h"

#include <algorithm>
#include <cmath>

#include "linalg/products.h"

namespace wgp {
namespace {

constexpr Index block = 512;  // columns between two questions to the control

}  // namespace

bool cholesky_lower(MatrixRef A, RunControl* control) {
  const Index n = A.rows();
  if (!control || n <= 2 * block) {
    if (!simd().products.factor(columns(A))) return false;
    return A.diagonal().array().isFinite().all();
  }
  for (Index first = 0; first < n; first += block) {
    const Index size = std::min(block, n - first), rest = n - first - size;
    MatrixRef square = A.block(first, first, size, size);
    if (!simd().products.factor(columns(square))) return false;
    MatrixRef below = A.block(first + size, first, rest, size);
    simd().products.solve_right(columns(ConstMatrixRef(square)), columns(below));
    for (Index column = 0; column < rest; column += block) {
      control->check();
      const Index width = std::min(block, rest - column), under = rest - column - width;
      MatrixRef on_diagonal = A.block(first + size + column, first + size + column, width, width);
      add_gram(on_diagonal, below.middleRows(column, width), -1);
      MatrixRef lower = A.block(first + size + column + width, first + size + column, under, width);
      add_product_nt(lower, below.bottomRows(under), below.middleRows(column, width), -1);
    }
  }
  return A.diagonal().array().isFinite().all();
}

void invert_triangle(MatrixRef L) { simd().products.invert_lower(columns(L)); }
void triangle_gram(MatrixRef L) { simd().products.lower_gram(columns(L)); }

double log_det_from_cholesky(ConstMatrixRef L) { return 2 * L.diagonal().array().log().sum(); }

}  // namespace wgp
