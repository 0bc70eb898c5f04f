// Dense products by Eigen, for this level's instructions: see simd/product_kernels.h.
#include "simd/product_kernels.h"

#include "simd/levels/eigen.h"
#include "simd/levels/tables.h"

namespace wgp::WGP_SIMD {
namespace {

using Dense = Eigen::MatrixXd;
using Stride = Eigen::OuterStride<>;
using ConstMap = Eigen::Map<const Dense, 0, Stride>;
using Map = Eigen::Map<Dense, 0, Stride>;

ConstMap map(const ConstColumns& A) { return ConstMap(A.data, A.rows, A.cols, Stride(A.stride)); }
Map map(const Columns& A) { return Map(A.data, A.rows, A.cols, Stride(A.stride)); }

void add_product(const Columns& C, double scale, const ConstColumns& A, Turned a, const ConstColumns& B, Turned b) {
  Map to = map(C);
  if (a == Turned::no && b == Turned::no)
    to.noalias() += scale * (map(A) * map(B));
  else if (a == Turned::yes && b == Turned::no)
    to.noalias() += scale * (map(A).transpose() * map(B));
  else if (a == Turned::no)
    to.noalias() += scale * (map(A) * map(B).transpose());
  else
    to.noalias() += scale * (map(A).transpose() * map(B).transpose());
}

void solve_lower(const ConstColumns& L, Turned l, const Columns& B) {
  Map to = map(B);
  if (l == Turned::no)
    map(L).triangularView<Eigen::Lower>().solveInPlace(to);
  else
    map(L).transpose().triangularView<Eigen::Upper>().solveInPlace(to);
}

void solve_right(const ConstColumns& L, const Columns& B) {
  Map to = map(B);
  map(L).transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(to);
}

void add_gram(const Columns& C, double scale, const ConstColumns& A) {
  Map to = map(C);
  to.selfadjointView<Eigen::Lower>().rankUpdate(map(A), scale);
}

bool factor(const Columns& A) {
  Eigen::Ref<Dense, 0, Stride> matrix = map(A);
  const Eigen::LLT<Eigen::Ref<Dense, 0, Stride>, Eigen::Lower> llt(matrix);
  return llt.info() == Eigen::Success;
}

// Recursive on halves, so that nearly all work is matrix products.
constexpr Index leaf = 48;

struct Halves {
  Map A, B, C;  // [A 0; B C]
  explicit Halves(const Columns& L, Index m)
      : A(L.data, m, m, Stride(L.stride)),
        B(L.data + m, L.rows - m, m, Stride(L.stride)),
        C(L.data + m + m * L.stride, L.rows - m, L.rows - m, Stride(L.stride)) {}
  // The upper half of the rows, a multiple of 16 so that blocks stay aligned.
  explicit Halves(const Columns& L) : Halves(L, (L.rows / 2 + 15) / 16 * 16) {}
};
Columns columns_of(Map& A) { return {A.data(), A.rows(), A.cols(), A.outerStride()}; }

// [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1, C^-1]
void invert_lower(const Columns& columns) {
  Map L = map(columns);
  const Index n = L.rows();
  if (n <= leaf) {
    Dense inverse = Dense::Identity(n, n);
    L.triangularView<Eigen::Lower>().solveInPlace(inverse);
    L.triangularView<Eigen::Lower>() = inverse;
    return;
  }
  Halves half(columns);
  invert_lower(columns_of(half.A));
  invert_lower(columns_of(half.C));
  const Dense CB = half.C.triangularView<Eigen::Lower>() * half.B;
  half.B.noalias() = -(CB * half.A.triangularView<Eigen::Lower>());
}

// [A 0; B C]'[A 0; B C] = [A'A + B'B, .; C'B, C'C]
void lower_gram(const Columns& columns) {
  Map L = map(columns);
  if (L.rows() <= leaf) {
    const Dense lower = L.triangularView<Eigen::Lower>();
    L.triangularView<Eigen::Lower>() = lower.transpose() * lower;
    return;
  }
  Halves half(columns);
  lower_gram(columns_of(half.A));
  half.A.selfadjointView<Eigen::Lower>().rankUpdate(half.B.transpose());
  half.B = half.C.triangularView<Eigen::Lower>().transpose() * half.B.eval();
  lower_gram(columns_of(half.C));
}

}  // namespace

const ProductKernels product_kernels = {add_product, solve_lower,  add_gram,  solve_right,
                                        factor,      invert_lower, lower_gram};

}  // namespace wgp::WGP_SIMD
