// How far does the fit depend on its seed, and on luck? The paper's maximum likelihood (no prior) on all points of the
// real sets.
//
//   bench_seeds DATA SET [COUNT] [EFFORT] [PRIOR]
//
// Prints the log likelihood of the PGA start alone, of the fit under each seed, and the spread (standard deviation and
// range) as a share of the improvement. Then the same over random orders of the rows: the search takes its tries from a
// fixed sequence, so that only another order shows how much of the result is owed to the tries it happened to make.
#include <wgp/wgp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

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
  const int count = std::stoi(argument(3, "10"));
  const auto study = [&](const char* what, const auto& fit_number) {
    Vector found(count);
    double seconds = 0;
    std::printf("%s: PGA %.2f; by %s", argument(2, "crypto").c_str(), pga, what);
    for (int i = 0; i < count; ++i) {
      const FitSummary summary = fit_number(i).summary;
      found[i] = summary.log_likelihood;
      seconds += summary.seconds;
      std::printf(" %.2f", found[i]);
      std::fflush(stdout);
    }
    const double mean = found.mean(), sd = std::sqrt((found.array() - mean).square().sum() / std::max(1, count - 1));
    const double range = found.maxCoeff() - found.minCoeff();
    std::printf("\n  mean %.2f, best %.2f, improvement %.2f; sd %.2f (%.1f %%), range %.2f (%.1f %%); %.1f s a fit\n",
                mean, found.maxCoeff(), mean - pga, sd, 100 * sd / (mean - pga), range, 100 * range / (mean - pga),
                seconds / count);
  };
  study("seed", [&](int seed) {
    options.seed = static_cast<std::uint64_t>(seed);
    return fit(manifold, P, options);
  });
  study("order of rows", [&](int number) {
    Random random(static_cast<std::uint64_t>(number), 99);
    std::vector<Index> order(static_cast<std::size_t>(P.cols()));
    std::iota(order.begin(), order.end(), Index{0});
    for (Index i = P.cols() - 1; i > 0; --i)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
    return fit(manifold, P(Eigen::all, order), options);
  });
}
