#include <cmath>
#include <numbers>

#include "golden.h"
#include "wgp/distribution.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;
constexpr double pi = std::numbers::pi;

const Matrix& example_covariance() {
  static const Matrix K = (Matrix(2, 2) << 1.2, 0.3, 0.3, 0.7).finished();
  return K;
}

// Nodes and weights of Gauss-Legendre quadrature on [-1, 1], by Newton on the Legendre polynomial.
void gauss_legendre(int n, Vector& nodes, Vector& weights) {
  nodes.resize(n);
  weights.resize(n);
  for (int i = 0; i < n; ++i) {
    double x = std::cos(pi * (i + 0.75) / (n + 0.5)), derivative = 1;
    for (int iteration = 0; iteration < 20; ++iteration) {
      double before = 1, now = x;
      for (int k = 2; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
        before = now;
        now = next;
      }
      derivative = n * (x * now - before) / (x * x - 1);
      x -= now / derivative;
    }
    nodes[i] = x;
    weights[i] = 2 / ((1 - x * x) * derivative * derivative);
  }
}

// The integral of exp(log density) over S^2, in polar coordinates about `pole`.
template <class LogDensityFunction>
double integral(const Vector& pole, const LogDensityFunction& log_density) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const auto space = sphere->at(pole);
  Vector nodes, weights;
  gauss_legendre(60, nodes, weights);
  const int azimuths = 96;
  double sum = 0;
  for (Index i = 0; i < nodes.size(); ++i) {
    const double theta = pi / 2 * (nodes[i] + 1);
    for (int k = 0; k < azimuths; ++k) {
      const double phi = 2 * pi * (k + 0.5) / azimuths;
      const Vector x = exp_point(*space, theta * Eigen::Vector2d(std::cos(phi), std::sin(phi)));
      sum += weights[i] * pi / 2 * std::sin(theta) * 2 * pi / azimuths * std::exp(log_density(x));
    }
  }
  return sum;
}

TEST(WrappedGaussian, GoldenSphere) {
  const auto& group = golden("wgd.S2");
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Vector pole = Vector::Unit(3, 2);
  const auto space = sphere->at(pole);
  // The golden frame is (e1, e2): turn the covariance into ours.
  const Matrix frame = space->to_ambient(Matrix::Identity(2, 2)).topRows(2);
  const Matrix K = frame.transpose() * column(group["inputs"]["K"]).reshaped(2, 2) * frame;
  const double theta = group["inputs"]["colatitude"], phi = group["inputs"]["azimuth"];
  const Vector x = Eigen::Vector3d(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta));
  const WrappedGaussian gaussian(sphere, pole, K);
  const auto& out = group["outputs"];
  const LogDensity exact = gaussian.log_density(x);
  EXPECT_TRUE(close(std::exp(exact.values[0]), out["density_riem"].get<double>(), 1e-12));
  EXPECT_TRUE(close(exact.neglected[0], 1 - out["weights_exact"][4].get<double>(), 1e-11));
  EXPECT_TRUE(close(std::exp(gaussian.log_density(x, DensityKind::paper).values[0]), out["density_paper"].get<double>(),
                    1e-12));
  EXPECT_TRUE(close(gaussian.log_density(x, DensityKind::principal).values[0],
                    out["log_density_principal_only"].get<double>(), 1e-12));

  JointWrappedGaussian joint{sphere, sphere, pole, pole, K, Matrix::Zero(2, 2), K};
  for (const auto& [kind, name] :
       {std::pair(DensityKind::exact, "weights_exact"), {DensityKind::paper, "weights_paper"}}) {
    Vector expected = column(out[name]);
    std::sort(expected.begin(), expected.end(), std::greater<>());
    const Vector weights = condition(joint, x, kind).weights;
    ASSERT_GE(weights.size(), 3);
    EXPECT_TRUE(close(weights.head(3), expected.head(3), 1e-12));
    EXPECT_NEAR(weights[1] / expected[1], 1, 1e-11);
    EXPECT_NEAR(weights[2] / expected[2], 1, 1e-11);
  }
}

