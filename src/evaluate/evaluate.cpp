#include "wgp/evaluate.h"

#include "core/format.h"

#include <atomic>
#include <map>
#include <mutex>
#include <numeric>

#include "core/executor.h"
#include "evaluate/trial.h"
#include "model/error_summary.h"

namespace wgp {

double Measured::mean() const {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Measured::sem() const {
  if (values.size() < 2) return 0;
  return standard_error(Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())));
}

std::vector<ModelEvaluation> evaluate(ManifoldPtr manifold, ConstMatrixRef P, const EvaluateOptions& options) {
  if (options.repeats < 1) throw Error("an evaluation needs at least one split");
  const std::vector<FitGroup> groups = fit_groups(options.models);
  std::map<std::string, std::vector<Trial>> trials;
  for (const std::string& name : options.models) trials[name].resize(static_cast<std::size_t>(options.repeats));
  const auto group_count = static_cast<Index>(groups.size());
  std::atomic<bool> cancelled = false;
  std::mutex mutex;
  std::string failure;
  int done = 0;
  const int all = static_cast<int>(options.models.size()) * options.repeats;
  // Split by split, so that what is finished when the work is stopped can be compared.
  Executor(options.threads).each(group_count * options.repeats, [&](Index task, int) {
    if (cancelled) return;
    const int split = static_cast<int>(task / group_count);
    const FitGroup& group = groups[static_cast<std::size_t>(task % group_count)];
    try {
      const std::vector<Trial> made =
          run_trials(manifold, P, group, split, options, [&cancelled] { return !cancelled; });
      for (std::size_t m = 0; m < group.size(); ++m) trials.at(group[m])[static_cast<std::size_t>(split)] = made[m];
    } catch (const Error& error) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (failure.empty()) failure = fmt::format("split {}, {}: {}", split, fmt::join(group, " and "), error.what());
      cancelled = true;
    }
    const std::lock_guard<std::mutex> lock(mutex);
    done += static_cast<int>(group.size());
    if (options.keep_going && !options.keep_going({done, all, group.back(), split})) cancelled = true;
  });
  if (!failure.empty()) throw Error(failure);
  std::vector<ModelEvaluation> result;
  for (const std::string& name : options.models) result.push_back(summary_of(name, trials.at(name), options));
  return result;
}

}  // namespace wgp
