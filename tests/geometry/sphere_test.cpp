#include "auto_golden.h"

#include <numbers>

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

TEST(Sphere, MatchesGoldenPairs) {
  for (const char* id : {"sphere.S2a", "sphere.S2b", "sphere.S4"}) {
    SCOPED_TRACE(id);
    const auto& group = golden(id);
    const auto& out = group["outputs"];
    const Vector q = column(group["inputs"]["q"]);
    const auto manifold = parse_manifold("sphere:" + std::to_string(q.size() - 1));
    const auto space = manifold->at(column(group["inputs"]["p"]));
    const Vector v = log_coords(*space, q / q.norm()), w = space->to_coords(column(group["inputs"]["w"]));
    EXPECT_TRUE(close(space->to_ambient(v), column(out["log"]), 1e-12));
    EXPECT_TRUE(close(v.norm(), out["dist"].get<double>(), 1e-14));
    EXPECT_TRUE(close(space->transport(v, w), column(out["pt_w"]), 1e-12));
    const auto fields = space->jacobi(v);
    EXPECT_TRUE(close(fields->log_det(), out["logdet"].get<double>(), 1e-12));
    EXPECT_TRUE(close(space->to_ambient(fields->dlog_base(w)), column(out["DpLog_w"]), 1e-12));
    EXPECT_TRUE(close(space->transport(v, fields->dexp(w)), column(out["dExp_w"]), 1e-12));

    const Vector tau = column(out["preimage_signed_lengths"]["tau"]), log_det = column(out["log_abs_det_at_preimages"]);
    const Preimages found = space->preimages(q / q.norm(), tau.cwiseAbs().maxCoeff() + 0.1);
    EXPECT_TRUE(found.countable && found.complete);
    for (Index k = 0; k < tau.size(); ++k) {
      Index match = -1;
      for (Index j = 0; j < found.coords.cols(); ++j)
        if (std::abs(found.coords.col(j).dot(v) / v.norm() - tau[k]) < 1e-11) match = j;
      ASSERT_GE(match, 0) << "no preimage of signed length " << tau[k];
      EXPECT_NEAR(found.log_abs_det[match], log_det[k], 1e-11);
    }
  }
  test::check_auto_group("auto.S2.0", *parse_manifold("sphere:2"));
  test::check_auto_group("auto.S5.0", *parse_manifold("sphere:5"));
}

TEST(Sphere, IsAccurateNearZeroAndNearPi) {
  const auto manifold = parse_manifold("sphere:2");
  for (const char* id : {"sphere.near0", "sphere.near_pi"}) {
    SCOPED_TRACE(id);
    const auto& group = golden(id);
    const auto& out = group["outputs"];
    const Vector p = manifold->project(column(group["inputs"]["p"])),
                 q = manifold->project(column(group["inputs"]["q"]));
    const double distance = wgp::distance(*manifold, p, q);
    const double pi = std::numbers::pi;
    EXPECT_NEAR(distance, out["dist"].get<double>(), 1e-15);
    EXPECT_NEAR(pi - distance, out["pi_minus_dist"].get<double>(), 1e-15);
    const auto space = manifold->at(p);
    const bool far = out["dist"].get<double>() > 1;
    EXPECT_LE((space->to_ambient(log_coords(*space, q)) - column(out["log"])).norm(), far ? 1e-6 : 1e-16);
    Matrix coords(2, 1);
    EXPECT_EQ(space->log(q, coords).status[0], far ? LogStatus::near_cut : LogStatus::ok);
  }
}

TEST(Sphere, AntipodesFollowTheAxisRule) {
  const auto& group = golden("sphere.antipodal");
  const auto manifold = parse_manifold("sphere:2");
  const auto space = manifold->at(column(group["inputs"]["p"]));
  Matrix coords(2, 1);
  const LogReport report = space->log(column(group["inputs"]["q"]), coords);
  EXPECT_EQ(report.status[0], LogStatus::cut_locus);
  EXPECT_EQ(report.margin[0], 0);
  EXPECT_EQ(report.count(LogStatus::cut_locus), 1);
  EXPECT_TRUE(close(space->to_ambient(coords), column(group["outputs"]["log"]), 1e-15));
  EXPECT_FALSE(space->preimages(column(group["inputs"]["q"]), 4).countable);
  EXPECT_TRUE(space->preimages(space->base(), 4).countable);
  EXPECT_FALSE(space->preimages(space->base(), 7).countable);
}

