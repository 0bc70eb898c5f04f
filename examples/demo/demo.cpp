// What scripts/demo runs: points scattered about a known closed curve on the sphere; their Frechet mean, principal
// geodesics and principal curve; a picture of them all and the numbers that say how well the curve was found.
//
//   demo DIRECTORY    writes points.csv, demo.svg and curve.html there
#include <wgp/wgp.h>
#include "core/format.h"

#include <cmath>
#include <filesystem>
#include <numbers>

#include "sphere_picture.h"

using wgp::Index, wgp::Matrix, wgp::Vector;

namespace {

constexpr double noise = 0.06;  // radians, in each tangent direction
constexpr Index count = 400;
constexpr double bandwidth = 0.05;  // of the principal curve, as a share of its length

// A circle about the axis, 0.8 rad wide, pushed in and out three times. t in [0, 1].
Vector true_curve(double t) {
  const double longitude = 2 * std::numbers::pi * t, colatitude = 0.8 + 0.2 * std::cos(3 * longitude);
  return Vector(Eigen::Vector3d(std::sin(colatitude) * std::cos(longitude), std::sin(colatitude) * std::sin(longitude),
                                std::cos(colatitude)));
}

Matrix noisy_points(const wgp::Manifold& sphere) {
  wgp::Random random(2);
  Matrix points(3, count);
  for (Index i = 0; i < count; ++i)
    points.col(i) = wgp::exp_point(*sphere.at(true_curve(random.uniform())), noise * random.normals(2));
  return points;
}

Matrix sampled_truth(Index steps) {
  Matrix points(3, steps + 1);
  for (Index i = 0; i <= steps; ++i) points.col(i) = true_curve(static_cast<double>(i) / static_cast<double>(steps));
  return points;
}

// The geodesic from the mean, two standard deviations both ways.
Matrix principal_geodesic(const wgp::Manifold& sphere, const wgp::Pga& pga, Index which) {
  constexpr Index steps = 80;
  const double reach = 2 * std::sqrt(pga.eigenvalues[which]);
  const Matrix coords = pga.directions.col(which) * Vector::LinSpaced(steps + 1, -reach, reach).transpose();
  Matrix points(3, steps + 1);
  sphere.at(pga.mean)->exp(coords, points);
  return points;
}

// The nodes, joined by geodesic segments; here they are near enough to be joined by short straight lines.
Matrix closed(const Matrix& nodes) {
  Matrix result(3, nodes.cols() + 1);
  result << nodes, nodes.col(0);
  return result;
}

// Root mean square over the columns of `from` of the distance to the polygon `to`.
double rms_distance(const wgp::Manifold& sphere, const Matrix& from, const Matrix& to) {
  double sum = 0;
  for (Index i = 0; i < from.cols(); ++i) {
    double nearest = wgp::infinity;
    for (Index j = 0; j + 1 < to.cols(); ++j)
      nearest = std::min(nearest, wgp::project_on_segment(sphere, to.col(j), to.col(j + 1), from.col(i)).distance);
    sum += nearest * nearest;
  }
  return std::sqrt(sum / static_cast<double>(from.cols()));
}

std::string page(const std::string& picture, const std::string& table) {
  return "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>wgp: a closed curve on the sphere</title>\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<style>body { font: 16px/1.5 system-ui, sans-serif; "
         "max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222 } svg { max-width: 100%; height: auto } "
         "td { padding: .2em 1.5em .2em 0; border-top: 1px solid #ddd } td + td { font-variant-numeric: tabular-nums; "
         "white-space: nowrap }</style>\n<h1>A closed curve on the sphere</h1>\n"
         "<p>Points scattered about a known curve. Principal geodesics summarise their spread about the Frechet mean "
         "but "
         "cannot follow the curve; the principal curve does. Faint: the far side of the sphere.</p>\n" +
         picture + table +
         "<p>The points are in <code>points.csv</code>; <code>wgp mean</code>, <code>wgp pga</code> and <code>wgp "
         "curve --closed --bandwidth 0.05</code> with <code>--manifold sphere:2</code> compute the same from that "
         "file.</p></html>\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "demo";
  std::filesystem::create_directories(directory);
  const wgp::ManifoldPtr sphere = wgp::parse_manifold("sphere:2");
  const Matrix points = noisy_points(*sphere), truth = sampled_truth(360);

  const wgp::FrechetMean mean = wgp::frechet_mean(*sphere, points);
  const wgp::Pga pga = wgp::tangent_pga(*sphere, points, mean.mean, 2);
  const Matrix first = principal_geodesic(*sphere, pga, 0), second = principal_geodesic(*sphere, pga, 1);
  wgp::CurveOptions options;
  options.topology = wgp::CurveOptions::Topology::closed;
  options.bandwidth = bandwidth;
  const wgp::PrincipalCurve found = wgp::principal_curve(*sphere, points, options);
  const Matrix curve = closed(found.nodes);

  SpherePicture picture(Eigen::Vector3d(0.47, -0.27, 0.95), Eigen::Vector3d(0, 0, 1), 620);
  picture.graticule();
  picture.dots(points, 3.2, "data");
  picture.curve(first, "first");
  picture.curve(second, "second");
  picture.curve(curve, "halo");
  picture.curve(curve, "curve");
  picture.curve(truth, "truth");
  picture.cross(mean.mean, 8, "mean");
  picture.legend("data", fmt::format("{} noisy points", count));
  picture.legend("mean", "Frechet mean");
  picture.legend("first", "first principal geodesic");
  picture.legend("second", "second principal geodesic");
  picture.legend("curve", "closed principal curve");
  picture.legend("truth", "the true curve");

  const std::vector<std::pair<std::string, std::string>> lines = {
      {"points", fmt::format("{}", count)},
      {"noise across the curve", fmt::format("{:.3f} rad", noise)},
      {"Frechet mean to the axis of the curve",
       fmt::format("{:.3f} rad", wgp::distance(*sphere, mean.mean, Vector::Unit(3, 2)))},
      {"spread along the principal geodesics",
       fmt::format("{:.3f}, {:.3f} rad", std::sqrt(pga.eigenvalues[0]), std::sqrt(pga.eigenvalues[1]))},
      {"points to the principal curve, root mean square",
       fmt::format("{:.3f} rad", std::sqrt(found.mean_squared_distance))},
      {"points to the true curve, root mean square", fmt::format("{:.3f} rad", rms_distance(*sphere, points, truth))},
      {"true curve to the principal curve, root mean square",
       fmt::format("{:.3f} rad", rms_distance(*sphere, truth, curve))},
      {"bandwidth of the principal curve", fmt::format("{} of its length", bandwidth)},
      {"length of the principal curve", fmt::format("{:.3f} rad", found.length)},
  };
  std::string table = "<table>\n";
  for (const auto& [name, value] : lines) {
    fmt::print("{:<52}{}\n", name, value);
    table += "<tr><td>" + name + "</td><td>" + value + "</td></tr>\n";
  }

  const auto writer = wgp::create_table(directory + "/points.csv", {"x", "y", "z"});
  writer->write(points);
  writer->close();
  wgp::write_file(directory + "/demo.svg", picture.svg());
  wgp::write_file(directory + "/curve.html", page(picture.svg(), table + "</table>\n"));
  fmt::print("\nwritten: {0}/points.csv, {0}/demo.svg and {0}/curve.html; open the last in a browser\n", directory);
}
