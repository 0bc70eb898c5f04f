// The sweep's kernels: see simd/sweep_kernels.h.
#include "simd/sweep_kernels.h"

#include <cmath>

#include "simd/levels/panel.h"
#include "simd/levels/tables.h"

namespace wgp::WGP_SIMD {
namespace {

// A run-time number of registers, 1 to 3, as a compile-time one.
template <class F>
[[gnu::always_inline]] inline void with_vectors(int count, F&& f) {
  if (count >= 3)
    f(std::integral_constant<int, 3>());
  else if (count == 2)
    f(std::integral_constant<int, 2>());
  else
    f(std::integral_constant<int, 1>());
}

// W = P L^-T for a panel, groups first.. of `groups`; the columns of P and W before `first` are taken as zero.
// L: panels of the factor, `stride` doubles apart.
template <int V>
void forward(const double* P, double* W, const double* L, Index stride, const double* inverse, Index first,
             Index groups) {
  for (Index g = first; g < groups; ++g) {
    const double* triangle = L + g / vectors * stride + g % vectors * vec_size;
    Tile<V> tile;
    tile.load_from(P + g * vec_size * rows);
    tile.subtract_product(W + first * vec_size * rows, triangle + first * vec_size * rows, (g - first) * vec_size);
    tile.substitute_forward(triangle + g * vec_size * rows, inverse + g * vec_size);
    tile.store_to(W + g * vec_size * rows);
  }
}

// U = W L^-1 for a panel. Lt: panels of the factor's transpose.
template <int V>
void backward(const double* W, double* U, const double* Lt, Index stride, const double* inverse, Index groups) {
  for (Index g = groups - 1; g >= 0; --g) {
    const double* triangle = Lt + g / vectors * stride + g % vectors * vec_size;
    const Index done = (g + 1) * vec_size;
    Tile<V> tile;
    tile.load_from(W + g * vec_size * rows);
    tile.subtract_product(U + done * rows, triangle + done * rows, groups * vec_size - done);
    tile.substitute_backward(triangle + g * vec_size * rows, inverse + g * vec_size);
    tile.store_to(U + g * vec_size * rows);
  }
}

// Asks for the tile after the one at C as well: large matrices come from main memory, and a tile waits for all of its
// own.
template <int V>
void update_group(double* C, const double* W_I, const double* W_J, Index count) {
  Tile<V> tile;
  tile.load_from(C);
#pragma GCC unroll 8
  for (int j = vec_size; j < 2 * vec_size; ++j)
    for (int v = 0; v < vectors; ++v) __builtin_prefetch(C + j * rows + v * vec_size, 1);
  tile.subtract_product(W_I, W_J, count);
  tile.store_to(C);
}
template <int V>
void product_group(double* C, const double* W_I, const double* W_J, Index count) {
  Tile<V> tile;
  tile.clear();
  tile.subtract_product(W_I, W_J, count);
  tile.store_to(C);
}

double* slot(double* buffer, Index i, const SweepWork& work) { return buffer + i * rows * work.block; }

// D = L L', panel by panel: substitution against the panels before, then the diagonal square.
bool factor_block(const PanelView& A, const SweepWork& work, const SweepBlock& block, double& log_det) {
  double pivots = 1;
  for (Index i = 0; i < block.last - block.first; ++i) {
    double* L = slot(work.L, i, work);
    const Index end = least((i + 1) * rows, block.padded);
    copy(column(A, block.first + i, block.first * rows), end * rows, L);
    for (Index r = greatest(0, block.size - i * rows); r < rows; ++r)
      for (Index j = 0; j < end; ++j) L[j * rows + r] = i * rows + r == j ? 1 : 0;
    for (Index j = block.size; j < end; ++j)
      for (Index r = 0; r < rows; ++r) L[j * rows + r] = i * rows + r == j ? 1 : 0;

    forward<vectors>(L, L, work.L, rows * work.block, work.inverse, 0, i * vectors);
    for (Index g = i * vectors; g * vec_size < end; ++g) {
      const int above = static_cast<int>(g - i * vectors);
      bool positive = true;
      with_vectors(vectors - above, [&](auto V) {
        Tile<V> tile;
        tile.load_from(L + g * vec_size * rows + above * vec_size);
        tile.subtract_product(L + above * vec_size, L + above * vec_size, g * vec_size);
        positive = tile.factor(work.inverse + g * vec_size, pivots);
        tile.store_to(L + g * vec_size * rows + above * vec_size);
      });
      if (!positive) return false;
      // A product of eight pivots cannot overflow unless they are absurd, and then log_det is not finite: reported.
      log_det += std::log(pivots);
      pivots = 1;
    }
  }
  return true;
}

void transpose_factor(const SweepWork& work, const SweepBlock& block) {
  for (Index i = 0; i < block.last - block.first; ++i)
    for (Index j = 0; j <= i; ++j)
      transpose_block(slot(work.L, i, work) + j * rows * rows, slot(work.Lt, j, work) + i * rows * rows);
}

void add_quadratic(const PanelView& A, const SweepWork& work, const double* W, Index s, Index count) {
  const Index first = greatest(0, A.n - s * rows);
  const Index last = least(rows, A.n + A.appended - s * rows);
  if (first >= last) return;
  Vec squares[vectors] = {};
  for (Index j = 0; j < count; ++j)
    for (int v = 0; v < vectors; ++v) {
      const Vec w = load(W + j * rows + v * vec_size);
      squares[v] += w * w;
    }
  for (Index r = first; r < last; ++r) work.quadratics[s] += squares[r / vec_size][r % vec_size];
}

void solve_below(const PanelView& A, const SweepWork& work, const SweepBlock& block, SweepGoal goal, Index s) {
  double* P = column(A, s, block.first * rows);
  double* W = goal == SweepGoal::invert ? slot(work.W, s, work) : P;
  const Index groups = block.padded / vec_size;
  fill(P + block.size * rows, P + block.padded * rows, 0);  // updates left products of appended rows there
  with_vectors(used_vectors(A, s), [&](auto V) {
    forward<V>(P, W, work.L, rows * work.block, work.inverse, 0, groups);
    if (goal == SweepGoal::invert) backward<V>(W, P, work.Lt, rows * work.block, work.inverse, groups);
  });
  add_quadratic(A, work, W, s, block.padded);
}

void solve_above(const PanelView& A, const SweepWork& work, const SweepBlock& block, Index s, int worker) {
  double* P = work.P + worker * rows * work.block;
  double* tile = work.tile + worker * rows * rows;
  const Index groups = block.padded / vec_size;
  double* W = slot(work.W, s, work);
  for (Index i = block.first; i < block.last; ++i)
    transpose_block(column(A, i, s * rows), P + (i - block.first) * rows * rows);
  fill(P + block.size * rows, P + block.padded * rows, 0);
  forward<vectors>(P, W, work.L, rows * work.block, work.inverse, 0, groups);
  backward<vectors>(W, P, work.Lt, rows * work.block, work.inverse, groups);
  for (Index i = block.first; i < block.last; ++i) {
    const double* U = P + (i - block.first) * rows * rows;
    double* to = column(A, i, s * rows);
    const Index own = least(rows, A.n - i * rows);
    if (own == rows) {
      transpose_block(U, to);
      continue;
    }
    transpose_block(U, tile);  // below its own rows the panel holds appended ones
    for (Index j = 0; j < rows; ++j) copy(tile + j * rows, own, to + j * rows);
  }
}

// The appended rows that share a panel with the last pivots: the panel with its pivots set to zero.
void solve_mixed(const PanelView& A, const SweepWork& work, const SweepBlock& block, SweepGoal goal) {
  const Index s = block.last - 1, own = A.n - s * rows, groups = block.padded / vec_size;
  double* to = column(A, s, block.first * rows);
  double* W = slot(work.W, s, work);
  copy(to, block.padded * rows, work.P);
  for (Index j = 0; j < block.padded; ++j)
    fill(work.P + j * rows, work.P + j * rows + (j < block.size ? own : rows), 0);
  forward<vectors>(work.P, W, work.L, rows * work.block, work.inverse, 0, groups);
  add_quadratic(A, work, W, s, block.padded);
  if (goal == SweepGoal::factor) return;
  backward<vectors>(W, work.P, work.Lt, rows * work.block, work.inverse, groups);
  for (Index j = 0; j < block.size; ++j) copy(work.P + j * rows + own, rows - own, to + j * rows + own);
}

// A(I,J) -= W_I W_J' for the J in begin..end that are not above I.
void update_rows(const PanelView& A, const SweepWork& work, const SweepBlock& block, SweepGoal goal, Index begin,
                 Index end, Index I) {
  const bool mixed = goal == SweepGoal::invert && block.last == pivot_panels(A) && A.n % rows != 0 && A.appended > 0;
  if (I >= block.first && I < block.last && !(mixed && I == block.last - 1)) return;
  const auto W = [&](Index s) {
    return goal == SweepGoal::invert ? slot(work.W, s, work) : column(A, s, block.first * rows);
  };
  const double* W_I = W(I);
  for (Index J = begin; J < least(I + 1, end); ++J) {
    if (J >= block.first && J < block.last) continue;
    const Index groups = (panel_columns(A, J) - J * rows) / vec_size;
    double* C = column(A, I, J * rows);
    const double* W_J = W(J);
    for (int g = 0; g < groups; ++g)
      if (I == J)
        with_vectors(used_vectors(A, I) - g, [&](auto V) {
          update_group<V>(C + g * vec_size * rows + g * vec_size, W_I + g * vec_size, W_J + g * vec_size, block.padded);
        });
      else
        with_vectors(used_vectors(A, I),
                     [&](auto V) { update_group<V>(C + g * vec_size * rows, W_I, W_J + g * vec_size, block.padded); });
  }
}

// D <- -L^-T L^-1. Row i of L^-T starts at column i, and the factor's transpose is no longer needed.
void invert_block(const PanelView& A, const SweepWork& work, const SweepBlock& block, int worker) {
  const Index groups = block.padded / vec_size;
  for (Index i = 0; i < block.last - block.first; ++i) {
    double* T = slot(work.Lt, i, work);
    fill(T + i * rows * rows, T + block.padded * rows, 0);
    for (Index r = 0; r < rows && i * rows + r < block.padded; ++r) T[(i * rows + r) * rows + r] = 1;
    forward<vectors>(T, T, work.L, rows * work.block, work.inverse, i * vectors, groups);
  }
  for (Index i = 0; i < block.last - block.first; ++i) {
    const Index own = least(rows, block.size - i * rows), start = i * rows * rows;
    for (Index j = 0; j <= i; ++j) {
      double* to = column(A, block.first + i, (block.first + j) * rows);
      double* C = own == rows ? to : work.tile + worker * rows * rows;
      const Index columns = least(rows, block.padded - j * rows);
      for (int g = 0; g * vec_size < columns; ++g) {
        const int above = i == j ? g * vec_size : 0;
        with_vectors(i == j ? vectors - g : vectors, [&](auto V) {
          product_group<V>(C + g * vec_size * rows + above, slot(work.Lt, i, work) + start + above,
                           slot(work.Lt, j, work) + start + g * vec_size, block.padded - i * rows);
        });
      }
      if (own < rows)
        for (Index c = 0; c < least(columns, block.size - j * rows); ++c) {
          const Index above = i == j ? c / vec_size * vec_size : 0;
          copy(C + c * rows + above, own - above, to + c * rows + above);
        }
    }
  }
}

}  // namespace

const SweepKernels sweep_kernels = {
    vec_size,    rows,        vec_size >= 4, factor_block, transpose_factor,
    solve_below, solve_above, solve_mixed,   update_rows,  invert_block,
};

}  // namespace wgp::WGP_SIMD
