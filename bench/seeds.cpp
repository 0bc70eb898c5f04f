// How far does the fit depend on its seed? The paper's maximum likelihood (no prior) on all points of the real sets.
//
//   bench_seeds DATA SET [SEEDS] [EFFORT] [PRIOR]
//
// Prints the log likelihood of the PGA start alone, of the fit under each seed, and the spread (standard deviation and
// range) as a share of the improvement.
#include <wgp/wgp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "real_data.h"

using namespace wgp;

int main(int argc, char** argv) {
  const auto argument = [&](int i, const char* otherwise) { return std::string(argc > i ? argv[i] : otherwise); };
  const bench::RealSet& set = bench::real_sets().at(argument(2, "crypto"));
  const ManifoldPtr manifold = parse_manifold(set.manifold);
  const Matrix P = bench::read_points(argument(1, "") + "/" + set.file, set, *manifold);
  FitOptions options = bench::options_for(set);
  options.prior = argument(5, "none") == "map" ? Prior::map : Prior::none;
  FitOptions plain = options;
  plain.effort = Effort::quick;
  plain.inits = {"pga"};
  const double pga = fit(manifold, P, plain).summary.log_likelihood;
  const std::string effort = argument(4, "normal");
  options.effort = effort == "quick" ? Effort::quick : effort == "normal" ? Effort::normal : Effort::thorough;
  const int seeds = std::stoi(argument(3, "10"));
  Vector found(seeds);
  double seconds = 0;
  std::printf("%s: PGA %.2f; by seed", argument(2, "crypto").c_str(), pga);
  for (int seed = 0; seed < seeds; ++seed) {
    options.seed = static_cast<std::uint64_t>(seed);
    const FitSummary summary = fit(manifold, P, options).summary;
    found[seed] = summary.log_likelihood;
    seconds += summary.seconds;
    std::printf(" %.2f", found[seed]);
    std::fflush(stdout);
  }
  const double mean = found.mean(), sd = std::sqrt((found.array() - mean).square().sum() / std::max(1, seeds - 1));
  std::printf("\n  mean %.2f, best %.2f, improvement %.2f; sd %.2f (%.1f %%), range %.2f (%.1f %%); %.1f s a fit\n",
              mean, found.maxCoeff(), mean - pga, sd, 100 * sd / (mean - pga), found.maxCoeff() - found.minCoeff(),
              100 * (found.maxCoeff() - found.minCoeff()) / (mean - pga), seconds / seeds);
}
