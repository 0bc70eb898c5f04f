#include "model/choose_prior.h"

#include "model/checkpoint.h"

namespace wgp {
namespace {

// The checkpoint of both fits together: each one's steps under its name.
class CommonCheckpoint {
 public:
  CommonCheckpoint(const FitOptions& options, std::uint64_t fingerprint) : options_(options) {
    if (options.resume && options.resume->fingerprint != fingerprint)
      throw Error("the checkpoint belongs to another fit: the points or the options are not the same");
    if (options.resume) all_ = *options.resume;
    all_.fingerprint = fingerprint;
  }

  void give_to(FitOptions& one, const std::string& name, std::uint64_t fingerprint) {
    const std::string prefix = name + "/";
    auto own = std::make_shared<FitCheckpoint>();
    own->fingerprint = fingerprint;
    for (const auto& [step, numbers] : all_.steps)
      if (step.starts_with(prefix)) own->steps[step.substr(prefix.size())] = numbers;
    one.resume = own;
    if (options_.on_step)
      one.on_step = [this, prefix](const FitCheckpoint& checkpoint) {
        for (const auto& [step, numbers] : checkpoint.steps) all_.steps[prefix + step] = numbers;
        options_.on_step(all_);
      };
  }

 private:
  const FitOptions& options_;
  FitCheckpoint all_;
};

}  // namespace

FitResult fit_best_prior(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options) {
  CommonCheckpoint checkpoint(options, fit_fingerprint(*manifold, P, options));
  std::optional<FitResult> best;
  double most = -infinity;
  FitSummary both;
  for (const Prior prior : {Prior::map, Prior::none}) {
    FitOptions one = options;
    one.prior = prior;
    checkpoint.give_to(one, to_string(prior), fit_fingerprint(*manifold, P, one));
    FitResult result = fit(manifold, P, one);
    both.iterations += result.summary.iterations;
    both.evaluations += result.summary.evaluations;
    both.seconds += result.summary.seconds;
    both.cancelled = both.cancelled || result.summary.cancelled;
    const double density = result.summary.held_out_log_density.value_or(-infinity);
    if (!best || density > most) {
      best = std::move(result);
      most = density;
    }
    if (both.cancelled) break;
  }
  best->summary.iterations = both.iterations;
  best->summary.evaluations = both.evaluations;
  best->summary.seconds = both.seconds;
  best->summary.cancelled = both.cancelled;
  return std::move(*best);
}

}  // namespace wgp
