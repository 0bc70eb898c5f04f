#include "cli/input/interruption.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "cli/commands/commands.h"
#include "wgp/io.h"

namespace wgp::cli {
namespace {

std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

extern "C" void ask_to_stop(int) {
  if (asked.exchange(true)) {
    remove_temporary_files();
    _exit(exit_interrupted);
  }
}

}  // namespace

Interruption::Interruption() {
  asked = false;
  before_ = std::signal(SIGINT, ask_to_stop);
  before_term_ = std::signal(SIGTERM, ask_to_stop);
}
Interruption::~Interruption() {
  std::signal(SIGINT, before_);
  std::signal(SIGTERM, before_term_);
}
bool Interruption::requested() const { return asked; }

}  // namespace wgp::cli
