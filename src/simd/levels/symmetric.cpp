// Small symmetric matrices, eight columns per step, loaded entry by entry: see simd/symmetric_kernels.h.
#include "simd/symmetric_kernels.h"

#include <cstdint>
#include <numbers>

// First: templates find functions of packs only where they were declared before.
#include "simd/levels/pack.h"

#include "simd/levels/jacobi_rotations.h"
#include "simd/levels/tables.h"
#include "simd/levels/vector.h"

namespace wgp::WGP_SIMD {
namespace {

constexpr double sqrt2 = std::numbers::sqrt2;

// Where the arrays of one call live: on the stack for the unrolled sizes, in the caller's memory otherwise.
template <class S>
struct Workspace;
template <int N>
struct Workspace<Size<N>> {
  Workspace(Size<N>, double*) {}
  Pack a[N * N], g[N * N], w[N], tmp[N];
};
template <>
struct Workspace<Size<0>> {
  Workspace(Size<0> n, double* room) {
    // symmetric_room leaves space to begin where a register may.
    a = reinterpret_cast<Pack*>((reinterpret_cast<std::uintptr_t>(room) + 63) / 64 * 64);
    g = a + n * n;
    w = g + n * n;
    tmp = w + n;
  }
  Pack *a, *g, *w, *tmp;
};

// The columns first .. first + 7 of a matrix; beyond the last, the last again, so that writing all of them does no
// harm.
template <class Pointer>
struct Eight {
  Pointer at[pack_size];
  template <class Matrix>
  Eight(const Matrix& columns, Index first, Index size) {
    for (Index l = 0; l < pack_size; ++l) at[l] = columns.data + (first + least(l, size - 1)) * columns.stride;
  }
};
using Sources = Eight<const double*>;
using Targets = Eight<double*>;

inline Pack gather(const Sources& columns, Index entry) {
  Pack x;
  for (int l = 0; l < pack_size; ++l) x[l] = columns.at[l][entry];
  return x;
}
inline void scatter(const Pack& x, const Targets& columns, Index entry) {
  for (int l = 0; l < pack_size; ++l) columns.at[l][entry] = x[l];
}

template <class S>
void load_lower(S n, const Sources& columns, Pack* a) {
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) a[i * n + j] = gather(columns, i * n + j);
}

// body(size, workspace, first, count) for each batch returns which of it failed.
template <class S, class Body>
void run_batches(S n, Index columns, bool* failed, double* room, Body body) {
  Workspace<S> work(n, room);
  for (Index first = 0; first < columns; first += pack_size) {
    const Index count = least(pack_size, columns - first);
    const PackMask lost = body(n, work, first, count);
    for (Index l = 0; l < count; ++l) failed[first + l] = lost[l] != 0;
  }
}

template <class Body>
void for_size(Index n, Index columns, bool* failed, double* room, Body body) {
  switch (n) {
    case 2:
      return run_batches(Size<2>{}, columns, failed, room, body);
    case 3:
      return run_batches(Size<3>{}, columns, failed, room, body);
    case 4:
      return run_batches(Size<4>{}, columns, failed, room, body);
    default:
      return run_batches(Size<0>{n}, columns, failed, room, body);
  }
}

// g <- L^-1 g, column by column.
template <class S>
void solve_columns(S n, const double* L, Pack* g) {
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i) {
      Pack x = g[k * n + i];
      for (Index j = 0; j < i; ++j) x -= L[j * n + i] * g[k * n + j];
      g[k * n + i] = x * L[n * n + i];
    }
}

inline PackMask not_finite_positive(const Pack& x) { return !((x > 0) & (x <= std::numeric_limits<double>::max())); }

// Columns g_k and squared lengths w_k of the eigen-decomposition of each matrix; with L, of L^-1 Q L^-T.
template <class S, class W>
PackMask eigen_columns(S n, W& work, const Sources& sources, const double* L) {
  load_lower(n, sources, work.a);
  PackMask failed = pivoted_cholesky(n, work.a, work.tmp, work.g);
  if (L) solve_columns(n, L, work.g);
  orthogonalise_columns(n, work.g, work.w);
  for (Index k = 0; k < n; ++k) failed |= not_finite_positive(work.w[k]);
  return failed;
}

