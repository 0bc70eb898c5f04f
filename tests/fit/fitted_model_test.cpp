// What fitted models say of points: codes, radii, draws.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "fit/point_sets.h"
#include "wgp/fit.h"

namespace wgp {
namespace {

TEST(Encode, IsAsGoodAsTenIndependentStarts) {
  const ManifoldPtr space = parse_manifold("euclidean:6");
  Random random(10);
  const Index N = 200;
  const Matrix X = 1.2 * random.normals(2, N);
  const KernelPtr kernel = parse_kernel("rbf", LatentSpace::plain(2));
  const Matrix K = kernel->cov(kernel->default_parameters(), X, X) + 1e-9 * Matrix::Identity(N, N);
  const Matrix P = (Matrix(K.llt().matrixL()) * random.normals(N, 6)).transpose() + 0.1 * random.normals(6, N);
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  options.inits = {"given"};
  options.given_latents = X.leftCols(150);
  const Model model = fit(space, P.leftCols(150), options).model;
  const Matrix test = P.rightCols(50);
  const Encoding encoding = model.encode(test);
  int worse = 0, outside = 0;
  for (Index i = 0; i < test.cols(); ++i) {
    // Where nothing was seen, a density may be higher still: the status says so.
    if (encoding.status[static_cast<std::size_t>(i)] == EncodeStatus::outside_support) {
      ++outside;
      continue;
    }
    // A dense grid stands for any number of starts.
    double best = -infinity;
    Matrix grid(2, 61 * 61);
    for (Index k = 0; k < grid.cols(); ++k)
      grid.col(k) =
          Eigen::Vector2d(-3.6 + 0.12 * static_cast<double>(k % 61), -3.6 + 0.12 * static_cast<double>(k / 61));
    best = model.log_density(grid, test.col(i).replicate(1, grid.cols())).maxCoeff();
    worse += encoding.log_density[i] < best - 1e-6;
  }
  EXPECT_LE(worse, 1);
  EXPECT_LE(outside, 4);
}

TEST(Encode, LatentsOfTrainingPointsComeBackWithSmallSpread) {
  const ManifoldPtr space = parse_manifold("euclidean:5");
  const Matrix P = test::sheet(*space, 60, 0.01, 12);
  FitOptions point;
  point.inference = Inference::point;
  const Model model = fit(space, P, point).model;
  const Encoding encoding = model.encode(P);
  EXPECT_LT((model.parts().X - encoding.X).colwise().norm().mean(), 0.2);
  EXPECT_TRUE((encoding.sd.array() > 0).all());
}

// Points of all kinds, also far from what the model knows: a latent is never less certain than the support is wide, and
// where the status says ok it is a minimum.
TEST(Encode, SpreadIsBoundedAndOkMeansAMinimum) {
  const ManifoldPtr space = parse_manifold("euclidean:5");
  Random random(31);
  const Matrix P = test::sheet(*space, 60, 0.05, 12);
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  const Model model = fit(space, P, options).model;
  Matrix test(5, 120);
  test << P, P + random.normals(5, 60) * 0.5 * P.rowwise().norm().maxCoeff() / std::sqrt(60.0);
  const Matrix& X = model.parts().X;
  const Vector widest = ((X.rowwise().maxCoeff() - X.rowwise().minCoeff()).array() + 2) / std::sqrt(12.0);
  for (const Encoder encoder : {Encoder::density, Encoder::projection}) {
    const Encoding encoding = model.encode(test, {encoder, 2});
    for (Index i = 0; i < test.cols(); ++i) {
      EXPECT_TRUE((encoding.sd.col(i).array() > 0).all()) << i;
      EXPECT_TRUE((encoding.sd.col(i).array() <= widest.array() * (1 + 1e-12)).all()) << i << ' ' << encoding.sd.col(i);
      if (encoder == Encoder::projection || encoding.status[static_cast<std::size_t>(i)] != EncodeStatus::ok) continue;
      for (Index j = 0; j < X.rows(); ++j)
        for (const double side : {-1e-3, 1e-3}) {
          Vector moved = encoding.X.col(i);
          moved[j] += side;
          EXPECT_LT(model.log_density(moved, test.col(i))[0], encoding.log_density[i] + 1e-7) << i << ' ' << j;
        }
    }
  }
}

TEST(Conformal, RadiusIsTheRightOrderStatistic) {
  const ManifoldPtr space = parse_manifold("euclidean:4");
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  options.calibration_share = 0.5;
  const Model model = fit(space, test::sheet(*space, 38, 0.05, 13), options).model;
  ASSERT_EQ(model.parts().calibration.size(), 19);
  EXPECT_EQ(*model.conformal_radius(0.5), model.parts().calibration[9]);
  EXPECT_EQ(*model.conformal_radius(0.95), model.parts().calibration[18]);
  EXPECT_EQ(*model.conformal_radius(0.96), infinity);
  EXPECT_THROW(model.conformal_radius(1.5), Error);
}

TEST(Model, ConfidenceRadiusHoldsItsShareOfDraws) {
  const ManifoldPtr space = parse_manifold("euclidean:4");
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  const Model model = fit(space, test::sheet(*space, 40, 0.05, 16), options).model;
  const Matrix x = model.parts().X.leftCols(1);
  Random random(3);
  const Matrix draws = model.sample(x, 4000, random);
  const Vector distances = (draws.colwise() - model.predict(x).points.col(0)).colwise().norm();
  for (const double level : {0.5, 0.9}) {
    const double radius = model.confidence_radius(x, level)[0];
    EXPECT_NEAR((distances.array() <= radius).cast<double>().mean(), level, 0.03);
  }
  EXPECT_THROW(model.confidence_radius(x, 0), Error);
}

}  // namespace
}  // namespace wgp
