// Spectra and lattices against numbers computed elsewhere, and against the kernels themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "golden.h"
#include "gp/lattice.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

Modes modes_of(const nlohmann::json& rows, Index q) { return test::columns(rows, q).cast<int>(); }
LatentSpace space_of(const std::string& types) {
  const auto angles = std::count(types.begin(), types.end(), 'a');
  return {angles, static_cast<Index>(types.size()) - angles};
}

TEST(Spectrum, AgreesWithHighPrecision) {
  for (const char* name : {"rbf", "matern32", "matern52", "periodic"}) {
    SCOPED_TRACE(name);
    const auto& group = golden(std::string("fvb.spectrum.") + name);
    const auto& in = group["inputs"];
    const bool periodic = std::string(name) == "periodic";
    const SpectralShape shape = std::string(name) == "matern32"   ? SpectralShape::matern32
                                : std::string(name) == "matern52" ? SpectralShape::matern52
                                                                  : SpectralShape::rbf;
    const KernelSpectrum spectrum(periodic ? LatentSpace(1, 0) : LatentSpace(0, 1), {{shape, 0, {1}}}, 2);
    const Vector theta = Eigen::Vector2d(0, in["log_l"].get<double>());
    const Vector period = Vector::Constant(1, periodic ? 1 : in["T"].get<double>());
    Matrix by;
    const Vector a = spectrum.amplitudes(theta, period, modes_of(in["k"], 1), &by);
    EXPECT_TRUE(close(a, column(group["outputs"]["a"]), 1e-12));
    EXPECT_TRUE(close(by.col(1), column(group["outputs"]["dlog_a_dlog_l"]), 1e-11));
    EXPECT_TRUE(close(by.col(0), Vector::Ones(a.size()), 1e-15));
  }
}

TEST(Spectrum, RadialOverTwoCoordinates) {
  const auto& group = golden("fvb.spectrum.matern52_2d");
  const KernelSpectrum spectrum(LatentSpace(0, 2), {{SpectralShape::matern52, 0, {1, 2}}}, 3);
  Vector theta = Vector::Zero(3);
  theta.tail(2) = column(group["inputs"]["log_l"]);
  Matrix by;
  const Vector a = spectrum.amplitudes(theta, column(group["inputs"]["T"]), modes_of(group["inputs"]["K"], 2), &by);
  EXPECT_TRUE(close(a, column(group["outputs"]["a"]), 1e-12));
  EXPECT_TRUE(close(by.rightCols(2).transpose().reshaped(), column(group["outputs"]["dlog_a_dlog_l"]), 1e-11));
}

// Far from any one scale: sums over the lattice are the variance, however short or long the length-scale.
TEST(Spectrum, SumsToTheVariance) {
  Modes all(1, 4001);
  for (int k = -2000; k <= 2000; ++k) all(0, k + 2000) = k;
  for (const double log_l : {-3.0, -1.0, 0.0, 1.5, 3.0})
    for (const bool angle : {true, false}) {
      SCOPED_TRACE(testing::Message() << log_l << (angle ? " angle" : " plain"));
      const KernelSpectrum spectrum(LatentSpace(angle, !angle), {{SpectralShape::rbf, 0, {1}}}, 2);
      const Vector theta = Eigen::Vector2d(0.7, log_l), period = Vector::Constant(1, 11.0);
      Matrix by;
      const Vector a = spectrum.amplitudes(theta, period, all, &by);
      EXPECT_TRUE(close(a.sum(), std::exp(0.7), 1e-12));
      // ... so that derivatives by the length sum to nothing,
      EXPECT_LT(std::abs(a.dot(by.col(1))), 1e-11);
      // and are differences.
      const Vector up = Eigen::Vector2d(0.7, log_l + 1e-5), down = Eigen::Vector2d(0.7, log_l - 1e-5);
      const Vector difference = (spectrum.amplitudes(up, period, all) - spectrum.amplitudes(down, period, all)) / 2e-5;
      EXPECT_LT((a.cwiseProduct(by.col(1)) - difference).norm(), 1e-8);
    }
}

