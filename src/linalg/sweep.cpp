#include "linalg/sweep.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace wgp {
namespace {

using sliver::lanes;
using sliver::Tile;
using sliver::vectors;

constexpr Index rows = sliver::rows;

Index round_up(Index n, Index unit) { return (n + unit - 1) / unit * unit; }

// Small matrices take small blocks: the work inside of blocks runs slower than the updates. Matrices that the
// third-level cache does not hold take large ones: each block brings all of the matrix from main memory once and writes
// it back.
Index block_size(Index n) { return n <= 200 ? 48 : n <= 1500 ? 96 : n <= 3000 ? 192 : 48 * std::max(lanes, 4); }

// W_J of several slivers that stay in half of the second-level cache while rows stream past them. What it is cut into
// does not change what is computed.
Index cached_doubles() {
  static const Index half = [] {
    Index bytes = 0;
#if defined(_SC_LEVEL2_CACHE_SIZE)
    bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return std::clamp<Index>(bytes / 2, 1 << 18, 1 << 20) / static_cast<Index>(sizeof(double));
  }();
  return half;
}

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

// W = P L^-T for a sliver, groups first.. of `groups`; the columns of P and W before `first` are taken as zero.
// L: slivers of the factor, `stride` doubles apart.
template <int V>
void forward(const double* P, double* W, const double* L, Index stride, const double* inverse, Index first,
             Index groups) {
  for (Index g = first; g < groups; ++g) {
    const double* triangle = L + g / vectors * stride + g % vectors * lanes;
    Tile<V> tile;
    tile.load_from(P + g * lanes * rows);
    tile.subtract_product(W + first * lanes * rows, triangle + first * lanes * rows, (g - first) * lanes);
    tile.substitute_forward(triangle + g * lanes * rows, inverse + g * lanes);
    tile.store_to(W + g * lanes * rows);
  }
}

// U = W L^-1 for a sliver. Lt: slivers of the factor's transpose.
template <int V>
void backward(const double* W, double* U, const double* Lt, Index stride, const double* inverse, Index groups) {
  for (Index g = groups - 1; g >= 0; --g) {
    const double* triangle = Lt + g / vectors * stride + g % vectors * lanes;
    const Index done = (g + 1) * lanes;
    Tile<V> tile;
    tile.load_from(W + g * lanes * rows);
    tile.subtract_product(U + done * rows, triangle + done * rows, groups * lanes - done);
    tile.substitute_backward(triangle + g * lanes * rows, inverse + g * lanes);
    tile.store_to(U + g * lanes * rows);
  }
}

// Asks for the tile after the one at C as well: large matrices come from main memory, and a tile waits for all of its
// own.
template <int V>
void update_group(double* C, const double* W_I, const double* W_J, Index count) {
  Tile<V> tile;
  tile.load_from(C);
#pragma GCC unroll 8
  for (int j = lanes; j < 2 * lanes; ++j)
    for (int v = 0; v < vectors; ++v) __builtin_prefetch(C + j * rows + v * lanes, 1);
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

}  // namespace

Slivers::Slivers(Index n, Index appended) : n_(n), appended_(appended), columns_(round_up(n, lanes)) {
  offset_ = {0};
  for (Index s = 0; s * rows < n + appended; ++s) offset_.push_back(offset_.back() + rows * columns(s));
  data_ = Vector::Zero(offset_.back());
}

Sweep::Sweep(Index n, Index appended, Team* team)
    : block_(round_up(std::min(block_size(n), round_up(n, rows)), rows)),
      L_(block_ * block_),
      Lt_(block_ * block_),
      inverse_(block_),
      W_(Vector::Zero(round_up(n + appended, rows) * block_)),
      team_(team),
      P_(rows * block_, team ? team->size() : 1),
      tile_(rows * rows, team ? team->size() : 1),
      quadratics_((n + appended + rows - 1) / rows) {}

bool Sweep::run(Slivers& A, bool whole) {
  const sliver::FlushToZero guard;
  const Index pivots = A.pivot_slivers(), n = A.size();
  log_det_ = 0;
  quadratics_.setZero();
  for (Index first = 0; first < pivots; first += block_ / rows) {
    const Index last = std::min(first + block_ / rows, pivots);
    const Index size = std::min(n, last * rows) - first * rows;
    const Block block{first, last, size, round_up(size, lanes)};
    if (!factor_block(A, block)) return false;
    const Index above = whole ? first : 0;
    if (whole) transpose_factor(block);
    sliver::each(team_, above + A.count() - last, [&](Index i, int member) {
      if (i < above)
        solve_above(A, block, i, member);
      else
        solve_below(A, block, i - above + last, whole);
    });
    if (last == pivots && n % rows != 0 && A.appended() > 0) solve_mixed(A, block, whole);
    update(A, block, whole);
  }
  quadratic_ = quadratics_.sum();
  return std::isfinite(log_det_) && std::isfinite(quadratic_);
}

// D = L L', sliver by sliver: substitution against the slivers before, then the diagonal square.
bool Sweep::factor_block(const Slivers& A, const Block& block) {
  double pivots = 1;
  for (Index i = 0; i < block.last - block.first; ++i) {
    double* L = slot(L_, i);
    const Index end = std::min((i + 1) * rows, block.padded);
    std::copy_n(A.column(block.first + i, block.first * rows), end * rows, L);
    for (Index r = std::max<Index>(0, block.size - i * rows); r < rows; ++r)
      for (Index j = 0; j < end; ++j) L[j * rows + r] = i * rows + r == j ? 1 : 0;
    for (Index j = block.size; j < end; ++j)
      for (Index r = 0; r < rows; ++r) L[j * rows + r] = i * rows + r == j ? 1 : 0;

    forward<vectors>(L, L, L_.data(), rows * block_, inverse_.data(), 0, i * vectors);
    for (Index g = i * vectors; g * lanes < end; ++g) {
      const int above = static_cast<int>(g - i * vectors);
      bool positive = true;
      with_vectors(vectors - above, [&](auto V) {
        Tile<V> tile;
        tile.load_from(L + g * lanes * rows + above * lanes);
        tile.subtract_product(L + above * lanes, L + above * lanes, g * lanes);
        positive = tile.factor(inverse_.data() + g * lanes, pivots);
        tile.store_to(L + g * lanes * rows + above * lanes);
      });
      if (!positive) return false;
      // A product of eight pivots cannot overflow unless they are absurd, and then log_det is not finite: reported.
      log_det_ += std::log(pivots);
      pivots = 1;
    }
  }
  return true;
}

void Sweep::transpose_factor(const Block& block) {
  for (Index i = 0; i < block.last - block.first; ++i)
    for (Index j = 0; j <= i; ++j)
      sliver::transpose_block(slot(L_, i) + j * rows * rows, slot(Lt_, j) + i * rows * rows);
}

void Sweep::add_quadratic(const Slivers& A, const double* W, Index s, Index count) {
  const Index first = std::max<Index>(0, A.size() - s * rows);
  const Index last = std::min(rows, A.size() + A.appended() - s * rows);
  if (first >= last) return;
  sliver::Vec squares[vectors] = {};
  for (Index j = 0; j < count; ++j)
    for (int v = 0; v < vectors; ++v) {
      const sliver::Vec w = sliver::load(W + j * rows + v * lanes);
      squares[v] += w * w;
    }
  for (Index r = first; r < last; ++r) quadratics_[s] += squares[r / lanes][r % lanes];
}

void Sweep::solve_below(Slivers& A, const Block& block, Index s, bool whole) {
  double* P = A.column(s, block.first * rows);
  double* W = whole ? slot(W_, s) : P;
  const Index groups = block.padded / lanes;
  std::fill(P + block.size * rows, P + block.padded * rows, 0.0);  // updates left products of appended rows there
  with_vectors(A.used_vectors(s), [&](auto V) {
    forward<V>(P, W, L_.data(), rows * block_, inverse_.data(), 0, groups);
    if (whole) backward<V>(W, P, Lt_.data(), rows * block_, inverse_.data(), groups);
  });
  add_quadratic(A, W, s, block.padded);
}

void Sweep::solve_above(Slivers& A, const Block& block, Index s, int member) {
  double* P = P_.col(member).data();
  double* tile = tile_.col(member).data();
  const Index groups = block.padded / lanes;
  double* W = slot(W_, s);
  for (Index i = block.first; i < block.last; ++i)
    sliver::transpose_block(A.column(i, s * rows), P + (i - block.first) * rows * rows);
  std::fill(P + block.size * rows, P + block.padded * rows, 0.0);
  forward<vectors>(P, W, L_.data(), rows * block_, inverse_.data(), 0, groups);
  backward<vectors>(W, P, Lt_.data(), rows * block_, inverse_.data(), groups);
  for (Index i = block.first; i < block.last; ++i) {
    const double* U = P + (i - block.first) * rows * rows;
    double* to = A.column(i, s * rows);
    const Index own = std::min(rows, A.size() - i * rows);
    if (own == rows) {
      sliver::transpose_block(U, to);
      continue;
    }
    sliver::transpose_block(U, tile);  // below its own rows the sliver holds appended ones
    for (Index j = 0; j < rows; ++j) std::copy_n(tile + j * rows, own, to + j * rows);
  }
}

// The appended rows that share a sliver with the last pivots: the sliver with its pivots set to zero.
void Sweep::solve_mixed(Slivers& A, const Block& block, bool whole) {
  const Index s = block.last - 1, own = A.size() - s * rows, groups = block.padded / lanes;
  double* to = A.column(s, block.first * rows);
  double* W = slot(W_, s);
  std::copy_n(to, block.padded * rows, P_.data());
  for (Index j = 0; j < block.padded; ++j) std::fill_n(P_.data() + j * rows, j < block.size ? own : rows, 0.0);
  forward<vectors>(P_.data(), W, L_.data(), rows * block_, inverse_.data(), 0, groups);
  add_quadratic(A, W, s, block.padded);
  if (!whole) return;
  backward<vectors>(W, P_.data(), Lt_.data(), rows * block_, inverse_.data(), groups);
  for (Index j = 0; j < block.size; ++j)
    std::copy(P_.data() + j * rows + own, P_.data() + (j + 1) * rows, to + j * rows + own);
}

void Sweep::update(Slivers& A, const Block& block, bool whole) {
  const Index pivots = A.pivot_slivers();
  const Index chunk = std::max<Index>(4, cached_doubles() / (rows * block_));
  bool inverted = !whole;
  for (Index begin = whole ? 0 : block.last; begin < pivots; begin += chunk) {
    const Index end = std::min(begin + chunk, pivots), more = inverted ? 0 : 1;
    sliver::each(team_, A.count() - begin + more, [&](Index i, int member) {
      if (i < more)
        invert_block(A, block, member);
      else
        update_rows(A, block, whole, begin, end, begin + i - more);
    });
    inverted = true;
  }
}

// A(I,J) -= W_I W_J' for the J in begin..end that are not above I.
void Sweep::update_rows(Slivers& A, const Block& block, bool whole, Index begin, Index end, Index I) const {
  const bool mixed = whole && block.last == A.pivot_slivers() && A.size() % rows != 0 && A.appended() > 0;
  if (I >= block.first && I < block.last && !(mixed && I == block.last - 1)) return;
  const auto W = [&](Index s) { return whole ? slot(W_, s) : A.column(s, block.first * rows); };
  const double* W_I = W(I);
  for (Index J = begin; J < std::min(I + 1, end); ++J) {
    if (J >= block.first && J < block.last) continue;
    const Index groups = (A.columns(J) - J * rows) / lanes;
    double* C = A.column(I, J * rows);
    const double* W_J = W(J);
    for (int g = 0; g < groups; ++g)
      if (I == J)
        with_vectors(A.used_vectors(I) - g, [&](auto V) {
          update_group<V>(C + g * lanes * rows + g * lanes, W_I + g * lanes, W_J + g * lanes, block.padded);
        });
      else
        with_vectors(A.used_vectors(I),
                     [&](auto V) { update_group<V>(C + g * lanes * rows, W_I, W_J + g * lanes, block.padded); });
  }
}

// D <- -L^-T L^-1. Row i of L^-T starts at column i, and the factor's transpose is no longer needed.
void Sweep::invert_block(Slivers& A, const Block& block, int member) {
  const Index groups = block.padded / lanes;
  for (Index i = 0; i < block.last - block.first; ++i) {
    double* T = slot(Lt_, i);
    std::fill(T + i * rows * rows, T + block.padded * rows, 0.0);
    for (Index r = 0; r < rows && i * rows + r < block.padded; ++r) T[(i * rows + r) * rows + r] = 1;
    forward<vectors>(T, T, L_.data(), rows * block_, inverse_.data(), i * vectors, groups);
  }
  for (Index i = 0; i < block.last - block.first; ++i) {
    const Index own = std::min(rows, block.size - i * rows), start = i * rows * rows;
    for (Index j = 0; j <= i; ++j) {
      double* to = A.column(block.first + i, (block.first + j) * rows);
      double* C = own == rows ? to : tile_.col(member).data();
      const Index columns = std::min(rows, block.padded - j * rows);
      for (int g = 0; g * lanes < columns; ++g) {
        const int above = i == j ? g * lanes : 0;
        with_vectors(i == j ? vectors - g : vectors, [&](auto V) {
          product_group<V>(C + g * lanes * rows + above, slot(Lt_, i) + start + above, slot(Lt_, j) + start + g * lanes,
                           block.padded - i * rows);
        });
      }
      if (own < rows)
        for (Index c = 0; c < std::min(columns, block.size - j * rows); ++c) {
          const Index above = i == j ? c / lanes * lanes : 0;
          std::copy_n(C + c * rows + above, own - above, to + c * rows + above);
        }
    }
  }
}

}  // namespace wgp
