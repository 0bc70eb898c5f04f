#include "cli/ranks.h"

namespace wgp::cli {
namespace {

Ranks* all = nullptr;

}  // namespace

Ranks* ranks() { return all; }
void run_on(Ranks* ranks) { all = ranks; }
bool writes() { return !all || all->rank() == 0; }

}  // namespace wgp::cli
