// Seconds that a benchmark compares.
#pragma once

#include <ctime>

#include <algorithm>

namespace bench {

enum class Clock { this_thread, wall };  // what this thread computed, or what has passed

inline double seconds(Clock clock = Clock::this_thread) {
  timespec now{};
  clock_gettime(clock == Clock::this_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// best: the least that this work has taken so far.
template <class F>
void shorten(double& best, F&& work, Clock clock = Clock::this_thread) {
  const double begin = seconds(clock);
  work();
  best = std::min(best, seconds(clock) - begin);
}

}  // namespace bench
