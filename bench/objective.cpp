// What one evaluation of the exact likelihood costs: objective with its whole gradient, and the value alone, as
// multiples of LAPACK's Cholesky and inverse (dpotrf + dpotri) of a matrix of the same size.
//
//   bench_objective [--quick] [--json] [N,N,...] [d,d,...]
//
// RBF kernel with noise, q = 2; one thread by CPU time, and from 600 points on two threads by the clock, OpenBLAS with
// as many. The three are timed in turns and their smallest times compared, so that a busy machine disturbs all of them
// alike (two threads on a busy machine say nothing).
#include <wgp/wgp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "evidence/evidence.h"
#include "reference.h"
#include "timing.h"

using namespace wgp;

namespace {

std::vector<Index> sizes(const std::string& list) {
  std::vector<Index> found;
  std::istringstream in(list);
  for (std::string one; std::getline(in, one, ',');) found.push_back(std::stol(one));
  return found;
}

// At most this much of the reference, from the table of targets; 0: none.
double target(Index N, Index d, int threads) {
  if (threads == 2) return 0.95;
  if (d <= 6) return N <= 126 ? 0.70 : N <= 338 ? 0.75 : N <= 750 ? 0.87 : N <= 1000 ? 0.92 : 1.02;
  if (d <= 55) return N >= 126 ? 1.15 : 0;
  return N >= 338 ? 1.65 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  bench::know_the_processor(argv);
  bool quick = false, json = false;
  std::vector<std::string> lists;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick")
      quick = true;
    else if (argument == "--json")
      json = true;
    else
      lists.push_back(argument);
  }
  const std::vector<Index> all_N = sizes(!lists.empty() ? lists[0]
                                         : quick        ? "126,338,600,750,1000,2000"
                                                        : "126,338,600,750,1000,2000,4000");
  const std::vector<Index> all_d = sizes(lists.size() > 1 ? lists[1] : "6,55,176");
  if (json)
    std::printf("{\"objective_gradient\": [");
  else
    std::printf("reference: dpotrf + dpotri, OpenBLAS for %s\n%7s %6s %5s %12s %10s %8s %12s\n",
                openblas_get_corename(), "threads", "N", "d", "reference us", "objective", "target", "value only");
  bool first = true;
  std::vector<std::tuple<int, Index, Index>> cases;
  for (const int threads : {1, 2})
    for (const Index N : all_N)
      for (const Index d : all_d)
        if (threads == 1 || N >= 600) cases.emplace_back(threads, N, d);
  for (const auto& [threads, N, d] : cases) {
    openblas_set_num_threads(threads);
    Random random(1);
    const LatentSpace latent = LatentSpace::plain(2);
    const KernelPtr kernel = parse_kernel("rbf", latent);
    const Matrix X = 1.5 * random.normals(2, N);
    const double noise = 0.01;
    const Vector theta = kernel->default_parameters();
    const Matrix K = kernel->cov(theta, X, X) + noise * Matrix::Identity(N, N);
    Executor executor(threads);
    const auto evidence = dense_evidence({kernel, latent, &executor});
    const Outputs outputs{compress_rows(random.normals(d, N)), d};
    const Parameters at = Parameters::of(X, theta, noise);
    EvidenceGradient gradient;
    Matrix L(N, N);
    bool inverted = true;
    double reference = 1e9, both = 1e9, value = 1e9, sink = 0;
    const double budget = quick ? 0.8e10 : 4e10;
    const int repeats = std::clamp(static_cast<int>(budget / std::pow(static_cast<double>(N) + 20, 3)), 5, 1000);
    const bench::Clock clock = threads == 1 ? bench::Clock::this_thread : bench::Clock::wall;
    for (int r = 0; r < repeats; ++r) {
      L = K;
      bench::shorten(
          reference, [&] { inverted = bench::invert_by_lapack(L) && inverted; }, clock);
      bench::shorten(
          both, [&] { sink += evidence->value_and_gradient(at, outputs, gradient, ByOutputs::unwanted); }, clock);
      bench::shorten(
          value, [&] { sink += evidence->value(at, outputs); }, clock);
    }
    if (!std::isfinite(sink) || !inverted) return 1;
    const double ratio = both / reference, value_ratio = value / reference;
    if (json)
      std::printf(
          "%s{\"n\": %ld, \"d\": %ld, \"threads\": %d, \"ratio\": %.3f, \"value_only_ratio\": %.3f, "
          "\"seconds\": %.4g, \"value_only_seconds\": %.4g}",
          first ? "" : ", ", N, d, threads, ratio, value_ratio, both, value);
    else
      std::printf("%7d %6ld %5ld %12.1f %10.3f %8s %12.3f\n", threads, N, d, 1e6 * reference, ratio,
                  target(N, d, threads) > 0 ? std::to_string(target(N, d, threads)).substr(0, 4).c_str() : "-",
                  value_ratio);
    std::fflush(stdout);
    first = false;
  }
  if (json) std::printf("]}\n");
}
