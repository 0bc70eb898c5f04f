#include <chrono>
#include <cmath>
#include <numbers>

#include "golden.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

using test::close;
using test::column;
using test::golden;
constexpr double pi = std::numbers::pi;

TEST(ProjectOnSegment, Golden) {
  const auto& group = golden("principal_curve.project_segment_S2");
  const SegmentProjection found = project_on_segment(*parse_manifold("sphere:2"), column(group["inputs"]["a"]),
                                                     column(group["inputs"]["b"]), column(group["inputs"]["y"]));
  EXPECT_TRUE(close(found.arc_length, group["outputs"]["clamped"].get<double>(), 1e-13));
  EXPECT_TRUE(close(found.distance, group["outputs"]["dist"].get<double>(), 1e-13));
}

// On the sphere s = atan2(<y, u>, <y, a>), clamped.
TEST(ProjectOnSegment, SphereClosedForm) {
  const ManifoldPtr sphere = parse_manifold("sphere:3");
  Random random(2);
  int inside = 0;
  for (int k = 0; k < 300; ++k) {
    const Vector a = sphere->random_point(random), y = sphere->random_point(random);
    const auto space = sphere->at(a);
    const Vector v = random.normals(3).normalized() * (2 * random.uniform());
    const Vector b = exp_point(*space, v), u = space->to_ambient(v.normalized());
    const double L = v.norm();
    const SegmentProjection found = project_on_segment(*sphere, a, b, y);
    double s = std::atan2(y.dot(u), y.dot(a));
    if (s >= 0 && s <= L) {
      ++inside;
      const double foot = distance(*sphere, y, exp_point(*space, s / L * v));
      EXPECT_NEAR(found.arc_length, s, foot < 1.5 ? 1e-12 : 1e-9);  // ill-conditioned towards the pole of the circle
    } else {
      s = distance(*sphere, a, y) < distance(*sphere, b, y) ? 0 : L;
      EXPECT_NEAR(found.arc_length, s, 1e-12);
    }
    EXPECT_NEAR(found.distance, distance(*sphere, y, exp_point(*space, s / L * v)), 1e-12);
  }
  EXPECT_GT(inside, 30);
}

TEST(ProjectOnSegment, IsNearestOnEveryManifold) {
  for (const ManifoldEntry& entry : registered_manifolds())
    for (const std::string& spec : entry.examples) {
      SCOPED_TRACE(spec);
      const ManifoldPtr manifold = parse_manifold(spec);
      Random random(6);
      for (int k = 0; k < 5; ++k) {
        const Vector a = manifold->random_point(random);
        const auto space = manifold->at(a);
        const double reach = 0.4 * std::min(2.0, space->injectivity_radius());
        const Vector v = random.normals(manifold->dim()).normalized() * reach;
        const Vector y = exp_point(*space, random.normals(manifold->dim()).normalized() * reach);
        const SegmentProjection found = project_on_segment(*manifold, a, exp_point(*space, v), y);
        const double there = distance(*manifold, exp_point(*space, found.arc_length / reach * v), y);
        EXPECT_NEAR(there, found.distance, 1e-8);
        for (int i = 0; i <= 50; ++i)
          EXPECT_GE(distance(*manifold, exp_point(*space, i / 50.0 * v), y), found.distance - 1e-8);
      }
    }
}

TEST(ProjectOnSegment, Degenerate) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Vector a = Vector::Unit(3, 0), y = Vector::Unit(3, 1);
  const SegmentProjection point = project_on_segment(*sphere, a, a, y);
  EXPECT_EQ(point.arc_length, 0);
  EXPECT_NEAR(point.distance, pi / 2, 1e-15);
  EXPECT_EQ(project_on_segment(*sphere, a, y, a).arc_length, 0);
  EXPECT_NEAR(project_on_segment(*sphere, a, y, y).arc_length, pi / 2, 1e-15);
  EXPECT_THROW(project_on_segment(*sphere, a, y, Vector::Ones(2)), Error);
}

// A wavy closed band about the north pole of S^2.
Matrix band(Index N, double noise, std::uint64_t seed) {
  Random random(seed);
  Matrix points(3, N);
  for (Index i = 0; i < N; ++i) {
    const double t = 2 * pi * random.uniform();
    const double theta = 0.8 + 0.15 * std::cos(3 * t) + noise * random.normal();
    points.col(i) << std::sin(theta) * std::cos(t), std::sin(theta) * std::sin(t), std::cos(theta);
  }
  return points;
}

TEST(PrincipalCurve, ClosedBandOnTheSphere) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix points = band(338, 0.05, 1);
  CurveOptions options;
  options.topology = CurveOptions::Topology::closed;
  const auto begin = std::chrono::steady_clock::now();
  const PrincipalCurve curve = principal_curve(*sphere, points, options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(seconds.count()));
  EXPECT_TRUE(curve.converged);
  EXPECT_EQ(curve.nodes.cols(), 100);
  // Noise across the curve is 0.05; the local averages shrink it a little.
  EXPECT_LT(std::sqrt(curve.mean_squared_distance), 0.07);
  EXPECT_GT(std::sqrt(curve.mean_squared_distance), 0.03);
  EXPECT_GE(curve.latents.minCoeff(), -pi - 1e-5);
  EXPECT_LE(curve.latents.maxCoeff(), pi + 1e-5);
  // The latent follows the azimuth, once round, in one direction.
  double turned = 0, correlation = 0;
  for (Index i = 0; i < points.cols(); ++i) {
    const double azimuth = std::atan2(points(1, i), points(0, i));
    turned += std::cos(azimuth - curve.latents[i]);
    correlation += std::cos(azimuth + curve.latents[i]);
  }
  double sine = 0, mirrored = 0;
  for (Index i = 0; i < points.cols(); ++i) {
    const double azimuth = std::atan2(points(1, i), points(0, i));
    sine += std::sin(azimuth - curve.latents[i]);
    mirrored += std::sin(azimuth + curve.latents[i]);
  }
  EXPECT_GT(std::max(std::hypot(turned, sine), std::hypot(correlation, mirrored)), 0.95 * 338);
  for (Index i = 0; i < points.cols(); ++i) {  // the distances are those to the curve: no node is nearer
    const double to_nodes = sphere->at(points.col(i))->distance(curve.nodes).minCoeff();
    EXPECT_LE(curve.distances[i], to_nodes + 1e-12);
    EXPECT_GT(curve.distances[i], to_nodes - curve.length / 100);
  }
}

