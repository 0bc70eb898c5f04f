// Densities as means over drawn processes.
#include "model/drawn_density.h"

#include <gtest/gtest.h>

#include <cmath>

#include "evidence/process_draws.h"
#include "evidence/variational_evidence.h"
#include "gp/lattice_posterior.h"

namespace wgp {
namespace {

// A sheet in space: two latents, four outputs.
struct Sheet {
  Matrix X, V;
  explicit Sheet(Index N, std::uint64_t stream) {
    Random random(4, stream);
    X = random.normals(2, N);
    V.resize(4, N);
    for (Index n = 0; n < N; ++n) {
      const double a = X(0, n), b = X(1, n);
      V.col(n) << std::sin(1.2 * a), std::cos(a + 0.8 * b), std::sin(1.3 * b), 0.4 * a;
    }
    V += 0.1 * random.normals(4, N);
  }
};

struct Fitted {
  Sheet training{80, 1};
  Model model = made();
  Model made() const {
    Model::Parts parts;
    parts.manifold = parse_manifold("euclidean:4");
    parts.latent = LatentSpace::plain(2);
    parts.kernel = parse_kernel("rbf", parts.latent, LengthScales::shared);
    parts.inference = Inference::variational;
    parts.base = Vector::Zero(4);
    parts.P = training.V;
    parts.X = training.X;
    parts.X_sd = Matrix::Constant(2, 80, 0.1);
    parts.theta = Eigen::Vector2d(std::log(0.6), 0);
    parts.noise = 0.01;
    parts.law = normal_noise(4, 0.01);
    Parameters at = Parameters::of(parts.X, parts.theta, parts.noise);
    at.S = 2 * parts.X_sd.array().log();
    const PosteriorPtr process =
        variational_evidence({parts.kernel, parts.latent, nullptr, nullptr})->condition(at, parts.noise, training.V);
    return {parts, process};
  }
  Model with(std::vector<LatticeDraw> draws) const {
    LatticePosteriorParts parts = *lattice_parts(*model.posterior());
    parts.draws = std::move(draws);
    return {model.parts(), lattice_posterior(std::move(parts))};
  }
  LatticeDraw itself() const {
    const LatticePosteriorParts& parts = *lattice_parts(*model.posterior());
    return {parts.theta, parts.noise, parts.weights, parts.table};
  }
};

// Draws that are the process itself change nothing: a sum over nodes is what importance sampling about codes says.
TEST(DrawnDensity, OfTheProcessItselfIsTheModels) {
  const Fitted of;
  const Matrix points = Sheet(60, 2).V;
  const Vector expected = mixture_log_density(of.model, points),
               once = mixture_log_density(of.with({of.itself()}), points),
               twice = mixture_log_density(of.with({of.itself(), of.itself()}), points);
  EXPECT_FALSE(has_draws(of.model));
  EXPECT_NEAR(once.mean(), expected.mean(), 0.03);
  EXPECT_LT((twice - once).cwiseAbs().maxCoeff(), 1e-12);
}

// Of two processes, one with four times the noise: the mean of both densities.
TEST(DrawnDensity, IsTheMeanOverDraws) {
  const Fitted of;
  const Matrix points = Sheet(30, 2).V;
  LatticeDraw noisy = of.itself();
  noisy.noise *= 4;
  const Vector one = mixture_log_density(of.with({of.itself()}), points),
               other = mixture_log_density(of.with({noisy}), points),
               both = mixture_log_density(of.with({of.itself(), noisy}), points);
  EXPECT_GT((one - other).cwiseAbs().maxCoeff(), 0.5);
  EXPECT_LT((both.array().exp() - (one.array().exp() + other.array().exp()) / 2)
                .cwiseQuotient(both.array().exp())
                .cwiseAbs()
                .maxCoeff(),
            1e-10);
}

// What is kept for one law serves those of other scales.
TEST(DrawnDensity, OfWiderLawsIsThatOfModelsWithThem) {
  const Fitted of;
  const Matrix points = Sheet(30, 2).V;
  const Model drawn = of.with({of.itself()});
  for (const NoiseLawEntry& entry : noise_laws()) {
    const auto with = [&](const NoiseLawPtr& law) { return drawn.with([&](Model::Parts& parts) { parts.law = law; }); };
    const NoiseLawPtr law = entry.example(4)->scaled(0.01), wide = law->with_noise_times(0.5)->scaled(3);
    const Vector kept = DrawnDensity(with(law), points).log_density(*wide),
                 anew = DrawnDensity(with(wide), points).log_density(*wide);
    EXPECT_LT((kept - anew).cwiseAbs().maxCoeff(), 1e-6) << entry.kind;
    EXPECT_GT((DrawnDensity(with(law), points).log_density(*law) - anew).cwiseAbs().maxCoeff(), 0.1) << entry.kind;
  }
}

// Latents that lie beside where they belong are mended on the way, and new points are denser.
TEST(DrawnDensity, OfAChainFromLatentsThatAreOffIsHigher) {
  Fitted of;
  Random random(5);
  of.training.X += 0.15 * random.normals(2, of.training.X.cols());
  of.model = of.made();
  RunControl control;
  const Model::Parts& parts = of.model.parts();
  const auto draws = draw_processes(*lattice_parts(*of.model.posterior()), of.training.V,
                                    {parts.X, parts.X_sd, parts.theta, parts.noise}, {450, 10}, 1, 1, control);
  ASSERT_EQ(draws.size(), 10u);
  const Matrix points = Sheet(300, 2).V;
  EXPECT_GT(mixture_log_density(of.with(draws), points).mean(), mixture_log_density(of.model, points).mean() + 0.05);
}

TEST(LatticeDraws, AreKeptAndCheckedByFiles) {
  const Fitted of;
  const Model drawn = of.with({of.itself(), of.itself()});
  LatticePosteriorParts known = *lattice_parts(*drawn.posterior());
  known.draws.clear();
  auto arrays = drawn.posterior()->arrays();
  const PosteriorPtr back = restore_lattice_posterior(known, arrays);
  EXPECT_EQ(back->arrays(), drawn.posterior()->arrays());
  EXPECT_EQ(drawn_processes(*back).size(), 2u);
  Matrix& weights = arrays.at(lattice_array::draw_weights);
  weights.conservativeResize(weights.rows() - 1, weights.cols());
  EXPECT_THROW(restore_lattice_posterior(known, arrays), Error);
  arrays.erase(lattice_array::draw_weights);
  EXPECT_THROW(restore_lattice_posterior(known, arrays), Error);
}

}  // namespace
}  // namespace wgp
