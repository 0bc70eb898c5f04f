// Densities as means over drawn processes.
#include "model/drawn_density.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "evidence/process_draws.h"
#include "evidence/variational_evidence.h"
#include "gp/lattice_posterior.h"
#include "model/prior_nodes.h"

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
    return {model.parts(), lattice_posterior(*lattice_parts(*model.posterior()), std::move(draws))};
  }
  LatticeDraw itself() const {
    const LatticePosteriorParts& parts = *lattice_parts(*model.posterior());
    return {parts.theta, parts.noise, parts.neglected, parts.weights, parts.table};
  }
};

// The sum over all nodes of these latents, node by node, as a model of one process has it.
Vector over_all_nodes(const Model& model, const PosteriorPtr& process, const NoiseLawPtr& law, const Matrix& points) {
  const Vector axis = prior_axis(std::max(40, static_cast<int>(8 / (1.5 * model.parts().X_sd(0, 0)))), 4);
  const PriorNodes nodes = nodes_of_axes(model.parts().latent, {axis, axis});
  Model::Parts parts = model.parts();
  parts.law = law;
  const Model own(std::move(parts), process);
  const GpPrediction prediction = process->predict(nodes.X);
  Vector density(points.cols());
  for (Index i = 0; i < points.cols(); ++i) {
    const Lifted lifted = model.lift().lift(nodes.X.col(0), points.col(i), LiftWanted::vectors_and_volume);
    const Vector squared =
        (law->whiten(prediction.mean).colwise() - law->whiten(lifted.V).col(0)).colwise().squaredNorm();
    const Vector terms = law->log_density(squared, prediction.variance) + nodes.log_weight;
    const double most = terms.maxCoeff();
    density[i] = most + std::log((terms.array() - most).exp().sum());
    // The same at one node by the model's own density, volume and all.
    density[i] += own.log_density(nodes.X.col(0), points.col(i))[0] -
                  law->log_density(squared.head(1), prediction.variance.head(1))[0];
  }
  return density;
}

Matrix with_outliers(Matrix points) {
  points.col(0) *= 3;
  points.col(1).array() += 1.5;
  return points;
}

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

// Of two processes, one with four times the noise: the mean of both densities, each under a law of its noise.
TEST(DrawnDensity, IsTheMeanOverDraws) {
  const Fitted of;
  const Matrix points = with_outliers(Sheet(30, 2).V);
  LatticeDraw noisy = of.itself();
  noisy.noise *= 4;
  const Model drawn = of.with({of.itself(), noisy});
  const std::vector<DrawnProcess>& processes = drawn_processes(*drawn.posterior());
  const Vector one = over_all_nodes(drawn, processes[0].posterior, normal_noise(4, 0.01), points),
               other = over_all_nodes(drawn, processes[1].posterior, normal_noise(4, 0.04), points);
  EXPECT_GT((one - other).cwiseAbs().maxCoeff(), 0.5);
  const Vector expected = ((one - other).array().exp() + 1).log() - std::log(2.0) + other.array();
  EXPECT_LT((mixture_log_density(drawn, points) - expected).cwiseAbs().maxCoeff(), 1e-3);
}

// What is left out counts under none of the laws between those that were named: neither near points nor far ones.
TEST(DrawnDensity, LeavesOutNodesThatDoNotCount) {
  const Fitted of;
  const Matrix points = with_outliers(Sheet(20, 2).V);
  const Model drawn = of.with({of.itself()});
  for (const NoiseLawEntry& entry : noise_laws()) {
    const NoiseLawPtr law = entry.example(4)->scaled(0.03);
    const Model own = drawn.with([&](Model::Parts& parts) { parts.law = law; });
    const auto times = [&](double all, double function) {
      return law->with_noise_times(1 / function)->scaled(function * all);
    };
    const DrawnDensity density(own, drawn_processes(*own.posterior()), points, {times(0.1, 1), law, times(10, 8)});
    for (const NoiseLawPtr& asked : {times(0.1, 1), times(0.4, 2), law, times(3, 8), times(10, 8)})
      EXPECT_LT(
          (density.log_density(*asked) - over_all_nodes(own, own.posterior(), asked, points)).cwiseAbs().maxCoeff(),
          1e-3)
          << entry.kind;
  }
}

