// The registry's lines, with what the parser needs beyond the public entry.
#pragma once

#include <functional>

#include "wgp/manifold.h"

namespace wgp {

using ManifoldBuilder = std::function<ManifoldPtr(const std::vector<Index>& sizes)>;

struct RegistryLine {
  ManifoldEntry entry;
  std::string metric;  // after the slash; the first line of a name is its default. "" if there is only one
  std::string sizes;   // "n", "k", "nxp", or a literal number
  ManifoldBuilder build;
};
const std::vector<RegistryLine>& registry();

}  // namespace wgp
