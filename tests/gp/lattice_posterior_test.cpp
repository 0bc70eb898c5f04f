// A process on a lattice against what it is in other words.
#include "gp/lattice_posterior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "wgp/manifold.h"

namespace wgp {
namespace {

const LatentSpace plane = LatentSpace::plain(2);

// Of 30 points in the plane; the lattice holds all but 1e-9 of the kernel.
LatticePosteriorParts parts_of_points(double neglected) {
  Random random(7);
  LatticePosteriorParts parts;
  parts.kernel = parse_kernel("rbf", plane, LengthScales::per_dimension);
  parts.latent = plane;
  parts.theta = parts.kernel->default_parameters();
  parts.noise = 0.1;
  parts.neglected = neglected;
  parts.X = random.normals(2, 30);
  const KernelSpectrum spectrum(plane, *spectral_terms(*parts.kernel, plane), parts.kernel->parameter_count());
  const Lattice lattice =
      choose_lattice(spectrum, parts.theta, parts.periods = Eigen::Vector2d(11, 13), {1e-9, 2001}).lattice;
  parts.modes = lattice.modes();
  parts.table = LatticeBlock(lattice, parts.X, Matrix()).table();
  parts.weights = 0.1 * random.normals(lattice.size(), 3);
  return parts;
}

TEST(LatticePosterior, PairsOfPlacesAreThePlaces) {
  const PosteriorPtr process = lattice_posterior(parts_of_points(0.02));
  Vector first(5), second(7);
  first << -40, -2, -0.3, 0.8, 30;  // the outermost are beyond the circle
  second << -9, -1.5, -1, 0, 0.2, 1.7, 25;
  const GpPrediction pairs = predict_pairs(*process, first, second);
  Matrix places(2, 35);
  for (Index g = 0; g < 35; ++g) places.col(g) << first[g % 5], second[g / 5];
  const GpPrediction expected = process->predict(places);
  EXPECT_LT((pairs.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((pairs.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_EQ(pairs.variance[0], process->prior_variance(places.col(0))[0]);
  EXPECT_GT((expected.mean.col(6) - expected.mean.col(7)).norm(), 0.01);
}

TEST(LatticePosterior, SlopesAreDifferencesOfItsCovariance) {
  const PosteriorPtr process = lattice_posterior(parts_of_points(0));
  for (const Eigen::Vector2d& x : {Eigen::Vector2d(0.2, -0.7), Eigen::Vector2d(2.5, 1)}) {
    const Matrix own = process->slope_covariance(x), differences = process->Posterior::slope_covariance(x);
    EXPECT_LT((own - differences).norm(), 1e-5 * own.norm()) << own << "\n" << differences;
  }
  // What the lattice leaves out is in no slope.
  const Eigen::Vector2d x(0.2, -0.7);
  EXPECT_EQ(lattice_posterior(parts_of_points(0.02))->slope_covariance(x), process->slope_covariance(x));
}

// Where the data end so does what they say: -k''(0) along either coordinate.
TEST(LatticePosterior, FarSlopesAreThoseOfTheKernel) {
  LatticePosteriorParts parts = parts_of_points(0);
  const Matrix own = lattice_posterior(parts)->slope_covariance(Eigen::Vector2d(100, 3));
  for (Index j = 0; j < 2; ++j) {
    constexpr double h = 1e-3;
    Matrix apart = Matrix::Zero(2, 2);
    apart(j, 1) = h;
    const Matrix covariance = parts.kernel->cov(parts.theta, apart, apart);
    EXPECT_NEAR(own(j, j), 2 * (covariance(0, 0) - covariance(0, 1)) / (h * h), 1e-4 * own(j, j)) << j;
  }
  EXPECT_NEAR(own(0, 1), 0, 1e-8);
}

TEST(LatticePosterior, BoundsAreHalfACircleFromTheMiddle) {
  const LatticePosteriorParts parts = parts_of_points(0);
  const LatticeBounds bounds(parts);
  const Vector middle = (parts.X.rowwise().minCoeff() + parts.X.rowwise().maxCoeff()) / 2;
  EXPECT_TRUE(bounds.hold(parts.X));
  EXPECT_TRUE(bounds.hold(middle + Eigen::Vector2d(5.49, -6.49)));
  EXPECT_FALSE(bounds.hold(middle + Eigen::Vector2d(5.51, 0)));
  EXPECT_FALSE(bounds.hold(middle + Eigen::Vector2d(0, -6.51)));
  EXPECT_FALSE(bounds.hold(Eigen::Vector2d(0, std::nan(""))));
}

class LatticeDraws : public testing::Test {
 protected:
  static LatticeDraw like(const LatticePosteriorParts& parts, double noise, double neglected) {
    return {parts.theta, noise, neglected, parts.weights, parts.table};
  }
  const LatticePosteriorParts parts = parts_of_points(0.01);
  const PosteriorPtr process = lattice_posterior(parts, {like(parts, 0.1, 0.03), like(parts, 0.4, 0.05)});
};

TEST_F(LatticeDraws, HaveNeglectedVariancesOfTheirOwn) {
  const Matrix at = Matrix::Zero(2, 1);
  const double own = process->predict(at).variance[0],
               drawn = drawn_processes(*process)[0].posterior->predict(at).variance[0];
  EXPECT_NEAR(drawn - own, 0.02, 1e-12);
}

TEST_F(LatticeDraws, AreKeptByFilesAsTheyAre) {
  const auto arrays = process->arrays();
  const Matrix& parameters = arrays.at(lattice_array::draw_parameters);
  ASSERT_EQ(parameters.cols(), parts.theta.size() + 2);
  EXPECT_EQ(parameters(1, parts.theta.size()), 0.4);
  EXPECT_EQ(parameters(1, parts.theta.size() + 1), 0.05);
  const PosteriorPtr back = restore_lattice_posterior(parts, arrays);
  EXPECT_EQ(back->arrays(), arrays);
  ASSERT_EQ(drawn_processes(*back).size(), 2u);
  EXPECT_EQ(drawn_processes(*back)[1].noise, 0.4);
  EXPECT_EQ(drawn_processes(*back)[1].posterior->predict(parts.X).variance,
            drawn_processes(*process)[1].posterior->predict(parts.X).variance);
}

// With the noise's logarithm, and the optimum's neglected variance for all.
TEST_F(LatticeDraws, OfTheFirstFilesAreRead) {
  auto arrays = process->arrays();
  Matrix& parameters = arrays.at(lattice_array::draw_parameters);
  const Index kernel = parts.theta.size();
  parameters.conservativeResize(2, kernel + 1);
  parameters.col(kernel) = parameters.col(kernel).array().log().matrix().eval();
  const PosteriorPtr back = restore_lattice_posterior(parts, arrays);
  EXPECT_NEAR(drawn_processes(*back)[1].noise, 0.4, 1e-15);
  EXPECT_EQ(lattice_parts(*drawn_processes(*back)[1].posterior)->neglected, parts.neglected);
}

TEST_F(LatticeDraws, ThatAreImpossibleAreRefused) {
  const Index kernel = parts.theta.size();
  const auto refused = [&](const char* name, const auto& damage) {
    auto arrays = process->arrays();
    damage(arrays.at(name));
    EXPECT_THROW(restore_lattice_posterior(parts, arrays), Error) << name;
  };
  for (const double noise : {0.0, -0.1, std::nan(""), infinity})
    refused(lattice_array::draw_parameters, [&](Matrix& one) { one(1, kernel) = noise; });
  refused(lattice_array::draw_parameters, [&](Matrix& one) { one(0, kernel + 1) = -0.01; });
  refused(lattice_array::draw_parameters, [&](Matrix& one) { one(0, 0) = std::nan(""); });
  // A logarithm of the first files beyond what a number holds.
  refused(lattice_array::draw_parameters, [&](Matrix& one) {
    one.conservativeResize(2, kernel + 1);
    one(0, kernel) = 1000;
  });
  for (const char* name : {lattice_array::draw_weights, lattice_array::draw_tables}) {
    refused(name, [](Matrix& one) { one.conservativeResize(one.rows() - 1, one.cols()); });
    auto arrays = process->arrays();
    arrays.erase(name);
    EXPECT_THROW(restore_lattice_posterior(parts, arrays), Error) << name;
  }
}

}  // namespace
}  // namespace wgp
