#include <Eigen/Dense>
#include <chrono>
#include <cmath>
#include <numbers>

#include "golden.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;
constexpr double pi = std::numbers::pi;

// One column per entry of a JSON array.
Matrix columns(const nlohmann::json& array) {
  Matrix points(column(array[0]).size(), static_cast<Index>(array.size()));
  for (std::size_t i = 0; i < array.size(); ++i) points.col(static_cast<Index>(i)) = column(array[i]);
  return points;
}

// Points scattered about a random centre, with this standard deviation in every direction.
Matrix scattered(const Manifold& manifold, Index count, double sd, std::uint64_t seed = 1) {
  Random random(seed);
  const auto space = manifold.at(manifold.random_point(random));
  Matrix points(manifold.ambient_dim(), count);
  space->exp(sd * random.normals(manifold.dim(), count), points);
  return points;
}

// The same with distances of this share of the injectivity radius (at most 2) at the centre.
Matrix scattered_within(const Manifold& manifold, Index count, double share) {
  Random random(1);
  const double inj = manifold.at(manifold.random_point(random))->injectivity_radius();
  return scattered(manifold, count, share * std::min(inj, 2.0) / std::sqrt(static_cast<double>(manifold.dim())));
}

std::vector<std::string> every_example() {
  std::vector<std::string> specs;
  for (const ManifoldEntry& entry : registered_manifolds())
    specs.insert(specs.end(), entry.examples.begin(), entry.examples.end());
  return specs;
}

TEST(FrechetMean, GoldenSphere) {
  const auto& group = golden("frechet.S2");
  const FrechetMean mean = frechet_mean(*parse_manifold("sphere:2"), columns(group["inputs"]["points"]));
  EXPECT_TRUE(close(mean.mean, column(group["outputs"]["mean"]), 1e-13));
  EXPECT_TRUE(close(mean.variance, group["outputs"]["frechet_variance"].get<double>(), 1e-13));
  EXPECT_EQ(mean.status, MeanStatus::converged);
  EXPECT_TRUE(mean.unique);
  EXPECT_GT(mean.smallest_hessian_eigenvalue, 0.5);
}

TEST(FrechetMean, GoldenSpd) {
  const auto& group = golden("frechet.SPD3");
  const Matrix points = columns(group["inputs"]["points"]);
  const std::pair<const char*, const char*> metrics[] = {{"spd:3/affine-invariant", "affine"},
                                                         {"spd:3", "logeuclid"},
                                                         {"spd:3/log-cholesky", "logchol"},
                                                         {"spd:3/bures-wasserstein", "bures"}};
  for (const auto& [spec, name] : metrics) {
    const FrechetMean mean = frechet_mean(*parse_manifold(spec), points);
    EXPECT_TRUE(close(mean.mean, column(group["outputs"][name]), 1e-12)) << spec;
    EXPECT_EQ(mean.status, MeanStatus::converged) << spec;
  }
}

// Landmarks from Helmert coordinates: y = H' z, row j of H is (-1 (j times), j, 0, ...) / sqrt(j (j + 1)).
Vector landmarks(const nlohmann::json& helmert) {
  const Vector z = column(helmert);
  const Index k = z.size() / 2 + 1;
  Vector y = Vector::Zero(2 * k);
  for (Index j = 1; j < k; ++j) {
    const double scale = 1 / std::sqrt(static_cast<double>(j * (j + 1)));
    for (Index i = 0; i < j; ++i) y.segment<2>(2 * i) -= scale * z.segment<2>(2 * j - 2);
    y.segment<2>(2 * j) += scale * static_cast<double>(j) * z.segment<2>(2 * j - 2);
  }
  return y;
}

TEST(FrechetMean, GoldenKendall) {
  const auto& group = golden("frechet.kendall2d");
  const ManifoldPtr kendall = parse_manifold("kendall:4");
  Matrix points(8, 4);
  for (Index i = 0; i < 4; ++i) points.col(i) = landmarks(group["inputs"]["preshapes"][static_cast<std::size_t>(i)]);
  const FrechetMean mean = frechet_mean(*kendall, points);
  EXPECT_TRUE(close(mean.variance, group["outputs"]["frechet_variance"].get<double>(), 1e-12));
  EXPECT_LT(distance(*kendall, mean.mean, landmarks(group["outputs"]["mean_phase0"])), 1e-12);
}