TEST(WrappedGaussian, DensityIntegratesToOne) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  Random random(1);
  const Vector mean = sphere->random_point(random);
  const WrappedGaussian gaussian(sphere, mean, example_covariance());
  const auto mass = [&](const WrappedGaussian& of, DensityKind kind) {
    return integral(mean, [&](const Vector& x) { return of.log_density(x, kind).values[0]; });
  };
  EXPECT_NEAR(mass(gaussian, DensityKind::exact), 1, 1e-10);
  EXPECT_NEAR(mass(gaussian, DensityKind::paper), 0.741, 1e-3);
  EXPECT_LT(mass(gaussian, DensityKind::principal), 0.999);
  const WrappedGaussian shifted(sphere, mean, Eigen::Vector2d(1.0, -2.5), example_covariance());
  EXPECT_NEAR(mass(shifted, DensityKind::exact), 1, 1e-10);
}

TEST(WrappedGaussian, CircleAndTorus) {
  // sum_k N(y + 2 pi k), to which the far windings contribute when the Gaussian is wide or thin and slanted.
  const ManifoldPtr circle = parse_manifold("torus:1");
  for (const double variance : {0.1, 4.0, 400.0}) {
    const WrappedGaussian gaussian(circle, Vector::Zero(1), Vector::Constant(1, 0.4), Matrix::Constant(1, 1, variance));
    for (const double y : {-3.0, 0.1, pi}) {
      double sum = 0;
      for (int k = -200; k <= 200; ++k) sum += std::exp(-std::pow(y + 2 * pi * k - 0.4, 2) / (2 * variance));
      sum /= std::sqrt(2 * pi * variance);
      EXPECT_NEAR(std::exp(gaussian.log_density(Vector::Constant(1, y)).values[0]) / sum, 1, 1e-12) << variance << y;
    }
  }
  Matrix K(2, 2);
  const Eigen::Vector2d along(1, std::sqrt(2.0)), across(-std::sqrt(2.0), 1);
  K = 30 * along * along.transpose() / 3 + 1e-2 * across * across.transpose() / 3;
  const WrappedGaussian slanted(parse_manifold("torus:2"), Vector::Zero(2), K);
  const Vector x = Eigen::Vector2d(2.0, -1.0);
  const Matrix inverse = K.inverse();
  double sum = 0;
  for (int a = -60; a <= 60; ++a)
    for (int b = -60; b <= 60; ++b) {
      const Eigen::Vector2d v = x + 2 * pi * Eigen::Vector2d(a, b);
      sum += std::exp(-v.dot(inverse * v) / 2);
    }
  sum /= 2 * pi * std::sqrt(K.determinant());
  EXPECT_NEAR(slanted.log_density(x).values[0], std::log(sum), 1e-9);
}

TEST(WrappedGaussian, EuclideanIsTheOrdinaryGaussian) {
  const ManifoldPtr plane = parse_manifold("euclidean:2");
  const WrappedGaussian gaussian(plane, Eigen::Vector2d(1, 2), Eigen::Vector2d(0.5, 0), example_covariance());
  const Vector x = Eigen::Vector2d(-1, 0.3), r = x - Eigen::Vector2d(1.5, 2);
  const double expected = -std::log(2 * pi) - 0.5 * std::log(example_covariance().determinant()) -
                          0.5 * r.dot(example_covariance().inverse() * r);
  for (const DensityKind kind : {DensityKind::exact, DensityKind::principal, DensityKind::paper})
    EXPECT_NEAR(gaussian.log_density(x, kind).values[0], expected, 1e-13);
  EXPECT_EQ(gaussian.log_density(x).neglected[0], 0);
  EXPECT_TRUE(gaussian.log_density(x).complete);
}

TEST(WrappedGaussian, IllDefinedPointsStayFinite) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Vector pole = Vector::Unit(3, 2);
  const WrappedGaussian gaussian(sphere, pole, example_covariance());
  Matrix points(3, 3);
  points << -pole, pole, Vector::Unit(3, 0);
  for (const DensityKind kind : {DensityKind::exact, DensityKind::principal, DensityKind::paper}) {
    const LogDensity density = gaussian.log_density(points, kind);
    EXPECT_TRUE(density.values.allFinite());
    EXPECT_EQ(density.status[0], LogStatus::cut_locus);
    EXPECT_EQ(density.status[2], LogStatus::ok);
  }
  EXPECT_NEAR(gaussian.log_density(pole).values[0], -std::log(2 * pi * std::sqrt(0.75)), 1e-12);
  EXPECT_EQ(gaussian.log_density(Matrix(3, 0)).values.size(), 0);
}

