// --shrink and --samples: covariance matrices drawn towards a multiple of the identity as they are read.
#pragma once

#include "cli/input/arguments.h"
#include "statistics/shrinkage.h"
#include "wgp/manifold.h"

namespace wgp::cli {

// n of spd:n with any metric; 0 of any other manifold, and of products.
Index covariance_size(const Manifold& manifold);

// As a model keeps it: "", "oas", "ledoit-wolf" or a share.
Shrinkage shrinkage_of(const std::string& how, Index samples);
// Wrong usage where a share cannot be computed of a matrix alone.
Shrinkage shrinkage_from(const Arguments& arguments, const Manifold& manifold);

}  // namespace wgp::cli
