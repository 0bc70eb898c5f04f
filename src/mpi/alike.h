// Whether processes are alike: the same program with the same arguments, on processors that round in the same way. Else
// they would not end at the bytes of one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wgp/ranks.h"

namespace wgp::mpi {

// What is different, if anything that matters is; the same sentence on all ranks. Where processors have different
// instructions all are made to use those that all have (WGP_SIMD): to be called before anything is computed.
std::optional<std::string> difference(Ranks& ranks, const std::string& version, const std::vector<std::string>& words);

}  // namespace wgp::mpi
