// On data drawn from the model itself, where a start at the true latents shows what there is to find.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>
#include <ostream>

#include "wgp/wgp.h"

namespace wgp {
namespace {

struct Case {
  const char* kernel;
  Index angles, plain, d, N;
  double share;  // of the gap between the ordinary start and the one at the true latents
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.kernel << " of " << one.angles << "+" << one.plain; }

class Search : public testing::TestWithParam<Case> {};

TEST_P(Search, ClosesTheGapToTheTrueLatents) {
  const Case& one = GetParam();
  const Index N = one.N;
  constexpr int sets = 2;
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace(one.angles, one.plain);
  options.kernel = one.kernel;
  options.threads = 2;
  const ManifoldPtr space = parse_manifold("euclidean:" + std::to_string(one.d));
  const KernelPtr kernel = parse_kernel(one.kernel, options.latent);
  double gap = 0, left = 0;
  for (int set = 0; set < sets; ++set) {
    Random random(static_cast<std::uint64_t>(40 + set));
    Matrix X = 1.2 * random.normals(one.angles + one.plain, N);
    for (double& angle : X.topRows(one.angles).reshaped()) angle = std::numbers::pi * (2 * random.uniform() - 1);
    Matrix K = kernel->cov(kernel->default_parameters(), X, X);
    K.diagonal().array() += 1e-9;
    const Matrix P =
        (Matrix(K.llt().matrixL()) * random.normals(N, one.d)).transpose() + 0.1 * random.normals(one.d, N);
    FitOptions plain = options;
    plain.effort = Effort::quick;
    plain.inits = {"pga"};
    const double ordinary = fit(space, P, plain).summary.log_posterior;
    plain.inits = {"given"};
    plain.given_latents = X;
    const double truth = fit(space, P, plain).summary.log_posterior;
    const double found = fit(space, P, options).summary.log_posterior;
    gap += std::max(0.0, truth - ordinary);
    left += std::max(0.0, truth - found);
  }
  EXPECT_GT(gap, 20);  // else there is nothing to show
  EXPECT_LT(left, (1 - one.share) * gap);
}

// A spiral of two turns, which components fold.
TEST(GrowthStart, UnfoldsWhatComponentsFold) {
  constexpr Index N = 120;
  Random random(3);
  Matrix P(2, N);
  for (Index i = 0; i < N; ++i) {
    const double s = 4 * std::numbers::pi * random.uniform(), radius = 0.3 + 0.1 * s;
    P.col(i) << radius * std::cos(s) + 0.02 * random.normal(), radius * std::sin(s) + 0.02 * random.normal();
  }
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  const ManifoldPtr plane = parse_manifold("euclidean:2");
  const auto fitted = [&](const std::string& init, ConstMatrixRef points) {
    options.inits = {init};
    return fit(plane, points, options).summary;
  };
  const FitSummary grown = fitted("growth", P);
  ASSERT_EQ(grown.starts.size(), 1u);
  EXPECT_EQ(grown.starts[0].kind.substr(0, 6), "growth");
  EXPECT_GT(grown.starts[0].evaluations, 0);
  EXPECT_GT(grown.log_posterior, fitted("pga", P).log_posterior + 20);
  EXPECT_EQ(grown.log_posterior, fitted("growth", P).log_posterior);
  const Matrix few = P.leftCols(10);  // too few to grow
  EXPECT_EQ(fitted("growth", few).log_posterior, fitted("pga", few).log_posterior);
}

// Points along an arc in the plane.
Matrix arc(Index N) {
  Random random(8);
  Matrix P(2, N);
  for (Index i = 0; i < N; ++i) {
    const double s = 3 * random.uniform();
    P.col(i) << std::cos(s) + 0.05 * random.normal(), std::sin(s) + 0.05 * random.normal();
  }
  return P;
}

TEST(QuickStarts, AreThoseOfThePriorAndAsManyAsAskedFor) {
  const ManifoldPtr plane = parse_manifold("euclidean:2");
  const auto kinds = [&](Prior prior, int starts, std::vector<std::string> inits) {
    FitOptions options;
    options.inference = Inference::point;
    options.latent = LatentSpace::plain(1);
    options.effort = Effort::quick;
    options.max_iterations = 20;
    options.prior = prior;
    options.starts = starts;
    options.inits = std::move(inits);
    std::vector<std::string> found;
    for (const StartReport& start : fit(plane, arc(30), options).summary.starts)
      found.push_back(start.kind.substr(0, start.kind.find('+')));
    std::sort(found.begin(), found.end());
    return found;
  };
  using Kinds = std::vector<std::string>;
  EXPECT_EQ(kinds(Prior::map, 0, {}), (Kinds{"mds", "pga"}));
  EXPECT_EQ(kinds(Prior::map, 1, {}), (Kinds{"pga"}));
  EXPECT_EQ(kinds(Prior::none, 0, {}), (Kinds{"growth", "tour"}));
  EXPECT_EQ(kinds(Prior::none, 1, {}), (Kinds{"growth"}));
  EXPECT_EQ(kinds(Prior::none, 4, {}), (Kinds{"growth", "random", "random", "tour"}));
  EXPECT_EQ(kinds(Prior::map, 2, {"mds"}), (Kinds{"mds", "random"}));
  EXPECT_EQ(kinds(Prior::map, 1, {"mds", "growth"}), (Kinds{"mds"}));
}

// A curve that many growths see: what the moves begin with differs from one to the next by more than most moves bring.
TEST(SearchOfCurves, BeginsAtManyPatches) {
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.max_iterations = 20;
  const std::vector<StartReport> starts = fit(parse_manifold("euclidean:2"), arc(60), options).summary.starts;
  const auto of_kind = [&](const std::string& end) {
    return std::count_if(starts.begin(), starts.end(), [&](const StartReport& start) {
      return start.kind.starts_with("growth") && start.kind.ends_with(end);
    });
  };
  EXPECT_GE(of_kind(""), 16);
  EXPECT_GE(of_kind("+moves"), 3);
}

// A chart that grows can be told to stop, and what is left is a model all the same.
TEST(GrowthStart, StopsWhenTold) {
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  options.inits = {"growth"};
  int asked = 0;
  options.keep_going = [&](const Progress& progress) {
    ++asked;
    return progress.phase != "growing" || progress.step < 40;
  };
  const FitResult result = fit(parse_manifold("euclidean:2"), arc(200), options);
  EXPECT_TRUE(result.summary.cancelled);
  EXPECT_LT(asked, 40);
  EXPECT_EQ(result.model.parts().X.cols(), 200);
  EXPECT_TRUE(std::isfinite(result.summary.log_likelihood));
}

INSTANTIATE_TEST_SUITE_P(Latents, Search,
                         testing::Values(Case{"rbf", 0, 2, 6, 200, 0.5}, Case{"rbf", 0, 3, 8, 120, 0.6},
                                         Case{"periodic", 1, 0, 4, 120, 0.9}, Case{"periodic*rbf", 1, 1, 6, 120, 0.5}));

}  // namespace
}  // namespace wgp
