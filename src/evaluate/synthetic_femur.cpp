// A leg swings about the vertical: a closed curve about the downward direction, run through some thirty times with
// uneven speed, and noise of 0.03 rad in the tangent plane.
#include <cmath>
#include <numbers>

#include "core/random_streams.h"
#include "evaluate/synthetic.h"
#include "wgp/manifold.h"
#include "wgp/random.h"

namespace wgp {
namespace {

constexpr Index frames = 338;
constexpr double strides = 31, direction_noise = 0.03;

// Tangent coordinates at the downward direction: forward and sideways swing.
Eigen::Vector2d swing(double t) {
  return {0.42 * std::cos(t) + 0.08 * std::cos(2 * t + 0.6), 0.22 * std::sin(t) + 0.06 * std::sin(2 * t) + 0.05};
}

}  // namespace

SyntheticSet synthetic_femur(std::uint64_t seed) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const auto space = sphere->at(Eigen::Vector3d(0, -1, 0));
  Random random(seed, stream::synthetic_femur);
  Matrix angles(1, frames), coords(2, frames);
  const double first = 2 * std::numbers::pi * random.uniform();
  for (Index i = 0; i < frames; ++i) {
    const double even = first + 2 * std::numbers::pi * strides * static_cast<double>(i) / static_cast<double>(frames);
    const double t = even + 0.3 * std::sin(even) + 0.1 * random.normal();  // the leg is slow where it turns
    angles(0, i) = std::remainder(t, 2 * std::numbers::pi);
    coords.col(i) = swing(angles(0, i));
  }
  SyntheticSet set{"sphere:2", 1, "periodic", Matrix(3, frames), Matrix(3, frames), angles, {"x", "y", "z"}, {"t"}, {}};
  space->exp(coords, set.truth);
  for (Index i = 0; i < frames; ++i) {
    Matrix moved(3, 1);
    sphere->at(set.truth.col(i))->exp(direction_noise * random.normals(2), moved);
    set.points.col(i) = moved;
  }
  return set;
}

}  // namespace wgp