TEST(FrechetMean, GoldenCircle) {
  const auto& group = golden("x.circle_mean");
  const FrechetMean mean = frechet_mean(*parse_manifold("torus:1"), column(group["inputs"]["angles"]).transpose());
  EXPECT_TRUE(close(mean.mean[0], group["outputs"]["mean"].get<double>(), 1e-14));
  EXPECT_TRUE(close(mean.variance, group["outputs"]["variance"].get<double>(), 1e-13));
  EXPECT_GT(mean.distinct_minima, 1);
  EXPECT_GT(mean.minima_gap, 0.01);
  EXPECT_FALSE(mean.unique);
}

// The gradient is that of f, and the tolerance is reached, on data as spread out as each manifold allows.
TEST(FrechetMean, ConvergesOnEveryManifold) {
  for (const std::string& spec : every_example()) {
    SCOPED_TRACE(spec);
    const ManifoldPtr manifold = parse_manifold(spec);
    const Matrix points = scattered_within(*manifold, 30, 0.3);
    Random random(5);
    const Vector weights = random.normals(30).cwiseAbs();
    const FrechetMean mean = frechet_mean(*manifold, points, weights);
    EXPECT_EQ(mean.status, MeanStatus::converged) << to_string(mean.status) << " " << mean.gradient_norm;
    EXPECT_LE(mean.gradient_norm, 1e-12 * std::sqrt(mean.variance / 2));
    EXPECT_LE(mean.iterations, mean.unique ? 10 : 200);  // restarts add to them
    // No point nearby has a smaller weighted sum of squares.
    const auto space = manifold->at(mean.mean);
    const Vector w = weights / weights.sum();
    for (int k = 0; k < 5; ++k) {
      const Vector v = random.normals(manifold->dim()).normalized() * 1e-3;
      const double f = manifold->at(exp_point(*space, v))->distance(points).cwiseAbs2().dot(w);
      EXPECT_GT(f, mean.variance);
    }
    EXPECT_NEAR(mean.radius, space->distance(points).maxCoeff(), 1e-12);
  }
}

TEST(FrechetMean, FarSpreadNegativeCurvature) {
  for (const char* spec : {"hyperbolic:3", "spd:3/affine-invariant", "hyperbolic:80"}) {
    const ManifoldPtr manifold = parse_manifold(spec);
    const double sd = 4 / std::sqrt(static_cast<double>(manifold->dim()));
    const FrechetMean mean = frechet_mean(*manifold, scattered(*manifold, 100, sd));
    EXPECT_EQ(mean.status, MeanStatus::converged) << spec << " " << mean.gradient_norm;
    EXPECT_TRUE(mean.unique);
    EXPECT_LE(mean.iterations, 20) << spec;
    // Hyperboloid coordinates reach 500 here: their rounding, amplified by the boost, is the floor.
    const double floor = manifold->dim() == 80 ? 1e-10 : 1e-11;
    EXPECT_LE(mean.gradient_norm, floor * std::sqrt(mean.variance)) << spec;
    EXPECT_GE(mean.smallest_hessian_eigenvalue, 1 - 1e-9) << spec;
  }
}

// Of positive definite matrices every set has one Bures-Wasserstein mean: the fixed point of
// S -> sum_i w_i (S^1/2 C_i S^1/2)^1/2, here by other means than the solver's.
TEST(FrechetMean, BuresWassersteinIsTheFixedPoint) {
  for (const double spread : {0.3, 1.0, 2.0}) {
    const ManifoldPtr manifold = parse_manifold("spd:12/bures-wasserstein");
    Random random(8);
    Matrix points(144, 40);
    for (Index i = 0; i < 40; ++i) {
      const Matrix A = random.normals(12, 12);
      const Eigen::HouseholderQR<Matrix> qr(A);
      const Matrix Q = qr.householderQ();
      const Vector roots = (spread / 2 * random.normals(12)).array().exp();
      const Matrix W = Q * roots.asDiagonal();
      points.col(i) = (W * W.transpose()).reshaped();
    }
    const Vector weights = random.normals(40).cwiseAbs();
    const FrechetMean mean = frechet_mean(*manifold, points, weights);
    EXPECT_EQ(mean.status, MeanStatus::converged);
    EXPECT_TRUE(mean.unique);
    const auto root = [](const Matrix& A) {
      return Matrix(Eigen::SelfAdjointEigenSolver<Matrix>((A + A.transpose()) / 2).operatorSqrt());
    };
    const Matrix S = mean.mean.reshaped(12, 12), R = root(S);
    Matrix image = Matrix::Zero(12, 12);
    for (Index i = 0; i < 40; ++i) image += weights[i] / weights.sum() * root(R * points.col(i).reshaped(12, 12) * R);
    EXPECT_LE((image - S).norm(), 1e-12 * S.norm());
  }
}

