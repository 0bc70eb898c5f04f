// The processes that this command runs on: one, or those that wgp-mpi has.
#pragma once

#include "wgp/ranks.h"

namespace wgp::cli {

// Null where there is one. Kept by reference.
Ranks* ranks();
void run_on(Ranks* ranks);

// The one that writes; the others work for it.
bool writes();

}  // namespace wgp::cli
