#include "linalg/team.h"

#include <gtest/gtest.h>

#include <chrono>

namespace wgp {
namespace {

TEST(Team, DoesEverythingOnce) {
  for (const int members : {1, 2, 3, 5}) {
    Team team(members);
    EXPECT_EQ(team.size(), members);
    for (const Index count : {0, 1, 2, 3, 100}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      std::atomic<bool> known = true;
      for (int round = 0; round < 50; ++round)
        team.each(count, [&](Index i, int member) {
          ++done[static_cast<std::size_t>(i)];
          if (member < 0 || member >= members) known = false;
        });
      for (const auto& times : done) EXPECT_EQ(times, 50);
      EXPECT_TRUE(known);
    }
  }
}

TEST(Team, NoTwoMembersHaveOneNumber) {
  Team team(3);
  std::vector<std::atomic<int>> inside(3);
  std::atomic<bool> alone = true;
  for (int round = 0; round < 200; ++round)
    team.each(20, [&](Index, int member) {
      if (++inside[static_cast<std::size_t>(member)] != 1) alone = false;
      --inside[static_cast<std::size_t>(member)];
    });
  EXPECT_TRUE(alone);
}

TEST(Team, WakesUpAgain) {
  Team team(2);
  std::atomic<int> sum = 0;
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    team.each(10, [&](Index i, int) { sum += static_cast<int>(i); });
  }
  EXPECT_EQ(sum, 135);
}

}  // namespace
}  // namespace wgp
