// The submanifolds of truth_sets.h. Curves whose parameter has no meaning of its own are run through at unit speed.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random_streams.h"
#include "evaluate/truth_sets.h"
#include "linalg/rotation3.h"

namespace wgp {
namespace {

constexpr double full_turn = 2 * std::numbers::pi;

using CurvePoint = std::function<Vector(double)>;

TruthSet closed_set(const std::string& manifold, double noise, CurvePoint point) {
  TruthSet set;
  set.manifold = parse_manifold(manifold);
  set.latent = LatentSpace(1, 0);
  set.kernel = "periodic";
  set.noise = noise;
  set.last = full_turn;
  set.at = [point = std::move(point), width = set.manifold->ambient_dim()](ConstMatrixRef t) {
    Matrix points(width, t.cols());
    for (Index i = 0; i < t.cols(); ++i) points.col(i) = point(t(0, i));
    return points;
  };
  return set;
}

TruthSet open_set(const std::string& manifold, double noise, CurvePoint point) {
  TruthSet set = closed_set(manifold, noise, std::move(point));
  set.latent = LatentSpace::plain(1);
  set.kernel = "rbf";
  set.last = 1;
  return set;
}

// point(u), u from 0 to `end`, as a curve over 0 to `last` at constant speed: u by linear interpolation of a table of
// arc lengths.
CurvePoint at_constant_speed(const Manifold& manifold, CurvePoint point, double end, double last) {
  constexpr Index pieces = 20000;
  std::vector<double> lengths{0};
  Vector before = point(0);
  for (Index i = 1; i <= pieces; ++i) {
    const Vector here = point(end * static_cast<double>(i) / static_cast<double>(pieces));
    lengths.push_back(lengths.back() + distance(manifold, before, here));
    before = here;
  }
  return [point = std::move(point), lengths = std::move(lengths), end, last](double t) {
    const double wanted = std::clamp(t / last, 0.0, 1.0) * lengths.back();
    const auto next = std::upper_bound(lengths.begin() + 1, lengths.end() - 1, wanted);
    const double low = *(next - 1), high = *next;
    const double piece = static_cast<double>(next - lengths.begin()) - 1 + (wanted - low) / (high - low);
    return point(end * piece / static_cast<double>(pieces));
  };
}

TruthSet closed_at_constant_speed(const std::string& manifold, double noise, CurvePoint point) {
  CurvePoint even = at_constant_speed(*parse_manifold(manifold), std::move(point), full_turn, full_turn);
  return closed_set(manifold, noise, std::move(even));
}

Vector on_sphere(double colatitude, double longitude) {
  return Eigen::Vector3d(std::sin(colatitude) * std::cos(longitude), std::sin(colatitude) * std::sin(longitude),
                         std::cos(colatitude));
}

Vector on_trefoil(double t) {
  return Eigen::Vector3d(std::sin(t) + 2 * std::sin(2 * t), std::cos(t) - 2 * std::cos(2 * t), -std::sin(3 * t));
}

// The outline of a band of width 0.6 about an arc of radius 1 with round ends. The ends' centres are at the angles +-a
// of the mouth and 2 sin a = 1 apart, so that the mouth is 1 - 0.6 = 0.4 wide. u: arc length / whole length * 2 pi.
Vector on_horseshoe(double u) {
  constexpr double radius = 1, half = 0.3, mouth = std::numbers::pi / 6, arc = full_turn - 2 * mouth;
  constexpr double outer = (radius + half) * arc, inner = (radius - half) * arc, cap = std::numbers::pi * half;
  constexpr double whole = outer + inner + 2 * cap;
  const auto polar = [](double r, double angle) { return Eigen::Vector2d(r * std::cos(angle), r * std::sin(angle)); };
  double s = u / full_turn * whole;
  if (s < outer) return polar(radius + half, mouth + s / (radius + half));
  s -= outer;
  if (s < cap) return polar(radius, -mouth) + polar(half, -mouth + s / half);  // from outside to inside, by the mouth
  s -= cap;
  if (s < inner) return polar(radius - half, -mouth - s / (radius - half));
  s -= inner;
  return polar(radius, mouth) + polar(half, mouth + std::numbers::pi + s / half);
}

}  // namespace

TruthSet truth_circle(std::uint64_t) {
  return closed_set("euclidean:2", 0.15, [](double t) { return Eigen::Vector2d(std::cos(t), std::sin(t)); });
}

TruthSet truth_loop(std::uint64_t seed) {
  const double phase = full_turn * Random(seed, stream::truth_shape).uniform();
  return closed_set("sphere:2", 0.06, [phase](double t) { return on_sphere(0.8 + 0.22 * std::cos(3 * t + phase), t); });
}

TruthSet truth_turn(std::uint64_t) {
  return closed_set("so:3", 0.08, [](double t) {
    const Eigen::Matrix3d transposed =
        rodrigues({0.5 * std::cos(t), 0.9 * std::sin(t), 0.4 * std::sin(2 * t)}).transpose();
    return Vector(transposed.reshaped());  // row by row
  });
}

TruthSet truth_arc(std::uint64_t) {
  return open_set("sphere:2", 0.05, [](double t) { return on_sphere(0.9 + 0.25 * std::sin(2.5 * t), 4.2 * t); });
}

TruthSet truth_sheet(std::uint64_t seed) {
  constexpr Index terms = 60;
  TruthSet set;
  set.manifold = parse_manifold("spd:3");
  set.latent = LatentSpace::plain(2);
  set.noise = 0.1;
  set.parameter_names = {"x1", "x2"};
  Random random(seed, stream::truth_shape);
  const Matrix Omega = random.normals(terms, 2) / 1.3;
  Vector phases(terms);
  for (double& phase : phases) phase = full_turn * random.uniform();
  const Matrix W = std::sqrt(2.0 / static_cast<double>(terms)) * random.normals(6, terms);
  // At the identity, coordinates are the triangle of the matrix logarithm with off-diagonal entries times sqrt 2.
  const Matrix identity = Matrix::Identity(3, 3);
  const std::shared_ptr<const TangentSpace> space = set.manifold->at(identity.reshaped());
  set.at = [=](ConstMatrixRef x) {
    const Matrix logs = W * ((Omega * x).colwise() + phases).array().cos().matrix();
    Matrix points(9, x.cols());
    space->exp(logs, points);
    return points;
  };
  return set;
}

TruthSet truth_uneven(std::uint64_t seed) {
  TruthSet set = truth_circle(seed);
  set.relative_density = [](double t) { return (1 + 9.0 / 11 * std::cos(t)) / (1 + 9.0 / 11); };  // from 1 to 0.1
  return set;
}

TruthSet truth_gap(std::uint64_t seed) {
  TruthSet set = truth_loop(seed);  // whose shape at the gap depends on the seed
  set.gap = {0, std::numbers::pi / 3};
  return set;
}

TruthSet truth_peanut(std::uint64_t) {
  return closed_at_constant_speed("euclidean:2", 0.1, [](double t) {
    const double r = 0.6 + 0.4 * std::cos(2 * t);  // at the neck 0.2
    return Eigen::Vector2d(r * std::cos(t), r * std::sin(t));
  });
}

TruthSet truth_horseshoe(std::uint64_t) { return closed_set("euclidean:2", 0.1, on_horseshoe); }

TruthSet truth_eight(std::uint64_t) {
  return closed_at_constant_speed("sphere:2", 0.06, [](double t) {
    const Eigen::Vector2d v(0.9 * std::sin(t), 0.45 * std::sin(2 * t));  // of the tangent plane at the pole
    return on_sphere(v.norm(), std::atan2(v[1], v[0]));
  });
}

TruthSet truth_trefoil(std::uint64_t) {
  return closed_at_constant_speed("euclidean:3", 0.1 * trefoil_strand_distance, on_trefoil);
}
TruthSet truth_trefoil_thick(std::uint64_t) {
  return closed_at_constant_speed("euclidean:3", 0.2 * trefoil_strand_distance, on_trefoil);
}

TruthSet truth_spiral(std::uint64_t) {
  const CurvePoint spiral = [](double u) {
    const double r = 0.5 + 0.5 * u / full_turn;
    return Eigen::Vector2d(r * std::cos(u), r * std::sin(u));
  };
  return open_set("euclidean:2", 0.1, at_constant_speed(*parse_manifold("euclidean:2"), spiral, 2 * full_turn, 1));
}

TruthSet truth_circle20(std::uint64_t) {
  return closed_set("euclidean:20", 0.15, [](double t) {
    Vector point = Vector::Zero(20);
    point.head(2) << std::cos(t), std::sin(t);
    return point;
  });
}

TruthSet truth_ellipse(std::uint64_t) {
  return closed_at_constant_speed("euclidean:2", 0.1,
                                  [](double t) { return Eigen::Vector2d(1.5 * std::cos(t), 0.3 * std::sin(t)); });
}

TruthSet truth_outliers(std::uint64_t seed) {
  TruthSet set = truth_circle(seed);
  set.outlier_box = 2;
  return set;
}

}  // namespace wgp
