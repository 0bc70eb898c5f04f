// One way for every long computation to report and to be stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

#include "core/rank_exchange.h"
#include "wgp/progress.h"

namespace wgp {

// Shared by all threads of a computation. Without a question to ask it costs nothing and never stops.
class RunControl {
 public:
  // ranks: it ends when all of them do.
  explicit RunControl(KeepGoing ask = nullptr, RankExchange* ranks = nullptr) : ask_(std::move(ask)), ranks_(ranks) {}
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  // A step is done: asks. best: -infinity where the step says nothing of it. False: end.
  bool report(const std::string& phase, int step, int steps, double best);
  // Within a step, as often as one likes: asks if a tenth of a second has passed since the last time. False: end.
  bool keep_going();
  // The same where a step is too deep down to return: throws Stopped.
  void check() {
    if (!keep_going()) throw Stopped();
  }
  bool stopped() const { return ranks_ ? ranks_->ends_now() : stopped_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  bool ask();  // under the mutex

  KeepGoing ask_;
  RankExchange* ranks_;
  std::mutex mutex_;
  Progress progress_;
  std::atomic<bool> stopped_ = false;
  std::atomic<Clock::rep> next_ = 0;
};

}  // namespace wgp