// -p up to rounding is the antipode, whatever order the processor adds in.
TEST(Sphere, EveryAntipodeIsOnTheCutLocus) {
  Random random(4);
  for (const char* spec : {"sphere:1", "sphere:2", "sphere:5"}) {
    const auto manifold = parse_manifold(spec);
    for (int draw = 0; draw < 100; ++draw) {
      const Vector p = manifold->random_point(random);
      const auto space = manifold->at(p);
      Matrix coords(manifold->dim(), 1);
      EXPECT_EQ(space->log(manifold->project(-1.0001 * p), coords).status[0], LogStatus::cut_locus);
      EXPECT_NEAR(coords.norm(), std::numbers::pi, 1e-14);
    }
  }
}

TEST(Sphere, CirclePreimagesAreCountableEverywhere) {
  const auto circle = parse_manifold("sphere:1");
  const auto space = circle->at(Vector::Unit(2, 0));
  const Preimages same = space->preimages(Vector::Unit(2, 0), 20);
  EXPECT_TRUE(same.countable);
  EXPECT_EQ(same.coords.cols(), 7);
  const Preimages opposite = space->preimages(-Vector::Unit(2, 0), 10);
  EXPECT_TRUE(opposite.countable);
  EXPECT_EQ(opposite.coords.cols(), 4);
  for (Index k = 0; k < 4; ++k) EXPECT_EQ(opposite.log_abs_det[k], 0);
}

// Once around a latitude, parallel transport turns by the enclosed area. Polygons of n geodesics converge like 1/n^2;
// two sizes and Richardson's extrapolation give the limit.
TEST(Sphere, HolonomyOfALatitude) {
  const auto& group = golden("x.holonomy_S2_latitude");
  const double colatitude = group["inputs"]["colatitude"].get<double>();
  const auto manifold = parse_manifold("sphere:2");
  const auto turn = [&](int n) {
    const auto point = [&](int k) {
      const double azimuth = 2 * std::numbers::pi * k / n;
      return Vector(Eigen::Vector3d(std::sin(colatitude) * std::cos(azimuth), std::sin(colatitude) * std::sin(azimuth),
                                    std::cos(colatitude)));
    };
    const auto first = manifold->at(point(0));
    const Vector start = first->to_ambient(Vector::Unit(2, 0));
    Vector w = start;
    for (int k = 0; k < n; ++k) {
      const auto space = manifold->at(point(k));
      w = space->transport(log_coords(*space, point(k + 1)), space->to_coords(w));
    }
    return std::acos(std::clamp(start.dot(w) / (start.norm() * w.norm()), -1.0, 1.0));
  };
  const double coarse = turn(400), fine = turn(800), finest = turn(1600);
  const double once = (4 * fine - coarse) / 3, twice = (4 * finest - fine) / 3;
  EXPECT_NEAR((16 * twice - once) / 15, group["outputs"]["rotation_angle"].get<double>(), 1e-11);
}

TEST(Sphere, NamesDefects) {
  const auto sphere = parse_manifold("sphere:2");
  EXPECT_FALSE(sphere->defect(Eigen::Vector3d(0, 0.6, 0.8)));
  EXPECT_NE(sphere->defect(Eigen::Vector3d(0, 0.6, 0.9))->find("norm 1.08"), std::string::npos);
  EXPECT_NE(sphere->defect(Eigen::Vector3d(0, 0, 0))->find("zero"), std::string::npos);
  EXPECT_FALSE(sphere->defect(Eigen::Vector3d(0, 0.6, 0.9), 0.1));
  EXPECT_THROW(sphere->project(Eigen::Vector3d(0, 0, 0)), Error);
  EXPECT_NEAR(sphere->project(Eigen::Vector3d(0, 0, 1e-140))[2], 1, 1e-15);
  EXPECT_NEAR(sphere->project(Eigen::Vector3d(0, 0, 1e300))[2], 1, 1e-15);
}

}  // namespace
}  // namespace wgp