// Points on a sphere, whose vectors have more volume than they.
TEST(DrawnDensity, IsPerUnitOfTheManifoldsVolume) {
  Random random(6);
  Model::Parts parts;
  parts.manifold = parse_manifold("sphere:2");
  parts.latent = LatentSpace::plain(2);
  parts.kernel = parse_kernel("rbf", parts.latent, LengthScales::shared);
  parts.inference = Inference::variational;
  parts.base = Vector::Unit(3, 2);
  parts.X = random.normals(2, 40);
  parts.X_sd = Matrix::Constant(2, 40, 0.2);
  const Matrix V = 0.6 * parts.X + 0.1 * random.normals(2, 40);
  parts.theta = Eigen::Vector2d(std::log(2.0), 0);
  parts.noise = 0.01;
  Parameters at = Parameters::of(parts.X, parts.theta, parts.noise);
  at.S = 2 * parts.X_sd.array().log();
  const PosteriorPtr process =
      variational_evidence({parts.kernel, parts.latent, nullptr, nullptr})->condition(at, parts.noise, V);
  const LatticePosteriorParts& known = *lattice_parts(*process);
  parts.P.resize(3, 40);
  for (Index i = 0; i < 40; ++i) {
    const double length = V.col(i).norm(), s = std::sin(length) / length;
    parts.P.col(i) << s * V(0, i), s * V(1, i), std::cos(length);
  }
  const Model model(
      parts, lattice_posterior(known, {{known.theta, known.noise, known.neglected, known.weights, known.table}}));
  ASSERT_TRUE(has_draws(model));
  const Vector expected = over_all_nodes(model, process, model.parts().law, parts.P);
  EXPECT_LT((mixture_log_density(model, parts.P) - expected).cwiseAbs().maxCoeff(), 1e-3);
  // Volumes do matter here.
  EXPECT_GT(model.lift().lift(Matrix(), parts.P, LiftWanted::vectors_and_volume).log_volume.cwiseAbs().maxCoeff(), 0.2);
}

// Its own law is that of the one process; beside draws it is multiplied.
TEST(DrawnDensity, HasALawOfItsOwn) {
  const Fitted of;
  const Matrix points = Sheet(20, 2).V;
  const Model drawn = of.with({of.itself()});
  const Model narrow = drawn.with([](Model::Parts& parts) { parts.scales_of_draws = {0.5, 3}; });
  EXPECT_LT((mixture_log_density(narrow, points) -
             over_all_nodes(drawn, drawn.posterior(), normal_noise(4, 0.005, 1.5), points))
                .cwiseAbs()
                .maxCoeff(),
            1e-3);
  EXPECT_EQ(narrow.confidence_radius(drawn.parts().X, 0.9), drawn.confidence_radius(drawn.parts().X, 0.9));
}

// However far a point is, and where distances are no numbers any more.
TEST(DrawnDensity, OfFarPointsIsANumberOrNothing) {
  const Fitted of;
  Matrix points = Sheet(4, 2).V;
  points.col(1) *= 1e4;
  points.col(2) *= 1e100;
  points.col(3) *= 1e200;
  for (const NoiseLawEntry& entry : noise_laws()) {
    const NoiseLawPtr law = entry.example(4)->scaled(0.03);
    const Model drawn = of.with({of.itself(), of.itself()}).with([&](Model::Parts& parts) { parts.law = law; });
    const Vector density = mixture_log_density(drawn, points);
    EXPECT_TRUE(density.head(3).allFinite()) << entry.kind << "\n" << density;
    EXPECT_EQ(density[3], -infinity) << entry.kind;
    EXPECT_GT(density[0], density[1]);
    EXPECT_GT(density[1], density[2]);
  }
}

// Latents that are known better than nodes are apart: codes find them, nodes would not.
TEST(DrawnDensity, IsLeftToCodesWhereNodesAreTooFarApart) {
  const Fitted of;
  const Model drawn = of.with({of.itself()});
  const auto with_sd = [&](double sd) {
    return drawn.with([&](Model::Parts& parts) { parts.X_sd.row(1).setConstant(sd); });
  };
  EXPECT_TRUE(has_draws(with_sd(0.039)));
  EXPECT_FALSE(has_draws(with_sd(0.037)));
  EXPECT_FALSE(has_draws(drawn.with([](Model::Parts& parts) { parts.X_sd.resize(0, 0); })));
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

}  // namespace
}  // namespace wgp
