// Points that readers leave as they are.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <limits>

#include "wgp/exact_points.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

class ExactPointsOf : public testing::TestWithParam<std::string> {
 protected:
  // Neighbours of a base point, as exp leaves them.
  Matrix points_near_each_other(Index count) const {
    Random random(3);
    Matrix points(manifold_->ambient_dim(), count);
    manifold_->at(manifold_->random_point(random))->exp(0.3 * random.normals(manifold_->dim(), count), points);
    return points;
  }
  const ManifoldPtr manifold_ = parse_manifold(GetParam());
};

TEST_P(ExactPointsOf, ResultsOfExpStayAsTheyAre) {
  const Matrix X = points_near_each_other(50);
  EXPECT_EQ(leading_exact(*manifold_, X), 50);
  const auto form = row_forms(*manifold_).front();
  Vector point(X.rows());
  for (Index i = 0; i < X.cols(); ++i) {
    EXPECT_EQ(point_of_row(*manifold_, *form, X.col(i), 0.0, point), "");
    EXPECT_EQ(point, X.col(i));
    EXPECT_LT((manifold_->project(X.col(i)) - X.col(i)).norm(), 3e-15 * X.col(i).norm());
  }
}

TEST_P(ExactPointsOf, OthersAreSeen) {
  const Matrix X = points_near_each_other(9);
  const auto with_another = [&](double value) {
    Matrix changed = X;
    changed(1, 7) = value;
    return leading_exact(*manifold_, changed);
  };
  EXPECT_EQ(with_another(std::numeric_limits<double>::quiet_NaN()), 7);
  EXPECT_EQ(with_another(infinity), 7);
  // Any number will do in R^n.
  if (manifold_->spec() != "euclidean:3") {
    EXPECT_EQ(with_another(X(1, 7) + 1e-13), 7);
  }
  EXPECT_EQ(leading_exact(*manifold_, X.leftCols(0)), 0);
}

INSTANTIATE_TEST_SUITE_P(Spaces, ExactPointsOf,
                         testing::Values("euclidean:3", "sphere:1", "sphere:2", "sphere:3", "sphere:6", "spd:2",
                                         "spd:3", "spd:4/affine-invariant", "spd:7/log-cholesky", "kendall:3",
                                         "kendall:11", "kendall:90"),
                         [](const auto& spec) {
                           std::string name = spec.param;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

TEST(ExactPoints, ShapesAreCentred) {
  const ManifoldPtr kendall = parse_manifold("kendall:5");
  Random random(4);
  Matrix X = kendall->random_point(random);
  ASSERT_EQ(leading_exact(*kendall, X), 1);
  for (const Index coordinate : {0, 1}) {  // which changes the length by far less
    Matrix moved = X;
    for (Index k = 0; k < 5; ++k) moved(2 * k + coordinate, 0) += 1e-10;
    EXPECT_EQ(leading_exact(*kendall, moved), 0);
  }
}

// What is near the edge of the cone is left to the look that says why.
TEST(ExactPoints, MatricesNearTheEdgeAreLookedAtOnceMore) {
  for (const char* spec : {"spd:2", "spd:3", "spd:5"}) {
    const ManifoldPtr spd = parse_manifold(spec);
    const auto n = static_cast<Index>(std::sqrt(static_cast<double>(spd->ambient_dim())));
    Matrix A = Matrix::Ones(n, n);
    A.diagonal().array() += 5e-16;
    EXPECT_EQ(leading_exact(*spd, A.reshaped()), 0) << spec;
    A = -Matrix::Identity(n, n);
    EXPECT_EQ(leading_exact(*spd, A.reshaped()), 0) << spec;
    A = Matrix::Identity(n, n);
    EXPECT_EQ(leading_exact(*spd, A.reshaped()), 1) << spec;
    A(0, 0) = 1e-200;  // graded
    EXPECT_EQ(leading_exact(*spd, A.reshaped()), 1) << spec;
  }
}

TEST(ExactPoints, ManifoldsThatDoNotSayHaveNone) {
  const ManifoldPtr torus = parse_manifold("torus:2");
  EXPECT_EQ(leading_exact(*torus, Matrix::Zero(2, 3)), 0);
}

}  // namespace
}  // namespace wgp
