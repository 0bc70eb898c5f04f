#include "wgp/chart.h"

#include <cmath>

#include "golden.h"
#include "wgp/testing.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

Matrix matrix(const nlohmann::json& rows) {
  const auto cols = static_cast<Index>(rows[0].size());
  return column(rows).reshaped<Eigen::RowMajor>(column(rows).size() / cols, cols);
}

MetricFunction golden_learned_metric() {
  const auto& inputs = golden("chart.hauberg2012").at("inputs");
  std::vector<Matrix> metrics;
  for (const auto& entry : inputs.at("metrics")) metrics.push_back(matrix(entry));
  return learned_metric(matrix(inputs.at("centres")).transpose(), metrics, inputs.at("sigma").get<double>());
}

// 4 / (1 - |x|^2)^2 I on the open unit disc: curvature -1.
Matrix poincare(ConstVectorRef x) {
  return 4 / std::pow(1 - x.squaredNorm(), 2) * Matrix::Identity(x.size(), x.size());
}
MetricJet poincare_jet(ConstVectorRef x, JetOrder order) {
  const Index n = x.size();
  const Matrix I = Matrix::Identity(n, n);
  const double u = 1 - x.squaredNorm();
  MetricJet jet;
  jet.G = poincare(x);
  for (Index k = 0; k < n; ++k) jet.dG.push_back(16 * x[k] / std::pow(u, 3) * I);
  if (order == JetOrder::first) return jet;
  for (Index k = 0; k < n; ++k) {
    jet.d2G.emplace_back();
    for (Index l = 0; l < n; ++l)
      jet.d2G.back().push_back((16 * (k == l ? 1 : 0) / std::pow(u, 3) + 96 * x[k] * x[l] / std::pow(u, 4)) * I);
  }
  return jet;
}
ManifoldPtr poincare_disc(const MetricFunction& metric, Index dim = 2) {
  ChartOptions options;
  options.domain = [](ConstVectorRef x) { return x.norm() < 1; };
  options.injectivity_radius = infinity;
  return chart_manifold(dim, metric, options);
}

void expect_sound(const Manifold& manifold, const CheckOptions& options = {}) {
  for (const CheckFailure& failure : check_manifold(manifold, options))
    ADD_FAILURE() << failure.property << ": " << failure.message;
}

TEST(Chart, GoldenLearnedMetric) {
  const auto& group = golden("chart.hauberg2012");
  const auto& out = group.at("outputs");
  const double rtol = group.at("rtol").get<double>();
  const MetricFunction metric = golden_learned_metric();
  const ManifoldPtr manifold = chart_manifold(2, metric);
  const Vector x = column(group.at("inputs").at("x"));
  EXPECT_TRUE(close(metric(x, JetOrder::first).G, matrix(out.at("G")), 1e-14));
  const auto space = manifold->at(x);
  const Vector v = space->to_coords(column(group.at("inputs").at("v")));
  const Vector y = exp_point(*space, v);
  EXPECT_TRUE(close(y, column(out.at("exp")), rtol));
  EXPECT_TRUE(close(space->transport(v, v), column(out.at("velocity_end")), rtol));
  EXPECT_TRUE(close(log_coords(*space, y), v, rtol));
  EXPECT_TRUE(close(space->distance(y)[0], out.at("dist").get<double>(), rtol));
  const auto fields = space->jacobi(v);
  EXPECT_TRUE(close(fields->log_det(), out.at("logdet").get<double>(), rtol));
  const Matrix Dp = space->to_ambient(fields->dlog_base(space->to_coords(Matrix::Identity(2, 2))));
  EXPECT_TRUE(close(Dp, matrix(out.at("DpLog_cov")), rtol));
}

TEST(Chart, GoldenPoincareDisc) {
  const auto& group = golden("chart.poincare");
  const auto& out = group.at("outputs");
  const double rtol = group.at("rtol").get<double>();
  const auto space = poincare_disc(poincare_jet)->at(column(group.at("inputs").at("x")));
  const Vector y = column(group.at("inputs").at("y"));
  const Vector v = log_coords(*space, y);
  EXPECT_TRUE(close(space->to_ambient(v), column(out.at("log")), rtol));
  EXPECT_TRUE(close(v.norm(), out.at("dist").get<double>(), rtol));
  EXPECT_TRUE(close(space->jacobi(v)->log_det(), out.at("logdet").get<double>(), rtol));
}

TEST(Chart, PropertiesOfThePoincareDisc) {
  expect_sound(*poincare_disc(poincare_jet));
  CheckOptions one;
  one.draws = 1;
  expect_sound(*poincare_disc(poincare_jet, 3), one);
}