// Entry (i, j) of sum_k c_k g_k g_k'.
template <class S>
Pack sum_entry(S n, const Pack* c, const Pack* g, Index i, Index j) {
  Pack x = c[0] * g[i] * g[j];
  for (Index k = 1; k < n; ++k) x += c[k] * g[k * n + i] * g[k * n + j];
  return x;
}

void symmetric_log(Index size, const double* L, const ConstColumns& full, const Columns& vech, bool* failed,
                   double* room) {
  for_size(size, full.cols, failed, room, [&](auto n, auto& work, Index first, Index count) {
    const PackMask lost = eigen_columns(n, work, Sources(full, first, count), L);
    // log w u u' with u = g / sqrt w
    for (Index k = 0; k < n; ++k) work.tmp[k] = log(work.w[k]) / work.w[k];
    const Targets targets(vech, first, count);
    for (Index i = 0, e = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j, ++e) {
        const Pack x = sum_entry(n, work.tmp, work.g, i, j);
        scatter(i == j ? x : sqrt2 * x, targets, e);
      }
    return lost;
  });
}

void symmetric_log_norm(Index size, const double* L, const ConstColumns& full, double* norms, bool* failed,
                        double* room) {
  for_size(size, full.cols, failed, room, [&](auto n, auto& work, Index first, Index count) {
    const PackMask lost = eigen_columns(n, work, Sources(full, first, count), L);
    Pack squares{};
    for (Index k = 0; k < n; ++k) {
      const Pack x = log(work.w[k]);
      squares += x * x;
    }
    const Pack norm = sqrt(squares);
    for (Index l = 0; l < count; ++l) norms[first + l] = norm[l];
    return lost;
  });
}

// L exp(offset + S) L' = W W' with W = L U exp(Lambda / 2): symmetric to the last bit.
void symmetric_exp(Index size, const double* L, const ConstColumns& vech, const double* offset, const Columns& full,
                   bool* failed, double* room) {
  for_size(size, vech.cols, failed, room, [&](auto n, auto& work, Index first, Index count) {
    const Sources sources(vech, first, count);
    for (Index i = 0, e = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j, ++e) {
        Pack x = gather(sources, e);
        if (offset) x += offset[e];
        work.a[i * n + j] = work.a[j * n + i] = i == j ? x : x / sqrt2;
      }
    diagonalise(n, work.a, work.g);
    for (Index k = 0; k < n; ++k) {
      const Pack root = exp(work.a[k * n + k] / 2);
      Pack* column = work.g + k * n;
      for (Index i = n; i-- > 0;) {  // from the last row up: L u needs the entries above
        if (L) {
          Pack x = L[i * n + i] * column[i];
          for (Index j = 0; j < i; ++j) x += L[j * n + i] * column[j];
          column[i] = x;
        }
        column[i] *= root;
      }
      work.w[k] = broadcast8(1);
    }
    PackMask lost = Pack{} > 0;
    const Targets targets(full, first, count);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) {
        const Pack x = sum_entry(n, work.w, work.g, i, j);
        if (i == j) lost |= not_finite_positive(x);
        scatter(x, targets, i * n + j);
        if (i != j) scatter(x, targets, j * n + i);
      }
    return lost;
  });
}

void symmetric_root(Index size, const ConstColumns& full, const Columns& roots, bool* failed, double* room) {
  for_size(size, full.cols, failed, room, [&](auto n, auto& work, Index first, Index count) {
    const PackMask lost = eigen_columns(n, work, Sources(full, first, count), nullptr);
    for (Index k = 0; k < n; ++k) work.tmp[k] = 1 / sqrt(work.w[k]);
    const Targets targets(roots, first, count);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) {
        const Pack x = sum_entry(n, work.tmp, work.g, i, j);
        scatter(x, targets, i * n + j);
        if (i != j) scatter(x, targets, j * n + i);
      }
    return lost;
  });
}

}  // namespace

const SymmetricKernels symmetric_kernels = {symmetric_log, symmetric_log_norm, symmetric_exp, symmetric_root};

}  // namespace wgp::WGP_SIMD
