// Predictions where there is no point: far from the data, beyond the digits of a manifold, where kernels overflow.
#include <cmath>

#include "run_command.h"

namespace wgp::test {
namespace {

using nlohmann::json;

class FarPredictions : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    std::ostringstream x, h, c, e;
    for (std::ostringstream* text : {&x, &h, &c, &e}) text->precision(17);
    for (int i = 0; i < 12; ++i) {
      const double t = i / 4.0 - 1.4, a = 1.5 * t, b = 0.7 * std::sin(2 * t);
      x << t << '\n';
      h << std::sqrt(1 + a * a + b * b) << ',' << a << ',' << b << '\n';
      const double r = std::tanh(0.6 * t + 0.05 * std::cos(9.0 * i));
      c << "1," << r << ',' << r << ",1\n";
      e << t * t << ',' << std::sin(t) << '\n';
    }
    write("x.csv", x.str());
    write("hyperbolic:2", h.str());
    write("correlation:2", c.str());
    write("euclidean:2", e.str());
    write("at.csv", "0\n0.5\n1e155\n1e300\n");
  }
  // The model of the points in a file of the manifold's name, in m.wgp.
  void regress(const std::string& manifold, const std::string& flags) const {
    const Outcome outcome = wgp("regress x.csv " + manifold + " --manifold " + manifold + " --quiet -o m.wgp " + flags);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  // Every row is a point or NaN throughout, and the report counts the latter.
  void expect_told(const std::string& command, std::size_t columns_before, std::size_t fewest) const {
    const Outcome outcome = wgp(command + " --json -o rows.csv");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json object = json::parse(outcome.out);
    std::size_t lost = 0;
    const std::string table = read("rows.csv");
    EXPECT_EQ(table.find("inf"), std::string::npos) << table;
    const auto rows = numbers(table);
    ASSERT_EQ(object["status"].size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool none = std::isnan(rows[i][columns_before]);
      for (std::size_t j = columns_before; j < rows[i].size(); ++j) EXPECT_EQ(std::isnan(rows[i][j]), none) << command;
      EXPECT_EQ(object["status"][i], none ? "outside_domain" : "ok") << command;
      lost += none;
    }
    EXPECT_EQ(object["outside_domain"], lost) << command;
    EXPECT_GE(lost, fewest) << command << '\n' << table;
    EXPECT_LT(lost, rows.size()) << command;
    EXPECT_EQ(outcome.err.find("outside the domain: the prediction there is no point") == std::string::npos, lost == 0)
        << outcome.err;
    EXPECT_EQ(wgp(command + " --strict --quiet").exit_code, lost > 0 ? 4 : 0) << command;
  }
};

TEST_F(FarPredictions, AreToldByDecodeAndSample) {
  for (const char* manifold : {"hyperbolic:2", "correlation:2", "euclidean:2"})
    for (const char* kernel : {"linear", "matern32", "matern52", "rbf+linear"}) {
      SCOPED_TRACE(std::string(manifold) + " " + kernel);
      regress(manifold, std::string("--kernel ") + kernel);
      expect_told("decode m.wgp at.csv", 0, 1);
      expect_told("sample m.wgp --at at.csv --count 3", 2, 3);
      // Draws of a whole function need its covariance between the latents.
      expect_told("sample m.wgp --at at.csv --count 2 --joint --no-noise", 2, 1);
    }
}

// A base point that moves leaves hyperbolic space's digits long before anything overflows.
TEST_F(FarPredictions, AreToldWhereTheBasePointMoves) {
  regress("hyperbolic:2", "--basepoint geodesic");
  write("at.csv", "0\n40\n1e5\n1e160\n");
  expect_told("decode m.wgp at.csv", 0, 2);
  expect_told("sample m.wgp --at at.csv --count 2", 2, 4);
}

TEST_F(FarPredictions, AreLeftOutOfScores) {
  regress("hyperbolic:2", "--kernel linear");
  write("q.csv", "1,0,0\n1.25,0.75,0\n1,0,0\n");
  write("at.csv", "0\n0.5\n1e155\n");
  const Outcome outcome = wgp("score m.wgp q.csv --at at.csv --json -o rows.csv");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json object = json::parse(outcome.out);
  EXPECT_EQ(object["without_prediction"], 1);
  const auto rows = numbers(read("rows.csv"));
  EXPECT_TRUE(std::isnan(rows[2][0]));
  EXPECT_NEAR(object["intrinsic_rmse"].get<double>(), std::hypot(rows[0][0], rows[1][0]) / std::sqrt(2.0), 1e-12);
  EXPECT_NE(outcome.err.find("1 point without a prediction"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace wgp::test
