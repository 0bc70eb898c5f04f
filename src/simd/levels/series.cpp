// Chebyshev series: see simd/series_kernels.h.
#include "simd/series_kernels.h"

#include "simd/levels/tables.h"
#include "simd/levels/vector.h"

namespace wgp::WGP_SIMD {
namespace {

constexpr int terms = series_terms;
constexpr int registers = series_at_once / vec_size;
static_assert(registers * vec_size == series_at_once);

// A number for each place, as registers of this level: what is wider than a register goes through memory.
struct Places {
  Vec part[registers];
};
#define WGP_EACH_PART _Pragma("GCC unroll 8") for (int l = 0; l < registers; ++l)

[[gnu::always_inline]] inline Places load_places(const double* from) {
  Places x;
  WGP_EACH_PART x.part[l] = load_unaligned(from + l * vec_size);
  return x;
}
[[gnu::always_inline]] inline void store_places(const Places& x, double* to) {
  WGP_EACH_PART* reinterpret_cast<UnalignedVec*>(to + l * vec_size) = x.part[l];
}
[[gnu::always_inline]] inline void add_product(Places& sum, const Places& x, const Places& y) {
  WGP_EACH_PART sum.part[l] += x.part[l] * y.part[l];
}

struct Polynomials {
  Places value[terms], slope[terms];  // T_0 .. T_19 and their derivatives

  [[gnu::always_inline]] Polynomials(const Places& place, bool with_slopes) {
    WGP_EACH_PART {
      const Vec x = place.part[l];
      value[0].part[l] = 1 - Vec{};
      value[1].part[l] = x;
      for (int a = 2; a < terms; ++a) value[a].part[l] = 2 * x * value[a - 1].part[l] - value[a - 2].part[l];
    }
    if (!with_slopes) return;
    WGP_EACH_PART {
      const Vec x = place.part[l];
      slope[0].part[l] = Vec{};
      slope[1].part[l] = 1 - Vec{};
      for (int a = 2; a < terms; ++a)
        slope[a].part[l] = 2 * value[a - 1].part[l] + 2 * x * slope[a - 1].part[l] - slope[a - 2].part[l];
    }
  }
};

[[gnu::always_inline]] inline Places sum_of(const double* series, const Places* polynomials) {
  Places sum{};
  for (int a = 0; a < terms; ++a) WGP_EACH_PART sum.part[l] += series[a] * polynomials[a].part[l];
  return sum;
}
// The same of `side` series, one after the other in memory: a single sum would wait for each of its own additions.
constexpr int side = 4;
static_assert(terms % side == 0);
[[gnu::always_inline]] inline void sums_of(const double* series, const Places* polynomials, Places (&sums)[side]) {
#pragma GCC unroll 4
  for (int i = 0; i < side; ++i) WGP_EACH_PART sums[i].part[l] = series[i * terms] * polynomials[0].part[l];
#pragma GCC unroll 20
  for (int a = 1; a < terms; ++a)
#pragma GCC unroll 4
    for (int i = 0; i < side; ++i) {
      const Vec coefficient = series[i * terms + a] - Vec{};
      WGP_EACH_PART sums[i].part[l] += coefficient * polynomials[a].part[l];
    }
}

void evaluate(const SeriesView& series, const double* place, double* value, double* slope) {
  const Polynomials first(load_places(place), slope != nullptr);
  if (series.variables == 1) {
    for (Index o = 0; o < series.outputs; ++o) {
      const double* own = series.coefficients + o * terms;
      store_places(sum_of(own, first.value), value + series_at_once * o);
      if (slope != nullptr) store_places(sum_of(own, first.slope), slope + series_at_once * o);
    }
    return;
  }
  const Polynomials second(load_places(place + series_at_once), slope != nullptr);
  for (Index o = 0; o < series.outputs; ++o) {
    Places total{}, by_first{}, by_second{};
    for (int a = 0; a < terms; a += side) {
      const double* own = series.coefficients + (o * terms + a) * terms;
      Places inner[side];
      sums_of(own, second.value, inner);
#pragma GCC unroll 4
      for (int i = 0; i < side; ++i) add_product(total, first.value[a + i], inner[i]);
      if (slope == nullptr) continue;
      Places inner_slope[side];
      sums_of(own, second.slope, inner_slope);
#pragma GCC unroll 4
      for (int i = 0; i < side; ++i) {
        add_product(by_first, first.slope[a + i], inner[i]);
        add_product(by_second, first.value[a + i], inner_slope[i]);
      }
    }
    store_places(total, value + series_at_once * o);
    if (slope == nullptr) continue;
    store_places(by_first, slope + series_at_once * o);
    store_places(by_second, slope + series_at_once * (series.outputs + o));
  }
}

#undef WGP_EACH_PART

}  // namespace

const SeriesKernels series_kernels = {evaluate};

}  // namespace wgp::WGP_SIMD