TEST(Chart, PropertiesOfALearnedMetric) {
  ChartOptions options;
  options.injectivity_radius = 0.5;  // the curvature of this metric is far below pi^2 / 0.5^2
  expect_sound(*chart_manifold(2, golden_learned_metric(), options));
}

TEST(Chart, NumericJetAgreesWithTheExactOne) {
  const MetricFunction numeric = numeric_jet(poincare, 1e-2);
  const Vector x = (Vector(2) << 0.3, -0.2).finished();
  const MetricJet a = numeric(x, JetOrder::second), b = poincare_jet(x, JetOrder::second);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_TRUE(close(a.dG[k], b.dG[k], 1e-11));
    for (std::size_t l = 0; l < 2; ++l) EXPECT_TRUE(close(a.d2G[k][l], b.d2G[k][l], 1e-8));
  }
  const MetricFunction learned = golden_learned_metric();
  const MetricFunction differences =
      numeric_jet([&](ConstVectorRef at) { return learned(at, JetOrder::first).G; }, 1e-2);
  const MetricJet c = learned(x, JetOrder::second), d = differences(x, JetOrder::second);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_TRUE(close(d.dG[k], c.dG[k], 1e-11));
    for (std::size_t l = 0; l < 2; ++l) EXPECT_TRUE(close(d.d2G[k][l], c.d2G[k][l], 1e-8));
  }
}

// Two points 1e-9 apart, far from the origin of the chart.
TEST(Chart, NearPointsKeepTheirDigits) {
  const ManifoldPtr manifold = poincare_disc(poincare_jet);
  const Vector x = (Vector(2) << 0.6, 0.3).finished(), step = (Vector(2) << 1e-9, -2e-9).finished();
  const Vector y = x + step;
  const double expected = std::sqrt(poincare(x)(0, 0)) * (y - x).norm();
  EXPECT_TRUE(close(distance(*manifold, x, y), expected, 1e-8));
}

TEST(Chart, LeavingTheDomainIsReported) {
  const MetricFunction flat =
      numeric_jet([](ConstVectorRef x) { return Matrix(Matrix::Identity(x.size(), x.size())); });
  ChartOptions options;
  options.domain = [](ConstVectorRef x) { return x.norm() < 1; };
  const ManifoldPtr disc = chart_manifold(2, flat, options);
  const auto space = disc->at(Vector::Zero(2));
  Matrix coords(2, 2), points(2, 2);
  coords << 0.5, 1.5, 0, 0;
  EXPECT_EQ(space->exp(coords, points).outside_domain, std::vector<Index>{1});
  EXPECT_TRUE(close(points.col(0), coords.col(0), 1e-12));
  Matrix outside(2, 1), found(2, 1);
  outside << 2, 0;
  EXPECT_EQ(space->log(outside, found).status[0], LogStatus::outside_domain);
  EXPECT_TRUE(disc->defect(outside.col(0)).has_value());
  EXPECT_THROW(disc->at(outside.col(0)), Error);
}

// A hill of high cost between the points: the straight line and the way around are both geodesics, the latter shorter.
TEST(Chart, TheShortestOfSeveralGeodesicsIsKept) {
  const MetricFunction hill = numeric_jet(
      [](ConstVectorRef x) { return Matrix((1 + 30 * std::exp(-4 * x.squaredNorm())) * Matrix::Identity(2, 2)); });
  const ManifoldPtr manifold = chart_manifold(2, hill);
  const Vector left = (Vector(2) << -1, 0).finished(), right = (Vector(2) << 1, 0).finished();
  const auto space = manifold->at(left);
  Matrix v(2, 1);
  const LogReport report = space->log(right, v);
  EXPECT_EQ(report.status[0], LogStatus::ok);
  double straight = 0;  // length of the straight line, by the midpoint rule
  for (int i = 0; i < 1000; ++i) {
    const double x = -1 + (i + 0.5) / 500;
    straight += std::sqrt(1 + 30 * std::exp(-4 * x * x)) / 500;
  }
  EXPECT_LT(v.norm(), 0.95 * straight);
  EXPECT_LT((exp_point(*space, v.col(0)) - right).norm(), 1e-9);
}

TEST(Chart, MisuseIsRefused) {
  EXPECT_THROW(chart_manifold(0, poincare_jet), Error);
  EXPECT_THROW(chart_manifold(2, MetricFunction()), Error);
  EXPECT_THROW(learned_metric(Matrix::Zero(2, 1), {}, 1), Error);
  EXPECT_THROW(learned_metric(Matrix::Zero(2, 1), {Matrix::Identity(2, 2)}, 0), Error);
  EXPECT_THROW(learned_metric(Matrix::Zero(2, 1), {-Matrix::Identity(2, 2)}, 1), Error);
}

}  // namespace
}  // namespace wgp
