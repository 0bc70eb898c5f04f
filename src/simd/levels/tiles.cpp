// Tiles of covariances and of the likelihood's gradient: see simd/tile_kernels.h.
#include "simd/tile_kernels.h"

#include "simd/levels/decay.h"
#include "simd/levels/panel.h"
#include "simd/levels/tables.h"

namespace wgp::WGP_SIMD {
namespace {

[[gnu::always_inline]] inline void fill_likelihood_tile(const LikelihoodView& G, Index I, Index J, int group,
                                                        double* tile) {
  Tile<vectors> t;
  t.load_from(column(G.S, I, J * rows + group * vec_size));
  for (int j = 0; j < vec_size; ++j)
    for (int v = 0; v < vectors; ++v) t.c[j][v] *= G.d;
  t.add_product(G.A + I * rows * G.rank, G.A + J * rows * G.rank + group * vec_size, G.rank);
  t.store_to(tile);
}

void likelihood_tile(const LikelihoodView& G, Index I, Index J, int group, double* tile) {
  fill_likelihood_tile(G, I, J, group, tile);
}

// Rows [first, rows) of a panel's columns [0, count) are not points.
void clear_rows(double* column, Index first, Index count) {
  for (Index j = 0; j < count; ++j) fill(column + j * rows + first, column + (j + 1) * rows, 0);
}

void rbf_panel(const RbfPoints& points, double variance, double added, const PanelView& K, const PanelView& S,
               Index s) {
  const Decay k(variance);
  double *to_K = column(K, s, 0), *to_S = column(S, s, 0);
  const Index end = least((s + 1) * rows, points.N);
  for (Index j = 0; j < end; ++j, to_K += rows, to_S += rows) {
    Vec t[vectors] = {};
    for (Index f = 0; f < points.q; ++f) {
      const double* u = points.u + f * points.padded;
      const Vec u_j = broadcast(u[j]);
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) {
        const Vec difference = load(u + s * rows + v * vec_size) - u_j;
        t[v] += difference * difference;
      }
    }
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) {
      const Vec value = k(t[v]);
      store(to_K + v * vec_size, value);
      store(to_S + v * vec_size, value);
    }
  }
  if (end < (s + 1) * rows) {
    clear_rows(column(K, s, 0), end - s * rows, panel_columns(K, s));
    clear_rows(column(S, s, 0), end - s * rows, panel_columns(S, s));
    fill(column(K, s, end), column(K, s, panel_columns(K, s)), 0);
    fill(column(S, s, end), column(S, s, panel_columns(S, s)), 0);
  }
  for (Index j = s * rows; j < end; ++j) {
    column(S, s, j)[j - s * rows] += added;
    column(K, s, j)[j - s * rows] = 0;
    // above the square: not to be counted
    fill(column(K, s, j), column(K, s, j) + (j - s * rows) / vec_size * vec_size, 0);
  }
}

void take_appended(const PanelView& S, Index s, Index rank, double* A) {
  const Index points = least(rows, S.n - s * rows);
  for (Index r = 0; r < rank; ++r) {
    const double* from = column(S, (S.n + r) / rows, s * rows) + (S.n + r) % rows;
    double* to = A + r * rows;
    if (points == rows) {
#pragma GCC unroll 24
      for (int p = 0; p < rows; ++p) to[p] = from[p * rows];
    } else {
      for (Index p = 0; p < points; ++p) to[p] = from[p * rows];
    }
  }
}

// The sums over the tiles of every parts-th strip of columns. A row of tiles within a strip is consecutive in memory.
void rbf_sums(const RbfPoints& points, const PanelView& K, const LikelihoodView& G, Index part, Index parts,
              Index strip, double* sums, double* of_columns) {
  const Index features = points.q + 1, panels = pivot_panels(K);
  alignas(64) double h[vec_size * rows];
  fill(sums, sums + panels * features * rows, 0);
  for (Index begin = part * strip; begin < panels; begin += parts * strip) {
    const Index end = least(begin + strip, panels);
    fill(of_columns, of_columns + features * strip * rows * vec_size, 0);
    for (Index I = begin; I < panels; ++I)
      for (Index j = begin * rows; j < panel_columns(K, least(I, end - 1)); j += vec_size) {
        const Index J = j / rows;
        const int group = static_cast<int>((j - J * rows) / vec_size);
        fill_likelihood_tile(G, I, J, group, h);
        const double* k = column(K, I, j);
        for (int e = 0; e < vec_size * rows; e += vec_size) store(h + e, load(h + e) * load(k + e));
        if constexpr (vec_size == 8)
          // the tile after it
          for (int e = 0; e < vec_size * rows; e += vec_size) __builtin_prefetch(k + vec_size * rows + e);
        // Below the diagonal's squares a tile counts for its rows and for its columns.
        const int first = I == J ? group + 1 : 0;
        for (Index f = 0; f < features; ++f) {
          const double *u_I = points.u + f * points.padded + I * rows, *u_J = points.u + f * points.padded + j;
          double *to_I = sums + (I * features + f) * rows,
                 *to_J = of_columns + ((j - begin * rows) * features + f * vec_size) * vec_size;
          Vec sum[vectors], x[vectors];
          for (int v = 0; v < vectors; ++v) {
            sum[v] = load(to_I + v * vec_size);
            x[v] = v >= first ? load(u_I + v * vec_size) : Vec{};
          }
#pragma GCC unroll 8
          for (int c = 0; c < vec_size; ++c) {
            const Vec y = broadcast(u_J[c]);
            Vec column = load(to_J + c * vec_size);
#pragma GCC unroll 3
            for (int v = 0; v < vectors; ++v) {
              const Vec w = load(h + c * rows + v * vec_size);
              sum[v] += w * y;
              column += w * x[v];
            }
            store(to_J + c * vec_size, column);
          }
          for (int v = 0; v < vectors; ++v) store(to_I + v * vec_size, sum[v]);
        }
      }
    for (Index j = begin * rows; j < panel_columns(K, end - 1); ++j)
      for (Index f = 0; f < features; ++f) {
        const Index group = (j - begin * rows) / vec_size, lane = (j - begin * rows) % vec_size;
        sums[(j / rows * features + f) * rows + j % rows] +=
            sum(load(of_columns + ((group * features + f) * vec_size + lane) * vec_size));
      }
  }
}

}  // namespace

const TileKernels tile_kernels = {rbf_panel, take_appended, likelihood_tile, rbf_sums};

}  // namespace wgp::WGP_SIMD
