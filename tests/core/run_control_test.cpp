#include "core/run_control.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "core/executor.h"

namespace wgp {
namespace {

TEST(RunControl, WithoutAQuestionNothingEnds) {
  RunControl control;
  EXPECT_TRUE(control.report("phase", 1, 2, 3));
  EXPECT_TRUE(control.keep_going());
  EXPECT_NO_THROW(control.check());
}

TEST(RunControl, ReportsKeepTheBestSoFar) {
  Progress seen;
  RunControl control([&](const Progress& progress) {
    seen = progress;
    return true;
  });
  control.report("first", 1, 5, 10);
  control.report("second", 2, 5, 7);
  EXPECT_EQ(seen.phase, "second");
  EXPECT_EQ(seen.step, 2);
  EXPECT_EQ(seen.best, 10);
}

TEST(RunControl, OnceStoppedItIsNotAskedAgain) {
  int asked = 0;
  RunControl control([&](const Progress&) { return ++asked < 2; });
  EXPECT_TRUE(control.report("a", 0, 0, 0));
  EXPECT_FALSE(control.report("a", 0, 0, 0));
  EXPECT_FALSE(control.report("a", 0, 0, 0));
  EXPECT_FALSE(control.keep_going());
  EXPECT_THROW(control.check(), Stopped);
  EXPECT_EQ(asked, 2);
}

TEST(RunControl, WithinAStepItIsAskedEveryTenthOfASecond) {
  std::atomic<int> asked = 0;
  RunControl control([&](const Progress&) { return ++asked < 4; });
  Executor executor(3);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(executor.each(3,
                             [&](Index, int) {
                               for (;;) control.check();
                             }),
               Stopped);
  EXPECT_EQ(asked, 4);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(250));
}

TEST(RunControl, WhatTheQuestionThrowsReachesTheCaller) {
  RunControl control([](const Progress&) -> bool { throw std::runtime_error("full disk"); });
  Executor executor(2);
  EXPECT_THROW(executor.each(4, [&](Index i, int) { control.report("x", static_cast<int>(i), 4, 0); }),
               std::runtime_error);
}

}  // namespace
}  // namespace wgp
