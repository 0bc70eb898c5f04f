#include "auto_golden.h"
#include "helmert.h"
#include "linalg/decompositions.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;

Vector from_helmert(const Vector& z) { return test::landmarks_from_helmert(z, 2); }

TEST(Kendall, MatchesGoldenQuadrilaterals) {
  const auto& group = golden("kendall2d.k4");
  const auto& out = group["outputs"];
  EXPECT_TRUE(close(column(out["helmert"]), test::helmert(4).transpose().reshaped().eval(), 1e-15));
  const auto manifold = parse_manifold("kendall:4");
  const Vector p = manifold->project(column(group["inputs"]["landmarks_p"])),
               q = manifold->project(column(group["inputs"]["landmarks_q"]));
  EXPECT_TRUE(close(p, from_helmert(column(out["z"])), 1e-13));
  EXPECT_TRUE(close(q, from_helmert(column(out["w"])), 1e-13));
  const auto space = manifold->at(p);
  const Vector v = log_coords(*space, q), x = space->to_coords(from_helmert(column(group["inputs"]["x_horizontal"])));
  const double distance = out["dist"].get<double>();
  EXPECT_TRUE(close(space->distance(q)[0], distance, 1e-12));
  EXPECT_TRUE(close(std::sin(v.norm()), out["procrustes_full"].get<double>(), 1e-12));
  EXPECT_TRUE(close(2 * std::sin(v.norm() / 2), out["procrustes_partial"].get<double>(), 1e-12));
  EXPECT_TRUE(close(exp_point(*space, v), from_helmert(column(out["w_aligned"])), 1e-12));
  EXPECT_TRUE(close(space->to_ambient(v), from_helmert(column(out["log"])), 1e-12));
  EXPECT_TRUE(close(space->transport(v, x), from_helmert(column(out["pt_x_at_w_aligned"])), 1e-12));
  const auto fields = space->jacobi(v);
  EXPECT_TRUE(close(fields->log_det(), out["logdet"].get<double>(), 1e-12));
  EXPECT_TRUE(close(space->to_ambient(fields->dlog_base(x)), from_helmert(column(out["DpLog_x"])), 1e-12));
  const Vector lengths = column(out["preimage_signed_lengths"]);
  const Preimages found = space->preimages(q, lengths.cwiseAbs().maxCoeff() + 0.01);
  ASSERT_GE(found.coords.cols(), lengths.size());
  for (const double length : lengths) {
    double nearest = infinity;
    for (Index j = 0; j < found.coords.cols(); ++j)
      nearest = std::min(nearest, std::abs(found.coords.col(j).dot(v) / v.norm() - length));
    EXPECT_LT(nearest, 1e-12) << "no preimage of signed length " << length;
  }
  test::check_auto_group("auto.kendall2d_k5.0", *parse_manifold("kendall:5"), from_helmert);
  test::check_auto_group("auto.kendall2d_k8.0", *parse_manifold("kendall:8"), from_helmert);
}

// y -> a e^(i phi) y + b is the same shape; a reflection is not.
TEST(Kendall, IgnoresPositionSizeAndRotation) {
  const auto manifold = parse_manifold("kendall:6");
  Random random(3);
  const Vector y = random.normals(12), other = manifold->random_point(random);
  Vector moved(12), reflected(12);
  for (Index j = 0; j < 6; ++j) {
    const double c = 2.5 * std::cos(0.8), s = 2.5 * std::sin(0.8);
    moved[2 * j] = c * y[2 * j] - s * y[2 * j + 1] + 100;
    moved[2 * j + 1] = s * y[2 * j] + c * y[2 * j + 1] - 40;
    reflected[2 * j] = y[2 * j];
    reflected[2 * j + 1] = -y[2 * j + 1];
  }
  const Vector a = manifold->project(y), b = manifold->project(moved);
  EXPECT_LT(distance(*manifold, a, b), 1e-13);
  EXPECT_NEAR(distance(*manifold, a, other), distance(*manifold, b, other), 1e-12);
  EXPECT_GT(distance(*manifold, a, manifold->project(reflected)), 0.1);
}

// The full Procrustes mean is the leading eigenvector of sum w z z^H: in the complex numbers, by another decomposition.
TEST(Kendall, MeansBeginAtTheProcrustesMean) {
  for (const Index k : {3, 4, 9, 30}) {
    const auto manifold = parse_manifold("kendall:" + std::to_string(k));
    Random random(8);
    for (const double spread : {0.05, 0.3}) {
      const auto space = manifold->at(manifold->random_point(random));
      Matrix points(2 * k, 40);
      space->exp(spread * random.normals(manifold->dim(), points.cols()), points);
      const Vector weights = random.normals(points.cols()).cwiseAbs2();
      const Vector start = manifold->mean_start(points, weights).value();
      using Shapes = Eigen::Map<const Eigen::MatrixXcd>;
      const Shapes Z(reinterpret_cast<const std::complex<double>*>(points.data()), k, points.cols());
      const Shapes m(reinterpret_cast<const std::complex<double>*>(start.data()), k, 1);
      const ComplexSpectrum all = hermitian_spectrum(Z * weights.asDiagonal() * Z.adjoint());
      EXPECT_NEAR(std::abs(all.vectors.col(k - 1).dot(m.col(0))), 1, 1e-9) << k;
      EXPECT_NEAR(std::arg(m.col(0).dot(Z.col(0))), 0, 1e-12) << "turned to the first point";
    }
  }
}

TEST(Kendall, SaysWhereThereIsNoShapeAndWhereTheCutLocusIs) {
  const auto manifold = parse_manifold("kendall:3");
  EXPECT_NE(manifold->defect(Vector::Constant(6, 7.0))->find("coincide"), std::string::npos);
  EXPECT_THROW(manifold->project(Vector::Zero(6)), Error);
  // Equilateral triangles of opposite orientation are at distance pi/2, cut points of each other.
  Vector left(6), right(6);
  for (Index j = 0; j < 3; ++j) {
    const double angle = 2 * std::acos(-1.0) * static_cast<double>(j) / 3;
    left[2 * j] = right[2 * j] = std::cos(angle);
    left[2 * j + 1] = std::sin(angle);
    right[2 * j + 1] = -std::sin(angle);
  }
  const auto space = manifold->at(manifold->project(left));
  Matrix coords(2, 1);
  const LogReport report = space->log(manifold->project(right), coords);
  EXPECT_NE(report.status[0], LogStatus::ok);
  EXPECT_LT(report.margin[0], 1e-12);
  EXPECT_NEAR(coords.norm(), std::acos(-1.0) / 2, 1e-12);
}

}  // namespace
}  // namespace wgp