// Condition numbers of 1e12, in a common basis: mean roots, squared, in each direction.
TEST(FrechetMean, BuresWassersteinOfIllConditionedMatrices) {
  const ManifoldPtr manifold = parse_manifold("spd:5/bures-wasserstein");
  Random random(9);
  Matrix points = Matrix::Zero(25, 20);
  Vector roots = Vector::Zero(5);
  for (Index i = 0; i < 20; ++i)
    for (Index j = 0; j < 5; ++j) {
      const double value = std::pow(1e-3, static_cast<double>(j)) * std::exp(0.5 * random.normal());
      points(6 * j, i) = value;
      roots[j] += std::sqrt(value) / 20;
    }
  const FrechetMean mean = frechet_mean(*manifold, points);
  EXPECT_EQ(mean.status, MeanStatus::converged);
  EXPECT_TRUE(mean.unique);
  for (Index j = 0; j < 5; ++j) EXPECT_NEAR(mean.mean[6 * j] / (roots[j] * roots[j]), 1, 1e-9) << j;
}

// By the gradient alone the means of many variables are as exact as by the Hessian.
TEST(FrechetMean, LargeAffineInvariant) {
  for (const double sd : {0.02, 0.1, 0.25}) {
    const ManifoldPtr manifold = parse_manifold("spd:12/affine-invariant");
    const FrechetMean mean = frechet_mean(*manifold, scattered(*manifold, 40, sd));
    EXPECT_EQ(mean.status, MeanStatus::converged) << sd;
    EXPECT_TRUE(mean.unique);
    EXPECT_LE(mean.gradient_norm, 1e-12 * std::sqrt(mean.variance / 2)) << sd;
  }
}

// A descent that can go no further is not one that was cut off: only the latter is helped by more iterations.
TEST(FrechetMean, StalledIsNotCutOff) {
  class Rough final : public Manifold {
   public:
    explicit Rough(ManifoldPtr inner) : inner_(std::move(inner)) {}
    std::string spec() const override { return inner_->spec(); }
    Index dim() const override { return inner_->dim(); }
    Index ambient_dim() const override { return inner_->ambient_dim(); }
    std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
      return std::make_unique<Space>(inner_->at(p));
    }
    std::optional<std::string> defect(ConstVectorRef x, double t) const override { return inner_->defect(x, t); }
    Vector project(ConstVectorRef x) const override { return inner_->project(x); }
    double injectivity_radius() const override { return inner_->injectivity_radius(); }
    double mean_ball_radius() const override { return inner_->mean_ball_radius(); }
    Vector random_point(Random& random) const override { return inner_->random_point(random); }

   private:
    // The logarithm points away from where it should.
    class Space final : public TangentSpace {
     public:
      explicit Space(std::unique_ptr<const TangentSpace> inner) : inner_(std::move(inner)) {}
      const Vector& base() const override { return inner_->base(); }
      Index dim() const override { return inner_->dim(); }
      LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
        LogReport report = inner_->log(points, coords);
        coords *= -1;
        return report;
      }
      ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override { return inner_->exp(coords, points); }
      Matrix to_ambient(ConstMatrixRef coords) const override { return inner_->to_ambient(coords); }
      Matrix to_coords(ConstMatrixRef ambient) const override { return inner_->to_coords(ambient); }
      Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override { return inner_->transport(v, coords); }
      std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override { return inner_->jacobi(v); }
      double injectivity_radius() const override { return inner_->injectivity_radius(); }

     private:
      std::unique_ptr<const TangentSpace> inner_;
    };
    ManifoldPtr inner_;
  };
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix points = scattered(*sphere, 20, 0.2);
  MeanOptions options;
  options.max_iterations = 500;
  const FrechetMean stalled = frechet_mean(Rough(sphere), points, options);
  EXPECT_EQ(stalled.status, MeanStatus::stalled) << to_string(stalled.status);
  EXPECT_LT(stalled.iterations, 500);
  EXPECT_EQ(to_string(MeanStatus::stalled), "stalled");
  options.max_iterations = 0;
  EXPECT_EQ(frechet_mean(*sphere, points, options).status, MeanStatus::max_iterations);
}

