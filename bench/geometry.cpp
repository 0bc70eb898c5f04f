// How long do exp, log, distance, the Frechet mean and PGA take on 100,000 points?
//
//   bench_geometry DIRECTORY [more | only SPEC]
//                               prints one JSON line per manifold and operation, and leaves the points and the base
//                               point of each manifold in DIRECTORY, where geometry_geomstats.py and python_geometry.py
//                               read them. more: of manifolds besides those, too; only: of this one alone
//
// CPU seconds of one thread, best of several repetitions. "check" is a number both programs compute from the result:
// they must agree, or they did not do the same work. "mean" does what the peer's does: one descent, to a gradient of
// 1e-6 of the data's spread (the peer stops at about 1e-4). "mean_certified" is what frechet_mean does unless told
// otherwise: 12 digits, and a search for other minima where the data does not rule them out. "check" is what readers of
// points do with each: whether it is a point, and its projection.
#include <wgp/row_form.h>
#include <wgp/wgp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>

namespace {

using wgp::Index, wgp::Matrix, wgp::Vector;

constexpr int repetitions = 7, fewest_repetitions = 3;
constexpr double long_enough = 3;  // seconds after which the fewest are enough

double best_cpu_seconds(const std::function<void()>& work) {
  double best = wgp::infinity;
  const std::clock_t begin = std::clock();
  for (int i = 0; i < repetitions; ++i) {
    if (i >= fewest_repetitions && static_cast<double>(std::clock() - begin) > long_enough * CLOCKS_PER_SEC) break;
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

struct Subject {
  std::string spec, file;        // the manifold; the stem of its data files
  double spread;                 // standard deviation of the tangent coordinates about the base point
  std::vector<Index> row_shape;  // of a point, as Python sees it
  Index point_count = 100'000;
};

// A fixed base point with points wrapped around it.
Vector base_point(const wgp::Manifold& manifold) {
  wgp::Random random(20);
  return manifold.random_point(random);
}

void run(const Subject& subject, const std::string& directory) {
  const wgp::ManifoldPtr manifold = wgp::parse_manifold(subject.spec);
  const Vector base = base_point(*manifold);
  wgp::Random random(21);
  const Matrix coords = subject.spread * random.normals(manifold->dim(), subject.point_count);
  Matrix points(manifold->ambient_dim(), subject.point_count);
  manifold->at(base)->exp(coords, points);

  for (const auto& [name, values] : {std::pair<std::string, Matrix>{"points", points}, {"base", base}}) {
    const auto table = wgp::create_table(directory + "/" + subject.file + "_" + name + ".npy",
                                         wgp::ambient_names(*manifold), subject.row_shape);
    table->write(values);
    table->close();
  }

  const auto print = [&](const char* operation, double seconds, double check) {
    std::printf("{\"manifold\": \"%s\", \"operation\": \"%s\", \"seconds\": %.6f, \"check\": %.12g}\n",
                subject.spec.c_str(), operation, seconds, check);
    std::fflush(stdout);
  };
  const auto forms = wgp::row_forms(*manifold);
  const auto form =
      *std::find_if(forms.begin(), forms.end(), [&](const auto& one) { return one->width() == points.rows(); });
  Matrix result_points(points.rows(), points.cols()), result_coords(coords.rows(), coords.cols());
  Vector distances;
  double seconds = best_cpu_seconds([&] { manifold->at(base)->exp(coords, result_points); });
  print("exp", seconds, manifold->at(base)->distance(result_points).mean());
  seconds = best_cpu_seconds([&] { manifold->at(base)->log(points, result_coords); });
  print("log", seconds, result_coords.colwise().norm().mean());
  seconds = best_cpu_seconds([&] { distances = manifold->at(base)->distance(points); });
  print("distance", seconds, distances.mean());
  seconds = best_cpu_seconds([&] {
    for (Index i = 0; i < points.cols(); ++i)
      wgp::point_of_row(*manifold, *form, points.col(i), manifold->default_tolerance(), result_points.col(i));
  });
  print("check", seconds, manifold->at(base)->distance(result_points).mean());
  wgp::FrechetMean mean;
  wgp::MeanOptions one_descent;
  one_descent.tolerance = 1e-6;
  one_descent.restarts = 0;
  seconds = best_cpu_seconds([&] { mean = wgp::frechet_mean(*manifold, points, one_descent); });
  print("mean", seconds, mean.variance);
  seconds = best_cpu_seconds([&] { mean = wgp::frechet_mean(*manifold, points); });
  print("mean_certified", seconds, mean.variance);
  wgp::Pga pga;
  seconds = best_cpu_seconds([&] { pga = wgp::tangent_pga(*manifold, points, mean.mean, 2); });
  print("pga", seconds, pga.eigenvalues[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[2] : "";
  if (!(argc == 2 || (argc == 3 && what == "more") || (argc == 4 && what == "only"))) {
    std::fprintf(stderr, "usage: bench_geometry DIRECTORY [more | only SPEC]\n");
    return 2;
  }
  // 176 coordinates of kendall:90: a length of about 0.3, as in real outlines, well within the injectivity radius pi/2.
  const std::vector<Subject> usual = {
      {"sphere:2", "sphere", 0.5, {3}},
      {"spd:3", "spd_log_euclidean", 0.5, {3, 3}},
      {"spd:3/affine-invariant", "spd_affine_invariant", 0.5, {3, 3}},
      {"kendall:90", "kendall", 0.3 / std::sqrt(176.0), {90, 2}},
  };
  const std::vector<Subject> others = {
      {"so:3", "so", 0.3, {3, 3}},
      {"hyperbolic:3", "hyperbolic", 0.5, {4}},
      {"torus:3", "torus", 0.3, {3}},
      {"spd:3/log-cholesky", "spd_log_cholesky", 0.5, {3, 3}},
  };
  // Of 24 channels, fewer matrices: the peers take minutes otherwise. By "only".
  const std::vector<Subject> alone = {{"spd:24/affine-invariant", "spd_24", 0.1, {24, 24}, 2'000}};
  const std::string directory = argv[1];
  std::filesystem::create_directories(directory);
  const auto run_those_of = [&](const std::vector<Subject>& subjects) {
    for (const Subject& subject : subjects)
      if (what != "only" || subject.spec == argv[3]) run(subject, directory);
  };
  run_those_of(usual);
  if (!what.empty()) run_those_of(others);
  if (what == "only") run_those_of(alone);
}
