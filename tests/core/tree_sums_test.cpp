#include "core/tree_sums.h"

#include <gtest/gtest.h>

#include "wgp/random.h"

namespace wgp {
namespace {

// Sums of doubles whose order shows in the last bit.
struct Number {
  double value = 0;
  void add(const Number& next) { value += next.value; }
  void each_part(auto&& visitor) { visitor(value); }
};

TEST(TreeSums, AreThoseOfTheExecutorInAnyOrder) {
  const auto term = [](Index i) { return Number{1.0 / (1.0 + static_cast<double>(i * i % 101))}; };
  for (const Index count : {1, 2, 7, 64, 1000}) {
    Executor executor;
    const Number known = executor.reduce<Number>(count, term, [](Number& into, const Number& one) { into.add(one); });
    Random random(static_cast<std::uint64_t>(count));
    std::vector<Index> ends = {0};
    while (ends.back() < count) ends.push_back(std::min(count, ends.back() + 1 + random.below(1 + count / 5)));
    std::vector<TreeSums<Number>> parts;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
      parts.emplace_back(count);
      parts.back().make(ends[k], ends[k + 1], term);
    }
    while (parts.size() > 1) {
      std::swap(parts.back(), parts[static_cast<std::size_t>(random.below(static_cast<Index>(parts.size())))]);
      TreeSums<Number> one = std::move(parts.back());
      parts.pop_back();
      parts[static_cast<std::size_t>(random.below(static_cast<Index>(parts.size())))].add(std::move(one));
    }
    ASSERT_TRUE(parts[0].is_whole()) << count;
    EXPECT_EQ(parts[0].take_whole().value, known.value) << count;
  }
}

TEST(TreeSums, KnowWhatIsMissingAndWhatIsThereTwice) {
  const auto term = [](Index) { return Number{1}; };
  TreeSums<Number> sums(100), middle(100), more(100), of_others(99);
  sums.make(0, 30, term);
  sums.make(60, 100, term);
  EXPECT_FALSE(sums.is_whole());
  EXPECT_EQ(sums.missing(), (std::pair<Index, Index>{30, 60}));
  more.make(29, 31, term);
  EXPECT_THROW(sums.add(std::move(more)), Error);
  EXPECT_THROW(sums.add(std::move(of_others)), Error);
  middle.make(30, 60, term);
  sums.add(std::move(middle));
  ASSERT_TRUE(sums.is_whole());
  EXPECT_EQ(sums.take_whole().value, 100);
}

}  // namespace
}  // namespace wgp
