#include "linalg/team.h"

#include <system_error>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace wgp {
namespace {

constexpr int awake_turns = 2000;  // tens of microseconds, more than the serial parts between two loops take

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

Team::Team(int members) {
  try {
    for (int member = 1; member < members; ++member) threads_.emplace_back([this, member] { serve(member); });
  } catch (const std::system_error&) {  // no more threads to be had: those that there are will do
  }
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    ++loops_;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::each(Index count, const std::function<void(Index i, int member)>& body) {
  if (threads_.empty() || count < 2) {
    for (Index i = 0; i < count; ++i) body(i, 0);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    body_ = &body;
    count_ = count;
    next_ = 0;
    open_ = true;
    ++loops_;
  }
  wake_.notify_all();
  work(0);
  {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  for (int turn = 0; inside_.load(std::memory_order_acquire) > 0; ++turn)
    if (turn < awake_turns)
      pause();
    else
      std::this_thread::yield();
}

void Team::work(int member) {
  for (Index i = next_++; i < count_; i = next_++) (*body_)(i, member);
}

void Team::serve(int member) {
  unsigned seen = 0;
  for (;;) {
    for (int turn = 0; turn < awake_turns && loops_.load(std::memory_order_relaxed) == seen; ++turn) pause();
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return loops_.load(std::memory_order_relaxed) != seen; });
      seen = loops_.load(std::memory_order_relaxed);
      if (over_) return;
      if (!open_) continue;
      ++inside_;
    }
    work(member);
    inside_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace wgp
