// What this level offers.
#pragma once

#include "simd/function_kernels.h"
#include "simd/kernels.h"

namespace wgp::WGP_SIMD {

extern const SweepKernels sweep_kernels;
extern const TileKernels tile_kernels;
extern const SphereKernels sphere_kernels;
extern const KendallKernels kendall_kernels;
extern const SymmetricKernels symmetric_kernels;
extern const StationaryKernels stationary_kernels;
extern const SeriesKernels series_kernels;
extern const ProductKernels product_kernels;
extern const PsiKernels psi_kernels;
extern const NodeKernels node_kernels;
extern const RotationKernels rotation_kernels;
extern const WaveKernels wave_kernels;
extern const FunctionKernels function_kernels;

}  // namespace wgp::WGP_SIMD
