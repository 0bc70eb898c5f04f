// Ranks make the same sums as one process, to the last bit, and stay in step: all go on or all end.
#include "core/rank_exchange.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <new>
#include <numeric>

#include "core/executor.h"
#include "core/rank_columns.h"
#include "core/run_control.h"
#include "thread_ranks.h"

namespace wgp {
namespace {

struct Sum {
  double value = 0;
  Matrix matrix;
  std::vector<Index> list;
  void each_part(auto&& visitor) { visitor(value, matrix, list); }
};

// Numbers whose sum depends on the order.
Sum made(Index i) {
  const double x = std::sin(static_cast<double>(i)) * std::pow(10.0, static_cast<double>(i % 9));
  return {x, Matrix::Constant(2, 3, x / 3), {i}};
}
void add(Sum& into, const Sum& part) {
  into.value += part.value;
  into.matrix += part.matrix;
  into.list.insert(into.list.end(), part.list.begin(), part.list.end());
}

// Of very many columns never more than some are under way, and each once.
TEST(Ranks, GatherVeryManyColumnsPieceByPiece) {
  constexpr Index N = 100000;
  Matrix columns(2, N);
  for (Index i = 0; i < N; ++i) columns.col(i) << static_cast<double>(i), -static_cast<double>(i);
  class Watched final : public Ranks {
   public:
    explicit Watched(Ranks& all) : all_(all) {}
    int rank() const override { return all_.rank(); }
    int count() const override { return all_.count(); }
    std::vector<std::string> gather(const std::string& own) override {
      largest = std::max(largest, own.size());
      return all_.gather(own);
    }
    std::size_t largest = 0;

   private:
    Ranks& all_;
  };
  test::ThreadRanks::run(2, [&](Ranks& ranks) {
    Watched watched(ranks);
    RankExchange exchange(watched);
    const Index half = N / 2;
    const Executor::Range own = ranks.rank() == 0 ? Executor::Range{0, half} : Executor::Range{half, N};
    const MatrixColumns all(columns);
    std::vector<Index> members(N);
    std::iota(members.begin(), members.end(), Index{0});
    EXPECT_EQ(RankColumns(all, own, &exchange).gathered(members), columns);
    EXPECT_LT(watched.largest, 32 * RankColumns::at_once);
  });
}

TEST(Ranks, MakeTheSameSumToTheLastBit) {
  for (const Index count : {1, 2, 3, 63, 64, 65, 100, 129, 1000}) {
    Executor alone(2);
    const Sum expected = alone.reduce<Sum>(count, made, add);
    for (const int ranks : {1, 2, 3, 4, 7})
      test::ThreadRanks::run(ranks, [&](Ranks& own) {
        RankExchange exchange(own);
        Executor executor(2, &exchange);
        const Executor::Range range = executor.own_terms(count);
        std::atomic<Index> terms = 0;
        const Sum sum = executor.reduce_over_ranks<Sum>(
            count,
            [&](Index i) {
              EXPECT_TRUE(i >= range.first && i < range.last);
              ++terms;
              return made(i);
            },
            add);
        EXPECT_EQ(terms, range.last - range.first);
        EXPECT_EQ(sum.value, expected.value) << count << " terms, " << ranks << " ranks";
        EXPECT_EQ(sum.matrix, expected.matrix);
        EXPECT_EQ(sum.list, expected.list);
      });
  }
}

TEST(Ranks, ShareTermsEvenly) {
  test::ThreadRanks::run(3, [](Ranks& own) {
    RankExchange exchange(own);
    const Executor executor(1, &exchange);
    const Executor::Range range = executor.own_terms(64000);
    EXPECT_NEAR(static_cast<double>(range.last - range.first), 64000.0 / 3, 1000);
  });
}

TEST(Ranks, AllFailWhereOneDoes) {
  test::ThreadRanks::run(3, [](Ranks& own) {
    RankExchange exchange(own);
    Executor executor(1, &exchange);
    const auto fails = [&](Index i) {
      if (i == 90) throw std::bad_alloc();
      return made(i);
    };
    if (own.rank() == 2)
      EXPECT_THROW(executor.reduce_over_ranks<Sum>(100, fails, add), std::bad_alloc);
    else
      try {
        executor.reduce_over_ranks<Sum>(100, fails, add);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("memory"), std::string::npos);
      }
    // And are in step again.
    EXPECT_EQ(executor.reduce_over_ranks<Sum>(100, made, add).list.size(), 100u);
  });
}

TEST(Ranks, TellTheFirstAlone) {
  test::ThreadRanks::run(3, [](Ranks& own) {
    RankExchange exchange(own);
    const std::vector<int> all = exchange.gather_values_at_first<int>([&] { return 10 * own.rank(); });
    EXPECT_EQ(all, own.rank() == 0 ? (std::vector<int>{0, 10, 20}) : std::vector<int>());
    // What fails is known to all.
    try {
      exchange.gather_values_at_first<int>([&]() -> int {
        if (own.rank() == 1) throw Error("no more");
        return 0;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), own.rank() == 1 ? "no more" : "process 1: no more");
    }
  });
}

TEST(Ranks, MakeEachThingOnce) {
  for (const Index count : {0, 1, 5, 7}) {
    std::atomic<int> made_in_all = 0;
    test::ThreadRanks::run(3, [&](Ranks& own) {
      RankExchange exchange(own);
      Executor executor(2, &exchange);
      const std::vector<Matrix> all = executor.made_over_ranks<Matrix>(count, [&](Index i, Executor&) -> Matrix {
        ++made_in_all;
        return Matrix::Constant(1, i, static_cast<double>(i));
      });
      ASSERT_EQ(static_cast<Index>(all.size()), count);
      for (Index i = 0; i < count; ++i)
        EXPECT_EQ(all[static_cast<std::size_t>(i)], Matrix::Constant(1, i, static_cast<double>(i)));
    });
    EXPECT_EQ(made_in_all, count);
  }
}

// Told to end, who works by itself ends at once, and all others where they hear of it.
TEST(Ranks, EndByThemselvesWhereNobodyWaits) {
  test::ThreadRanks::run(2, [](Ranks& own) {
    RankExchange exchange(own);
    if (own.rank() == 1) exchange.ask_to_end();
    EXPECT_FALSE(exchange.ends_now());
    exchange.work_by_itself([&] { EXPECT_EQ(exchange.ends_now(), own.rank() == 1); });
    EXPECT_FALSE(exchange.ends_now());
    exchange.gather([] { return std::string(); });
    EXPECT_TRUE(exchange.ends_now());
  });
}

// However many there are, each has subtrees for many threads.
TEST(Ranks, HaveShares) {
  test::ThreadRanks::run(100, [](Ranks& own) {
    RankExchange exchange(own);
    const Executor executor(1, &exchange);
    const Executor::Range range = executor.own_terms(100000);
    EXPECT_NEAR(static_cast<double>(range.last - range.first), 1000, 20);
  });
}

TEST(Ranks, EndTogether) {
  test::ThreadRanks::run(3, [](Ranks& own) {
    RankExchange exchange(own);
    Executor executor(1, &exchange);
    int asked = 0;
    RunControl control([&](const Progress&) { return ++asked < 4 || own.rank() != 1; }, &exchange);
    int rounds = 0;
    // Rank 1 is told to end in the fourth round; all hear of it in the same place.
    while (control.report("", 0, 0, 0)) {
      executor.reduce_over_ranks<Sum>(10, made, add);
      ASSERT_LT(++rounds, 10);
    }
    EXPECT_EQ(rounds, 4);
    EXPECT_TRUE(control.stopped());
    EXPECT_THROW(control.check(), Stopped);
  });
}

TEST(Ranks, GatherColumnsThatTheyDoNotHave) {
  const Matrix all = Matrix::Random(3, 40);
  test::ThreadRanks::run(3, [&](Ranks& own) {
    RankExchange exchange(own);
    const Executor executor(1, &exchange);
    const Executor::Range range = executor.own_terms(40);
    Matrix here = Matrix::Constant(3, 40, std::nan(""));
    here.middleCols(range.first, range.last - range.first) = all.middleCols(range.first, range.last - range.first);
    const MatrixColumns columns(here);
    const std::vector<Index> wanted = {39, 0, 17, 17, 25};
    EXPECT_EQ(RankColumns(columns, range, &exchange).gathered(wanted), Matrix(all(Eigen::all, wanted)));
  });
}

TEST(Packing, RefusesWhatIsCutShortOrTooLong) {
  Sum sum = made(3);
  const std::string bytes = packed(sum);
  EXPECT_EQ(unpacked<Sum>(bytes).matrix, sum.matrix);
  EXPECT_THROW(unpacked<Sum>(bytes + "x"), Error);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(unpacked<Sum>(bytes.substr(0, length)), Error) << length;
}

}  // namespace
}  // namespace wgp
