#include "core/run_control.h"

#include <algorithm>

namespace wgp {
namespace {

constexpr auto between_questions = std::chrono::milliseconds(100);

}  // namespace

bool RunControl::ask() {
  if (stopped()) return false;
  // Before the answer: another thread must not wait to ask the same.
  next_.store((Clock::now() + between_questions).time_since_epoch().count(), std::memory_order_relaxed);
  if (!ask_(progress_)) {
    if (ranks_)
      ranks_->ask_to_end();
    else
      stopped_ = true;
  }
  return !stopped();
}

bool RunControl::report(const std::string& phase, int step, int steps, double best) {
  if (!ask_) return !stopped();
  const std::lock_guard lock(mutex_);
  progress_.phase = phase;
  progress_.step = step;
  progress_.steps = steps;
  progress_.best = std::max(progress_.best, best);
  return ask();
}

bool RunControl::keep_going() {
  if (!ask_) return !stopped();
  if (stopped()) return false;
  const auto too_early = [this] {
    return Clock::now().time_since_epoch().count() < next_.load(std::memory_order_relaxed);
  };
  if (too_early()) return true;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return !stopped();
  return too_early() ? !stopped() : ask();  // another thread may have asked in between
}

}  // namespace wgp
