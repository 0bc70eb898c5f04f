// The batched functions of small_symmetric.h: eight columns per step, loaded entry by entry into lanes.
#include <algorithm>
#include <array>
#include <numbers>

#include "linalg/jacobi_rotations.h"
#include "linalg/small_symmetric.h"

namespace wgp {
namespace {

using lanes::Lanes;
using lanes::Mask;
using lanes::Size;

constexpr double sqrt2 = std::numbers::sqrt2;

// Where the arrays of one call live: on the stack for the unrolled sizes, on the heap once per call otherwise.
template <class S>
struct Workspace;
template <int N>
struct Workspace<Size<N>> {
  explicit Workspace(Size<N>) {}
  Lanes a[N * N], g[N * N], w[N], tmp[N];
};
template <>
struct Workspace<Size<0>> {
  explicit Workspace(Size<0> n) : storage(static_cast<std::size_t>(2 * n * n + 2 * n)) {
    a = storage.data();
    g = a + n * n;
    w = g + n * n;
    tmp = w + n;
  }
  std::vector<Lanes> storage;
  Lanes *a, *g, *w, *tmp;
};

// The columns first .. first + 7 of a matrix; beyond the last, the last again.
struct Batch {
  Index first, size;
  template <class Pointer>
  std::array<Pointer, lanes::count> columns(Pointer data, Index stride) const {
    std::array<Pointer, lanes::count> result;
    for (Index l = 0; l < lanes::count; ++l)
      result[static_cast<std::size_t>(l)] = data + (first + std::min(l, size - 1)) * stride;
    return result;
  }
};
using Sources = std::array<const double*, lanes::count>;
using Targets = std::array<double*, lanes::count>;

inline Lanes gather(const Sources& columns, Index entry) {
  Lanes x;
  for (std::size_t l = 0; l < lanes::count; ++l) x[l] = columns[l][entry];
  return x;
}
// Lanes beyond the last column repeat it, so that writing all of them does no harm.
inline void scatter(const Lanes& x, const Targets& columns, Index entry) {
  for (std::size_t l = 0; l < lanes::count; ++l) columns[l][entry] = x[l];
}

template <class S>
void load_lower(S n, const Sources& columns, Lanes* a) {
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) a[i * n + j] = gather(columns, i * n + j);
}

// Calls body(size, workspace, batch, failed lanes) for each batch and collects the failures; their output becomes NaN.
template <class S, class Body>
FailedColumns run_batches(S n, MatrixRef output, Body body) {
  Workspace<S> work(n);
  FailedColumns failures;
  for (Index first = 0; first < output.cols(); first += lanes::count) {
    const Batch batch{first, std::min<Index>(lanes::count, output.cols() - first)};
    const Mask failed = body(n, work, batch);
    if (!lanes::any(failed)) continue;
    for (Index l = 0; l < batch.size; ++l) {
      if (!failed[l]) continue;
      output.col(first + l).setConstant(std::numeric_limits<double>::quiet_NaN());
      failures.push_back(first + l);
    }
  }
  return failures;
}

template <class Body>
FailedColumns dispatch(Index n, MatrixRef output, Body body) {
  switch (n) {
    case 2:
      return run_batches(Size<2>{}, output, body);
    case 3:
      return run_batches(Size<3>{}, output, body);
    case 4:
      return run_batches(Size<4>{}, output, body);
    default:
      return run_batches(Size<0>{n}, output, body);
  }
}

// g <- L^-1 g, column by column.
template <class S>
void solve_lower(S n, const Matrix& L, const Vector& inverse_diagonal, Lanes* g) {
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i) {
      Lanes x = g[k * n + i];
      for (Index j = 0; j < i; ++j) x -= L(i, j) * g[k * n + j];
      g[k * n + i] = x * inverse_diagonal[i];
    }
}

Mask not_finite_positive(const Lanes& x) { return !((x > 0) & (x <= std::numeric_limits<double>::max())); }

// Columns g_k and squared lengths w_k of the eigen-decomposition of each matrix; with L, of L^-1 Q L^-T.
template <class S, class W>
Mask eigen_columns(S n, W& work, const Sources& sources, const Matrix* L, const Vector& inverse_diagonal) {
  load_lower(n, sources, work.a);
  Mask failed = lanes::pivoted_cholesky(n, work.a, work.tmp, work.g);
  if (L) solve_lower(n, *L, inverse_diagonal, work.g);
  lanes::orthogonalise_columns(n, work.g, work.w);
  for (Index k = 0; k < n; ++k) failed |= not_finite_positive(work.w[k]);
  return failed;
}

// Entry (i, j) of sum_k c_k g_k g_k'.
template <class S>
Lanes sum_entry(S n, const Lanes* c, const Lanes* g, Index i, Index j) {
  Lanes x = c[0] * g[i] * g[j];
  for (Index k = 1; k < n; ++k) x += c[k] * g[k * n + i] * g[k * n + j];
  return x;
}

