// Which of many p-values are too small for chance.
#pragma once

#include <vector>

#include "wgp/types.h"

namespace wgp {

// Benjamini and Hochberg 1995: with p-values in increasing order, all up to the last p_(k) <= rate k / n. Of those
// named, the expected share that deserves it not is at most the rate. Increasing positions; NaN is never named.
std::vector<Index> benjamini_hochberg(ConstVectorRef p_values, double rate = 0.01);

}  // namespace wgp
