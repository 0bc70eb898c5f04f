// Chebyshev series: see simd/series_kernels.h.
#include "simd/series_kernels.h"

#include "simd/levels/pack.h"
#include "simd/levels/tables.h"

namespace wgp::WGP_SIMD {
namespace {

constexpr int terms = series_terms;
static_assert(series_at_once == pack_size);

struct Polynomials {
  Pack value[terms], slope[terms];  // T_0 .. T_19 and their derivatives

  [[gnu::always_inline]] Polynomials(const Pack& place, bool with_slopes) {
    value[0] = broadcast8(1);
    value[1] = place;
    for (int a = 2; a < terms; ++a) value[a] = 2 * place * value[a - 1] - value[a - 2];
    if (!with_slopes) return;
    slope[0] = Pack{};
    slope[1] = broadcast8(1);
    for (int a = 2; a < terms; ++a) slope[a] = 2 * value[a - 1] + 2 * place * slope[a - 1] - slope[a - 2];
  }
};

[[gnu::always_inline]] inline Pack sum_of(const double* series, const Pack* polynomials) {
  Pack sum = series[0] * polynomials[0];
  for (int a = 1; a < terms; ++a) sum += series[a] * polynomials[a];
  return sum;
}
// The same of `side` series, one after the other in memory: a single sum would wait for each of its own additions.
constexpr int side = 4;
static_assert(terms % side == 0);
[[gnu::always_inline]] inline void sums_of(const double* series, const Pack* polynomials, Pack (&sums)[side]) {
#pragma GCC unroll 4
  for (int i = 0; i < side; ++i) sums[i] = series[i * terms] * polynomials[0];
#pragma GCC unroll 20
  for (int a = 1; a < terms; ++a)
#pragma GCC unroll 4
    for (int i = 0; i < side; ++i) sums[i] += series[i * terms + a] * polynomials[a];
}

void evaluate(const SeriesView& series, const double* place, double* value, double* slope) {
  const Polynomials first(load8(place), slope != nullptr);
  if (series.variables == 1) {
    for (Index o = 0; o < series.outputs; ++o) {
      const double* own = series.coefficients + o * terms;
      store8(sum_of(own, first.value), value + pack_size * o);
      if (slope != nullptr) store8(sum_of(own, first.slope), slope + pack_size * o);
    }
    return;
  }
  const Polynomials second(load8(place + pack_size), slope != nullptr);
  for (Index o = 0; o < series.outputs; ++o) {
    Pack total{}, by_first{}, by_second{};
    for (int a = 0; a < terms; a += side) {
      const double* own = series.coefficients + (o * terms + a) * terms;
      Pack inner[side];
      sums_of(own, second.value, inner);
      for (int i = 0; i < side; ++i) total += first.value[a + i] * inner[i];
      if (slope == nullptr) continue;
      Pack inner_slope[side];
      sums_of(own, second.slope, inner_slope);
      for (int i = 0; i < side; ++i) {
        by_first += first.slope[a + i] * inner[i];
        by_second += first.value[a + i] * inner_slope[i];
      }
    }
    store8(total, value + pack_size * o);
    if (slope == nullptr) continue;
    store8(by_first, slope + pack_size * o);
    store8(by_second, slope + pack_size * (series.outputs + o));
  }
}

}  // namespace

const SeriesKernels series_kernels = {evaluate};

}  // namespace wgp::WGP_SIMD
