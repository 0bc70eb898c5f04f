// The innermost loops of the library, compiled for each level of instructions (simd/level.h) and called through tables.
//
// What is in simd/levels uses raw memory alone and defines nothing outside of its level's namespace: a function of
// Eigen's or of the standard library's, compiled for a newer processor, must not be what the linker keeps for the rest.
#pragma once

#include "simd/kendall_kernels.h"
#include "simd/level.h"
#include "simd/node_kernels.h"
#include "simd/product_kernels.h"
#include "simd/psi_kernels.h"
#include "simd/rotation_kernels.h"
#include "simd/series_kernels.h"
#include "simd/sphere_kernels.h"
#include "simd/stationary_kernels.h"
#include "simd/sweep_kernels.h"
#include "simd/symmetric_kernels.h"
#include "simd/tile_kernels.h"
#include "simd/wave_kernels.h"

namespace wgp {

struct SimdKernels {
  const SweepKernels& sweep;
  const TileKernels& tiles;
  const SphereKernels& sphere;
  const KendallKernels& kendall;
  const SymmetricKernels& symmetric;
  const StationaryKernels& stationary;
  const SeriesKernels& series;
  const ProductKernels& products;
  const PsiKernels& psi;
  const NodeKernels& nodes;
  const RotationKernels& rotations;
  const WaveKernels& waves;
};

// Of simd_level().
const SimdKernels& simd();
// Of any level that is available.
const SimdKernels& simd(SimdLevel level);

}  // namespace wgp
