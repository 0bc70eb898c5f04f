// The level as a whole.
#include "simd/levels/tables.h"

namespace wgp::WGP_SIMD {

extern const SimdKernels kernels;
const SimdKernels kernels = {sweep_kernels,     tile_kernels,       sphere_kernels,   kendall_kernels,
                             symmetric_kernels, stationary_kernels, series_kernels,   product_kernels,
                             psi_kernels,       node_kernels,       rotation_kernels, wave_kernels};

}  // namespace wgp::WGP_SIMD
