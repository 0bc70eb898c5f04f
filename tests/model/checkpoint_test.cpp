#include "model/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wgp {
namespace {

// A bent sheet in five dimensions.
Matrix sheet(Index N) {
  Random random(9);
  Matrix P(5, N);
  for (Index i = 0; i < N; ++i) {
    const double a = random.normal(), b = random.normal();
    P.col(i) << a, b, a * a, std::sin(b), a * b;
  }
  return P + 0.05 * random.normals(5, N);
}

struct Logged {
  FitResult result;
  std::vector<FitCheckpoint> checkpoints;
};
Logged log_fit(const FitOptions& options, std::shared_ptr<const FitCheckpoint> resume = nullptr) {
  std::vector<FitCheckpoint> checkpoints;
  FitOptions with_log = options;
  with_log.on_step = [&](const FitCheckpoint& checkpoint) { checkpoints.push_back(checkpoint); };
  with_log.resume = std::move(resume);
  FitResult result = fit(parse_manifold("euclidean:5"), sheet(40), with_log);
  return {std::move(result), std::move(checkpoints)};
}

TEST(Checkpoint, EveryOneLeadsToTheSameModel) {
  FitOptions options;
  options.starts = 2;
  options.max_iterations = 60;
  options.threads = 2;
  const Logged whole = log_fit(options);
  // Two starts, eight growths, fifteen rounds, at least one optimum polished.
  ASSERT_GE(whole.checkpoints.size(), 26u);
  options.threads = 1;
  for (std::size_t k = 0; k < whole.checkpoints.size(); k += 4) {
    const Logged rest = log_fit(options, std::make_shared<const FitCheckpoint>(whole.checkpoints[k]));
    EXPECT_EQ(rest.checkpoints.size(), whole.checkpoints.size() - k - 1);
    EXPECT_EQ(rest.result.model.parts().X, whole.result.model.parts().X) << k;
    EXPECT_EQ(rest.result.model.parts().noise, whole.result.model.parts().noise);
    ASSERT_EQ(rest.result.summary.starts.size(), whole.result.summary.starts.size());
    EXPECT_EQ(rest.result.summary.iterations, whole.result.summary.iterations);
    EXPECT_EQ(rest.result.summary.evaluations, whole.result.summary.evaluations);
  }
}

TEST(Checkpoint, OfAnotherFitIsRefused) {
  FitOptions options;
  options.effort = Effort::quick;
  const Logged whole = log_fit(options);
  options.seed = 1;
  EXPECT_THROW(log_fit(options, std::make_shared<const FitCheckpoint>(whole.checkpoints.back())), Error);
}

TEST(Checkpoint, DamagedStepsAreErrors) {
  Optimum optimum;
  optimum.kind = "growth+moves";
  optimum.state.X = Matrix::Random(2, 7);
  optimum.state.theta = Vector::Random(2);
  optimum.polished = true;
  const Vector packed = pack(optimum);
  const Optimum back = unpack(packed);
  EXPECT_EQ(back.kind, optimum.kind);
  EXPECT_EQ(back.state.X, optimum.state.X);
  EXPECT_EQ(back.state.theta, optimum.state.theta);
  EXPECT_TRUE(back.polished);
  for (Index n = 0; n < packed.size(); ++n) EXPECT_THROW(unpack(packed.head(n)), Error) << n;
  Vector absurd = packed;
  absurd[0] = 1e18;
  EXPECT_THROW(unpack(absurd), Error);
}

}  // namespace
}  // namespace wgp
