// What commands that start from a Frechet mean have to say about it.
#pragma once

#include "cli/output/messages.h"
#include "wgp/statistics.h"

namespace wgp::cli {

// Under --strict this is exit 4.
bool has_failed(const FrechetMean& mean);
// Points at the cut locus of the mean and logs that failed, if there are any.
void say_troubles(const FrechetMean& mean, const Messages& messages);

}  // namespace wgp::cli
