// Every registered kernel, and sums and products of them, on plain, periodic and mixed latents.
#include "wgp/kernel.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "golden.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;

struct Case {
  std::string kernel;
  Index angles, plain;
  LengthScales scales;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.kernel << " angles " << c.angles << " plain " << c.plain
             << (c.scales == LengthScales::shared ? "" : " ard");
}
std::vector<Case> cases() {
  std::vector<Case> all;
  std::vector<std::string> specs = {"rbf+linear", "rbf*linear+constant", "matern52*rbf"};
  for (const KernelEntry& entry : registered_kernels()) specs.push_back(entry.name);
  for (const std::string& spec : specs)
    for (const auto& [angles, plain] : {std::pair<Index, Index>{0, 2}, {1, 0}, {1, 2}})
      for (const LengthScales scales : {LengthScales::shared, LengthScales::per_dimension})
        if (spec.find("periodic") == std::string::npos || angles > 0) all.push_back({spec, angles, plain, scales});
  return all;
}

class EveryKernel : public ::testing::TestWithParam<Case> {
 protected:
  LatentSpace latent{GetParam().angles, GetParam().plain};
  KernelPtr kernel = parse_kernel(GetParam().kernel, latent, GetParam().scales);
  Random random{11};
  Matrix a = random.normals(latent.dim(), 6), b = random.normals(latent.dim(), 4);
  Vector theta = 0.4 * random.normals(kernel->parameter_count());
};
INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel, ::testing::ValuesIn(cases()));

// Eighth-order central difference of f at 0.
template <class F>
double slope(F f) {
  const double h = 2e-3;
  const double c[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double sum = 0;
  for (int k = 1; k <= 4; ++k) sum += c[k - 1] * (f(k * h) - f(-k * h));
  return sum / h;
}

TEST_P(EveryKernel, SpecRoundTripsAndNamesCount) {
  EXPECT_EQ(parse_kernel(kernel->spec(), latent, GetParam().scales)->spec(), kernel->spec());
  EXPECT_EQ(kernel->default_parameters().size(), kernel->parameter_count());
  for (const Index index : kernel->length_parameters()) EXPECT_LT(index, kernel->parameter_count());
}

TEST_P(EveryKernel, IsSymmetricPositiveSemidefiniteWithItsDiagonal) {
  const Matrix K = kernel->cov(theta, a, a);
  EXPECT_TRUE(close(K, K.transpose(), 1e-15));
  EXPECT_TRUE(close(K.diagonal(), kernel->diag(theta, a), 1e-14));
  EXPECT_GE(Eigen::SelfAdjointEigenSolver<Matrix>(K).eigenvalues()[0], -1e-13 * K.norm());
  Matrix lower = Matrix::Constant(6, 6, 9);
  kernel->cov_lower(theta, a, lower);
  EXPECT_TRUE(close(Matrix(lower.triangularView<Eigen::Lower>()), Matrix(K.triangularView<Eigen::Lower>()), 1e-14));
  EXPECT_EQ(lower(0, 5), 9);
}

TEST_P(EveryKernel, AnglesHavePeriodTwoPi) {
  Matrix turned = a;
  turned.topRows(latent.angles()).array() += 2 * std::acos(-1.0);
  EXPECT_TRUE(close(kernel->cov(theta, turned, b), kernel->cov(theta, a, b), 1e-13));
  const Matrix wrapped = latent.wrapped(3 * a);
  EXPECT_TRUE(close(kernel->cov(theta, wrapped, b), kernel->cov(theta, 3 * a, b), 1e-13));
}

TEST_P(EveryKernel, PullBackIsTheDerivative) {
  const Matrix G = random.normals(6, 4), direction = random.normals(latent.dim(), 6);
  const Vector turn = random.normals(theta.size());
  Vector d_theta = Vector::Zero(theta.size());
  Matrix d_a = Matrix::Zero(latent.dim(), 6);
  kernel->pull_back(theta, a, b, kernel->cov(theta, a, b), G, d_theta, d_a);
  const auto f = [&](ConstVectorRef t, ConstMatrixRef x) { return G.cwiseProduct(kernel->cov(t, x, b)).sum(); };
  EXPECT_TRUE(
      close(d_a.cwiseProduct(direction).sum(), slope([&](double h) { return f(theta, a + h * direction); }), 1e-9) ||
      d_a.norm() < 1e-12);
  EXPECT_TRUE(close(d_theta.dot(turn), slope([&](double h) { return f(theta + h * turn, a); }), 1e-9));
}

TEST_P(EveryKernel, PullBackOfTheTriangleIsTheDerivative) {
  const Matrix half = random.normals(6, 6), G = half + half.transpose();
  const Matrix direction = random.normals(latent.dim(), 6);
  const Vector turn = random.normals(theta.size());
  Vector d_theta = Vector::Zero(theta.size());
  Matrix d_X = Matrix::Zero(latent.dim(), 6);
  Matrix K = kernel->cov(theta, a, a), lower_G = G;
  K.triangularView<Eigen::StrictlyUpper>().setConstant(NAN);
  lower_G.triangularView<Eigen::StrictlyUpper>().setConstant(NAN);
  kernel->pull_back_lower(theta, a, K, lower_G, d_theta, d_X);
  const auto f = [&](ConstVectorRef t, ConstMatrixRef x) { return G.cwiseProduct(kernel->cov(t, x, x)).sum(); };
  EXPECT_TRUE(
      close(d_X.cwiseProduct(direction).sum(), slope([&](double h) { return f(theta, a + h * direction); }), 1e-9) ||
      d_X.norm() < 1e-12);
  EXPECT_TRUE(close(d_theta.dot(turn), slope([&](double h) { return f(theta + h * turn, a); }), 1e-9));
}

TEST_P(EveryKernel, PullBackOfTheDiagonalIsTheDerivative) {
  const Vector g = random.normals(6);
  const Matrix direction = random.normals(latent.dim(), 6);
  Matrix d_a = Matrix::Zero(latent.dim(), 6);
  kernel->pull_back_diag(theta, a, g, d_a);
  const double expected = slope([&](double h) { return g.dot(kernel->diag(theta, a + h * direction)); });
  EXPECT_NEAR(d_a.cwiseProduct(direction).sum(), expected, 1e-9 * std::max(1.0, std::abs(expected)));
}

TEST(Kernel, AWrongNameIsAnsweredWithTheNearest) {
  try {
    parse_kernel("rbff", LatentSpace::plain(1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'rbf'"), std::string::npos) << error.what();
  }
  EXPECT_THROW(parse_kernel("periodic", LatentSpace::plain(1)), Error);
  EXPECT_THROW(parse_kernel("rbf+", LatentSpace::plain(1)), Error);
}

}  // namespace
}  // namespace wgp
