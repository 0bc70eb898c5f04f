// Base point functions: lift and wrap, and every derivative against golden values and finite differences.
#include "wgp/basepoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "golden.h"
#include "gp/output_likelihood.h"
#include "model/moving_objective.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;

struct Setting {
  MovingProblem problem;
  MovingState state;
};

// A base point with generic coefficients, and points around it.
Setting setting(const std::string& spec, const BasisPtr& basis, const LatentSpace& latent, bool volume) {
  Random random(7, 3);
  const ManifoldPtr manifold = parse_manifold(spec);
  const Index d = manifold->dim(), q = latent.dim(), N = 7;
  Setting result;
  MovingProblem& problem = result.problem;
  problem.latent = latent;
  problem.kernel = parse_kernel("rbf", latent);
  problem.volume_term = volume;
  problem.scale = 0.7;
  problem.least_log_length = 0.4;  // so that its cost is felt
  problem.theta_is_free.assign(static_cast<std::size_t>(problem.kernel->parameter_count()), true);
  FitState& fit = result.state.fit;
  fit.X = random.normals(q, N);
  fit.theta = problem.kernel->default_parameters() + 0.1 * random.normals(problem.kernel->parameter_count());
  fit.u = -2;
  const Vector centre = manifold->random_point(random);
  const Matrix C =
      basis ? Matrix(0.4 / std::sqrt(static_cast<double>(d)) * random.normals(d, basis->count())) : Matrix();
  result.state.base = std::make_shared<const Basepoint>(manifold, centre, basis, C);
  problem.P = result.state.base->wrap(fit.X, 0.5 / std::sqrt(static_cast<double>(d)) * random.normals(d, N));
  return result;
}

// Eighth-order central differences of the whole objective, in every direction and away from the origin of the centre.
double worst_derivative(const Setting& setting, double away = 0.3, double h = 4e-3) {
  const auto objective = moving_objective(setting.problem, setting.state);
  Random random(11, 4);
  Vector x = pack_moving(setting.problem, setting.state);
  const Index d = setting.state.base->dim(), K = setting.state.base->coefficients().cols();
  x.segment(x.size() - d - d * K, d) = away / std::sqrt(static_cast<double>(d)) * random.normals(d);
  Vector gradient(x.size());
  objective->value(x);
  objective->gradient(gradient);
  double worst = 0;
  for (int direction = 0; direction < 24; ++direction) {
    Vector e = Vector::Zero(x.size());
    if (direction < 12)
      e = random.normals(x.size()).normalized();
    else  // single coordinates, the base point's first
      e[x.size() - 1 - (direction - 12) % x.size()] = 1;
    const auto difference = [&](int k) {
      const double above = objective->value(x + k * h * e);
      return above - objective->value(x - k * h * e);
    };
    const double slope =
        (4.0 / 5 * difference(1) - difference(2) / 5 + 4.0 / 105 * difference(3) - difference(4) / 280) / h;
    worst = std::max(worst, std::abs(slope - gradient.dot(e)) / gradient.norm());
  }
  return worst;
}

