#include <numbers>

#include "golden.h"
#include "wgp/manifold.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

TEST(Torus, MatchesGolden) {
  const auto& group = golden("torus.2");
  const auto space = parse_manifold("torus:2")->at(column(group["inputs"]["p"]));
  const Vector v = log_coords(*space, column(group["inputs"]["q"]));
  EXPECT_TRUE(close(v, column(group["outputs"]["log"]), 1e-14));
  EXPECT_TRUE(close(v.norm(), group["outputs"]["dist"].get<double>(), 1e-14));
}

TEST(Torus, TiesGoToPlusPiAndAreReported) {
  const double pi = std::numbers::pi;
  const auto space = parse_manifold("torus:1")->at(Vector::Constant(1, 0.0));
  Matrix coords(1, 2), points(1, 2);
  points << -pi, 0.1;
  const LogReport report = space->log(points, coords);
  EXPECT_EQ(coords(0, 0), pi);
  EXPECT_EQ(report.status[0], LogStatus::cut_locus);
  EXPECT_EQ(report.status[1], LogStatus::ok);
}

TEST(Torus, ListsTheLattice) {
  const double pi = std::numbers::pi;
  const auto space = parse_manifold("torus:2")->at(Vector::Zero(2));
  const Preimages found = space->preimages(Eigen::Vector2d(0.5, -0.25), 2 * pi + 0.1);
  // (0, 0) and those of the four neighbours that are within the radius.
  EXPECT_EQ(found.coords.cols(), 3);
  EXPECT_TRUE(found.complete && found.countable);
  EXPECT_NEAR(found.coords(0, 1), 0.5 - 2 * pi, 1e-14);
  EXPECT_NEAR(found.coords(1, 2), 2 * pi - 0.25, 1e-14);
}

}  // namespace
}  // namespace wgp
