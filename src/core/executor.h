// Everything that runs side by side runs here: the only place that knows of threads (but core/conversation.h, of which
// one waits for the other).
//
//   each     a loop whose rounds do not care which thread runs them, or in which order
//   tasks    the same for a few long rounds, each with the threads that are left over for it
//   reduce   a sum whose rounding depends on the number of terms alone: the same bits on any number of threads
//   reduce_over_ranks   the same, where other processes make some of the terms: the same bits on any number of these
//   made_over_ranks     tasks whose results are wanted on all processes, each made on one of them
//
// A thread that the system does not grant is no error: there are fewer then. What a round throws ends the loop, and the
// exception of the earliest round that threw one reaches the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/rank_exchange.h"
#include "wgp/types.h"

namespace wgp {

class Executor {
 public:
  // The caller is one of the workers. Others come into being with the first loop that has work for them.
  // ranks: processes that all do the same, if there are any (kept by reference).
  explicit Executor(int workers = 1, RankExchange* ranks = nullptr)
      : wanted_(workers < 1 ? 1 : workers), ranks_(ranks) {}
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  int workers() const { return wanted_; }  // at most; each() numbers them from 0
  RankExchange* ranks() const { return ranks_; }

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
  // The same sum on every rank, of terms that are each made on one of them: own_terms() are this one's. T: see
  // core/packing.h. Not from within a task.
  template <class T, class Make, class Add>
  T reduce_over_ranks(Index count, const Make& make, const Add& add);
  // make(i, inner) for i in 0..count-1, as tasks are made. T as above. Not from within a task.
  template <class T, class Make>
  std::vector<T> made_over_ranks(Index count, const Make& make);
  struct Range {
    Index first, last;
  };
  Range own_terms(Index count) const;

 private:
  // The ends of the subtrees that are shared out: 64 for each rank. How many there are does not change the sum.
  static std::vector<Index> subtrees(Index count, int ranks);
  void start();
  void serve(int worker);
  void work(int worker);
  void remember(Index i);

  int wanted_;
  RankExchange* ranks_;
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

// Sums of neighbouring subtrees together again where the halving parted them: those from `from` to `to`, which are all
// of a larger one. They are moved from.
template <class T, class Add>
T joined(const std::vector<Index>& ends, std::vector<std::optional<T>>& sums, std::size_t from, std::size_t to,
         const Add& add) {
  std::size_t next = from;
  const std::function<T(Index, Index)> join = [&](Index first, Index last) -> T {
    if (ends[next + 1] == last) return std::move(*sums[next++]);
    const Index middle = first + (last - first + 1) / 2;
    T left = join(first, middle);
    add(left, join(middle, last));
    return left;
  };
  return join(ends[from], ends[to]);
}

// The largest subtrees of which one rank makes all terms, in order. of_ranks: which of the subtrees are whose.
struct Node {
  std::size_t first, last;  // of the subtrees
  int rank;
};
std::vector<Node> nodes_of_one_rank(const std::vector<Index>& ends, const std::vector<Index>& of_ranks);

}  // namespace detail

template <class T, class Make, class Add>
T Executor::reduce(Index count, const Make& make, const Add& add) {
  const std::vector<Index> ends = subtrees(count, 1);
  std::vector<std::optional<T>> sums(ends.size() - 1);
  each(static_cast<Index>(sums.size()), [&](Index k, int) {
    const auto at = static_cast<std::size_t>(k);
    sums[at].emplace(detail::sum_of_halves<T>(ends[at], ends[at + 1], make, add));
  });
  return detail::joined<T>(ends, sums, 0, sums.size(), add);
}

template <class T, class Make, class Add>
T Executor::reduce_over_ranks(Index count, const Make& make, const Add& add) {
  if (!ranks_) return reduce<T>(count, make, add);
  const std::vector<Index> ends = subtrees(count, ranks_->count());
  const std::vector<Index> of_ranks = ranks_->ends(static_cast<Index>(ends.size()) - 1);
  const std::vector<detail::Node> nodes = detail::nodes_of_one_rank(ends, of_ranks);
  const std::vector<std::string> messages = ranks_->gather([&] {
    const Index first = of_ranks[static_cast<std::size_t>(ranks_->rank())],
                last = of_ranks[static_cast<std::size_t>(ranks_->rank()) + 1];
    std::vector<std::optional<T>> sums(ends.size() - 1);
    each(last - first, [&](Index k, int) {
      const auto at = static_cast<std::size_t>(first + k);
      sums[at].emplace(detail::sum_of_halves<T>(ends[at], ends[at + 1], make, add));
    });
    Packer packer;
    for (const detail::Node& node : nodes)
      if (node.rank == ranks_->rank()) {
        T sum = detail::joined<T>(ends, sums, node.first, node.last, add);
        packer(sum);
      }
    return packer.take();
  });
  // Every rank puts the same bytes together.
  std::vector<Unpacker> unpackers;
  for (const std::string& message : messages) unpackers.emplace_back(message);
  std::vector<Index> ends_of_nodes = {0};
  std::vector<std::optional<T>> sums;
  for (const detail::Node& node : nodes) {
    unpackers[static_cast<std::size_t>(node.rank)](sums.emplace_back(T()).value());
    ends_of_nodes.push_back(ends[node.last]);
  }
  return detail::joined<T>(ends_of_nodes, sums, 0, sums.size(), add);
}

template <class T, class Make>
std::vector<T> Executor::made_over_ranks(Index count, const Make& make) {
  const Index first = ranks_ ? ranks_->rank() : 0, step = ranks_ ? ranks_->count() : 1;
  const auto make_own = [&] {
    std::vector<T> own(static_cast<std::size_t>(std::max<Index>(0, (count - first + step - 1) / step)));
    tasks(static_cast<Index>(own.size()),
          [&](Index k, Executor& inner) { own[static_cast<std::size_t>(k)] = make(first + k * step, inner); });
    return own;
  };
  if (!ranks_) return make_own();
  auto of_ranks = ranks_->gather_values<std::vector<T>>(make_own);
  std::vector<T> all;
  for (Index i = 0; i < count; ++i)
    all.push_back(std::move(of_ranks[static_cast<std::size_t>(i % step)][static_cast<std::size_t>(i / step)]));
  return all;
}

}  // namespace wgp
