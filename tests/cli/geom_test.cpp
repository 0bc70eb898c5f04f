// wgp geom: right answers in every row form and format, and every way of getting it wrong.
#include <cmath>
#include <numbers>

#include "run_command.h"

namespace wgp::test {
namespace {

constexpr double pi = std::numbers::pi;

class Geom : public CommandTest {};

TEST_F(Geom, SphereOperations) {
  write("p.csv", "x,y,z\n0,0,1\n");
  write("q.csv", "1,0,0\n0,0.6,0.8\n");
  const double angle = std::acos(0.8);

  const Outcome log = wgp("geom log --manifold sphere:2 --base p.csv q.csv");
  EXPECT_EQ(log.exit_code, 0) << log.err;
  EXPECT_EQ(header(log.out), "v_x1,v_x2,v_x3");
  expect_rows(log.out, {{pi / 2, 0, 0}, {0, angle, 0}});

  write("v.csv", log.out);
  const Outcome exp = wgp("geom exp --manifold sphere:2 --base p.csv v.csv");
  EXPECT_EQ(header(exp.out), "x1,x2,x3");
  expect_rows(exp.out, {{1, 0, 0}, {0, 0.6, 0.8}});

  const Outcome dist = wgp("geom dist --manifold sphere:2 --base p.csv q.csv");
  EXPECT_EQ(header(dist.out), "dist");
  expect_rows(dist.out, {{pi / 2}, {angle}});

  // log|det dExp| = log(sin t / t) on S^2.
  const Outcome logdet = wgp("geom logdet --manifold sphere:2 --base p.csv q.csv");
  EXPECT_EQ(header(logdet.out), "logdet");
  expect_rows(logdet.out, {{std::log(2 / pi)}, {std::log(0.6 / angle)}});

  // Along the geodesic the velocity turns with it; across it nothing changes.
  write("w.csv", "1,2,0\n0,1,0\n");
  const Outcome transport = wgp("geom transport --manifold sphere:2 --base p.csv q.csv w.csv");
  EXPECT_EQ(header(transport.out), "v_x1,v_x2,v_x3");
  expect_rows(transport.out, {{0, 2, -1}, {0, 0.8, -0.6}});

  write("x.csv", "3,4,0\n0,0,-2\n");
  expect_rows(wgp("geom project --manifold sphere:2 x.csv").out, {{0.6, 0.8, 0}, {0, 0, -1}});
}

TEST_F(Geom, OneBasePerRow) {
  write("p.csv", "0,0,1\n1,0,0\n");
  write("q.csv", "0,1,0\n0.8,0.6,0\n");
  expect_rows(wgp("geom dist --manifold sphere:2 --base p.csv q.csv").out, {{pi / 2}, {std::acos(0.8)}});
  expect_rows(wgp("geom log --manifold sphere:2 --base p.csv q.csv").out, {{0, pi / 2, 0}, {0, std::acos(0.8), 0}});
}

TEST_F(Geom, StandardInputColumnsAndJson) {
  write("p.csv", "id,x,y,z\n9,0,0,1\n");
  const Outcome outcome = shell(
      "printf 'id,x,y,z\\n1,1,0,0\\n2,0,0,-1\\n' | wgp geom dist --manifold sphere:2 --columns x:z --base p.csv - "
      "--json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["operation"], "dist");
  EXPECT_EQ(json["manifold"], "sphere:2");
  EXPECT_NEAR(json["rows"][0][0].get<double>(), pi / 2, 1e-14);
  EXPECT_EQ(json["status"], nlohmann::json({"ok", "cut_locus"}));
  EXPECT_NE(outcome.err.find("1 row on the cut locus of the base"), std::string::npos) << outcome.err;
}

TEST_F(Geom, CutLocusIsReported) {
  write("p.csv", "0,0,1\n");
  write("q.csv", "0,0,-1\n1e-8,0,-1\n1,0,0\n");
  const Outcome outcome = wgp("geom dist --manifold sphere:2 --base p.csv q.csv");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("1 row near the cut locus of the base: the direction is ill-conditioned (row 2)"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("(row 1)"), std::string::npos) << outcome.err;
  EXPECT_TRUE(wgp("geom dist --manifold sphere:2 --base p.csv q.csv --quiet").err.empty());
}

// diag(1, 1, 1) to diag(e^2, 1, e): distance sqrt(5), under every metric with matrix logarithms.
TEST_F(Geom, SpdFullAndTriangle) {
  write("full.csv", "1,0,0,0,1,0,0,0,1\n");
  write("triangle.csv", "1,0,1,0,0,1\n");
  const double e = std::numbers::e;
  const auto number = [](double x) { return std::to_string(x) + ","; };
  write("q.csv", "p11,p21,p22,p31,p32,p33\n" + number(e * e) + "0,1,0,0," + std::to_string(e) + "\n");
  for (const std::string metric : {"spd:3", "spd:3/affine-invariant"}) {
    const Outcome dist = wgp("geom dist --manifold " + metric + " --base full.csv q.csv");
    expect_rows(dist.out, {{std::sqrt(5)}}, 1e-6);
    const Outcome log = wgp("geom log --manifold " + metric + " --base triangle.csv q.csv");
    EXPECT_EQ(header(log.out), "v_p11,v_p21,v_p22,v_p31,v_p32,v_p33");
    expect_rows(log.out, {{2, 0, 0, 0, 0, 1}}, 1e-6);
    write("v.csv", log.out);
    const Outcome exp = wgp("geom exp --manifold " + metric + " --base full.csv v.csv");
    EXPECT_EQ(header(exp.out), "p11,p21,p22,p31,p32,p33");
    expect_rows(exp.out, {{e * e, 0, 1, 0, 0, e}}, 1e-5);
  }
  write("v9.csv", "1,2,0,2,0,0,0,0,3\n");
  const Outcome full = wgp("geom exp --manifold spd:3 --base full.csv v9.csv");
  EXPECT_EQ(numbers(full.out)[0].size(), 9u);
}

TEST_F(Geom, RotationsAsQuaternions) {
  write("p.csv", "1,0,0,0\n");
  write("q.csv", "w,x,y,z\n0.8,0.6,0,0\n-0.8,-0.6,0,0\n");
  const double angle = 2 * std::atan2(0.6, 0.8);
  const Outcome dist = wgp("geom dist --manifold so:3 --base p.csv q.csv");
  ASSERT_EQ(dist.exit_code, 0) << dist.err;
  const auto distances = numbers(dist.out);
  EXPECT_NEAR(distances[0][0], distances[1][0], 1e-14);
  EXPECT_TRUE(std::abs(distances[0][0] - angle) < 1e-12 || std::abs(distances[0][0] - angle * std::sqrt(2)) < 1e-12)
      << dist.out;
  // dq = q (0, omega) / 2: at the identity the quaternion tangent is (0, angle / 2, 0, 0).
  const Outcome log = wgp("geom log --manifold so:3 --base p.csv q.csv");
  EXPECT_EQ(header(log.out), "v_w,v_x,v_y,v_z");
  expect_rows(log.out, {{0, angle / 2, 0, 0}, {0, angle / 2, 0, 0}}, 1e-13);
  write("v.csv", log.out);
  expect_rows(wgp("geom exp --manifold so:3 --base p.csv v.csv").out, {{0.8, 0.6, 0, 0}, {0.8, 0.6, 0, 0}}, 1e-13);
  // A base given with the other sign: the same rotation, its tangent vectors with the other sign.
  write("minus.csv", "-1,0,0,0\n");
  expect_rows(wgp("geom log --manifold so:3 --base minus.csv q.csv").out,
              {{0, -angle / 2, 0, 0}, {0, -angle / 2, 0, 0}}, 1e-13);
}

TEST_F(Geom, NpyInAndOut) {
  write("p.csv", "1,0,0,1\n");
  write("q.csv", "2,0,0,3\n1,0.5,0.5,1\n");
  ASSERT_EQ(wgp("geom project --manifold spd:2 q.csv -o q.npy").exit_code, 0);
  const Outcome outcome = wgp("geom log --manifold spd:2 --base p.csv q.npy -o v.npy");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.empty());
  EXPECT_EQ(read("v.npy").substr(1, 5), "NUMPY");
  expect_rows(wgp("geom exp --manifold spd:2 --base p.csv v.npy").out, {{2, 0, 0, 3}, {1, 0.5, 0.5, 1}}, 1e-13);
  EXPECT_EQ(files(), (std::vector<std::string>{"p.csv", "q.csv", "q.npy", "v.npy"}));
}

TEST_F(Geom, RowCountsMustMatch) {
  write("p.csv", "0,0,1\n1,0,0\n");
  write("q.csv", "0,1,0\n0,1,0\n0,1,0\n");
  write("w.csv", "1,0,0\n");
  EXPECT_TRUE(
      fails(wgp("geom dist --manifold sphere:2 --base p.csv q.csv"), 3, {"p.csv has 2 rows", "q.csv has 3 rows"}));
  EXPECT_TRUE(
      fails(wgp("geom dist --manifold sphere:2 --base q.csv p.csv"), 3, {"q.csv has 3 rows", "p.csv has 2 rows"}));
  EXPECT_TRUE(fails(wgp("geom transport --manifold sphere:2 --base w.csv q.csv w.csv"), 3,
                    {"q.csv has 3 rows", "w.csv has 1 row"}));
  // Beyond one block.
  ASSERT_EQ(shell("for i in $(seq 5000); do echo 0,0,1; done >a.csv; head -4096 a.csv >b.csv").exit_code, 0);
  EXPECT_TRUE(fails(wgp("geom dist --manifold sphere:2 --base a.csv b.csv"), 3,
                    {"a.csv has 5000 rows", "b.csv has 4096 rows"}));
  EXPECT_TRUE(fails(wgp("geom dist --manifold sphere:2 --base b.csv a.csv"), 3,
                    {"b.csv has 4096 rows", "a.csv has 5000 rows"}));
  EXPECT_EQ(numbers(wgp("geom dist --manifold sphere:2 --base a.csv a.csv").out).size(), 5000u);
}

TEST_F(Geom, TangentVectorsMustBeTangent) {
  write("p.csv", "0,0,1\n");
  write("v.csv", "1,0,0\n1,0,0.5\n0,1,1e-9\n");
  EXPECT_TRUE(fails(wgp("geom exp --manifold sphere:2 --base p.csv v.csv"), 3,
                    {"v.csv: row 2: not tangent", "normal part 0.5"}));
  const Outcome dropped = wgp("geom exp --manifold sphere:2 --base p.csv v.csv --drop-invalid");
  EXPECT_EQ(numbers(dropped.out).size(), 2u);
  EXPECT_NE(dropped.err.find("1 invalid row dropped"), std::string::npos);
  write("s.csv", "1,0.2,0,1\n");
  write("i.csv", "1,0,0,1\n");
  EXPECT_TRUE(fails(wgp("geom exp --manifold spd:2 --base i.csv s.csv"), 3, {"s.csv: row 1: not tangent"}));
}

TEST_F(Geom, InvalidRowsAreDroppedTogether) {
  write("p.csv", "0,0,1\n0,0,2\n1,0,0\n");
  write("q.csv", "1,0,0\n1,0,0\nnan,0,0\n");
  EXPECT_TRUE(fails(wgp("geom dist --manifold sphere:2 --base p.csv q.csv"), 3, {"p.csv: row 2: norm 2"}));
  const Outcome outcome = wgp("geom dist --manifold sphere:2 --base p.csv q.csv --drop-invalid");
  expect_rows(outcome.out, {{pi / 2}});
  EXPECT_NE(outcome.err.find("2 invalid rows dropped"), std::string::npos);
}

TEST_F(Geom, WrongUsage) {
  write("p.csv", "0,0,1\n");
  EXPECT_TRUE(fails(wgp("geom"), 2, {"OP FILE... is missing", "see wgp geom --help"}));
  EXPECT_TRUE(fails(wgp("geom lg  --manifold sphere:2 --base p.csv p.csv"), 2, {"did you mean log?"}));
  EXPECT_TRUE(fails(wgp("geom log --manifold sphere:2 p.csv"), 2, {"--base FILE is needed", "log --base P Q"}));
  EXPECT_TRUE(fails(wgp("geom log --base p.csv p.csv"), 2, {"--manifold M is needed"}));
  EXPECT_TRUE(fails(wgp("geom log --manifold sphere:2 --base p.csv"), 2, {"log takes 1 file"}));
  EXPECT_TRUE(fails(wgp("geom log --manifold sphere:2 --base p.csv p.csv p.csv"), 2, {"log takes 1 file"}));
  EXPECT_TRUE(fails(wgp("geom project --manifold sphere:2 --base p.csv p.csv"), 2, {"project has no base"}));
  EXPECT_TRUE(fails(wgp("geom log --manifold sphere:2 --base - -"), 2, {"once only"}));
  EXPECT_TRUE(fails(wgp("geom log --manifold spehre:2 --base p.csv p.csv"), 2, {"sphere:2"}));
}

}  // namespace
}  // namespace wgp::test
