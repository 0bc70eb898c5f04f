#include "core/executor.h"

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

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

Executor::~Executor() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    ++loops_;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Executor::start() {
  started_ = true;
  const int present = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  try {
    for (int worker = 1; worker < std::min(wanted_, 4 * present); ++worker)
      threads_.emplace_back([this, worker] { serve(worker); });
  } catch (const std::system_error&) {  // no more threads to be had: those that there are will do
  } catch (const std::bad_alloc&) {     // nor memory for them
  }
}

void Executor::each(Index count, const std::function<void(Index i, int worker)>& body) {
  if (wanted_ == 1 || count < 2 || busy_.exchange(true)) {
    for (Index i = 0; i < count; ++i) body(i, 0);
    return;
  }
  if (!started_) start();
  {
    const std::lock_guard lock(mutex_);
    body_ = &body;
    count_ = count;
    next_ = 0;
    failure_ = nullptr;
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
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  busy_ = false;
  if (failure) std::rethrow_exception(failure);
}

void Executor::work(int worker) {
  for (Index i = next_++; i < count_; i = next_++) {
    try {
      (*body_)(i, worker);
    } catch (...) {
      remember(i);
    }
  }
}

// Of several exceptions the earliest round's: which one the caller sees does not depend on the threads.
void Executor::remember(Index i) {
  const std::lock_guard lock(mutex_);
  if (!failure_ || i < failed_) {
    failure_ = std::current_exception();
    failed_ = i;
  }
  next_ = count_;  // what is not begun stays so
}

void Executor::serve(int worker) {
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
    work(worker);
    inside_.fetch_sub(1, std::memory_order_release);
  }
}

// By the same halving that sums are made by.
std::vector<Index> Executor::subtrees(Index count, int ranks) {
  int levels = 6;
  for (int reached = 1; reached < ranks; reached *= 2) ++levels;
  std::vector<Index> ends = {0, count};
  for (int level = 0; level < levels && static_cast<Index>(ends.size()) - 1 < count; ++level) {
    std::vector<Index> finer;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
      finer.push_back(ends[k]);
      if (ends[k + 1] - ends[k] > 1) finer.push_back(ends[k] + (ends[k + 1] - ends[k] + 1) / 2);
    }
    finer.push_back(count);
    ends = std::move(finer);
  }
  return ends;
}

Executor::Range Executor::own_terms(Index count) const {
  if (!ranks_) return {0, count};
  const std::vector<Index> ends = subtrees(count, ranks_->count());
  const std::vector<Index> of_ranks = ranks_->ends(static_cast<Index>(ends.size()) - 1);
  const auto own = static_cast<std::size_t>(ranks_->rank());
  return {ends[static_cast<std::size_t>(of_ranks[own])], ends[static_cast<std::size_t>(of_ranks[own + 1])]};
}

std::vector<detail::Node> detail::nodes_of_one_rank(const std::vector<Index>& ends,
                                                    const std::vector<Index>& of_ranks) {
  const auto at = [&](Index end) {
    return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), end) - ends.begin());
  };
  const auto rank_of = [&](std::size_t subtree) {
    return static_cast<int>(std::upper_bound(of_ranks.begin(), of_ranks.end(), static_cast<Index>(subtree)) -
                            of_ranks.begin() - 1);
  };
  std::vector<Node> nodes;
  const std::function<void(Index, Index)> descend = [&](Index first, Index last) {
    const std::size_t from = at(first), to = at(last);
    if (rank_of(from) == rank_of(to - 1)) {
      nodes.push_back({from, to, rank_of(from)});
      return;
    }
    const Index middle = first + (last - first + 1) / 2;
    descend(first, middle);
    descend(middle, last);
  };
  descend(0, ends.back());
  return nodes;
}

void Executor::tasks(Index count, const std::function<void(Index i, Executor& inner)>& body) {
  const int at_once = static_cast<int>(std::min<Index>(wanted_, std::max<Index>(1, count)));
  std::vector<std::unique_ptr<Executor>> inner(static_cast<std::size_t>(wanted_));
  each(count, [&](Index i, int worker) {
    auto& own = inner[static_cast<std::size_t>(worker)];
    if (!own) own = std::make_unique<Executor>(wanted_ / at_once);
    body(i, *own);
  });
}

}  // namespace wgp
