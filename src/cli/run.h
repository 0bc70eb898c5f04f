// The wgp command: finds the command, runs it, turns exceptions into exit codes.
#pragma once

#include <string>
#include <vector>

namespace wgp::cli {

int run_command(const std::vector<std::string>& words);
// Temporary files go when a signal ends the process.
void take_signals();

}  // namespace wgp::cli
