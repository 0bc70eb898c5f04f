// A few threads that work through many small loops together, a loop every some microseconds.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "wgp/types.h"

namespace wgp {

// The caller is one of the members; there are fewer where the system grants no more threads. Between loops the others
// wait awake for a moment and then asleep; a loop does not wait for members who come when all of it is begun. One loop
// at a time, from one thread. Which member runs what is left open: bodies must not care.
class Team {
 public:
  explicit Team(int members);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  // body(i, member) for i in 0..count-1, member in 0..size()-1; begun in the order of i. Bodies must not throw.
  void each(Index count, const std::function<void(Index i, int member)>& body);

 private:
  void serve(int member);
  void work(int member);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  const std::function<void(Index, int)>* body_ = nullptr;
  Index count_ = 0;
  std::atomic<Index> next_ = 0;
  std::atomic<unsigned> loops_ = 0;   // so far
  bool open_ = false, over_ = false;  // the loop, to those who come late; all loops
  std::atomic<int> inside_ = 0;
};

}  // namespace wgp
