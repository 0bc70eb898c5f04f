// How long do exp, log, distance, the Frechet mean and PGA take on 100,000 points?
//
//   bench_geometry DIRECTORY [more]    prints one JSON line per manifold and operation, and leaves the points and the
//   base
//                               point of each manifold in DIRECTORY, where geometry_geomstats.py reads them.
//                               more: of manifolds besides those that it reads, too
//
// CPU seconds of one thread, best of several repetitions. "check" is a number both programs compute from the result:
// they must agree, or they did not do the same work. "mean" does what the peer's does: one descent, to a gradient of
// 1e-6 of the data's spread (the peer stops at about 1e-4). "mean_certified" is what frechet_mean does unless told
// otherwise: 12 digits, and a search for other minima where the data does not rule them out.
#include <wgp/wgp.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>

namespace {

using wgp::Index, wgp::Matrix, wgp::Vector;

constexpr Index point_count = 100'000;
constexpr int repetitions = 7;

double best_cpu_seconds(const std::function<void()>& work) {
  double best = wgp::infinity;
  for (int i = 0; i < repetitions; ++i) {
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
  const Matrix coords = subject.spread * random.normals(manifold->dim(), point_count);
  Matrix points(manifold->ambient_dim(), point_count);
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
  Matrix result_points(points.rows(), points.cols()), result_coords(coords.rows(), coords.cols());
  Vector distances;
  double seconds = best_cpu_seconds([&] { manifold->at(base)->exp(coords, result_points); });
  print("exp", seconds, manifold->at(base)->distance(result_points).mean());
  seconds = best_cpu_seconds([&] { manifold->at(base)->log(points, result_coords); });
  print("log", seconds, result_coords.colwise().norm().mean());
  seconds = best_cpu_seconds([&] { distances = manifold->at(base)->distance(points); });
  print("distance", seconds, distances.mean());
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
  const bool more = argc == 3 && std::string(argv[2]) == "more";
  if (argc != 2 && !more) {
    std::fprintf(stderr, "usage: bench_geometry DIRECTORY [more]\n");
    return 2;
  }
  const std::string directory = argv[1];
  std::filesystem::create_directories(directory);
  run({"sphere:2", "sphere", 0.5, {3}}, directory);
  run({"spd:3", "spd_log_euclidean", 0.5, {3, 3}}, directory);
  run({"spd:3/affine-invariant", "spd_affine_invariant", 0.5, {3, 3}}, directory);
  // 176 coordinates: a length of about 0.3, as in real outlines, well within the injectivity radius pi/2.
  run({"kendall:90", "kendall", 0.3 / std::sqrt(176.0), {90, 2}}, directory);
  if (!more) return 0;
  run({"so:3", "so", 0.3, {3, 3}}, directory);
  run({"hyperbolic:3", "hyperbolic", 0.5, {4}}, directory);
  run({"torus:3", "torus", 0.3, {3}}, directory);
  run({"spd:3/log-cholesky", "spd_log_cholesky", 0.5, {3, 3}}, directory);
}
