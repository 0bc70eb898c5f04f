// What a Frechet mean of matrices costs: bench_means SPEC FILE COUNT, FILE holding COUNT points of SPEC as raw doubles,
// one after the other. Prints one JSON object: CPU seconds of the fastest of several means in one thread, and the mean.
// bench/mean_race.py runs it beside pyRiemann.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

#include "wgp/manifold.h"
#include "wgp/statistics.h"

int main(int count, char** arguments) {
  using namespace wgp;
  if (count != 4) {
    std::fprintf(stderr, "usage: bench_means SPEC FILE COUNT\n");
    return 2;
  }
  const ManifoldPtr manifold = parse_manifold(arguments[1]);
  Matrix points(manifold->ambient_dim(), std::stol(arguments[3]));
  std::ifstream file(arguments[2], std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(points.data()), points.size() * static_cast<Index>(sizeof(double)))) {
    std::fprintf(stderr, "bench_means: %s is too short\n", arguments[2]);
    return 3;
  }
  double fastest = infinity, total = 0;
  FrechetMean mean;
  for (int run = 0; run < 3 || (total < 1 && run < 100); ++run) {
    const std::clock_t begin = std::clock();
    mean = frechet_mean(*manifold, points);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    fastest = std::min(fastest, seconds);
    total += seconds;
  }
  std::printf("{\"seconds\": %.9g, \"passes\": %d, \"status\": \"%s\", \"unique\": %s, \"mean\": [", fastest,
              mean.passes, to_string(mean.status).c_str(), mean.unique ? "true" : "false");
  for (Index i = 0; i < mean.mean.size(); ++i) std::printf("%s%.17g", i > 0 ? ", " : "", mean.mean[i]);
  std::printf("]}\n");
  return 0;
}
