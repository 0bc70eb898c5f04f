// How fast predictions change that are sums of kernel functions.
#pragma once

#include "wgp/kernel.h"
#include "wgp/posterior.h"

namespace wgp {

// Of k' weights, one column an output. variance: the largest that the process has without data.
Posterior::Grain grain_of_kernel_sums(const Kernel& kernel, ConstVectorRef theta, ConstMatrixRef weights,
                                      double variance);

}  // namespace wgp
