#include "simd/kernels.h"

namespace wgp {

namespace generic {
extern const SimdKernels kernels;
}
#if defined(WGP_SIMD_X86)
namespace avx2 {
extern const SimdKernels kernels;
}
namespace avx512 {
extern const SimdKernels kernels;
}
#elif defined(WGP_SIMD_NEON)
namespace neon {
extern const SimdKernels kernels;
}
#endif

const SimdKernels& simd(SimdLevel level) {
  switch (level) {
#if defined(WGP_SIMD_X86)
    case SimdLevel::avx2:
      return avx2::kernels;
    case SimdLevel::avx512:
      return avx512::kernels;
#elif defined(WGP_SIMD_NEON)
    case SimdLevel::neon:
      return neon::kernels;
#endif
    default:
      return generic::kernels;
  }
}

const SimdKernels& simd() {
  static const SimdKernels& chosen = simd(simd_level());
  return chosen;
}

}  // namespace wgp
