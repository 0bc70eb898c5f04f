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

constexpr std::array taken = {SIGINT, SIGTERM, SIGUSR1};

}  // namespace

Interruption::Interruption() {
  asked = false;
  for (std::size_t k = 0; k < taken.size(); ++k) before_[k] = std::signal(taken[k], ask_to_stop);
}
Interruption::~Interruption() {
  for (std::size_t k = 0; k < taken.size(); ++k) std::signal(taken[k], before_[k]);
}
bool Interruption::requested() const { return asked; }

}  // namespace wgp::cli
