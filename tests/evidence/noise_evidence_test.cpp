// Vectors that are noise alone.
#include <gtest/gtest.h>

#include <cmath>

#include "evidence/evidence.h"
#include "wgp/random.h"

namespace wgp {
namespace {

class NoiseAlone : public testing::Test {
 protected:
  const LatentSpace line = LatentSpace::plain(1);
  const KernelPtr kernel = parse_kernel("rbf", line);
  Random random{7};
  const Matrix V = random.normals(3, 40);
  const Outputs outputs = Outputs::of(V);
  Parameters at = Parameters::of(random.normals(1, 40), Eigen::Vector2d(std::log(1e-9), 0.2), 0.3);
  const std::unique_ptr<Evidence> noise = noise_evidence(point_evidence)({kernel, line, nullptr, nullptr});
  const std::unique_ptr<Evidence> process = point_evidence({kernel, line, nullptr, nullptr});
};

TEST_F(NoiseAlone, IsTheEvidenceOfATraceOfAProcess) {
  EvidenceGradient by_noise, by_process;
  EXPECT_NEAR(noise->value_and_gradient(at, outputs, by_noise, ByOutputs::wanted),
              process->value_and_gradient(at, outputs, by_process, ByOutputs::wanted), 1e-5);
  EXPECT_NEAR(by_noise.noise, by_process.noise, 1e-5 * std::abs(by_process.noise));
  EXPECT_LT((by_noise.rows - by_process.rows).norm(), 1e-6 * by_process.rows.norm());
  EXPECT_EQ(by_noise.X, Matrix::Zero(1, 40));
  EXPECT_EQ(by_noise.theta, Vector::Zero(2));
}

TEST_F(NoiseAlone, GradientIsTheDifference) {
  EvidenceGradient gradient;
  noise->value_and_gradient(at, outputs, gradient, ByOutputs::wanted);
  constexpr double h = 1e-5;
  const auto value = [&](double u, const Matrix& vectors) {
    Parameters moved = at;
    moved.u = u;
    return noise->value(moved, Outputs::of(vectors));
  };
  EXPECT_NEAR((value(at.u + h, V) - value(at.u - h, V)) / (2 * h), std::exp(at.u) * gradient.noise, 1e-5);
  Matrix above = V, below = V;
  above(1, 7) += h;
  below(1, 7) -= h;
  EXPECT_NEAR((value(at.u, above) - value(at.u, below)) / (2 * h), gradient.rows(1, 7), 1e-6);
}

TEST_F(NoiseAlone, ConditionsTheProcessThatBelongsToIt) {
  at.theta[0] = 0;
  const Matrix places = Matrix::Constant(1, 1, 0.3);
  EXPECT_EQ(noise->condition(at, 0.3, V)->mean(places), process->condition(at, 0.3, V)->mean(places));
}

}  // namespace
}  // namespace wgp
