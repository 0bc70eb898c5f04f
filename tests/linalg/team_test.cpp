#include "linalg/team.h"

#include <gtest/gtest.h>

#include <array>
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

// The first piece of work ends when another member has begun the second.
TEST(Team, OthersHelpAndWakeUpAgain) {
  Team team(2);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<bool> helped = false;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::array<std::atomic<int>, 2> member_of = {-1, -1};
    team.each(2, [&](Index i, int member) {
      member_of[static_cast<std::size_t>(i)] = member;
      if (i == 1) helped = true;
      while (i == 0 && !helped && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    });
    EXPECT_NE(member_of[0], member_of[1]);
  }
}

}  // namespace
}  // namespace wgp
