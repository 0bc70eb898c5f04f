#include "simd/kernels.h"

#include "simd/function_kernels.h"

namespace wgp {

namespace generic {
extern const SimdKernels kernels;
extern const FunctionKernels function_kernels;
}  // namespace generic
#if defined(WGP_SIMD_X86)
namespace avx2 {
extern const SimdKernels kernels;
extern const FunctionKernels function_kernels;
}  // namespace avx2
namespace avx512 {
extern const SimdKernels kernels;
extern const FunctionKernels function_kernels;
}  // namespace avx512
#elif defined(WGP_SIMD_NEON)
namespace neon {
extern const SimdKernels kernels;
extern const FunctionKernels function_kernels;
}  // namespace neon
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

const FunctionKernels& simd_functions(SimdLevel level) {
  switch (level) {
#if defined(WGP_SIMD_X86)
    case SimdLevel::avx2:
      return avx2::function_kernels;
    case SimdLevel::avx512:
      return avx512::function_kernels;
#elif defined(WGP_SIMD_NEON)
    case SimdLevel::neon:
      return neon::function_kernels;
#endif
    default:
      return generic::function_kernels;
  }
}

const SimdKernels& simd() {
  static const SimdKernels& chosen = simd(simd_level());
  return chosen;
}

const FunctionKernels& simd_functions() {
  static const FunctionKernels& chosen = simd_functions(simd_level());
  return chosen;
}

}  // namespace wgp
