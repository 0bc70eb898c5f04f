// The unit that distances on a manifold are in.
#pragma once

#include <string>

#include "wgp/manifold.h"

namespace wgp::report {

// " rad" where distances are angles, " log units" where they are of logarithms of eigenvalues; empty where they are in
// the units of the data or of no unit.
std::string distance_unit(const Manifold& manifold);
std::string squared_unit(const Manifold& manifold);  // " rad^2"

}  // namespace wgp::report
