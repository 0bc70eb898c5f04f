// Base point functions: lift and wrap, and every derivative against golden values and finite differences.
#include "wgp/basepoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "evidence/evidence.h"
#include "fit/objective.h"
#include "fit/settings.h"
#include "golden.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;

struct Setting {
  FitProblem problem;
  FitState state;
  const Basepoint& base() const { return dynamic_cast<const Basepoint&>(*problem.lift); }
};

Matrix wrapped(const Lift& lift, ConstMatrixRef X, ConstMatrixRef V, Index ambient_dim) {
  Matrix P(ambient_dim, V.cols());
  EXPECT_TRUE(lift.wrap(X, V, P).outside_domain.empty());
  return P;
}

// A base point with generic coefficients, points around it, and every term that goes with it.
Setting setting(const std::string& spec, const BasisPtr& basis, const LatentSpace& latent, Lift::Volume volume) {
  Random random(7, 3);
  const ManifoldPtr manifold = parse_manifold(spec);
  const Index d = manifold->dim(), q = latent.dim(), N = 7;
  Setting result;
  FitProblem& problem = result.problem;
  problem.manifold = manifold;
  problem.latent = latent;
  problem.kernel = parse_kernel("rbf", latent);
  problem.volume = volume;
  problem.scale = 0.7;
  problem.free.base = true;
  problem.free.theta.assign(static_cast<std::size_t>(problem.kernel->parameter_count()), true);
  FitState& state = result.state;
  state.X = random.normals(q, N);
  state.theta = problem.kernel->default_parameters() + 0.1 * random.normals(problem.kernel->parameter_count());
  state.u = -2;
  const Vector centre = manifold->random_point(random);
  const Matrix C =
      basis ? Matrix(0.4 / std::sqrt(static_cast<double>(d)) * random.normals(d, basis->count())) : Matrix();
  const auto base = std::make_shared<const Basepoint>(manifold, centre, basis, C);
  problem.lift = state.lift = base;
  state.centre = Vector::Zero(d);
  state.coefficients = base->coefficients() / problem.scale;
  problem.P =
      wrapped(*base, state.X, 0.5 / std::sqrt(static_cast<double>(d)) * random.normals(d, N), manifold->ambient_dim());
  problem.terms = {latent_prior(latent, 1), coefficient_prior(settings::coefficient_sd),
                   short_length_term(*problem.kernel, 0.4)};  // so that its cost is felt
  if (const TermPtr lengths = angle_length_prior(*problem.kernel)) problem.terms.push_back(lengths);
  if (const double radius = manifold->injectivity_radius(); std::isfinite(radius))
    problem.terms.push_back(beyond_term(radius / problem.scale));
  if (basis) {
    problem.terms.push_back(follow_term(settings::follow_sd));
    if (const Matrix D = basis->roughness(); D.rows() > 0)
      problem.terms.push_back(roughness_term(D, settings::first_rough_sd));
  }
  return result;
}

