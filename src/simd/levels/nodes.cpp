// Points and the nodes they belong to: see simd/node_kernels.h.
#include "simd/node_kernels.h"

#include "simd/levels/decay.h"
#include "simd/levels/tables.h"

namespace wgp::WGP_SIMD {
namespace {

static_assert(node_padding % rows == 0);
constexpr double least_share = 60;  // minus its log2
constexpr double no_number = -__builtin_inf();

// Log2 weights of four points at the nodes of one panel of registers.
[[gnu::always_inline]] inline void weigh(const WeightedNodes& nodes, const double* const v[4], Index first,
                                         Vec (&t)[4][vectors]) {
#pragma GCC unroll 3
  for (int i = 0; i < vectors; ++i) {
    const Vec bias = load(nodes.bias + first + i * vec_size);
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) t[p][i] = bias;
  }
  const double* slopes = nodes.slopes + first;
  for (Index k = 0; k < nodes.d; ++k, slopes += nodes.padded) {
    Vec x[vectors];
#pragma GCC unroll 3
    for (int i = 0; i < vectors; ++i) x[i] = load(slopes + i * vec_size);
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) {
      const Vec y = broadcast(v[p][k]);
#pragma GCC unroll 3
      for (int i = 0; i < vectors; ++i) t[p][i] += x[i] * y;
    }
  }
}

// From log2 weights to shares.
void divide(const WeightedNodes& nodes, NodeShares& of) {
  const Decay decay(1);
  Vec total{};
  of.held_count = 0;
  for (Index g = 0; g < nodes.padded; g += vec_size) {
    const Vec below = of.most - load(of.shares + g);
    const IntVec out = below > least_share;
    long long all_out = -1;
    for (int i = 0; i < vec_size; ++i) all_out &= out[i];
    if (all_out) continue;  // what is not a number stays in
    const Vec share = decay(below);
    store(of.shares + g, share);
    total += share;
    of.held[of.held_count++] = static_cast<int>(g);
  }
  of.sum = sum(total);
}

void share(const WeightedNodes& nodes, const double* const v[4], NodeShares* const of[4]) {
  Vec most[4];
  for (Vec& one : most) one = broadcast(no_number);
  for (Index g = 0; g < nodes.padded; g += rows) {
    Vec t[4][vectors];
    weigh(nodes, v, g, t);
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p)
#pragma GCC unroll 3
      for (int i = 0; i < vectors; ++i) {
        store(of[p]->shares + g + i * vec_size, t[p][i]);
        most[p] = t[p][i] > most[p] ? t[p][i] : most[p];
      }
  }
  for (int p = 0; p < 4; ++p) {
    of[p]->most = no_number;
    for (int i = 0; i < vec_size; ++i)
      if (most[p][i] > of[p]->most) of[p]->most = most[p][i];
    divide(nodes, *of[p]);
  }
}

void add(const WeightedNodes& nodes, const NodeShares& shares, const double* v, double weight, double* sums) {
  for (Index h = 0; h < shares.held_count; ++h) {
    const Index g = shares.held[h];
    const Vec share = weight * load(shares.shares + g);
    double* to = sums + g;
    store(to, load(to) + share);
    for (Index k = 0; k < nodes.d; ++k) {
      to += nodes.padded;
      store(to, load(to) + share * v[k]);
    }
  }
}

}  // namespace

const NodeKernels node_kernels = {share, add};

}  // namespace wgp::WGP_SIMD