// The projection of the pruned search equals that over all segments.
TEST(PrincipalCurve, PruningLosesNothing) {
  for (const char* spec : {"sphere:2", "hyperbolic:2", "spd:2/affine-invariant"}) {
    const ManifoldPtr manifold = parse_manifold(spec);
    Random random(3);
    const auto space = manifold->at(manifold->random_point(random));
    Matrix points(manifold->ambient_dim(), 60), coords = 0.6 * random.normals(manifold->dim(), 60);
    coords.row(0) *= 2;
    space->exp(coords, points);
    CurveOptions options;
    options.bandwidth = 0.1;
    options.nodes = 12;
    const PrincipalCurve curve = principal_curve(*manifold, points, options);
    for (Index i = 0; i < 60; ++i) {
      double best = infinity, arc = 0, begin = 0;
      for (Index j = 0; j + 1 < 12; ++j) {
        const auto found = project_on_segment(*manifold, curve.nodes.col(j), curve.nodes.col(j + 1), points.col(i));
        if (found.distance < best - 1e-13) {
          best = found.distance;
          arc = begin + found.arc_length;
        }
        begin += distance(*manifold, curve.nodes.col(j), curve.nodes.col(j + 1));
      }
      EXPECT_NEAR(curve.distances[i], best, 1e-11) << spec;
      EXPECT_NEAR(curve.arc_length[i], arc, 1e-7) << spec;
      EXPECT_NEAR(curve.length, begin, 1e-12);
    }
  }
}

TEST(PrincipalCurve, OpenCurveOrdersThePoints) {
  // A parabola in the plane.
  const ManifoldPtr plane = parse_manifold("euclidean:2");
  Random random(9);
  const Index N = 200;
  Matrix points(2, N);
  Vector t(N);
  for (Index i = 0; i < N; ++i) {
    t[i] = 2 * random.uniform() - 1;
    points.col(i) << t[i], t[i] * t[i] + 0.02 * random.normal();
  }
  const PrincipalCurve curve = principal_curve(*plane, points);
  EXPECT_TRUE(curve.converged);
  EXPECT_LT(std::sqrt(curve.mean_squared_distance), 0.04);
  EXPECT_NEAR(curve.latents.mean(), 0, 1e-6);
  EXPECT_NEAR(curve.latents.squaredNorm() / N, 1, 1e-4);
  const Vector centred = t.array() - t.mean();
  EXPECT_GT(std::abs(centred.dot(curve.latents)) / (centred.norm() * std::sqrt(static_cast<double>(N))), 0.98);
  // Points beyond the ends share an arc length; their latents are still distinct, and the same at every call.
  Vector sorted = curve.latents;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  EXPECT_EQ(principal_curve(*plane, points).latents, curve.latents);
}

TEST(PrincipalCurve, ClosedInOneDimension) {
  const ManifoldPtr circle = parse_manifold("torus:1");
  Random random(5);
  Matrix angles(1, 80);
  for (Index i = 0; i < 80; ++i) angles.col(i) = circle->random_point(random);
  CurveOptions options;
  options.topology = CurveOptions::Topology::closed;
  options.bandwidth = 0.05;
  const PrincipalCurve curve = principal_curve(*circle, angles, options);
  EXPECT_NEAR(curve.length, 2 * pi, 1e-6);
  EXPECT_LT(curve.distances.maxCoeff(), 1e-7);
}

TEST(PrincipalCurve, SmallAndDegenerateData) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Vector p = Vector::Unit(3, 2);
  for (const auto topology : {CurveOptions::Topology::open, CurveOptions::Topology::closed}) {
    CurveOptions options;
    options.topology = topology;
    for (const Index N : {2, 3, 12}) {
      const PrincipalCurve equal = principal_curve(*sphere, p.replicate(1, N), options);
      EXPECT_TRUE(equal.latents.allFinite());
      EXPECT_LT(equal.mean_squared_distance, 1e-20);
      const PrincipalCurve curve = principal_curve(*sphere, band(N, 0.05, 3), options);
      EXPECT_TRUE(curve.latents.allFinite());
      EXPECT_TRUE(curve.nodes.allFinite());
      EXPECT_EQ(curve.latents.size(), N);
    }
  }
  EXPECT_THROW(principal_curve(*sphere, p), Error);
  EXPECT_THROW(principal_curve(*sphere, Matrix::Ones(2, 5)), Error);
  CurveOptions wide;
  wide.bandwidth = 2;
  EXPECT_THROW(principal_curve(*sphere, band(5, 0.1, 1), wide), Error);
}

}  // namespace
}  // namespace wgp
