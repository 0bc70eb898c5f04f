// How the registry makes each kind of kernel.
#pragma once

#include <optional>

#include "gp/spectrum.h"
#include "wgp/kernel.h"

namespace wgp {

KernelPtr make_stationary(const std::string& name, const LatentSpace& latent, LengthScales scales);
KernelPtr make_linear(const LatentSpace& latent);
KernelPtr make_constant(const LatentSpace& latent);
KernelPtr make_sum(std::vector<KernelPtr> terms);
KernelPtr make_product(std::vector<KernelPtr> factors);

// The squared-exponential kernel that make_stationary made: over plain coordinates alone, over one angle alone.
bool is_plain_rbf(const Kernel& kernel);
bool is_circle_rbf(const Kernel& kernel);

// Of a kernel that is one term by itself, its parameters from 0 on; nothing otherwise.
std::optional<SpectralTerm> stationary_term(const Kernel& kernel);

}  // namespace wgp
