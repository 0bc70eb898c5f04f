// Models that speak each of the noise laws: what they say of points, draw and encode belongs together.
#include <gtest/gtest.h>

#include <cmath>

#include "model/encode_objectives.h"
#include "wgp/model.h"

namespace wgp {
namespace {

Model plane_model(const NoiseLawEntry& entry, bool moving = false) {
  Model::Parts parts;
  parts.manifold = parse_manifold(moving ? "sphere:2" : "euclidean:3");
  const Index d = parts.manifold->dim();
  parts.latent = LatentSpace::plain(1);
  Random random(3);
  parts.X = random.normals(1, 14);
  if (moving) {
    parts.base = Eigen::Vector3d(0, 0, 1);
    parts.basepoint = BasepointKind::geodesic;
    parts.basis = linear_basis(parts.latent);
    parts.coefficients = Eigen::Vector2d(0.4, 0.1);
  } else {
    parts.base = Vector::Zero(3);
  }
  const Matrix V = 0.2 * Vector::Ones(d) * parts.X + 0.1 * random.normals(d, 14);
  parts.P.resize(parts.manifold->ambient_dim(), 14);
  parts.manifold->at(parts.base)->exp(V, parts.P);
  parts.theta = Eigen::Vector2d(-1, 0);
  parts.noise = 0.02;
  parts.law = entry.example(d)->scaled(0.02);
  return Model(std::move(parts));
}

class LawsInModels : public testing::TestWithParam<NoiseLawEntry> {};

TEST_P(LawsInModels, GradientsOfDensitiesAreDifferences) {
  for (const bool moving : {false, true}) {
    const Model model = plane_model(GetParam(), moving);
    const Matrix points = model.parts().P.leftCols(3), X = (Matrix(1, 3) << -0.4, 0.3, 1.1).finished();
    const auto objective = density_objective(model, points, infinity);
    const EncodeValues at = objective->at(X, {0, 1, 2});
    EXPECT_LT((at.f + model.log_density(X, points)).norm(), 1e-10);
    const double h = 1e-5;
    const Vector difference =
        (objective->at(X.array() + h, {0, 1, 2}).f - objective->at(X.array() - h, {0, 1, 2}).f) / (2 * h);
    EXPECT_LT((at.gradient.row(0).transpose() - difference).norm(), 1e-6 * difference.norm());
  }
}

// Draws have the covariance that predictions state, however they are made, and fill the regions.
TEST_P(LawsInModels, DrawsAreWhatPredictionsSay) {
  const Model model = plane_model(GetParam());
  const Matrix x = Matrix::Constant(1, 1, 0.4);
  const Prediction prediction = model.predict(x);
  constexpr Index count = 8000;
  Random random(5);
  Matrix first;
  for (const SampleHow how : {SampleHow::separately, SampleHow::jointly}) {
    const Matrix away = model.sample(x, count, random, SampleOf::data, how).colwise() - prediction.points.col(0);
    const Matrix covariance = away * away.transpose() / static_cast<double>(count);
    EXPECT_NEAR(covariance.trace() / 3 / (prediction.variance[0] + prediction.noise), 1, 0.1);
    if (how == SampleHow::jointly) {
      EXPECT_LT((covariance - first).norm(), 0.15 * first.norm());
      continue;
    }
    first = covariance;
    for (const double level : {0.5, 0.95})
      EXPECT_NEAR((away.colwise().norm().array() <= model.confidence_radius(x, level)[0]).cast<double>().mean(), level,
                  0.025);
  }
}

// Codes are those of the isotropic law; densities are the law's own.
TEST_P(LawsInModels, CodesAndDensities) {
  const Model model = plane_model(GetParam());
  const Model isotropic = model.with([&](Model::Parts& parts) {
    const NoiseLaw& law = model.law().for_codes();
    parts.law = restore_noise_law(law.kind(), law.dim(), law.parameters(), law.arrays());
  });
  const Encoding own = model.encode(model.parts().P), other = isotropic.encode(model.parts().P);
  EXPECT_EQ(own.X, other.X);
  EXPECT_EQ(own.sd, other.sd);
  EXPECT_LT((own.log_density - model.log_density(own.X, model.parts().P)).norm(), 1e-9);
  EXPECT_TRUE(std::isfinite(model.score(model.parts().P).held_out_log_density));
  EXPECT_TRUE(
      std::isfinite(plane_model(GetParam(), true).score(model.parts().P.colwise().normalized()).held_out_log_density));
}

INSTANTIATE_TEST_SUITE_P(Every, LawsInModels, testing::ValuesIn(noise_laws()),
                         [](const auto& entry) { return entry.param.kind; });

}  // namespace
}  // namespace wgp