TEST(FrechetMean, FewFullPassesForManyPoints) {
  for (const char* spec : {"spd:3/affine-invariant", "sphere:2", "kendall:90", "so:3", "hyperbolic:2"}) {
    const ManifoldPtr manifold = parse_manifold(spec);
    const Index N = manifold->dim() > 20 ? 5000 : 50000;
    // Within the ball of uniqueness, so that no restarts are counted.
    const Matrix points = scattered(*manifold, N, 0.3 / std::sqrt(static_cast<double>(manifold->dim())));
    const FrechetMean mean = frechet_mean(*manifold, points);
    EXPECT_EQ(mean.status, MeanStatus::converged) << spec;
    EXPECT_LE(mean.passes, 8) << spec;
    EXPECT_LE(mean.gradient_norm, 1e-12 * std::sqrt(mean.variance / 2)) << spec;
  }
}

// f is a sum of so many rounded terms that its decrease near the minimum is lost: the steps must be taken all the same.
TEST(FrechetMean, ManyRoundedTermsStopNoStep) {
  const ManifoldPtr manifold = parse_manifold("sphere:2");
  for (const std::uint64_t seed : {0u, 5u, 11u}) {
    Random random(seed);
    const auto space = manifold->at(manifold->random_point(random));
    Matrix points(3, 100'000);
    space->exp(0.3 / std::sqrt(2.0) * random.normals(2, points.cols()), points);
    const FrechetMean mean = frechet_mean(*manifold, points);
    EXPECT_LE(mean.passes, 6) << seed;
    EXPECT_LE(mean.gradient_norm, 1e-12 * std::sqrt(mean.variance / 2)) << seed;
  }
}

TEST(FrechetMean, ManyTimesTheSameIsTheSame) {
  const ManifoldPtr manifold = parse_manifold("sphere:3");
  const Matrix few = scattered(*manifold, 50, 0.4);
  const FrechetMean once = frechet_mean(*manifold, few);
  EXPECT_TRUE(close(frechet_mean(*manifold, few.replicate(1, 60)).mean, once.mean, 1e-13));
  // Weights replace copies, and any common factor.
  Matrix doubled(4, 60);
  doubled << few, few.leftCols(10);
  Vector weights = Vector::Constant(50, 1e-200);
  weights.head(10) *= 2;
  EXPECT_TRUE(close(frechet_mean(*manifold, few, weights).mean, frechet_mean(*manifold, doubled).mean, 1e-13));
}

TEST(FrechetMean, OneHeavyPointAmongMany) {
  const ManifoldPtr manifold = parse_manifold("hyperbolic:2");
  const Matrix points = scattered(*manifold, 20000, 1.0);
  Vector weights = Vector::Ones(20000);
  weights[777] = 1e5;
  const FrechetMean mean = frechet_mean(*manifold, points, weights);
  EXPECT_EQ(mean.status, MeanStatus::converged);
  EXPECT_LE(mean.passes, 8);
}

TEST(FrechetMean, SinglePointsAndCopies) {
  for (const std::string& spec : every_example()) {
    SCOPED_TRACE(spec);
    const ManifoldPtr manifold = parse_manifold(spec);
    Random random(3);
    const Vector p = manifold->project(manifold->random_point(random));
    for (const Index count : {1, 7}) {
      const FrechetMean mean = frechet_mean(*manifold, p.replicate(1, count));
      EXPECT_EQ(mean.status, MeanStatus::converged);
      EXPECT_LE((mean.mean - p).norm(), 1e-15 * p.norm());
      EXPECT_LE(mean.radius, 1e-7);
    }
    // Two points: the midpoint.
    const auto space = manifold->at(p);
    const Vector v = random.normals(manifold->dim()).normalized() * 0.3 * std::min(1.0, space->injectivity_radius());
    Matrix two(p.size(), 2);
    two << p, exp_point(*space, v);
    const FrechetMean mean = frechet_mean(*manifold, two);
    EXPECT_LE(distance(*manifold, mean.mean, exp_point(*space, v / 2)), 1e-9);
  }
}

TEST(FrechetMean, ZeroWeightsAreNoData) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  Matrix points = scattered(*sphere, 11, 0.2);
  const FrechetMean expected = frechet_mean(*sphere, points.leftCols(10));
  points.col(10) = -expected.mean;  // on the cut locus, but without weight
  Vector weights = Vector::Ones(11);
  weights[10] = 0;
  const FrechetMean mean = frechet_mean(*sphere, points, weights);
  EXPECT_TRUE(close(mean.mean, expected.mean, 1e-15));
  EXPECT_EQ(mean.status, MeanStatus::converged);
  EXPECT_EQ(mean.cut_points, 0);
  EXPECT_LT(mean.radius, 1.5);
}

