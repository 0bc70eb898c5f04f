#include "cli/output/standard_error.h"
#include "cli/run.h"

int main(int count, char** words) {
  wgp::cli::open_standard_streams();
  wgp::cli::take_signals();
  return wgp::cli::run_command({words + 1, words + count});
}