TEST(Spectrum, IsTheKernel) {
  for (const char* spec : {"rbf", "rbf+rbf", "matern52", "rbf+constant"})
    for (const LatentSpace latent : {LatentSpace(0, 1), LatentSpace(0, 2), LatentSpace(1, 1)}) {
      if (std::string(spec) == "matern52" && (latent.angles() > 0 || latent.dim() > 1)) continue;
      SCOPED_TRACE(testing::Message() << spec << ", " << latent.angles() << " angles of " << latent.dim());
      const KernelPtr kernel = parse_kernel(spec, latent, LengthScales::per_dimension);
      Random random(3);
      const Vector theta = 0.2 * random.normals(kernel->parameter_count());
      const auto terms = spectral_terms(*kernel, latent);
      ASSERT_TRUE(terms);
      const KernelSpectrum spectrum(latent, *terms, kernel->parameter_count());
      const LatticeChoice choice =
          choose_lattice(spectrum, theta, Vector::Constant(latent.dim(), 16), {1e-11, latent.dim() == 1 ? 3001 : 6001});
      const Matrix X = 0.7 * random.normals(latent.dim(), 7);
      const LatticeBlock block(choice.lattice, X, Matrix());
      Modes modes = Modes::Zero(latent.dim(), 1 + choice.lattice.half());
      modes.rightCols(choice.lattice.half()) = choice.lattice.modes();
      const Vector amplitude =
          choice.lattice.feature_amplitudes(spectrum.amplitudes(theta, choice.lattice.periods(), modes));
      const Matrix K = block.features() * amplitude.asDiagonal() * block.features().transpose();
      EXPECT_TRUE(close(K.reshaped(), kernel->cov(theta, X, X).reshaped(), 1e-7));
    }
  EXPECT_FALSE(spectral_terms(*parse_kernel("rbf+linear", LatentSpace::plain(1)), LatentSpace::plain(1)));
  EXPECT_FALSE(spectral_terms(*parse_kernel("rbf*rbf", LatentSpace::plain(1)), LatentSpace::plain(1)));
  EXPECT_FALSE(spectral_terms(*parse_kernel("matern32", LatentSpace(1, 1)), LatentSpace(1, 1)));
}

TEST(Lattice, KeepsTheLevelSet) {
  const auto& group = golden("fvb.truncation.level_set");
  const KernelSpectrum spectrum(LatentSpace(0, 2), {{SpectralShape::rbf, 0, {1, 2}}}, 3);
  const Vector theta = column(group["inputs"]["theta"]);
  const LatticeChoice choice = choose_lattice(spectrum, theta, column(group["inputs"]["T"]), {0.01, 1000});
  EXPECT_EQ(choice.lattice.half(), group["outputs"]["H"].get<Index>());
  EXPECT_TRUE(close(choice.neglected / std::exp(theta[0]), group["outputs"]["neglected"].get<double>(), 1e-9));
  EXPECT_EQ(choice.lattice.modes(), modes_of(group["outputs"]["K_sorted"], 2));
  EXPECT_FALSE(choice.capped);
  const LatticeChoice capped = choose_lattice(spectrum, theta, column(group["inputs"]["T"]), {0.01, 21});
  EXPECT_EQ(capped.lattice.size(), 21);
  EXPECT_TRUE(capped.capped);
}

TEST(Lattice, MomentsAgreeWithHighPrecision) {
  const auto& group = golden("fvb.psi2");
  const auto& in = group["inputs"];
  const LatentSpace latent = space_of(in["types"]);
  const Lattice lattice(latent, column(in["T"]), modes_of(in["K"], 2));
  const LatticeBlock block(lattice, test::columns(in["mu"], 2), test::columns(in["S"], 2));
  EXPECT_TRUE(close(lattice.second_moments(block.table()).reshaped(), column(group["outputs"]["psi2"]), 1e-13));

  const auto& moments = golden("fvb.moments.angle_plain");
  const auto& from = moments["inputs"];
  const Matrix mu = test::columns(from["mu"], 2), S = test::columns(from["S"], 2), m = test::columns(from["m"], 2);
  const Vector T = column(from["T"]);
  // As features of a lattice that holds these frequencies, turned into its half where need be; sums over the points.
  for (Index k = 0; k < m.cols(); ++k) {
    Modes mode = m.col(k).cast<int>();
    const bool zero = mode.isZero(), turned = mode(0) < 0 || (mode(0) == 0 && mode(1) < 0);
    if (turned) mode = -mode;
    if (zero) mode(0) = 1;
    const Matrix E = LatticeBlock(Lattice(latent, T, mode), mu, S).features();
    const Vector re = column(moments["outputs"]["re"]), im = column(moments["outputs"]["im"]);
    EXPECT_NEAR(zero ? static_cast<double>(mu.cols()) : E.col(1).sum(), re[k], 1e-12);
    EXPECT_NEAR(zero ? 0 : (turned ? -1 : 1) * E.col(2).sum(), im[k], 1e-12);
  }
}

