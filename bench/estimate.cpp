// What estimate_fit() says a fit takes, beside what it took: on one thread, default options, drawn sets.
//
//   bench_estimate [--long]     --long: sets of ten thousand points too
//
// One line a fit: estimated seconds, processor seconds, and their ratio.
#include <wgp/wgp.h>

#include <cstdio>
#include <cstring>

#include "evaluate/truth_sets.h"
#include "timing.h"

using namespace wgp;

namespace {

struct Task {
  const char* source;
  Index count, latent;  // latent: 0 for that of the set
  Inference inference;
  Effort effort;
  bool is_long;
};
constexpr Task tasks[] = {
    {"circle", 200, 0, Inference::variational, Effort::normal, false},
    {"circle", 200, 0, Inference::variational, Effort::quick, false},
    {"circle", 2000, 0, Inference::variational, Effort::normal, false},
    {"circle", 10000, 0, Inference::variational, Effort::normal, true},
    {"arc", 200, 0, Inference::variational, Effort::normal, false},
    {"arc", 2000, 0, Inference::variational, Effort::normal, false},
    {"circle20", 200, 0, Inference::variational, Effort::normal, false},
    {"sheet", 200, 0, Inference::variational, Effort::normal, false},
    {"sheet", 200, 0, Inference::variational, Effort::quick, false},
    {"sheet", 1000, 0, Inference::variational, Effort::normal, false},
    {"sheet", 10000, 0, Inference::variational, Effort::normal, true},
    {"sheet", 200, 3, Inference::variational, Effort::normal, false},
    {"sheet", 200, 4, Inference::variational, Effort::normal, false},
    {"circle", 200, 0, Inference::point, Effort::normal, false},
    {"sheet", 200, 0, Inference::point, Effort::quick, false},
    {"sheet", 200, 0, Inference::point, Effort::normal, false},
    {"sheet", 500, 0, Inference::point, Effort::normal, false},
};

}  // namespace

int main(int count, char** words) {
  const bool long_too = count > 1 && std::strcmp(words[1], "--long") == 0;
  std::printf("%-12s %6s %2s %-11s %-7s %10s %9s %6s\n", "set", "N", "q", "inference", "effort", "estimated", "taken",
              "ratio");
  for (const Task& task : tasks) {
    if (task.is_long && !long_too) continue;
    const TruthSource* source = find_truth_source(task.source);
    if (!source) {
      std::fprintf(stderr, "there is no set %s\n", task.source);
      return 1;
    }
    const TruthSet set = source->make(1);
    FitOptions options;
    options.latent = task.latent > 0 ? LatentSpace::plain(task.latent) : set.latent;
    options.kernel = set.kernel;
    options.inference = task.inference;
    options.effort = task.effort;
    const double estimated = estimate_fit(*set.manifold, task.count, options).seconds;
    const Matrix P = draw_truth(set, 1, TruthPart::training, task.count).points;
    const double begin = bench::seconds();
    fit(set.manifold, P, options);
    const double taken = bench::seconds() - begin;
    std::printf("%-12s %6ld %2ld %-11s %-7s %10.2f %9.2f %6.2f\n", task.source, static_cast<long>(task.count),
                static_cast<long>(options.latent.dim()), to_string(task.inference).c_str(),
                to_string(task.effort).c_str(), estimated, taken, estimated / taken);
    std::fflush(stdout);
  }
}
