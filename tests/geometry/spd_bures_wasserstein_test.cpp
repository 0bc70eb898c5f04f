#include <cmath>

#include <Eigen/Eigenvalues>

#include "geometry/auto_golden.h"
#include "geometry/factories.h"
#include "golden.h"
#include "wgp/testing.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

void expect_sound(const Manifold& manifold, const CheckOptions& options = {}) {
  for (const CheckFailure& failure : check_manifold(manifold, options))
    ADD_FAILURE() << failure.property << ": " << failure.message;
}

TEST(BuresWasserstein, Golden) {
  for (const char* id : {"spd.SPD3", "spd.SPD3ill"}) {
    SCOPED_TRACE(id);
    const auto& group = golden(id);
    const auto& out = group.at("outputs").at("bures");
    const double rtol = group.at("rtol").get<double>();
    const ManifoldPtr manifold = make_spd_bures_wasserstein(3);
    const Vector P = column(group.at("inputs").at("P")), Q = column(group.at("inputs").at("Q"));
    const auto space = manifold->at(P);
    const Vector v = log_coords(*space, Q);
    EXPECT_TRUE(close(space->to_ambient(v), column(out.at("log")), rtol));
    EXPECT_TRUE(close(space->distance(Q)[0], out.at("dist").get<double>(), rtol));
    EXPECT_TRUE(close(space->jacobi(v)->log_det(), out.at("logdet").get<double>(), rtol));
    EXPECT_TRUE(close(manifold->log_volume_density(P).value(), out.at("logvol_P").get<double>(), rtol));
    EXPECT_TRUE(close(exp_point(*space, v), Q, rtol));
  }
}

TEST(BuresWasserstein, GoldenTransport) {
  const auto& group = golden("spd.transport");
  const auto& inputs = group.at("inputs");
  const double rtol = group.at("rtol").get<double>();
  const auto space = make_spd_bures_wasserstein(3)->at(column(inputs.at("P")));
  const Vector v = log_coords(*space, column(inputs.at("Q"))), w = space->to_coords(column(inputs.at("W")));
  EXPECT_TRUE(close(w.squaredNorm(), group.at("outputs").at("bures_inner_WW").get<double>(), rtol));
  EXPECT_TRUE(close(space->transport(v, w), column(group.at("outputs").at("bures_pt")), rtol));
}

TEST(BuresWasserstein, AutoGolden) {
  for (const Index n : {2, 3, 4})
    test::check_auto_group("auto.spd" + std::to_string(n) + "_bures.0", *make_spd_bures_wasserstein(n));
}

TEST(BuresWasserstein, Properties) {
  CheckOptions options;
  options.draws = 3;
  for (const Index n : {1, 2, 3, 5}) expect_sound(*make_spd_bures_wasserstein(n), options);
}

// Commuting matrices: the distance is that of the square roots of the eigenvalues.
TEST(BuresWasserstein, NearAndFarDiagonalMatrices) {
  const ManifoldPtr manifold = make_spd_bures_wasserstein(3);
  const Vector p = (Vector(3) << 4, 1, 0.25).finished();
  for (const double step : {1.0, 1e-4, 1e-9, 1e-12}) {
    const Vector change = (Vector(3) << 1, -0.5, 0.1).finished() * step;
    const Vector q = p + change;
    const Matrix P = p.asDiagonal(), Q = q.asDiagonal();
    const Vector exact = (q - p).cwiseQuotient(p.cwiseSqrt() + q.cwiseSqrt());
    EXPECT_TRUE(close(distance(*manifold, P.reshaped(), Q.reshaped()), exact.norm(), 1e-13)) << step;
  }
}

TEST(BuresWasserstein, LeavingTheManifoldIsReported) {
  const ManifoldPtr manifold = make_spd_bures_wasserstein(2);
  const Matrix P = (Matrix(2, 2) << 4, 0, 0, 0.25).finished();
  const auto space = manifold->at(P.reshaped());
  EXPECT_DOUBLE_EQ(space->injectivity_radius(), 0.5);
  const Matrix shrink = (Matrix(2, 2) << 0, 0, 0, -1).finished();
  const Vector v = space->to_coords(shrink.reshaped()).normalized();
  Matrix coords(3, 3), points(4, 3);
  coords << 0.49 * v, 0.51 * v, -2 * v;
  EXPECT_EQ(space->exp(coords, points).outside_domain, std::vector<Index>{1});
  EXPECT_NEAR(points(3, 0), 1e-4, 1e-15);
  Matrix back(3, 1);
  const LogReport report = space->log(points.col(0), back);
  EXPECT_NEAR(report.margin[0], 0.01, 1e-10);
}

}  // namespace
}  // namespace wgp
