// The pieces of the page of wgp reproduce.
#include <cmath>

#include "report/figures/calibration_grid.h"
#include "report/figures/cone_figure.h"
#include "report/figures/geometry_figure.h"
#include "report/figures/latent_order.h"
#include "report/figures/species_figure.h"
#include "report/pages/table_one.h"
#include "well_formed.h"
#include "wgp/random.h"

namespace wgp::report {
namespace {

using test::well_formed;

TEST(TableOne, NumbersAreWrittenAsInPapers) {
  EXPECT_EQ(measured_text(0.0920, 0.0053), "(9.20 ± 0.53)e-2");
  EXPECT_EQ(measured_text(0.391, 0.035), "0.391 ± 0.035");
  EXPECT_EQ(measured_text(3.04, 0.26), "3.040 ± 0.260");
  EXPECT_EQ(measured_text(21.91, 2.26), "21.91 ± 2.26");
  EXPECT_EQ(measured_text(736000, 527000), "(7.36 ± 5.27)e5");
  EXPECT_EQ(measured_text(std::nan(""), 1), "-");
}

Reproduced reproduced(double density, double projection) {
  Reproduced set;
  set.experiment.plan = experiment_plans()[3];
  set.experiment.manifold = parse_manifold("spd:10");
  for (const char* model : {"wgplvm", "wgplvm-variational", "gplvm", "gplvmproj", "nearest", "pga"}) {
    ModelEvaluation evaluation;
    evaluation.model = model;
    evaluation.density.intrinsic_rmse.values = {density - 0.1, density + 0.1};
    evaluation.projection.intrinsic_rmse.values = {projection};
    evaluation.density.euclidean_rmse.values = {5, 7};
    set.evaluations.push_back(evaluation);
  }
  return set;
}

TEST(TableOne, HasThePaperBesideBothEncoders) {
  const Table table = intrinsic_table({reproduced(3.4, 3.2)});
  ASSERT_EQ(table.rows.size(), 10u);
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"WGPLVM", "paper", "3.040 ± 0.260"}));
  EXPECT_EQ(table.rows[1], (std::vector<std::string>{"WGPLVM", "by density", "3.400 ± 0.100"}));
  EXPECT_EQ(table.rows[2], (std::vector<std::string>{"WGPLVM", "by projection", "3.200 ± 0.000"}));
}

// Points on a line in their order: a step is 1, a mean pair (n + 1)/3.
TEST(LatentOrder, OfALineAndOfAShuffledOne) {
  const Index n = 31;
  Model::Parts parts;
  parts.manifold = parse_manifold("euclidean:2");
  parts.latent = LatentSpace::plain(1);
  parts.base = Vector::Zero(2);
  parts.theta = Vector::Zero(2);
  parts.noise = 0.1;
  parts.P = Matrix::Zero(2, n);
  parts.X.resize(1, n);
  std::vector<std::string> times;
  for (Index i = 0; i < n; ++i) {
    parts.X(0, i) = static_cast<double>(i);
    times.push_back(std::to_string(i));
  }
  const Colouring colouring = colouring_from("time", times);
  const auto order = latent_order(Model(parts), colouring);
  ASSERT_TRUE(order);
  EXPECT_NEAR(order->step_share, 3.0 / 32, 1e-12);
  EXPECT_NEAR(order->early_share, 11.0 / 32, 1e-12);
  for (Index i = 0; i < n; ++i) parts.X(0, i) = static_cast<double>(i * 12 % n);
  EXPECT_GT(latent_order(Model(parts), colouring)->step_share, 1);
  std::swap(times[0], times[5]);
  EXPECT_FALSE(latent_order(Model(parts), colouring_from("time", times)));
}

TEST(Species, TheRepresentativeIsTheMostCentral) {
  Matrix P(2, 6);
  P << 0, 1, 2, 10, 10, 13, 0, 0, 0, 0, 1, 0;
  const Colouring colouring = colouring_from("kind", {"a", "a", "a", "b", "b", "b"});
  EXPECT_EQ(representatives(*parse_manifold("euclidean:2"), P, colouring), (std::vector<Index>{1, 3}));
}

TEST(Cone, HoldsThePositiveDefiniteMatrices) {
  const auto at = [](double a, double b, double c) {
    return cone_coordinates((Eigen::Matrix2d() << a, b, b, c).finished());
  };
  EXPECT_TRUE(is_in_cone(at(2, 0.9, 0.5)));
  EXPECT_FALSE(is_in_cone(at(2, 1.1, 0.5)));
  EXPECT_FALSE(is_in_cone(at(-1, 0, -1)));
  EXPECT_NEAR((at(2, 0.9, 0.5) - at(1, 0.2, 3)).squaredNorm(), 1 + 2 * 0.49 + 6.25, 1e-12);  // Frobenius
  const Figure figure = cone_figure();
  EXPECT_TRUE(well_formed(figure.svg.file()));
  EXPECT_NE(figure.svg.file().find("all of its draws are positive definite"), std::string::npos);
  EXPECT_NE(figure.svg.file().find("% of its draws are not positive definite"), std::string::npos);
}

TEST(Geometry, DistancesAreSharesOfTheLargest) {
  Matrix P(2, 4);
  P << 0, 0, 1, -1, 1, -1, 0, 0;
  P.col(0) *= 3;
  P.col(1) *= 3;
  const GeometryPanel panel = geometry_panel("flat", *parse_manifold("euclidean:2"), P);
  EXPECT_EQ(panel.riemannian.size(), 4u);
  EXPECT_NEAR(panel.riemannian.front(), 1.0 / 3, 1e-12);
  EXPECT_EQ(panel.riemannian.back(), 1);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(panel.euclidean[i], panel.riemannian[i], 1e-12);
  EXPECT_TRUE(well_formed(geometry_figure({panel, panel}).svg.file()));
}

TEST(CalibrationGrid, IsWellFormedWithTiesAndWithNothing) {
  const Calibration some{{0, 0, 0.5, 0.5, 1}, {0.2, 0.2, 0.9}};
  const Figure figure = calibration_grid({{"A", "M", some, 6, 2}, {"B", "M", {}, 2, 1}}, 2);
  EXPECT_TRUE(well_formed(figure.svg.file()));
  EXPECT_EQ(figure.svg.file().find("nan"), std::string::npos);
}

}  // namespace
}  // namespace wgp::report
