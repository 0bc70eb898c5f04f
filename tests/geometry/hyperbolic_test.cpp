#include "auto_golden.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

TEST(Hyperbolic, MatchesGoldenPairs) {
  for (const char* id : {"hyperbolic.H2", "hyperbolic.H3far", "hyperbolic.H2tiny"}) {
    SCOPED_TRACE(id);
    const auto& group = golden(id);
    const auto& out = group["outputs"];
    const Vector q = column(group["inputs"]["q"]);
    const auto manifold = parse_manifold("hyperbolic:" + std::to_string(q.size() - 1));
    const auto space = manifold->at(manifold->project(column(group["inputs"]["p"])));
    const Vector v = log_coords(*space, manifold->project(q));
    const double rtol = group["rtol"].get<double>();
    EXPECT_TRUE(close(space->to_ambient(v), column(out["log"]), rtol));
    EXPECT_TRUE(close(v.norm(), out["dist"].get<double>(), 1e-13));
    EXPECT_TRUE(close(space->distance(manifold->project(q))[0], out["dist"].get<double>(), 1e-13));
    EXPECT_TRUE(close(space->jacobi(v)->log_det(), out["logdet"].get<double>(), rtol));
  }
  test::check_auto_group("auto.H2.0", *parse_manifold("hyperbolic:2"));
  test::check_auto_group("auto.H4.0", *parse_manifold("hyperbolic:4"));
}

TEST(Hyperbolic, IsAccurateFarFromTheOrigin) {
  const auto manifold = parse_manifold("hyperbolic:2");
  for (const char* id : {"y.hyperbolic_radial", "y.hyperbolic_origin_far"}) {
    SCOPED_TRACE(id);
    const auto& group = golden(id);
    const auto lift = [&](const char* name) {
      Vector point = Vector::Zero(3);
      point.tail(2) = column(group["inputs"][name]);
      return manifold->project(point);
    };
    const auto space = manifold->at(lift("x"));
    EXPECT_TRUE(close(space->distance(lift("y"))[0], group["outputs"]["dist"].get<double>(), 1e-12));
    EXPECT_TRUE(close(space->to_ambient(log_coords(*space, lift("y"))), column(group["outputs"]["log"]), 1e-12));
  }
}

TEST(Hyperbolic, NamesDefects) {
  const auto manifold = parse_manifold("hyperbolic:2");
  EXPECT_NE(manifold->defect(Eigen::Vector3d(-1, 0, 0))->find("not positive"), std::string::npos);
  EXPECT_NE(manifold->defect(Eigen::Vector3d(1.1, 0, 0))->find("hyperboloid"), std::string::npos);
  EXPECT_NE(manifold->defect(Eigen::Vector3d(1e14, 1e14, 0))->find("farther"), std::string::npos);
  // Farther out than the coordinates can hold is said, by log and by exp.
  const auto space = manifold->at(Eigen::Vector3d(1, 0, 0));
  Matrix point(3, 1), coords(2, 1);
  EXPECT_EQ(space->exp(Eigen::Vector2d(40, 0), point).outside_domain.size(), 1u);
  EXPECT_EQ(space->log(point, coords).status[0], LogStatus::outside_domain);
}

}  // namespace
}  // namespace wgp