// Eighth-order central differences of the whole objective, in every direction and away from the origin of the centre.
double worst_derivative(const Setting& setting, double away = 0.3, double h = 4e-3) {
  const auto objective = fit_objective(setting.problem, setting.state);
  Random random(11, 4);
  Vector x = pack_state(setting.problem, setting.state);
  const Index d = setting.base().dim(), K = setting.base().coefficients().cols();
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

constexpr Lift::Volume volumes[] = {Lift::Volume::ignored, Lift::Volume::subtracted};
int number(Lift::Volume volume) { return volume == Lift::Volume::subtracted; }

std::string test_name(const testing::TestParamInfo<const char*>& tested) {
  std::string name = tested.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

class Symmetric : public testing::TestWithParam<const char*> {};

TEST_P(Symmetric, FullGradientOfAGeodesic) {
  const LatentSpace latent(0, 2);
  for (const Lift::Volume volume : volumes)
    EXPECT_LT(worst_derivative(setting(GetParam(), linear_basis(latent), latent, volume)), 1e-7) << number(volume);
}
TEST_P(Symmetric, FullGradientOfAnOpenAndAClosedSpline) {
  for (const bool angle : {false, true}) {
    const LatentSpace latent(angle ? 1 : 0, angle ? 0 : 1);
    const BasisPtr basis = spline_basis({{angle, -1.5, 1.5, 5}});
    for (const Lift::Volume volume : volumes) {
      Setting one = setting(GetParam(), basis, latent, volume);
      one.state.X *= 0.3;  // away from the ends, where the third derivative jumps
      EXPECT_LT(worst_derivative(one), 1e-5) << angle << number(volume);
    }
  }
}
TEST_P(Symmetric, WrapUndoesLift) {
  const LatentSpace latent(0, 2);
  const Setting one = setting(GetParam(), linear_basis(latent), latent, Lift::Volume::subtracted);
  const Basepoint& base = one.base();
  const Matrix &X = one.state.X, &P = one.problem.P;
  const Lifted lifted = base.lift(X, P, LiftWanted::everything);
  const Matrix& V = lifted.V;
  const Matrix back = wrapped(base, X, V, P.rows());
  for (Index i = 0; i < V.cols(); ++i) {
    EXPECT_LT(distance(base.manifold(), back.col(i), P.col(i)), 1e-7) << i;
    EXPECT_NEAR(V.col(i).norm(), distance(base.manifold(), base.points(X).col(i), P.col(i)), 1e-9);
    const Lifted alone = base.lift_at(X.col(i), P, infinity);
    EXPECT_TRUE(close(alone.V.col(i), V.col(i), 1e-12));
    EXPECT_NEAR(alone.log_volume[i], lifted.log_volume[i], 1e-10);
    EXPECT_EQ(base.lift_at(X.col(i), P, 0.5 * V.col(i).norm()).log_volume[i], 0);  // too far
    const Preimages all = base.preimages(X.col(i), P.col(i), V.col(i).norm() + 1e-3);
    EXPECT_TRUE(close(all.coords.col(0), V.col(i), 1e-7));
    EXPECT_NEAR(all.log_abs_det[0], lifted.log_volume[i], 1e-7);
  }
  EXPECT_LT((base.log_volume(X, V) - lifted.log_volume).norm(), 1e-9);
  EXPECT_EQ(base.lift(X, P).V, V);
  EXPECT_EQ(base.lift(X, P).log_volume.size(), 0);
  EXPECT_EQ(base.lift(X, P, LiftWanted::vectors_and_volume).log_volume, lifted.log_volume);
}
TEST_P(Symmetric, PushForwardIsTheDifferentialOfWrap) {
  const LatentSpace latent(0, 2);
  const Setting one = setting(GetParam(), linear_basis(latent), latent, Lift::Volume::subtracted);
  const Basepoint& base = one.base();
  const Vector x = one.state.X.col(0), v = base.lift(x, one.problem.P.col(0)).V.col(0);
  Random random(2, 2);
  const Matrix directions = random.normals(v.size(), 2);
  const auto at_point = base.manifold().at(one.problem.P.col(0));
  const Matrix pushed = base.push_forward(x, v, directions);
  constexpr double h = 1e-4;
  Matrix near(v.size(), 4), logs(v.size(), 4);
  near << v + h * directions.col(0), v - h * directions.col(0), v + h * directions.col(1), v - h * directions.col(1);
  at_point->log(wrapped(base, x.replicate(1, 4), near, one.problem.P.rows()), logs);
  Matrix slopes(v.size(), 2);
  slopes << (logs.col(0) - logs.col(1)) / (2 * h), (logs.col(2) - logs.col(3)) / (2 * h);
  // The frames at the point are not the same, which inner products do not see.
  EXPECT_TRUE(close(pushed.transpose() * pushed, slopes.transpose() * slopes, 1e-6));
}
INSTANTIATE_TEST_SUITE_P(Spaces, Symmetric,
                         testing::Values("sphere:2", "sphere:3", "hyperbolic:3", "kendall:5", "spd:3/affine-invariant",
                                         "so:3", "grassmann:5x2", "euclidean:3", "spd:3", "sphere:2,2*hyperbolic:2"),
                         test_name);

class Any : public testing::TestWithParam<const char*> {};
TEST_P(Any, GradientOfAnOptimisedCentre) {
  for (const Lift::Volume volume : volumes)
    EXPECT_LT(worst_derivative(setting(GetParam(), nullptr, LatentSpace(0, 1), volume)), 1e-6) << number(volume);
}
INSTANTIATE_TEST_SUITE_P(Spaces, Any,
                         testing::Values("sphere:2", "kendall:5", "spd:3/affine-invariant", "spd:3/bures-wasserstein",
                                         "stiefel:4x2", "kendall3d:5"),
                         test_name);

TEST(Basepoint, GradientWherePointsLieBeyondTheFreeShareOfTheRadius) {
  Setting one = setting("sphere:2", nullptr, LatentSpace(0, 1), Lift::Volume::subtracted);
  Random random(5, 5);
  Matrix V = random.normals(2, one.problem.P.cols());
  V = 0.95 * std::numbers::pi * V * V.colwise().norm().cwiseInverse().asDiagonal();
  one.problem.P = wrapped(one.base(), one.state.X, V, 3);
  EXPECT_LT(worst_derivative(one, 0, 1e-4), 1e-6);
}

TEST(Basepoint, RefusesToMoveWhereTheFrameHasNoClosedForm) {
  const ManifoldPtr manifold = parse_manifold("spd:3/bures-wasserstein");
  Random random(1, 1);
  const BasisPtr basis = linear_basis(LatentSpace(0, 1));
  const Basepoint base(manifold, manifold->random_point(random), basis, Matrix::Constant(6, 1, 0.1));
  const Matrix X = Matrix::Zero(1, 1), P = base.points(X);
  try {
    base.pull_back(X, P, base.lift(X, P, LiftWanted::everything), Matrix::Zero(6, 1), Lift::Volume::subtracted);
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
  const KernelPtr kernel = parse_kernel("rbf", latent, LengthScales::per_dimension);
  const auto space = manifold->at(mu);
  const Basepoint base(manifold, mu, linear_basis(latent), space->to_coords(U));
  const Vector log_theta = test::column(in.at("log_theta"));
  const double noise = std::exp(log_theta[1 + q]);
  const Parameters at = Parameters::of(X, log_theta.head(1 + q), noise);
  const Lifted lifted = base.lift(X, P, LiftWanted::everything);
  const Outputs outputs = Outputs::of(lifted.V);
  const auto evidence = dense_evidence({kernel, latent}, DensePath::safe);
  for (const Lift::Volume volume : volumes) {
    const auto& out = group.at("outputs").at(volume == Lift::Volume::subtracted ? "vol1" : "vol0");
    const double rtol = group.at("rtol").get<double>();
    double value = evidence->value(at, outputs);
    EvidenceGradient g;
    evidence->gradient(g, ByOutputs::wanted);
    if (volume == Lift::Volume::subtracted) value -= lifted.log_volume.sum();
    const LiftGradient by = base.pull_back(X, P, lifted, g.rows, volume);
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
// A basis of one's own has the default; the library's must agree with it.
TEST(Basis, PullBackIsByTheSlopes) {
  const std::vector<BasisPtr> bases = {
      linear_basis(LatentSpace(1, 1)), spline_basis({{false, -1, 2, 4}, {true, 0, 1, 5}}),
      spline_basis({{true, 0, 1, 4}, {false, 0, 1, 1}}), spline_basis({{false, -1, 1, 3}, {false, 0, 2, 2}})};
  Random random(5);
  const Matrix X = 2 * random.normals(2, 30);
  for (const BasisPtr& basis : bases) {
    const Matrix by = random.normals(basis->count(), X.cols());
    const Matrix pulled = basis->pull_back(X, by);
    EXPECT_TRUE(close(pulled, basis->BasisFunctions::pull_back(X, by), 1e-12)) << basis->spec();
    EXPECT_GT(pulled.row(0).norm(), 0.1);
    EXPECT_GT(pulled.row(1).norm(), 0.1);
  }
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
