#include "wgp/ranks.h"

namespace wgp {

std::vector<std::string> Ranks::gather_at_first(const std::string& own) {
  std::vector<std::string> all = gather(own);
  if (rank() != 0) all.clear();
  return all;
}

std::string Ranks::name(int rank) const { return "process " + std::to_string(rank); }

}  // namespace wgp
