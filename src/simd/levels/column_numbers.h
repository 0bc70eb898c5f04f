// The numbers of a column, eight at a time and then what is left of it, read and written; results that are large go
// past the caches.
#pragma once

#include <cstdint>

#ifdef __AVX__
#include <immintrin.h>
#endif

#include "simd/levels/pack.h"
#include "simd/product_kernels.h"

namespace wgp::WGP_SIMD {

inline constexpr Index width = pack_size;

// Results that the caches cannot hold go past them: otherwise every line written is first read.
inline constexpr Index streamed_bytes = Index{1} << 24;
inline bool goes_past_caches(const Columns& result) {
#ifdef __AVX__
  return result.rows * result.cols * static_cast<Index>(sizeof(double)) > streamed_bytes &&
         reinterpret_cast<std::uintptr_t>(result.data) % 32 == 0 && result.rows % 4 == 0 &&
         result.stride == result.rows;
#else
  (void)result;
  return false;
#endif
}
inline void finish_stream() {
#ifdef __AVX__
  _mm_sfence();
#endif
}

#ifdef __AVX__
inline void stream_four(const double* value, double* x) { _mm256_stream_pd(x, _mm256_loadu_pd(value)); }
#endif

// Eight numbers of a column, or what is left of it.
struct EightNumbers {
#ifdef __AVX__
  void stream(const Pack& value, double* x) const {
    stream_four(reinterpret_cast<const double*>(&value), x);
    stream_four(reinterpret_cast<const double*>(&value) + 4, x + 4);
  }
#endif
  Pack load(const double* x) const { return load8(x); }
  void store(const Pack& value, double* x) const { store8(value, x); }
  Pack keep(const Pack& value) const { return value; }
};
struct FewNumbers {
  Index count;
#ifdef __AVX__
  // Four numbers: columns that are streamed have a multiple of four. No line may be written both ways.
  void stream(const Pack& value, double* x) const { stream_four(reinterpret_cast<const double*>(&value), x); }
#endif
#ifdef __AVX512F__
  __mmask8 mask() const { return static_cast<__mmask8>((1u << count) - 1); }
  Pack load(const double* x) const { return (Pack)_mm512_maskz_loadu_pd(mask(), x); }
  void store(const Pack& value, double* x) const { _mm512_mask_storeu_pd(x, mask(), (__m512d)value); }
  Pack keep(const Pack& value) const { return (Pack)_mm512_maskz_mov_pd(mask(), (__m512d)value); }
#else
  Pack load(const double* x) const {
    Pack value{};
    for (Index k = 0; k < count; ++k) value[k] = x[k];
    return value;
  }
  void store(const Pack& value, double* x) const {
    for (Index k = 0; k < count; ++k) x[k] = value[k];
  }
  Pack keep(Pack value) const {
    for (Index k = count; k < width; ++k) value[k] = 0;
    return value;
  }
#endif
};

template <bool streamed, class Part>
void put(const Part& part, const Pack& value, double* x) {
#ifdef __AVX__
  if constexpr (streamed) return part.stream(value, x);
#endif
  part.store(value, x);
}

// body(access, j) for j = 0, 8, ... below n.
template <class Body>
[[gnu::always_inline]] inline void for_numbers(Index n, Body body) {
  Index j = 0;
  for (; j + width <= n; j += width) body(EightNumbers{}, j);
  if (j < n) body(FewNumbers{n - j}, j);
}
#define WGP_INLINE __attribute__((always_inline))

}  // namespace wgp::WGP_SIMD
