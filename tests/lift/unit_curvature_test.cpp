// Moving base points on the sphere and in hyperbolic space by arithmetic, against what any symmetric space does.
#include "lift/unit_curvature.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "wgp/basepoint.h"
#include "wgp/random.h"

namespace wgp {
namespace {

// The same manifold, without a word about its curvature.
class Unspoken final : public Manifold {
 public:
  explicit Unspoken(ManifoldPtr manifold) : manifold_(std::move(manifold)) {}
  std::string spec() const override { return manifold_->spec(); }
  Index dim() const override { return manifold_->dim(); }
  Index ambient_dim() const override { return manifold_->ambient_dim(); }
  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override { return manifold_->at(p); }
  std::optional<std::string> defect(ConstVectorRef x, double tolerance) const override {
    return manifold_->defect(x, tolerance);
  }
  Vector project(ConstVectorRef x) const override { return manifold_->project(x); }
  double injectivity_radius() const override { return manifold_->injectivity_radius(); }
  double mean_ball_radius() const override { return manifold_->mean_ball_radius(); }
  Vector random_point(Random& random) const override { return manifold_->random_point(random); }

 private:
  ManifoldPtr manifold_;
};

enum class Kind { constant, linear, spline };
BasisPtr basis_of(Kind kind) {
  if (kind == Kind::constant) return nullptr;
  return kind == Kind::linear ? linear_basis(LatentSpace(1, 1)) : spline_basis({{true, 0, 1, 5}, {false, -2, 2, 3}});
}

struct Space {
  const char* spec;
  Kind kind;
};
std::string name_of(const testing::TestParamInfo<Space>& tested) {
  std::string name = tested.param.spec;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  const Kind kind = tested.param.kind;
  return name + (kind == Kind::constant ? "_constant" : kind == Kind::linear ? "_linear" : "_spline");
}

// One base point function, by arithmetic and not.
struct Pair {
  std::shared_ptr<const Basepoint> fast, plain;

  Pair(const ManifoldPtr& manifold, const Vector& centre, const BasisPtr& basis, const Matrix& C)
      : fast(std::make_shared<const Basepoint>(manifold, centre, basis, C)),
        plain(std::make_shared<const Basepoint>(std::make_shared<const Unspoken>(manifold), centre, basis, C)) {}
  Matrix wrap(ConstMatrixRef X, ConstMatrixRef V) const {
    Matrix P(plain->manifold().ambient_dim(), V.cols());
    plain->wrap(X, V, P);
    return P;
  }
};

class Spaces : public testing::TestWithParam<Space> {
 protected:
  static constexpr Index N = 9;
  ManifoldPtr manifold = parse_manifold(GetParam().spec);
  BasisPtr basis = basis_of(GetParam().kind);
  Random random{5, 1};
  Index d = manifold->dim();
  bool sphere = manifold->injectivity_radius() < infinity;
  Vector centre = manifold->random_point(random);
  Matrix X = random.normals(2, N);
  Matrix C = basis ? random.normals(d, basis->count()) : Matrix();

