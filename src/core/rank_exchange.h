// What ranks tell each other, and how they stay in step: all go on or all end.
//
// A rank that is told to end, or fails, says so with what it gives next; every rank learns of it there and does the
// same. Between two exchanges all of them see the same, so that none goes where the others do not follow.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "core/packing.h"
#include "wgp/ranks.h"

namespace wgp {

class RankExchange {
 public:
  explicit RankExchange(Ranks& ranks) : ranks_(ranks) {}
  RankExchange(const RankExchange&) = delete;
  RankExchange& operator=(const RankExchange&) = delete;

  int rank() const { return ranks_.rank(); }
  int count() const { return ranks_.count(); }

  // What make() returns on every rank, in their order. What it throws somewhere is thrown everywhere: the exception of
  // the first rank that has one, as an Error that names the rank where it is another one's.
  std::vector<std::string> gather(const std::function<std::string()>& make);
  // The same where rank 0 alone needs it: elsewhere empty.
  std::vector<std::string> gather_at_first(const std::function<std::string()>& make);
  // The same for values that can be packed.
  template <class T, class Make>
  std::vector<T> gather_values(const Make& make) {
    return unpacked_all<T>(gather([&] {
      T own = make();
      return packed(own);
    }));
  }
  template <class T, class Make>
  std::vector<T> gather_values_at_first(const Make& make) {
    return unpacked_all<T>(gather_at_first([&] {
      T own = make();
      return packed(own);
    }));
  }

  // Of `count` things in a row those of each rank: ends[rank] .. ends[rank + 1].
  std::vector<Index> ends(Index count) const;

  // This rank wants to end. All do once that has been told; one that works by itself does so at once.
  void ask_to_end() { asked_ = true; }
  bool ends_now() const { return ends_now_ || (by_itself_ && asked_); }
  // While it makes what the others do not see before the next exchange.
  void work_by_itself(const std::function<void()>& body);

 private:
  template <class T>
  static std::vector<T> unpacked_all(const std::vector<std::string>& messages) {
    std::vector<T> values;
    for (const std::string& bytes : messages) values.push_back(unpacked<T>(bytes));
    return values;
  }

  Ranks& ranks_;
  std::atomic<bool> asked_ = false;
  std::atomic<bool> ends_now_ = false;
  std::atomic<bool> by_itself_ = false;
};

}  // namespace wgp