class LatticeDerivatives : public testing::TestWithParam<std::pair<Index, Index>> {};

TEST_P(LatticeDerivatives, AreDifferences) {
  const LatentSpace latent(GetParam().first, GetParam().second);
  const Index q = latent.dim(), n = 5;
  const KernelPtr kernel = parse_kernel("rbf", latent, LengthScales::per_dimension);
  const KernelSpectrum spectrum(latent, *spectral_terms(*kernel, latent), kernel->parameter_count());
  const Lattice lattice =
      choose_lattice(spectrum, kernel->default_parameters(), Vector::Constant(q, 9), {1e-2, 41}).lattice;
  Random random(8);
  const Matrix X = random.normals(q, n), S = (0.5 * random.normals(q, n)).array().exp() * 0.1;
  Matrix G = random.normals(lattice.size(), lattice.size());
  G = (G + G.transpose()).eval();
  const Matrix by_features = random.normals(n, lattice.size());
  const Vector weights = random.normals(n).cwiseAbs();
  const Matrix by_table = lattice.by_table(G);
  // sum_n weight_n E phi_n' G phi_n + sum by_features o E phi.
  const auto value = [&](const Matrix& at, const Matrix& spread) {
    const LatticeBlock block(lattice, at, spread);
    double sum = block.features().cwiseProduct(by_features).sum() + weights.dot(block.polynomial(by_table));
    return sum;
  };
  // The polynomial is what the moments of one point make of G.
  const Vector polynomial = LatticeBlock(lattice, X, S).polynomial(by_table);
  for (Index i = 0; i < n; ++i) {
    const LatticeBlock one(lattice, X.col(i), S.col(i));
    EXPECT_NEAR(polynomial[i], lattice.second_moments(one.table()).cwiseProduct(G).sum(), 1e-10);
  }
  const LatticeBlock certain(lattice, X, Matrix());
  EXPECT_TRUE(close(certain.polynomial(by_table),
                    (certain.features() * G).cwiseProduct(certain.features()).rowwise().sum(), 1e-11));
  const LatticeBlock all(lattice, X, S);
  EXPECT_TRUE(close(lattice.first_moments(all.table()), Vector(all.features().colwise().sum()), 1e-12));
  const Vector linear = by_features.row(0);
  EXPECT_TRUE(close(certain.polynomial(lattice.table_of(linear)), certain.features() * linear, 1e-11));
  Matrix d_X = Matrix::Zero(q, n), d_S = Matrix::Zero(q, n);
  LatticeBlock(lattice, X, S).pull_back(by_features, by_table, weights, d_X, d_S);
  constexpr double h = 1e-5;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < q; ++j) {
      Matrix up = X, down = X;
      up(j, i) += h;
      down(j, i) -= h;
      EXPECT_NEAR((value(up, S) - value(down, S)) / (2 * h), d_X(j, i), 1e-6 * (1 + std::abs(d_X(j, i))));
      up = down = S;
      up(j, i) += h;
      down(j, i) -= h;
      EXPECT_NEAR((value(X, up) - value(X, down)) / (2 * h), d_S(j, i), 1e-6 * (1 + std::abs(d_S(j, i))));
    }
}
INSTANTIATE_TEST_SUITE_P(Spaces, LatticeDerivatives,
                         testing::Values(std::pair{1, 0}, std::pair{0, 1}, std::pair{1, 1}, std::pair{0, 2},
                                         std::pair{0, 3}, std::pair{1, 2}, std::pair{2, 0}));

}  // namespace
}  // namespace wgp