  // Displacements of about this length.
  Pair displaced(double length) const {
    if (!basis) return Pair(manifold, centre, nullptr, Matrix());
    const Matrix Xi = C * basis->values(X);
    return Pair(manifold, centre, basis, length / (Xi.norm() / std::sqrt(static_cast<double>(N))) * C);
  }
  Matrix directions() {
    const Matrix V = random.normals(d, N);
    return V * V.colwise().norm().cwiseInverse().asDiagonal();
  }
  // Everything that a lift says, both ways. The points' coordinates hold `held` of a vector, whatever its length.
  void expect_same(const Pair& pair, const Matrix& P, double tolerance, double held = 2e-14) {
    const Lifted fast = pair.fast->lift(X, P, LiftWanted::everything),
                 plain = pair.plain->lift(X, P, LiftWanted::everything);
    for (Index i = 0; i < N; ++i) {
      EXPECT_LE((fast.V.col(i) - plain.V.col(i)).norm(), tolerance * plain.V.col(i).norm() + held) << i;
      EXPECT_NEAR(fast.log_volume[i], plain.log_volume[i], tolerance * (1 + std::abs(plain.log_volume[i]))) << i;
      EXPECT_EQ(fast.report.status[static_cast<std::size_t>(i)], plain.report.status[static_cast<std::size_t>(i)]) << i;
      if (sphere)
        EXPECT_NEAR(fast.report.margin[i], plain.report.margin[i], tolerance) << i;
      else
        EXPECT_EQ(fast.report.margin[i], infinity) << i;
    }
    EXPECT_EQ(pair.fast->lift(X, P).V, fast.V);
    const Matrix back = pair.wrap(X, fast.V);
    EXPECT_LE((back - P).norm(), (tolerance + held) * P.norm());

    // All points at one latent.
    const double radius = plain.V.colwise().norm().mean();
    const Lifted fast_at = pair.fast->lift_at(X.col(3), P, radius), plain_at = pair.plain->lift_at(X.col(3), P, radius);
    for (Index i = 0; i < N; ++i) {
      const double margin = plain_at.report.margin[i], length = plain_at.V.col(i).norm();
      // Directions are lost on the way to the cut locus.
      EXPECT_LE((fast_at.V.col(i) - plain_at.V.col(i)).norm(), tolerance * length + held * (1 + 10 / margin)) << i;
      if (std::abs(length - radius) > 1e-9 * radius) {
        EXPECT_NEAR(fast_at.log_volume[i], plain_at.log_volume[i], tolerance * (1 + 1 / margin)) << i;
      }
    }

    // And the way back.
    const Matrix B = random.normals(d, N);
    for (const Lift::Volume volume : {Lift::Volume::ignored, Lift::Volume::subtracted}) {
      const LiftGradient a = pair.fast->pull_back(X, P, fast, B, volume),
                         b = pair.plain->pull_back(X, P, plain, B, volume);
      EXPECT_LE((a.X - b.X).norm(), tolerance * b.X.norm());
      EXPECT_LE((a.coefficients - b.coefficients).norm(), tolerance * b.coefficients.norm());
      EXPECT_LE((a.centre - b.centre).norm(), tolerance * b.centre.norm());
    }
  }
};

TEST_P(Spaces, AgreeInGeneral) {
  for (const double displacement : {0.1, 1.0, 2.5})
    for (const double length : {0.03, 0.5, 2.0}) {
      SCOPED_TRACE(testing::Message() << "xi " << displacement << ", v " << length);
      const Pair pair = displaced(displacement);
      // Hyperbolic coordinates grow with the distance, and what they are rounded to with them.
      expect_same(pair, pair.wrap(X, length * directions()), 1e-10, sphere ? 2e-14 : 1e-11);
    }
}

TEST_P(Spaces, AgreeOnVectorsOfAlmostNoLength) {
  for (const double length : {1e-4, 1e-7, 1e-10, 1e-14, 0.0}) {
    SCOPED_TRACE(testing::Message() << "v " << length);
    const Pair pair = displaced(0.8);
    expect_same(pair, pair.wrap(X, length * directions()), 1e-11);
  }
}

TEST_P(Spaces, AgreeNextToTheCentre) {
  for (const double displacement : {1e-4, 1e-8, 1e-16, 1e-100, 1e-200, 0.0})
    for (const double length : {1e-9, 0.7}) {
      SCOPED_TRACE(testing::Message() << "xi " << displacement << ", v " << length);
      const Pair pair = displaced(displacement);
      expect_same(pair, pair.wrap(X, length * directions()), 1e-11);
    }
  // Nothing at all.
  const Pair pair = displaced(0);
  const Matrix P = centre.replicate(1, N);
  const Lifted lifted = pair.fast->lift(X, P, LiftWanted::everything);
  EXPECT_LT(lifted.V.norm(), 1e-14);
  const LiftGradient by = pair.fast->pull_back(X, P, lifted, Matrix::Ones(d, N), Lift::Volume::subtracted);
  EXPECT_TRUE(by.X.allFinite() && by.coefficients.allFinite() && by.centre.allFinite());
}

class Spheres : public Spaces {};

TEST_P(Spheres, AgreeNearTheCutLocus) {
  for (const double left : {0.1, 1e-2, 1e-3, 1e-4})
    for (const double displacement : {0.0, 0.3, 2.0}) {
      SCOPED_TRACE(testing::Message() << "xi " << displacement << ", left " << left);
      const Pair pair = displaced(displacement);
      expect_same(pair, pair.wrap(X, (std::numbers::pi - left) * directions()), std::max(1e-11, 1e-13 / left));
    }
  // So near that it is reported.
  const Pair pair = displaced(0.6);
  const Matrix P = pair.wrap(X, (std::numbers::pi - 1e-7) * directions());
  const Lifted fast = pair.fast->lift(X, P), plain = pair.plain->lift(X, P);
  EXPECT_EQ(fast.report.count(LogStatus::near_cut), N);
  EXPECT_LT((fast.V - plain.V).norm(), 1e-6);
  EXPECT_LT((fast.report.margin - plain.report.margin).norm(), 1e-13);
}

// One of the geodesics of length pi, and no word of it being sure.
TEST_P(Spheres, OppositePoints) {
  for (const double displacement : {0.0, 0.6, 2.0}) {
    const Pair pair = displaced(displacement);
    const Matrix P = -pair.fast->points(X);
    const Lifted lifted = pair.fast->lift(X, P, LiftWanted::everything);
    EXPECT_EQ(lifted.report.count(LogStatus::cut_locus), N) << displacement;
    EXPECT_EQ(pair.plain->lift(X, P).report.count(LogStatus::cut_locus), N) << displacement;
    EXPECT_EQ(lifted.report.smallest_margin(), 0);
    for (Index i = 0; i < N; ++i) EXPECT_NEAR(lifted.V.col(i).norm(), std::numbers::pi, 1e-14);
    EXPECT_TRUE(lifted.log_volume.allFinite());
    EXPECT_LT((pair.wrap(X, lifted.V) - P).norm(), 1e-13);
  }
}

class HyperbolicSpaces : public Spaces {};

// Coordinates grow like e^distance, and digits are lost at the same rate: there the arithmetic must give way.
TEST_P(HyperbolicSpaces, AgreeFarOut) {
  for (const double length : {3.0, 6.0, 12.0})
    for (const double displacement : {0.5, 4.0, 9.0}) {
      SCOPED_TRACE(testing::Message() << "xi " << displacement << ", v " << length);
      const Pair pair = displaced(displacement);
      const Matrix P = pair.wrap(X, length * directions());
      const Lifted fast = pair.fast->lift(X, P), plain = pair.plain->lift(X, P);
      EXPECT_LE((fast.V - plain.V).norm(), 1e-8 * plain.V.norm());
    }
  // Everything together far from the origin, where either way loses digits like e^(2 distance).
  for (const double away : {3.0, 6.0, 10.0, 14.0}) {
    SCOPED_TRACE(testing::Message() << "centre " << away);
    centre = exp_point(*manifold->at(Vector::Unit(d + 1, 0)), away * directions().col(0));
    const Pair pair = displaced(0.6);
    const Matrix P = pair.wrap(X, 0.5 * directions());
    const Lifted fast = pair.fast->lift(X, P), plain = pair.plain->lift(X, P);
    EXPECT_LE((fast.V - plain.V).norm(), 1e-14 * std::exp(2 * away) * plain.V.norm());
  }
  // Where the coordinates hold nothing at all.
  centre = exp_point(*manifold->at(Vector::Unit(d + 1, 0)), 33 * directions().col(0));
  const Pair pair = displaced(0.1);
  EXPECT_EQ(pair.fast->lift(X, centre.replicate(1, N)).report.count(LogStatus::outside_domain), N);
}

// Fourth-order central differences by latents, coefficients and centre.
TEST_P(Spaces, PullBackIsTheDifference) {
  const double lengths[] = {0.0, 1e-6, 0.5, sphere ? std::numbers::pi - 0.1 : 2.5};
  for (const double displacement : {0.0, 1e-6, 0.9})
    for (const double length : lengths)
      for (const Lift::Volume volume : {Lift::Volume::ignored, Lift::Volume::subtracted}) {
        SCOPED_TRACE(testing::Message() << "xi " << displacement << ", v " << length);
        const Pair pair = displaced(displacement);
        const Matrix P = pair.wrap(X, length * directions()), B = random.normals(d, N);
        // After a step of the centre, in the frame that was carried along.
        const auto value = [&](const Vector& step, const Matrix& C1, const Matrix& at) {
          const LiftPtr there = pair.fast->moved(step, C1);
          const Lifted lifted = there->lift(at, P, LiftWanted::vectors_and_volume);
          const TangentSpace& end = dynamic_cast<const Basepoint&>(*there).space();
          const Matrix turn = end.to_coords(pair.fast->space().transport(step, Matrix::Identity(d, d)));
          const Matrix V = turn.transpose() * lifted.V;
          return V.cwiseProduct(B).sum() + V.squaredNorm() -
                 (volume == Lift::Volume::subtracted ? lifted.log_volume.sum() : 0);
        };
        const Lifted lifted = pair.fast->lift(X, P, LiftWanted::everything);
        const LiftGradient by = pair.fast->pull_back(X, P, lifted, B + 2 * lifted.V, volume);
        const double size = by.X.norm() + by.coefficients.norm() + by.centre.norm();
        const double h = 3e-4;
        const auto slope = [&](const auto& along) {
          return (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
        };
        for (int direction = 0; direction < 4; ++direction) {
          const Matrix to_X = random.normals(2, N).normalized(), &C0 = pair.fast->coefficients();
          const Matrix to_C = C0.size() > 0 ? Matrix(random.normals(d, C0.cols()).normalized()) : C0;
          const Vector to_centre = random.normals(d).normalized();
          EXPECT_NEAR(slope([&](double t) { return value(Vector::Zero(d), C0, X + t * to_X); }),
                      by.X.cwiseProduct(to_X).sum(), 1e-7 * size);
          EXPECT_NEAR(slope([&](double t) { return value(Vector::Zero(d), C0 + t * to_C, X); }),
                      by.coefficients.cwiseProduct(to_C).sum(), 1e-7 * size);
          EXPECT_NEAR(slope([&](double t) { return value(t * to_centre, C0, X); }), by.centre.dot(to_centre),
                      1e-7 * size);
        }
      }
}

std::vector<Space> with_every_basis(std::initializer_list<const char*> specs) {
  std::vector<Space> spaces;
  for (const char* spec : specs)
    for (const Kind kind : {Kind::constant, Kind::linear, Kind::spline}) spaces.push_back({spec, kind});
  return spaces;
}
INSTANTIATE_TEST_SUITE_P(Every, Spaces,
                         testing::ValuesIn(with_every_basis({"sphere:2", "sphere:4", "hyperbolic:2", "hyperbolic:3"})),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Every, Spheres, testing::ValuesIn(with_every_basis({"sphere:2", "sphere:4"})), name_of);
INSTANTIATE_TEST_SUITE_P(Every, HyperbolicSpaces, testing::ValuesIn(with_every_basis({"hyperbolic:2", "hyperbolic:3"})),
                         name_of);

}  // namespace
}  // namespace wgp
