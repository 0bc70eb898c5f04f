#include "core/executor.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <new>
#include <stdexcept>

#include "wgp/random.h"

namespace wgp {
namespace {

TEST(Executor, DoesEverythingOnce) {
  for (const int workers : {1, 2, 3, 5}) {
    Executor executor(workers);
    EXPECT_EQ(executor.workers(), workers);
    for (const Index count : {0, 1, 2, 3, 100}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      std::atomic<bool> known = true;
      for (int round = 0; round < 50; ++round)
        executor.each(count, [&](Index i, int worker) {
          ++done[static_cast<std::size_t>(i)];
          if (worker < 0 || worker >= workers) known = false;
        });
      for (const auto& times : done) EXPECT_EQ(times, 50);
      EXPECT_TRUE(known);
    }
  }
}

TEST(Executor, NoTwoWorkersHaveOneNumber) {
  Executor executor(3);
  std::vector<std::atomic<int>> inside(3);
  std::atomic<bool> alone = true;
  for (int round = 0; round < 200; ++round)
    executor.each(20, [&](Index, int worker) {
      if (++inside[static_cast<std::size_t>(worker)] != 1) alone = false;
      --inside[static_cast<std::size_t>(worker)];
    });
  EXPECT_TRUE(alone);
}

// The first piece of work ends when another worker has begun the second.
TEST(Executor, OthersHelpAndWakeUpAgain) {
  Executor executor(2);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<bool> helped = false;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::array<std::atomic<int>, 2> worker_of = {-1, -1};
    executor.each(2, [&](Index i, int worker) {
      worker_of[static_cast<std::size_t>(i)] = worker;
      if (i == 1) helped = true;
      while (i == 0 && !helped && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    });
    EXPECT_NE(worker_of[0], worker_of[1]);
  }
}

TEST(Executor, WhatARoundThrowsReachesTheCaller) {
  for (const int workers : {1, 2, 4}) {
    Executor executor(workers);
    for (int round = 0; round < 50; ++round) {
      std::atomic<int> begun = 0;
      // Rounds 7 and 8 throw: the caller sees the earlier one, whoever was first.
      const auto run = [&] {
        executor.each(1000, [&](Index i, int) {
          ++begun;
          if (i == 7) throw std::runtime_error("seven");
          if (i == 8) throw std::runtime_error("eight");
        });
      };
      try {
        run();
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "seven");
      }
      if (workers == 1) {
        EXPECT_EQ(begun, 8);
      }
    }
    EXPECT_THROW(executor.each(5, [](Index, int) { throw std::bad_alloc(); }), std::bad_alloc);
    int after = 0;  // and goes on working
    executor.each(1, [&](Index, int) { ++after; });
    EXPECT_EQ(after, 1);
  }
}

// Only the worker that is not the caller runs out of memory: the first round waits until another thread has the second.
TEST(Executor, MemoryThatAnotherThreadLacksIsTheCallersError) {
  const auto caller = std::this_thread::get_id();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int way = 0; way < 3; ++way) {
    Executor executor(2);
    std::atomic<int> begun = 0, elsewhere = 0;
    const auto round = [&] {
      ++begun;
      if (std::this_thread::get_id() != caller) {
        ++elsewhere;
        throw std::bad_alloc();
      }
      while (begun < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    };
    const auto run = [&] {
      if (way == 0) executor.each(2, [&](Index, int) { round(); });
      if (way == 1) executor.tasks(2, [&](Index, Executor&) { round(); });
      if (way == 2)
        executor.reduce<double>(
            2,
            [&](Index) {
              round();
              return 1.0;
            },
            [](double& a, double b) { a += b; });
    };
    EXPECT_THROW(run(), std::bad_alloc) << way;
    EXPECT_EQ(elsewhere, 1) << way;
    std::atomic<int> after = 0;
    executor.each(10, [&](Index, int) { ++after; });
    EXPECT_EQ(after, 10);
  }
}

TEST(Executor, ALoopWithinALoopIsTheCallersOwn) {
  Executor executor(3);
  std::atomic<int> done = 0;
  executor.each(4, [&](Index, int) { executor.each(5, [&](Index, int) { ++done; }); });
  EXPECT_EQ(done, 20);
}

TEST(Executor, ThousandsOfWorkersAreNoError) {
  Executor executor(5000);
  std::atomic<int> done = 0;
  executor.each(10000, [&](Index, int) { ++done; });
  EXPECT_EQ(done, 10000);
}

TEST(Executor, TasksShareTheWorkersLeftOver) {
  Executor executor(5);
  std::atomic<int> done = 0;
  executor.tasks(2, [&](Index, Executor& inner) {
    EXPECT_EQ(inner.workers(), 2);
    inner.each(7, [&](Index, int) { ++done; });
  });
  EXPECT_EQ(done, 14);
  executor.tasks(9, [&](Index, Executor& inner) { EXPECT_EQ(inner.workers(), 1); });
}

double plain_halves(const std::vector<double>& x, std::size_t first, std::size_t last) {
  if (last - first == 1) return x[first];
  const std::size_t middle = first + (last - first + 1) / 2;
  return plain_halves(x, first, middle) + plain_halves(x, middle, last);
}

TEST(Executor, SumsHaveTheSameBitsOnAnyNumberOfWorkers) {
  Random random(1);
  for (const Index count : {1, 2, 3, 5, 63, 64, 65, 127, 1000, 1337}) {
    std::vector<double> x;
    for (Index i = 0; i < count; ++i) x.push_back(std::exp(20 * random.normal()));
    const double expected = plain_halves(x, 0, x.size());
    for (const int workers : {1, 2, 3, 7}) {
      Executor executor(workers);
      const double sum = executor.reduce<double>(
          count, [&](Index i) { return x[static_cast<std::size_t>(i)]; }, [](double& a, double b) { a += b; });
      EXPECT_EQ(sum, expected) << count << " terms, " << workers << " workers";
    }
  }
}

}  // namespace
}  // namespace wgp
