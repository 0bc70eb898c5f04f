#include "gp/prediction_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gp/dense_posterior.h"
#include "model/decoder.h"
#include "wgp/fit.h"
#include "wgp/random.h"

namespace wgp {
namespace {

PosteriorPtr process(const char* kernel_spec, const LatentSpace& latent, Index N, double noise, double log_length = 0) {
  Random random(11, 3);
  const KernelPtr kernel = parse_kernel(kernel_spec, latent, LengthScales::shared);
  Vector theta = kernel->default_parameters();
  for (const Index i : kernel->length_parameters()) theta[i] += log_length;
  for (const Index i : kernel->angle_length_parameters()) theta[i] += log_length;
  const Matrix X = random.normals(latent.dim(), N);
  return condition_densely({kernel, latent, theta, noise, 0, X, random.normals(3, N), {}, {}});
}

double largest_variance(const Posterior& posterior) {
  return posterior.prior_variance(posterior.training_latents()).maxCoeff();
}
// A sum of terms a k is known to their size times the rounding error.
double largest_terms(const Posterior& posterior) {
  return largest_variance(posterior) * posterior.arrays().at(weights_array).cwiseAbs().colwise().sum().maxCoeff();
}

void expect_same(const Posterior& posterior, const GpPrediction& found, const Matrix& at, double tolerance) {
  const GpPrediction exact = posterior.predict(at);
  EXPECT_LE((found.mean - exact.mean).cwiseAbs().maxCoeff(), tolerance * largest_terms(posterior));
  EXPECT_LE((found.variance - exact.variance).cwiseAbs().maxCoeff(), 10 * tolerance * largest_variance(posterior));
}

TEST(PredictionTable, IsTheProcessToRounding) {
  struct Case {
    const char* kernel;
    LatentSpace latent;
    double noise, log_length;
  };
  const Case cases[] = {{"rbf", LatentSpace::plain(1), 0.1, 0},       {"rbf", LatentSpace::plain(2), 0.1, 0},
                        {"rbf", LatentSpace::plain(2), 1e-6, 0},      {"rbf", LatentSpace::plain(2), 0.01, -1.5},
                        {"rbf", LatentSpace::plain(2), 0.01, 2},      {"periodic", LatentSpace(1, 0), 0.01, 0},
                        {"periodic", LatentSpace(1, 0), 0.01, 2},     {"periodic*rbf", LatentSpace(1, 1), 0.1, 0.3},
                        {"rbf+linear", LatentSpace::plain(2), 0.1, 0}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.kernel);
    const PosteriorPtr p = process(one.kernel, one.latent, 60, one.noise, one.log_length);
    ASSERT_TRUE(p);
    PredictionTable table(p);
    Random random(5, 5);
    for (int block = 0; block < 4; ++block) {
      const Matrix at = 1.5 * std::exp(std::min(0.0, one.log_length)) * random.normals(one.latent.dim(), 6000);
      expect_same(*p, table.predict(at), at, 2e-14);
    }
    // Cells that had inputs enough have a series: one that is too wide for it would be left to the process.
    GpPrediction found;
    GpSlopes slopes;
    EXPECT_LT(
        table
            .predict_where_known(0.5 * std::exp(std::min(0.0, one.log_length)) * random.normals(one.latent.dim(), 1000),
                                 found, slopes)
            .size(),
        200u);
  }
}

TEST(PredictionTable, SlopesAreThoseOfTheProcess) {
  for (const auto& [kernel, latent] :
       {std::pair("rbf", LatentSpace::plain(1)), std::pair("rbf", LatentSpace::plain(2)),
        std::pair("periodic", LatentSpace(1, 0)), std::pair("periodic*rbf", LatentSpace(1, 1))}) {
    SCOPED_TRACE(kernel);
    const PosteriorPtr p = process(kernel, latent, 60, 0.1);
    PredictionTable table(p);
    Random random(5, 5);
    const Matrix at = 0.5 * random.normals(latent.dim(), 4000);
    table.predict(at);
    GpPrediction found;
    GpSlopes slopes;
    const std::vector<Index> others = table.predict_where_known(at, found, slopes);
    EXPECT_LT(others.size(), 3000u);
    std::vector<bool> known(4000, true);
    for (const Index i : others) known[static_cast<std::size_t>(i)] = false;
    constexpr double h = 1e-5;
    for (Index j = 0; j < latent.dim(); ++j) {
      Matrix above = at, below = at;
      above.row(j).array() += h;
      below.row(j).array() -= h;
      const GpPrediction up = p->predict(above), down = p->predict(below);
      const auto k = static_cast<std::size_t>(j);
      for (Index i = 0; i < 4000; ++i) {
        if (!known[static_cast<std::size_t>(i)]) continue;
        EXPECT_NEAR(slopes.variance[k][i], (up.variance[i] - down.variance[i]) / (2 * h), 1e-8);
        EXPECT_LT((slopes.mean[k].col(i) - (up.mean.col(i) - down.mean.col(i)) / (2 * h)).norm(), 1e-7);
      }
    }
  }
}

TEST(PredictionTable, FewInputsAreExact) {
  const PosteriorPtr p = process("rbf", LatentSpace::plain(2), 40, 0.1);
  PredictionTable table(p);
  Random random(5, 5);
  const Matrix at = random.normals(2, 50);
  const GpPrediction found = table.predict(at), exact = p->predict(at);
  EXPECT_EQ(table.interpolated_cells(), 0);
  EXPECT_LE((found.mean - exact.mean).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(PredictionTable, KinksAndManyDimensionsAreLeftToTheProcess) {
  for (const auto& [kernel, q] : {std::pair("matern32", 2), std::pair("rbf", 3)}) {
    const PosteriorPtr p = process(kernel, LatentSpace::plain(q), 40, 0.1);
    PredictionTable table(p);
    Random random(5, 5);
    for (int block = 0; block < 3; ++block) {
      const Matrix at = random.normals(q, 3000);
      expect_same(*p, table.predict(at), at, 1e-14);
    }
    EXPECT_EQ(table.interpolated_cells(), 0) << kernel;
  }
}

TEST(PredictionTable, FarAwayAndNotANumber) {
  const PosteriorPtr p = process("rbf", LatentSpace::plain(2), 40, 0.1);
  PredictionTable table(p);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Matrix at(2, 5);
  at << 0, 1e300, nan, -1e12, 0, 0, 0, 0, 1e12, nan;
  const GpPrediction found = table.predict(at);
  EXPECT_NEAR(found.mean(0, 1), 0, 1e-300);
  EXPECT_NEAR(found.mean(0, 3), 0, 1e-300);
  EXPECT_TRUE(std::isnan(found.mean(0, 2)));
  EXPECT_TRUE(std::isnan(found.mean(0, 4)));
}

TEST(Decoder, IsTheModel) {
  Random random(3, 3);
  Matrix P(3, 60);
  for (Index i = 0; i < 60; ++i) {
    const double t = 3 * random.uniform();
    P.col(i) << std::cos(t), std::sin(t), 0.3;
    P.col(i) = (P.col(i) + 0.05 * random.normals(3)).normalized();
  }
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  const Model model = fit(parse_manifold("sphere:2"), P, options).model;
  Decoder decoder(model);
  const Matrix X = random.normals(1, 2000);
  decoder.predict(X);
  const Prediction found = decoder.predict(X), exact = model.predict(X);
  EXPECT_LE((found.points - exact.points).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LE((found.variance - exact.variance).cwiseAbs().maxCoeff(), 1e-11 * exact.variance.maxCoeff() + 1e-13);
  EXPECT_EQ(found.noise, exact.noise);
}

}  // namespace
}  // namespace wgp