FailedColumns log_columns(Index size, const Matrix* L, ConstMatrixRef full, MatrixRef vech) {
  const Vector inverse_diagonal = L ? Vector(L->diagonal().cwiseInverse()) : Vector();
  return dispatch(size, vech, [&](auto n, auto& work, const Batch& batch) {
    const Mask failed = eigen_columns(n, work, batch.columns(full.data(), full.outerStride()), L, inverse_diagonal);
    // log w u u' with u = g / sqrt w
    for (Index k = 0; k < n; ++k) work.tmp[k] = lanes::log(work.w[k]) / work.w[k];
    const Targets targets = batch.columns(vech.data(), vech.outerStride());
    for (Index i = 0, e = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j, ++e) {
        const Lanes x = sum_entry(n, work.tmp, work.g, i, j);
        scatter(i == j ? x : sqrt2 * x, targets, e);
      }
    return failed;
  });
}

// L exp(offset + S) L' = W W' with W = L U exp(Lambda / 2): symmetric to the last bit.
FailedColumns exp_columns(Index size, const Matrix* L, ConstMatrixRef vech, const double* offset, MatrixRef full) {
  return dispatch(size, full, [&](auto n, auto& work, const Batch& batch) {
    const Sources sources = batch.columns(vech.data(), vech.outerStride());
    for (Index i = 0, e = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j, ++e) {
        Lanes x = gather(sources, e);
        if (offset) x += offset[e];
        work.a[i * n + j] = work.a[j * n + i] = i == j ? x : x / sqrt2;
      }
    lanes::diagonalise(n, work.a, work.g);
    for (Index k = 0; k < n; ++k) {
      const Lanes root = lanes::exp(work.a[k * n + k] / 2);
      Lanes* column = work.g + k * n;
      for (Index i = n; i-- > 0;) {  // from the last row up: L u needs the entries above
        if (L) {
          Lanes x = (*L)(i, i) * column[i];
          for (Index j = 0; j < i; ++j) x += (*L)(i, j) * column[j];
          column[i] = x;
        }
        column[i] *= root;
      }
      work.w[k] = Lanes{} + 1;
    }
    Mask failed = Lanes{} > 0;
    const Targets targets = batch.columns(full.data(), full.outerStride());
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) {
        const Lanes x = sum_entry(n, work.w, work.g, i, j);
        if (i == j) failed |= not_finite_positive(x);
        scatter(x, targets, i * n + j);
        if (i != j) scatter(x, targets, j * n + i);
      }
    return failed;
  });
}

}  // namespace

FailedColumns spd_log(Index n, ConstMatrixRef full, MatrixRef vech) { return log_columns(n, nullptr, full, vech); }

FailedColumns whitened_log(ConstMatrixRef L, ConstMatrixRef full, MatrixRef vech) {
  const Matrix factor = L;
  return log_columns(L.rows(), &factor, full, vech);
}

FailedColumns whitened_log_norm(ConstMatrixRef L, ConstMatrixRef full, VectorRef norms) {
  const Matrix factor = L;
  const Vector inverse_diagonal = L.diagonal().cwiseInverse();
  Eigen::Map<Matrix> row(norms.data(), 1, norms.size());
  return dispatch(L.rows(), row, [&](auto n, auto& work, const Batch& batch) {
    const Mask failed =
        eigen_columns(n, work, batch.columns(full.data(), full.outerStride()), &factor, inverse_diagonal);
    Lanes squares{};
    for (Index k = 0; k < n; ++k) {
      const Lanes x = lanes::log(work.w[k]);
      squares += x * x;
    }
    scatter(lanes::sqrt(squares), batch.columns(row.data(), 1), 0);
    return failed;
  });
}

FailedColumns spd_sqrt(Index size, ConstMatrixRef full, MatrixRef roots) {
  return dispatch(size, roots, [&](auto n, auto& work, const Batch& batch) {
    const Mask failed = eigen_columns(n, work, batch.columns(full.data(), full.outerStride()), nullptr, Vector());
    for (Index k = 0; k < n; ++k) work.tmp[k] = 1 / lanes::sqrt(work.w[k]);
    const Targets targets = batch.columns(roots.data(), roots.outerStride());
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) {
        const Lanes x = sum_entry(n, work.tmp, work.g, i, j);
        scatter(x, targets, i * n + j);
        if (i != j) scatter(x, targets, j * n + i);
      }
    return failed;
  });
}

FailedColumns symmetric_exp(Index n, ConstMatrixRef vech, ConstVectorRef offset, MatrixRef full) {
  return exp_columns(n, nullptr, vech, offset.data(), full);
}

FailedColumns whitened_exp(ConstMatrixRef L, ConstMatrixRef vech, MatrixRef full) {
  const Matrix factor = L;
  return exp_columns(L.rows(), &factor, vech, nullptr, full);
}

}  // namespace wgp