TEST(FrechetMean, AmbiguousDataIsCalledSo) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  Matrix antipodal(3, 2);
  antipodal << 1, -1, 0, 0, 0, 0;
  FrechetMean mean = frechet_mean(*sphere, antipodal);
  EXPECT_EQ(mean.status, MeanStatus::not_unique_suspected) << to_string(mean.status);
  EXPECT_NEAR(mean.variance, pi * pi / 4, 1e-12);
  EXPECT_FALSE(mean.unique);

  Matrix cross(3, 4);
  cross << 1, -1, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0;
  mean = frechet_mean(*sphere, cross);
  EXPECT_EQ(mean.status, MeanStatus::not_unique_suspected) << to_string(mean.status);
  EXPECT_EQ(mean.distinct_minima, 2);
  EXPECT_NEAR(std::abs(mean.mean[2]), 1, 1e-12);

  Matrix triangle(3, 3);
  for (Index i = 0; i < 3; ++i) {
    const double angle = 2 * pi * static_cast<double>(i) / 3;
    triangle.col(i) << std::cos(angle), std::sin(angle), 0;
  }
  mean = frechet_mean(*sphere, triangle);
  EXPECT_EQ(mean.status, MeanStatus::not_unique_suspected) << to_string(mean.status);
  EXPECT_EQ(mean.distinct_minima, 2);
  EXPECT_NEAR(std::abs(mean.mean[2]), 1, 1e-12);
  EXPECT_NEAR(mean.minima_gap, 0, 1e-12);

  // On the circle each of the three points is itself a minimum.
  mean = frechet_mean(*parse_manifold("sphere:1"), triangle.topRows(2));
  EXPECT_EQ(mean.status, MeanStatus::not_unique_suspected) << to_string(mean.status);
  EXPECT_EQ(mean.distinct_minima, 3);
}

// The lowest of several minima, also where the start leads to another.
TEST(FrechetMean, FindsTheLowestMinimum) {
  const ManifoldPtr torus = parse_manifold("torus:2");
  Random random(8);
  for (int k = 0; k < 20; ++k) {
    Matrix points(2, 6);
    for (Index i = 0; i < 6; ++i) points.col(i) = torus->random_point(random);
    const FrechetMean mean = frechet_mean(*torus, points);
    // By brute force over a grid.
    double least = infinity;
    for (int a = 0; a < 200; ++a)
      for (int b = 0; b < 200; ++b) {
        const Vector p = Eigen::Vector2d(a * pi / 100 - pi, b * pi / 100 - pi);
        least = std::min(least, torus->at(p)->distance(points).squaredNorm() / 6);
      }
    EXPECT_LE(mean.variance, least);
    EXPECT_GT(mean.variance, least - 0.01);
  }
}

TEST(FrechetMean, ManySpreadPointsOnATorus) {
  // Uniform angles: the minima differ little, and only a rule that sees all points finds the lowest.
  const ManifoldPtr torus = parse_manifold("torus:1");
  Random random(4);
  Matrix points(1, 4000);
  for (Index i = 0; i < 4000; ++i) points.col(i) = torus->random_point(random);
  const FrechetMean mean = frechet_mean(*torus, points);
  double least = infinity;
  for (int a = 0; a < 1000; ++a)
    least = std::min(least, torus->at(Vector::Constant(1, a * pi / 500 - pi))->distance(points).squaredNorm() / 4000);
  EXPECT_LE(mean.variance, least + 1e-12);
}

TEST(FrechetMean, PointsOnTheCutLocusAreCounted) {
  // Weighted so heavily that the mean stays at p up to the pull of -p, whose direction is arbitrary.
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  Matrix points(3, 2);
  points << 0, 0, 0, 0, 1, -1;
  const FrechetMean mean = frechet_mean(*sphere, points, Eigen::Vector2d(1 - 1e-9, 1e-9));
  EXPECT_NEAR(mean.mean[2], 1, 1e-12);
  EXPECT_EQ(mean.cut_points + mean.near_cut_points, 1);
  EXPECT_NE(mean.status, MeanStatus::saddle);
}

