// Each configuration is turned to the side on which it is nearer to the mean of the configurations turned so far, until
// none turns any more; the majority is what is taken for right.
//
// With m the mean of the turned ones and m' its mirror image, D apart, t = (d(p, m)^2 - d(p, m')^2 + D^2) / 2D says how
// far p is on the way from one to the other: 0 at m, D at m'. Shapes that are nearly symmetric scatter across the
// middle, so that either side would do: nothing is said unless the two groups are well apart by their own scatter.
#include "statistics/mirror_images.h"

#include <algorithm>
#include <cmath>

#include "wgp/statistics.h"

namespace wgp {
namespace {

constexpr double least_separation = 6;   // D in standard deviations of t
constexpr double clearly_nearer = 0.75;  // of a point that is far from both, one is always a little nearer
constexpr int most_rounds = 20;
constexpr Index most_for_mean = 1000;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median(ConstVectorRef values) { return median(std::vector<double>(values.begin(), values.end())); }

// Of a few points, and of no use where it is not unique: then it is only a place to start from.
Vector mean_of(const Manifold& manifold, ConstMatrixRef points) {
  MeanOptions options;
  options.restarts = 0;
  options.tolerance = 1e-8;
  return frechet_mean(manifold, points, options).mean;
}

struct Sides {
  std::vector<bool> turned;
  Vector mean, to_mean, to_mirror;  // distances of the points as they are
  double total = infinity;          // sum of squares of the nearer ones
};

// From the sides that are nearer to this point.
Sides turn_from(const Manifold& manifold, ConstMatrixRef points, ConstMatrixRef mirror_images, Vector start) {
  const Index N = points.cols();
  Sides sides;
  sides.mean = std::move(start);
  Matrix turned_points(points.rows(), N);
  for (int round = 0; round < most_rounds; ++round) {
    const auto space = manifold.at(sides.mean);
    sides.to_mean = space->distance(points);
    sides.to_mirror = space->distance(mirror_images);
    std::vector<bool> turned(static_cast<std::size_t>(N));
    for (Index i = 0; i < N; ++i) {
      const bool turn = sides.to_mirror[i] < sides.to_mean[i];
      turned[static_cast<std::size_t>(i)] = turn;
      turned_points.col(i) = turn ? mirror_images.col(i) : points.col(i);
    }
    sides.total = sides.to_mean.cwiseMin(sides.to_mirror).squaredNorm();
    if (turned == sides.turned) break;
    sides.turned = std::move(turned);
    sides.mean = mean_of(manifold, turned_points);
  }
  return sides;
}

}  // namespace

Index landmark_coordinates(const Manifold& manifold) {
  std::string spec = manifold.spec();
  if (spec.find_first_of(",^") != std::string::npos) return 0;
  if (const auto scale = spec.find('*'); scale != std::string::npos) spec.erase(0, scale + 1);
  return spec.starts_with("kendall3d:") ? 3 : spec.starts_with("kendall:") ? 2 : 0;
}

Matrix mirrored(ConstMatrixRef points, Index coordinates) {
  Matrix images = points;
  for (Index j = coordinates - 1; j < images.rows(); j += coordinates) images.row(j) *= -1;
  return images;
}

bool is_mirror_image(const Manifold& manifold, ConstVectorRef point, const Vector& shape) {
  Matrix both(point.size(), 2);
  both << point, mirrored(point, landmark_coordinates(manifold));
  const Vector distances = manifold.at(shape)->distance(both);
  return distances[1] < clearly_nearer * distances[0];
}

MirrorImages find_mirror_images(const Manifold& manifold, ConstMatrixRef points) {
  const Index coordinates = landmark_coordinates(manifold), N = points.cols();
  MirrorImages found;
  if (coordinates == 0 || N < 3) return found;
  const Index step = (N + most_for_mean - 1) / most_for_mean;
  const Index few = (N + step - 1) / step;
  const Matrix some = points(Eigen::all, Eigen::seqN(0, few, step));
  const Matrix some_mirrored = mirrored(some, coordinates);
  // From several points, since one may be an oddity that tells neither side.
  Sides best;
  for (const Index start : {Index{0}, few / 2, few - 1}) {
    Sides sides = turn_from(manifold, some, some_mirrored, some.col(start));
    if (sides.total < best.total) best = std::move(sides);
  }
  Vector mean = best.mean, other = mirrored(best.mean, coordinates);
  if (2 * std::count(best.turned.begin(), best.turned.end(), true) > few ||
      (2 * std::count(best.turned.begin(), best.turned.end(), true) == few && best.turned[0]))
    std::swap(mean, other);

  const auto space = manifold.at(mean);
  const double D = space->distance(other)[0];
  const Vector to_mean = space->distance(points), to_other = space->distance(mirrored(points, coordinates));
  if (!(D > 0)) return found;
  const Vector way = (to_mean.array().square() - to_other.array().square() + D * D) / (2 * D);
  const Vector nearer = way.cwiseMin((D - way.array()).matrix());
  const double centre = median(nearer);
  const double sd = 1.4826 * median(Vector((nearer.array() - centre).abs()));
  if (D < least_separation * sd) return found;
  for (Index i = 0; i < N; ++i)
    if (to_other[i] < clearly_nearer * to_mean[i]) found.points.push_back(i);
  found.distance = to_mean(found.points);
  found.mirrored_distance = to_other(found.points);
  return found;
}

}  // namespace wgp