TEST(WrappedGaussian, SamplesAreOnTheManifoldAndFollowTheCovariance) {
  for (const char* spec : {"sphere:2", "spd:2/affine-invariant", "kendall:5", "so:3"}) {
    const ManifoldPtr manifold = parse_manifold(spec);
    const Index d = manifold->dim();
    Random random(7);
    const Vector mean = manifold->random_point(random);
    const Matrix A = 0.1 * random.normals(d, d);
    const Matrix K = A * A.transpose() / static_cast<double>(d) + 1e-4 * Matrix::Identity(d, d);
    const WrappedGaussian gaussian(manifold, mean, K);
    const Index count = 20000;
    const Sample sample = gaussian.sample(random, count);
    EXPECT_EQ(sample.rejected, 0);
    Matrix coords(d, count);
    manifold->at(mean)->log(sample.points, coords);
    EXPECT_LT((coords * coords.transpose() / static_cast<double>(count) - K).norm(), 0.05 * K.norm()) << spec;
    for (Index i = 0; i < 100; ++i) EXPECT_FALSE(manifold->defect(sample.points.col(i)).has_value());
    Random first(3), second(3);
    EXPECT_EQ(gaussian.sample(first, 10).points, gaussian.sample(second, 3000).points.leftCols(10));
  }
}

// E[g(X)] from samples against the integral of g times the density.
TEST(WrappedGaussian, SamplesFollowTheDensity) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Vector mean = Vector::Unit(3, 1);
  const WrappedGaussian gaussian(sphere, mean, Eigen::Vector2d(0.3, 0.8), 3 * example_covariance());
  Random random(2);
  const Index count = 100000;
  const Matrix points = gaussian.sample(random, count).points;
  for (Index j = 0; j < 3; ++j) {
    const double expected =
        integral(mean, [&](const Vector& x) { return gaussian.log_density(x).values[0] + std::log1p(0.9 * x[j]); });
    EXPECT_NEAR(1 + 0.9 * points.row(j).mean(), expected, 5 * 0.9 / std::sqrt(static_cast<double>(count)));
  }
}

TEST(WrappedGaussian, RedrawsWhatLeavesAnIncompleteManifold) {
  const ManifoldPtr bures = parse_manifold("spd:2/bures-wasserstein");
  const Vector identity = Eigen::Vector4d(1, 0, 0, 1);
  const WrappedGaussian gaussian(bures, identity, Matrix::Identity(3, 3) * 0.5);
  Random random(1);
  const Sample sample = gaussian.sample(random, 500);
  EXPECT_GT(sample.rejected, 10);
  EXPECT_EQ(sample.points.cols(), 500);
  for (Index i = 0; i < 500; ++i) EXPECT_FALSE(bures->defect(sample.points.col(i)).has_value());
}

TEST(Condition, EuclideanReducesToTheGaussianConditional) {
  const ManifoldPtr plane = parse_manifold("euclidean:2"), line = parse_manifold("euclidean:1");
  JointWrappedGaussian joint{plane,
                             line,
                             Eigen::Vector2d(1, 2),
                             Vector::Constant(1, 3),
                             example_covariance(),
                             Eigen::Vector2d(0.4, -0.2),
                             Matrix::Constant(1, 1, 0.9)};
  const WrappedGaussianMixture mixture = condition(joint, Vector::Constant(1, 5));
  ASSERT_EQ(mixture.components.size(), 1u);
  EXPECT_EQ(mixture.weights[0], 1);
  const Vector gain = Eigen::Vector2d(0.4, -0.2) / 0.9;
  EXPECT_TRUE(close(mixture.components[0].offset(), gain * 2, 1e-14));
  EXPECT_TRUE(close(mixture.components[0].covariance(), example_covariance() - 0.9 * gain * gain.transpose(), 1e-14));
}

