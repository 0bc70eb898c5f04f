// wgp check, mean, pga and curve on data whose answers are known.
#include <cmath>
#include <numbers>

#include "run_command.h"
#include "wgp/row_form.h"

namespace wgp::test {
namespace {

constexpr double pi = std::numbers::pi;
using nlohmann::json;

class Statistics : public CommandTest {
 protected:
  // Directions around the north pole; their mean is the pole.
  void write_cap(const std::string& name) const {
    std::ostringstream text;
    text.precision(17);
    text << "x,y,z,kind\n";
    for (int i = 0; i < 8; ++i)
      text << 0.6 * std::cos(pi * i / 4) << ',' << (i % 2 == 0 ? 0.6 : 0.6) * std::sin(pi * i / 4) << ",0.8,k" << i
           << '\n';
    write(name, text.str());
  }
};

TEST_F(Statistics, Mean) {
  write_cap("cap.csv");
  const Outcome outcome = wgp("mean cap.csv --manifold sphere:2");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(header(outcome.out), "x1,x2,x3");
  expect_rows(outcome.out, {{0, 0, 1}}, 1e-12);
  EXPECT_NE(outcome.err.find("mean of 8 points on sphere:2: converged"), std::string::npos) << outcome.err;

  const Outcome both = wgp("mean cap.csv --manifold sphere:2 --json -o mean.csv --quiet");
  EXPECT_TRUE(both.err.empty());
  const json object = json::parse(both.out);
  const double angle = std::acos(0.8);
  EXPECT_NEAR(object["variance"].get<double>(), angle * angle, 1e-12);
  EXPECT_NEAR(object["radius"].get<double>(), angle, 1e-12);
  EXPECT_EQ(object["status"], "converged");
  EXPECT_EQ(object["unique"], true);
  for (const char* key : {"mean", "gradient_norm", "iterations"}) EXPECT_TRUE(object.contains(key)) << key;
  expect_rows(read("mean.csv"), {{0, 0, 1}}, 1e-12);
}

TEST_F(Statistics, WeightedMean) {
  write("d.csv", "x,y,w\n0,0,1\n4,8,3\n");
  expect_rows(wgp("mean d.csv --manifold euclidean:2 --weights w").out, {{3, 6}});
  expect_rows(wgp("mean d.csv --manifold euclidean:2 --weights 3").out, {{3, 6}});
  write("bad.csv", "x,y,w\n0,0,1\n4,8,-3\n");
  EXPECT_TRUE(fails(wgp("mean bad.csv --manifold euclidean:2 --weights w"), 3, {"bad.csv: row 2", "'-3'"}));
  write("zero.csv", "x,y,w\n0,0,0\n4,8,0\n");
  EXPECT_TRUE(fails(wgp("mean zero.csv --manifold euclidean:2 --weights w"), 3, {"all weights are 0"}));
}

TEST_F(Statistics, MeanKeepsTheRowForm) {
  write("t.csv", "1,0,1\n4,0,4\n");  // lower triangles
  const Outcome outcome = wgp("mean t.csv --manifold spd:2");
  EXPECT_EQ(header(outcome.out), "p11,p21,p22");
  expect_rows(outcome.out, {{2, 0, 2}}, 1e-12);
}

TEST_F(Statistics, StrictExitsWith4) {
  write("d.csv", "1,0,0\n0.6,0.8,0\n0,0.6,0.8\n0.36,0.48,0.8\n");
  const Outcome lax = wgp("mean d.csv --manifold sphere:2 --max-iterations 0");
  EXPECT_EQ(lax.exit_code, 0) << lax.err;
  const Outcome strict = wgp("mean d.csv --manifold sphere:2 --max-iterations 0 --strict --json");
  EXPECT_EQ(strict.exit_code, 4) << strict.err;
  EXPECT_EQ(json::parse(strict.out)["status"], "max_iterations");
}

TEST_F(Statistics, Pga) {
  write("line.csv", "a,b,name\n-2,-1,u\n0,0,\"v,w\"\n2,1,x\n");
  const Outcome outcome = wgp("pga line.csv --manifold euclidean:2 --components 1 --labels name");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(header(outcome.out), "pc1,label");
  EXPECT_NE(outcome.out.find(",\"v,w\"\n"), std::string::npos);
  const json object = json::parse(wgp("pga line.csv --manifold euclidean:2 --json").out);
  EXPECT_NEAR(object["eigenvalues"][0].get<double>(), 10.0 / 3, 1e-12);
  EXPECT_NEAR(object["explained"][0].get<double>(), 1, 1e-12);
  EXPECT_NEAR(object["directions"][0][0].get<double>(), 2 / std::sqrt(5), 1e-12);
  EXPECT_NEAR(object["directions"][0][1].get<double>(), 1 / std::sqrt(5), 1e-12);
  EXPECT_EQ(object["mean"].size(), 2u);
  const Outcome exact = wgp("pga line.csv --manifold euclidean:2 --components 1 --exact --quiet");
  EXPECT_EQ(exact.exit_code, 0) << exact.err;
  expect_rows(exact.out, {{-std::sqrt(5)}, {0}, {std::sqrt(5)}}, 1e-6);
}

TEST_F(Statistics, PgaNeedsSpreadAndPoints) {
  write("one.csv", "1,2,3\n");
  write("same.csv", "1,2,3\n1,2,3\n1,2,3\n");
  EXPECT_TRUE(fails(wgp("pga one.csv --manifold euclidean:3 --components 2"), 3, {"1 point", "2 components"}));
  EXPECT_TRUE(fails(wgp("pga same.csv --manifold euclidean:3"), 3, {"all points are equal"}));
  EXPECT_TRUE(fails(wgp("curve same.csv --manifold euclidean:3"), 3, {"all points are equal"}));
  EXPECT_TRUE(fails(wgp("curve one.csv --manifold euclidean:3"), 3, {"at least 3"}));
}

TEST_F(Statistics, Curve) {
  std::ostringstream text;
  for (int i = 0; i < 60; ++i) {
    const double t = 2 * pi * i / 60;
    text << std::cos(t) * 0.6 << ',' << std::sin(t) * 0.6 << ",0.8\n";
  }
  write("circle.csv", text.str());
  const Outcome outcome =
      wgp("curve circle.csv --manifold sphere:2 --tolerance 1e-4 --closed --nodes-out nodes.csv --json -o rows.csv");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json object = json::parse(outcome.out);
  EXPECT_NEAR(object["length"].get<double>(), 2 * pi * 0.6, 0.15);
  EXPECT_EQ(object["latents"].size(), 60u);
  EXPECT_EQ(object["topology"], "closed");
  EXPECT_EQ(header(read("rows.csv")), "arc_length,latent,distance");
  EXPECT_EQ(numbers(read("rows.csv")).size(), 60u);
  const auto nodes = numbers(read("nodes.csv"));
  EXPECT_EQ(nodes.size(), object["nodes"].size());
  for (const auto& node : nodes) EXPECT_NEAR(std::hypot(node[0], node[1], node[2]), 1, 1e-12);
}

TEST_F(Statistics, CheckIsQuietOnGoodFiles) {
  write_cap("cap.csv");
  const Outcome outcome = wgp("check cap.csv --manifold sphere:2");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("8 rows of 3 numbers"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Frechet mean unique"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("warning"), std::string::npos) << outcome.out;
  EXPECT_LE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 5);
}

TEST_F(Statistics, CheckFindsWhatIsWrong) {
  std::string text = "1,0,0\n0,0,1\n0,0,1\n0,0,-1\n1,1e-10,0\n";
  for (int i = 0; i < 12; ++i) text += "0,0,2\n";
  write("d.csv", text);
  const Outcome outcome = wgp("check d.csv --manifold sphere:2");
  EXPECT_EQ(outcome.exit_code, 3);
  for (const char* piece : {"row 6: norm 2, not 1", "... and 2 rows more", "1 point the same as an earlier one",
                            "1 point within 1e-9 of another", "2 pairs on", "rows 2 and 4"})
    EXPECT_NE(outcome.out.find(piece), std::string::npos) << piece << "\n" << outcome.out;
  const json object = json::parse(wgp("check d.csv --manifold sphere:2 --json").out);
  EXPECT_EQ(object["rows"], 17);
  EXPECT_EQ(object["valid"], 5);
  EXPECT_EQ(object["invalid"].size(), 12u);
  EXPECT_EQ(object["invalid"][0]["row"], 6);
  EXPECT_EQ(object["cut_pairs"]["cut_locus"], 2);
  EXPECT_EQ(object["duplicates"], 1);
  EXPECT_EQ(object["near_duplicates"], 1);
  EXPECT_EQ(object["all_equal"], false);
}

TEST_F(Statistics, CheckLooksAtConditionNumbers) {
  write("graded.csv", "1,0,0,1e-14\n2,0,0,1\n");
  const Outcome graded = wgp("check graded.csv --manifold spd:2");
  EXPECT_NE(graded.out.find("condition numbers 2 to 1e+14"), std::string::npos) << graded.out;
  EXPECT_EQ(graded.out.find("digits are lost"), std::string::npos) << graded.out;
  write("bad.csv", "1,0.99999999999999,0.99999999999999,1\n2,0,0,1\n");
  EXPECT_NE(wgp("check bad.csv --manifold spd:2").out.find("row 1 has condition number"), std::string::npos);
}

TEST_F(Statistics, CheckCountsEveryRow) {
  ASSERT_EQ(shell("seq 12000 | awk '{print cos($1) \",\" sin($1)}' > many.csv").exit_code, 0);
  const auto object = json::parse(wgp("check many.csv --json").out);
  EXPECT_EQ(object["rows"], 12000);
  EXPECT_EQ(object["judged"], 10000);
  EXPECT_NE(wgp("check many.csv").out.find("12000 rows of 2 numbers; by the first 10000 of them it could be"),
            std::string::npos);
}

// Where no radius is known within which means are unique, none is named.
TEST_F(Statistics, CheckNamesNoRadiusOfZero) {
  write("s.csv", "0,0,0,1,0,0,0,1,0,0,0,1\n0,0,0,1,0,0,0,1,0,0.1,0,1.2\n0,0,0,1,0.1,0,0,1,0,0,0,1.1\n");
  const Outcome outcome = wgp("check s.csv --manifold kendall3d:4");
  EXPECT_EQ(outcome.out.find("unique below 0"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("no radius is known"), std::string::npos) << outcome.out;
}

// The same points in units of 1e14, and 1e-14 apart beside and about 0; what rounding makes of one point is one point.
TEST_F(Statistics, DistinctPointsAreDistinctInAnyUnit) {
  write("spd.csv", "2e14,1e13,1e13,3e14\n3e14,2e13,2e13,3e14\n2e14,-1e13,-1e13,4e14\n");
  write("small.csv", "1e-14,2e-14\n3e-14,1e-14\n2e-14,5e-14\n");
  write("beside.csv", "1,1.00000000000002\n1.00000000000003,1\n1.00000000000005,1.00000000000009\n");
  for (const char* data : {"spd.csv --manifold spd:2", "spd.csv --manifold spd:2/affine-invariant",
                           "small.csv --manifold euclidean:2", "beside.csv --manifold euclidean:2"}) {
    const Outcome pga = wgp(std::string("pga --components 1 ") + data);
    EXPECT_EQ(pga.exit_code, 0) << data << pga.err;
    const Outcome fit = wgp(std::string("fit --latent 1 --effort quick -o m.wgp ") + data);
    EXPECT_EQ(fit.exit_code, 0) << data << fit.err;
  }
  write("same.csv", "1,2\n1.0000000000000002,2\n1,2.0000000000000004\n");
  EXPECT_TRUE(fails(wgp("pga same.csv --manifold euclidean:2"), 3, {"all points are equal"}));
  EXPECT_TRUE(fails(wgp("fit same.csv --manifold euclidean:2 --latent 1 -o m.wgp"), 3, {"all points are equal"}));
}

TEST_F(Statistics, CheckGuessesTheManifold) {
  const auto first = [&](const std::string& content) {
    write("g.csv", content);
    const Outcome outcome = wgp("check g.csv --json");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out)["candidates"][0]["manifold"].get<std::string>();
  };
  EXPECT_EQ(first("1,0,0\n0,0.6,0.8\n"), "sphere:2");
  EXPECT_EQ(first("2,1,1,3\n1,0,0,1\n"), "spd:2");
  EXPECT_EQ(first("1,0.5,0.5,1\n1,0,0,1\n"), "correlation:2");
  EXPECT_EQ(first("1,0,0,0,1,0,0,0,1\n0,1,0,-1,0,0,0,0,1\n"), "so:3");
  EXPECT_EQ(first("1,2,3,4,5,7\n2,1,3,1,2,9\n"), "kendall:3");
  EXPECT_EQ(first("10,2,3\n5,5,5\n"), "euclidean:3");
}

}  // namespace
}  // namespace wgp::test
