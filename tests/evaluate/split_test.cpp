#include "evaluate/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace wgp {
namespace {

// numpy.random.default_rng(seed).permutation(n), NumPy 2.3.
TEST(Split, PermutationsAreThoseOfNumPy) {
  EXPECT_EQ(permutation(10, 0), (std::vector<Index>{4, 6, 2, 7, 3, 5, 9, 0, 8, 1}));
  EXPECT_EQ(permutation(10, 1), (std::vector<Index>{8, 4, 7, 0, 1, 2, 5, 9, 6, 3}));
  EXPECT_EQ(permutation(7, 12345678901234), (std::vector<Index>{1, 0, 5, 6, 3, 2, 4}));
  const std::vector<Index> long_one = permutation(126, 7);
  EXPECT_EQ(std::vector<Index>(long_one.begin(), long_one.begin() + 8),
            (std::vector<Index>{64, 124, 65, 75, 49, 86, 68, 107}));
}

TEST(Split, TakesEveryPointOnce) {
  const Split split = random_split(126, 0.8, 3);
  EXPECT_EQ(split.train.size(), 100u);
  EXPECT_EQ(split.test.size(), 26u);
  std::vector<Index> all = split.train;
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::sort(all.begin(), all.end());
  std::vector<Index> expected(126);
  std::iota(expected.begin(), expected.end(), Index{0});
  EXPECT_EQ(all, expected);
}

TEST(Split, OfOnePointAndOfNone) {
  EXPECT_EQ(permutation(1, 5), std::vector<Index>{0});
  EXPECT_TRUE(permutation(0, 5).empty());
}

}  // namespace
}  // namespace wgp