std::string test_name(const testing::TestParamInfo<const char*>& tested) {
  std::string name = tested.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

class Symmetric : public testing::TestWithParam<const char*> {};

TEST_P(Symmetric, FullGradientOfAGeodesic) {
  const LatentSpace latent(0, 2);
  for (const bool volume : {false, true})
    EXPECT_LT(worst_derivative(setting(GetParam(), linear_basis(latent), latent, volume)), 1e-7) << volume;
}
TEST_P(Symmetric, FullGradientOfAnOpenAndAClosedSpline) {
  for (const bool angle : {false, true}) {
    const LatentSpace latent(angle ? 1 : 0, angle ? 0 : 1);
    const BasisPtr basis = spline_basis({{angle, -1.5, 1.5, 5}});
    for (const bool volume : {false, true}) {
      Setting one = setting(GetParam(), basis, latent, volume);
      one.state.fit.X *= 0.3;  // away from the ends, where the third derivative jumps
      EXPECT_LT(worst_derivative(one), 1e-5) << angle << volume;
    }
  }
}
TEST_P(Symmetric, WrapUndoesLift) {
  const LatentSpace latent(0, 2);
  const Setting one = setting(GetParam(), linear_basis(latent), latent, true);
  const Basepoint& base = *one.state.base;
  const Matrix V = base.lift(one.state.fit.X, one.problem.P);
  const Matrix back = base.wrap(one.state.fit.X, V);
  for (Index i = 0; i < V.cols(); ++i) {
    EXPECT_LT(distance(base.manifold(), back.col(i), one.problem.P.col(i)), 1e-7) << i;
    EXPECT_NEAR(V.col(i).norm(), distance(base.manifold(), base.points(one.state.fit.X).col(i), one.problem.P.col(i)),
                1e-9);
    EXPECT_TRUE(close(base.lift_at(one.state.fit.X.col(i), one.problem.P.col(i)), V.col(i), 1e-12));
  }
}
INSTANTIATE_TEST_SUITE_P(Spaces, Symmetric,
                         testing::Values("sphere:2", "sphere:3", "hyperbolic:3", "kendall:5", "spd:3/affine-invariant",
                                         "so:3", "grassmann:5x2", "euclidean:3", "spd:3", "sphere:2,2*hyperbolic:2"),
                         test_name);

class Any : public testing::TestWithParam<const char*> {};
TEST_P(Any, GradientOfAnOptimisedCentre) {
  for (const bool volume : {false, true})
    EXPECT_LT(worst_derivative(setting(GetParam(), nullptr, LatentSpace(0, 1), volume)), 1e-6) << volume;
}
INSTANTIATE_TEST_SUITE_P(Spaces, Any,
                         testing::Values("sphere:2", "kendall:5", "spd:3/affine-invariant", "spd:3/bures-wasserstein",
                                         "stiefel:4x2", "kendall3d:5"),
                         test_name);

TEST(Basepoint, GradientWherePointsLieBeyondTheFreeShareOfTheRadius) {
  Setting one = setting("sphere:2", nullptr, LatentSpace(0, 1), true);
  const Basepoint& base = *one.state.base;
  Random random(5, 5);
  Matrix V = random.normals(2, one.problem.P.cols());
  V = 0.95 * std::numbers::pi * V * V.colwise().norm().cwiseInverse().asDiagonal();
  one.problem.P = base.wrap(one.state.fit.X, V);
  EXPECT_LT(worst_derivative(one, 0, 1e-4), 1e-6);
}

TEST(Basepoint, RefusesToMoveWhereTheFrameHasNoClosedForm) {
  const ManifoldPtr manifold = parse_manifold("spd:3/bures-wasserstein");
  Random random(1, 1);
  const BasisPtr basis = linear_basis(LatentSpace(0, 1));
  const Basepoint base(manifold, manifold->random_point(random), basis, Matrix::Constant(6, 1, 0.1));
  const Matrix X = Matrix::Zero(1, 1), P = base.points(X);
  try {
    base.pull_back(X, P, Matrix::Zero(6, 1), true);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'mean' and 'optimised' work there"), std::string::npos) << error.what();
  }
}

// Values, gradients by X, U, mu and parameters, with and without the volume term.
void check_golden(const std::string& id, const std::string& spec) {
  const auto& group = test::golden(id);
  const auto& in = group.at("inputs");
  const ManifoldPtr manifold = parse_manifold(spec);
  const Index ambient = manifold->ambient_dim();
  const Vector mu = test::column(in.at("mu"));
  const Matrix U = test::columns(in.at("U"), ambient), P = test::columns(in.at("points"), ambient);
  const Index q = U.cols();
  const Matrix X = test::columns(in.at("X"), q);
  const LatentSpace latent(0, q);
  MovingProblem problem;
  problem.latent = latent;
  problem.kernel = parse_kernel("rbf", latent, LengthScales::per_dimension);
  problem.P = P;
  problem.prior.latent_precision = 0;
  const auto space = manifold->at(mu);
  const Basepoint base(manifold, mu, linear_basis(latent), space->to_coords(U));
  const Vector log_theta = test::column(in.at("log_theta"));
  const Vector theta = log_theta.head(1 + q);
  const double noise = std::exp(log_theta[1 + q]);
  const Matrix V = base.lift(X, P);
  OutputLikelihood likelihood(problem.kernel);
  for (const bool volume : {false, true}) {
    const auto& out = group.at("outputs").at(volume ? "vol1" : "vol0");
    const double rtol = group.at("rtol").get<double>();
    double value = likelihood.value(X, theta, noise, V);
    Matrix dV;
    const GpGradient g = likelihood.gradient(dV);
    if (volume) value -= base.log_volume(X, V).sum();
    const BasepointGradient by = base.pull_back(X, P, dV, volume);
    EXPECT_TRUE(close(value, out.at("loglik").get<double>(), rtol));
    EXPECT_TRUE(close(g.X + by.X, test::columns(out.at("grad_X"), q), 10 * rtol));
    Vector by_theta(q + 2);
    by_theta << g.theta, g.noise * noise;
    EXPECT_TRUE(close(by_theta, test::column(out.at("grad_theta")), 10 * rtol));
    EXPECT_TRUE(close(space->to_ambient(by.coefficients), test::columns(out.at("grad_U"), ambient), 10 * rtol));
    EXPECT_TRUE(close(space->to_ambient(by.centre), test::column(out.at("grad_mu")), 10 * rtol));
  }
}
TEST(Golden, GeodesicOnTheSphere) { check_golden("wgplvm.S2.geodesic1d", "sphere:2"); }
TEST(Golden, GeodesicSurfaceInTheThreeSphere) { check_golden("wgplvm.S3.geodesic2d", "sphere:3"); }
TEST(Golden, GeodesicOfSpdMatrices) { check_golden("wgplvm.SPD3affine.geodesic1d", "spd:3/affine-invariant"); }

TEST(Basis, SlopesAreTheDerivativesOfTheValues) {
  const std::vector<BasisPtr> bases = {linear_basis(LatentSpace(1, 1)),
                                       spline_basis({{true, 0, 1, 5}, {false, -1, 2, 4}})};
  for (const BasisPtr& basis : bases) {
    EXPECT_EQ(parse_basis(basis->spec())->spec(), basis->spec());
    for (const double at : {-3.0, -0.4, 0.9, 1.7, 4.0}) {
      const Vector x = Vector::Constant(2, at);
      for (Index j = 0; j < 2; ++j) {
        Matrix near(2, 2);
        near.colwise() = x;
        near(j, 0) += 1e-5;
        near(j, 1) -= 1e-5;
        const Matrix values = basis->values(near);
        const Vector slope = (values.col(0) - values.col(1)) / 2e-5;
        EXPECT_LT((slope - basis->slopes(x).col(j)).norm(), 1e-8) << basis->spec() << " at " << at;
      }
    }
  }
  EXPECT_THROW(parse_basis("spline line[0,1]"), Error);
  EXPECT_THROW(parse_basis("cubic line"), Error);
}
TEST(Basis, RoughnessIsThatOfSecondDifferencesAlongALineAndOfThirdOnesAroundALoop) {
  constexpr Index pieces = 10;
  const Matrix along = spline_basis({SplineAxis{false, 0, 1, pieces}})->roughness();
  const Vector k = Vector::LinSpaced(pieces + 3, 0, pieces + 2);
  EXPECT_NEAR((along * k).norm(), 0, 1e-12);
  EXPECT_NEAR((along * k.cwiseAbs2() - Vector::Constant(pieces + 1, 2)).norm(), 0, 1e-12);
  // A wave is multiplied by 2 sin(half its angle a step) in every difference.
  const Matrix around = spline_basis({SplineAxis{true, 0, 0, pieces}})->roughness();
  const Vector angle = Vector::LinSpaced(pieces, 0, pieces - 1) * (2 * std::numbers::pi / pieces);
  for (const int turns : {0, 1, 3}) {
    const Vector wave = (turns * angle.array() + 0.4).cos();
    EXPECT_NEAR((around * wave).squaredNorm(),
                turns == 0 ? 0 : std::pow(2 * std::sin(turns * std::numbers::pi / pieces), 6) * pieces / 2, 1e-12);
  }
}

TEST(Basis, SplinesSumToOne) {
  const BasisPtr basis = spline_basis({{false, -1, 2, 4}, {true, 0, 1, 6}});
  Random random(3, 3);
  const Vector sums = basis->values(random.normals(2, 50)).colwise().sum();
  EXPECT_LT((sums.array() - 1).abs().maxCoeff(), 1e-14);
}

}  // namespace
}  // namespace wgp
