// Ranks that are threads of one process: what processes do to each other, without them.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "wgp/ranks.h"

namespace wgp::test {

class ThreadRanks {
 public:
  // Runs body on so many ranks and waits for all of them. What it throws is not caught.
  static void run(int count, const std::function<void(Ranks&)>& body) {
    ThreadRanks all(count);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count; ++rank)
      threads.emplace_back([&all, &body, rank] {
        Rank own(all, rank);
        body(own);
      });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  explicit ThreadRanks(int count) : given_(static_cast<std::size_t>(count)), taken_(given_.size()) {}

  class Rank final : public Ranks {
   public:
    Rank(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int count() const override { return static_cast<int>(all_.given_.size()); }
    std::vector<std::string> gather(const std::string& own) override { return all_.gather(rank_, own); }

   private:
    ThreadRanks& all_;
    int rank_;
  };

  std::vector<std::string> gather(int rank, const std::string& own) {
    std::unique_lock lock(mutex_);
    given_[static_cast<std::size_t>(rank)] = own;
    const int round = round_;
    if (++present_ == static_cast<int>(given_.size())) {
      taken_ = given_;
      present_ = 0;
      ++round_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return round_ != round; });
    }
    return taken_;
  }

  std::vector<std::string> given_, taken_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  int present_ = 0, round_ = 0;
};

}  // namespace wgp::test
