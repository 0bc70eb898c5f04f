#include "evaluate/synthetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "wgp/manifold.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

Matrix to_points(const Manifold& manifold, const Matrix& rows) {
  const auto form = row_forms(manifold).front();
  Matrix points(manifold.ambient_dim(), rows.cols());
  for (Index i = 0; i < rows.cols(); ++i) points.col(i) = form->to_point(rows.col(i));
  return points;
}

TEST(Synthetic, EverySetIsOnItsManifoldAndNearItsTruth) {
  for (const SyntheticSource& source : synthetic_sources()) {
    const SyntheticSet set = source.make(1);
    const ManifoldPtr manifold = parse_manifold(set.manifold);
    const Matrix points = to_points(*manifold, set.points), truth = to_points(*manifold, set.truth);
    ASSERT_EQ(static_cast<Index>(set.point_names.size()), set.points.rows()) << source.name;
    ASSERT_EQ(static_cast<Index>(set.latent_names.size()), set.latents.rows());
    double near = 0, far = 0;
    for (Index i = 0; i < points.cols(); ++i) {
      ASSERT_FALSE(manifold->defect(points.col(i), 1e-9).has_value() && source.name != "diatoms") << source.name << i;
      const Vector p = manifold->project(points.col(i)), q = manifold->project(truth.col(i)),
                   other = manifold->project(truth.col((i + points.cols() / 2) % points.cols()));
      near += distance(*manifold, p, q);
      far += distance(*manifold, p, other);
    }
    EXPECT_LT(near, 0.7 * far) << source.name;
    EXPECT_GT(near, 0) << source.name;
  }
}

TEST(Synthetic, SeedsAreSeeds) {
  for (const SyntheticSource& source : synthetic_sources()) {
    EXPECT_EQ(source.make(5).points, source.make(5).points) << source.name;
    EXPECT_NE(source.make(5).points, source.make(6).points) << source.name;
  }
}

TEST(Synthetic, SizesAreThoseOfTheExperiments) {
  EXPECT_EQ(synthetic_femur(0).points.cols(), 338);
  EXPECT_EQ(synthetic_dti(0).points.cols(), 750);
  EXPECT_EQ(synthetic_crypto(0).points.cols(), 126);
  const SyntheticSet diatoms = synthetic_diatoms(0);
  EXPECT_EQ(diatoms.points.cols(), 780);
  EXPECT_EQ(std::set<std::string>(diatoms.labels.begin(), diatoms.labels.end()).size(), 37u);
}

TEST(Synthetic, CryptoSpansTwentyDecades) {
  const SyntheticSet set = synthetic_crypto(0);
  const ManifoldPtr spd = parse_manifold("spd:10");
  Matrix coords(55, 1);
  double least = infinity, most = -infinity;
  for (Index i = 0; i < set.points.cols(); ++i) {
    const Matrix identity = Matrix::Identity(10, 10);
    spd->at(identity.reshaped())->log(set.points.col(i), coords);
    Matrix L = Matrix::Zero(10, 10);
    for (Index r = 0, k = 0; r < 10; ++r)
      for (Index c = 0; c <= r; ++c, ++k) L(r, c) = L(c, r) = coords(k, 0) / (r == c ? 1 : std::sqrt(2.0));
    const Vector eigenvalues = L.selfadjointView<Eigen::Lower>().eigenvalues();
    least = std::min(least, eigenvalues.minCoeff());
    most = std::max(most, eigenvalues.maxCoeff());
  }
  EXPECT_GT((most - least) / std::log(10.0), 18);
}

}  // namespace
}  // namespace wgp
