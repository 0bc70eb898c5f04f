// Everything that runs side by side runs here: the only place that knows of threads.
//
//   each     a loop whose rounds do not care which thread runs them, or in which order
//   tasks    the same for a few long rounds, each with the threads that are left over for it
//   reduce   a sum whose rounding depends on the number of terms alone: the same bits on any number of threads
//
// A thread that the system does not grant is no error: there are fewer then. What a round throws ends the loop, and the
// exception of the earliest round that threw one reaches the caller.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "wgp/types.h"

namespace wgp {

class Executor {
 public:
  // The caller is one of the workers. Others come into being with the first loop that has work for them.
  explicit Executor(int workers = 1) : wanted_(workers < 1 ? 1 : workers) {}
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  int workers() const { return wanted_; }  // at most; each() numbers them from 0

  // body(i, worker) for i in 0..count-1, begun in that order. Between loops the workers wait awake for a moment, so
  // that loops of some microseconds are worth sharing, and then asleep; a loop does not wait for workers who come when
  // all of it is begun. From within a loop of this executor, or from a second thread: by the caller alone.
  void each(Index count, const std::function<void(Index i, int worker)>& body);

  // body(i, inner): as many at a time as there are workers; inner has this executor's workers divided by the tasks.
  void tasks(Index count, const std::function<void(Index i, Executor& inner)>& body);

  // add(add(m0, m1), add(m2, m3)) and so on, halves of halves, of m_i = make(i). At most 64 partial sums and a few for
  // each worker are kept. count > 0.
  template <class T, class Make, class Add>
  T reduce(Index count, const Make& make, const Add& add);

 private:
  static constexpr int shared_levels = 6;  // 64 subtrees are shared out
  void start();
  void serve(int worker);
  void work(int worker);
  void remember(Index i);

  int wanted_;
  bool started_ = false;
  std::vector<std::thread> threads_;
  std::atomic<bool> busy_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  const std::function<void(Index, int)>* body_ = nullptr;
  Index count_ = 0;
  std::atomic<Index> next_ = 0;
  std::atomic<unsigned> loops_ = 0;   // so far
  bool open_ = false, over_ = false;  // the loop, to those who come late; all loops
  std::atomic<int> inside_ = 0;
  std::exception_ptr failure_;
  Index failed_ = 0;
};

namespace detail {

template <class T, class Make, class Add>
T sum_of_halves(Index first, Index last, const Make& make, const Add& add) {
  if (last - first == 1) return make(first);
  const Index middle = first + (last - first + 1) / 2;
  T left = sum_of_halves<T>(first, middle, make, add);
  add(left, sum_of_halves<T>(middle, last, make, add));
  return left;
}

}  // namespace detail

template <class T, class Make, class Add>
T Executor::reduce(Index count, const Make& make, const Add& add) {
  // The ends of the subtrees that are shared out, by the same halving.
  std::vector<Index> ends = {0, count};
  for (int level = 0; level < shared_levels && static_cast<Index>(ends.size()) - 1 < count; ++level) {
    std::vector<Index> finer;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
      finer.push_back(ends[k]);
      if (ends[k + 1] - ends[k] > 1) finer.push_back(ends[k] + (ends[k + 1] - ends[k] + 1) / 2);
    }
    finer.push_back(count);
    ends = std::move(finer);
  }
  std::vector<std::optional<T>> sums(ends.size() - 1);
  each(static_cast<Index>(sums.size()), [&](Index k, int) {
    const auto at = static_cast<std::size_t>(k);
    sums[at].emplace(detail::sum_of_halves<T>(ends[at], ends[at + 1], make, add));
  });
  // Together again where the halving parted them.
  std::size_t next = 0;
  const std::function<T(Index, Index)> join = [&](Index first, Index last) -> T {
    if (ends[next + 1] == last) return std::move(*sums[next++]);
    const Index middle = first + (last - first + 1) / 2;
    T left = join(first, middle);
    add(left, join(middle, last));
    return left;
  };
  return join(0, count);
}

}  // namespace wgp