TEST(FrechetMean, Scales) {
  const ManifoldPtr plane = parse_manifold("euclidean:2");
  for (const double scale : {1e-200, 1e-30, 1.0, 1e30, 1e200}) {
    Matrix points(2, 4);
    points << 1, 2, 3, 6, -1, 1, 5, -5;
    const FrechetMean mean = frechet_mean(*plane, scale * points);
    EXPECT_TRUE(close(mean.mean / scale, Vector(Eigen::Vector2d(3, 0)), 1e-15)) << scale;
    EXPECT_EQ(mean.status, MeanStatus::converged);
    EXPECT_TRUE(mean.unique);
    EXPECT_NEAR(mean.radius / scale, std::sqrt(34.0), 1e-12);
  }
  // A small cloud far from the origin: all digits that the coordinates have.
  Matrix far(2, 3);
  far << 1e8, 1e8 + 1e-6, 1e8 + 3e-6, 1, 2, 3;
  const FrechetMean mean = frechet_mean(*plane, far);
  EXPECT_LE(std::abs(mean.mean[0] - far.row(0).mean()), 3e-8);
  EXPECT_EQ(mean.mean[1], 2);

  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const FrechetMean tiny = frechet_mean(*sphere, scattered(*sphere, 20, 1e-9));
  EXPECT_EQ(tiny.status, MeanStatus::converged);
  EXPECT_NEAR(tiny.variance, 2e-18, 1.5e-18);
}

TEST(FrechetMean, IllConditionedSpd) {
  // Commuting matrices: the affine-invariant mean is the geometric mean of the eigenvalues.
  Random random(2);
  const Matrix Q = Eigen::HouseholderQR<Matrix>(random.normals(3, 3)).householderQ();
  Matrix diagonal(9, 5), rotated(9, 5);
  Vector logs = Vector::Zero(3);
  for (Index i = 0; i < 5; ++i) {
    const Vector spread = Eigen::Vector3d(std::log(1e6), 0, std::log(1e-6)) + random.normals(3);
    logs += spread / 5;
    const Matrix D = spread.array().exp().matrix().asDiagonal();
    diagonal.col(i) = D.reshaped();
    rotated.col(i) = (Q * D * Q.transpose()).reshaped();
  }
  const ManifoldPtr spd = parse_manifold("spd:3/affine-invariant");
  const FrechetMean plain = frechet_mean(*spd, diagonal);
  EXPECT_EQ(plain.status, MeanStatus::converged);
  for (Index j = 0; j < 3; ++j) EXPECT_NEAR(std::log(plain.mean[4 * j]), logs[j], 1e-11);
  const FrechetMean turned = frechet_mean(*spd, rotated);
  EXPECT_EQ(turned.status, MeanStatus::converged);
  // Storing the rotated matrices already costs eps * 1e12 of the smallest eigenvalue.
  EXPECT_NEAR(std::log(Matrix(turned.mean.reshaped(3, 3)).eigenvalues().real().minCoeff()), logs[2], 1e-2);
}

TEST(FrechetMean, IsDeterministicAndInvariant) {
  for (const char* spec : {"sphere:4", "kendall:6", "so:3", "spd:3/affine-invariant", "grassmann:5x2"}) {
    const ManifoldPtr manifold = parse_manifold(spec);
    const Matrix points = scattered(*manifold, 40, 0.1);
    const FrechetMean mean = frechet_mean(*manifold, points);
    EXPECT_EQ(mean.mean, frechet_mean(*manifold, points).mean) << spec;
    Random random(11);
    const auto isometry = manifold->random_isometry(random);
    if (!isometry) continue;
    Matrix moved(points.rows(), points.cols());
    for (Index i = 0; i < points.cols(); ++i) moved.col(i) = isometry(points.col(i));
    EXPECT_LE(distance(*manifold, frechet_mean(*manifold, moved).mean, isometry(mean.mean)), 1e-12) << spec;
  }
}

TEST(FrechetMean, RejectsMisuse) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix points = scattered(*sphere, 3, 0.1);
  EXPECT_THROW(frechet_mean(*sphere, Matrix(3, 0)), Error);
  EXPECT_THROW(frechet_mean(*sphere, points.topRows(2)), Error);
  EXPECT_THROW(frechet_mean(*sphere, points, Vector::Ones(2)), Error);
  EXPECT_THROW(frechet_mean(*sphere, points, Eigen::Vector3d(1, -1, 1)), Error);
  EXPECT_THROW(frechet_mean(*sphere, points, Eigen::Vector3d(1, NAN, 1)), Error);
  EXPECT_THROW(frechet_mean(*sphere, points, Vector::Zero(3)), Error);
  Matrix broken = points;
  broken(1, 1) = NAN;
  EXPECT_THROW(frechet_mean(*sphere, broken), Error);
}

}  // namespace
}  // namespace wgp