// p(x1 | x2) = p(x1, x2) / p(x2), with the joint density summed over the preimages of both.
TEST(Condition, MixtureIsTheConditionalDensity) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  Random random(12);
  const Matrix A = 1.5 * random.normals(4, 4);  // wide: the other preimages must count
  const Matrix K = A * A.transpose() + 0.3 * Matrix::Identity(4, 4);
  const Vector mu1 = sphere->random_point(random), mu2 = sphere->random_point(random);
  const Vector x1 = sphere->random_point(random), x2 = sphere->random_point(random);
  const auto space1 = sphere->at(mu1), space2 = sphere->at(mu2);
  const Preimages v1 = space1->preimages(x1, 60), v2 = space2->preimages(x2, 60);
  const Matrix inverse = K.inverse();
  double joint_density = 0;
  for (Index i = 0; i < v1.coords.cols(); ++i)
    for (Index j = 0; j < v2.coords.cols(); ++j) {
      Vector v(4);
      v << v1.coords.col(i), v2.coords.col(j);
      joint_density += std::exp(-v.dot(inverse * v) / 2 - v1.log_abs_det[i] - v2.log_abs_det[j]);
    }
  joint_density /= 4 * pi * pi * std::sqrt(K.determinant());

  const JointWrappedGaussian joint{
      sphere, sphere, mu1, mu2, K.topLeftCorner(2, 2), K.topRightCorner(2, 2), K.bottomRightCorner(2, 2)};
  const auto mixture_density = [&](DensityKind kind) {
    const WrappedGaussianMixture mixture = condition(joint, x2, kind);
    double sum = 0;
    for (std::size_t k = 0; k < mixture.components.size(); ++k)
      sum += mixture.weights[static_cast<Index>(k)] * std::exp(mixture.components[k].log_density(x1).values[0]);
    return sum;
  };
  const double marginal = std::exp(WrappedGaussian(sphere, mu2, joint.K22).log_density(x2).values[0]);
  EXPECT_TRUE(close(mixture_density(DensityKind::exact), joint_density / marginal, 1e-12));
  EXPECT_FALSE(close(mixture_density(DensityKind::paper), joint_density / marginal, 1e-4));
  EXPECT_EQ(condition(joint, x2, DensityKind::principal).components.size(), 1u);
  EXPECT_FALSE(condition(joint, -mu2).countable);
}

TEST(WrappedGaussian, RejectsMisuse) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Vector pole = Vector::Unit(3, 2);
  const Matrix K = example_covariance();
  Matrix indefinite = K, slanted = K;
  indefinite(1, 1) = -1;
  slanted(0, 1) = 0.5;
  EXPECT_THROW(WrappedGaussian(sphere, pole, indefinite), Error);
  EXPECT_THROW(WrappedGaussian(sphere, pole, slanted), Error);
  EXPECT_THROW(WrappedGaussian(sphere, pole, Matrix::Zero(2, 2)), Error);
  EXPECT_THROW(WrappedGaussian(sphere, pole, Matrix::Identity(3, 3)), Error);
  EXPECT_THROW(WrappedGaussian(sphere, pole, Matrix::Ones(2, 3)), Error);
  EXPECT_THROW(WrappedGaussian(sphere, 2 * pole, K), Error);
  EXPECT_THROW(WrappedGaussian(sphere, Vector::Ones(2), K), Error);
  EXPECT_THROW(WrappedGaussian(sphere, pole, Vector::Zero(3), K), Error);
  const WrappedGaussian gaussian(sphere, pole, K);
  EXPECT_THROW(gaussian.log_density(Matrix::Ones(2, 2)), Error);
  Random random(1);
  EXPECT_THROW(gaussian.sample(random, -1), Error);
  EXPECT_EQ(gaussian.sample(random, 0).points.cols(), 0);
  JointWrappedGaussian joint{sphere, sphere, pole, pole, K, 2 * K, K};  // not a covariance
  EXPECT_THROW(condition(joint, pole), Error);
}

}  // namespace
}  // namespace wgp
