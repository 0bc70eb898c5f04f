#include "wgp/evaluate.h"

#include "core/format.h"

#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>

#include "core/executor.h"
#include "evaluate/rank_shares.h"
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

namespace {

struct NumberedTrials {
  std::vector<Index> tasks;
  std::vector<std::vector<Trial>> trials;  // of each of these
  void each_part(auto&& visitor) { visitor(tasks, trials); }
};

// The tasks of this rank: splits of groups, split by split.
std::vector<Index> own_tasks(const std::vector<FitGroup>& groups, int repeats, const RankExchange* ranks) {
  std::vector<double> costs;
  for (int split = 0; split < repeats; ++split)
    for (const FitGroup& group : groups) costs.push_back(cost_of_trial(group));
  const std::vector<int> shares = rank_shares(costs, ranks ? ranks->count() : 1);
  std::vector<Index> own;
  for (std::size_t task = 0; task < shares.size(); ++task)
    if (!ranks || shares[task] == ranks->rank()) own.push_back(static_cast<Index>(task));
  return own;
}

// Those of one rank, or all.
NumberedTrials make_trials(const ManifoldPtr& manifold, ConstMatrixRef P, const std::vector<FitGroup>& groups,
                           const std::vector<Index>& tasks, const EvaluateOptions& options) {
  NumberedTrials made{tasks, std::vector<std::vector<Trial>>(tasks.size())};
  const auto group_count = static_cast<Index>(groups.size());
  std::atomic<bool> cancelled = false;
  std::mutex mutex;
  std::string failure;
  int done = 0, all = 0;
  for (const Index task : tasks) all += static_cast<int>(groups[static_cast<std::size_t>(task % group_count)].size());
  // Split by split, so that what is finished when the work is stopped can be compared.
  Executor(options.threads).each(static_cast<Index>(tasks.size()), [&](Index k, int) {
    const Index task = tasks[static_cast<std::size_t>(k)];
    const int split = static_cast<int>(task / group_count);
    const FitGroup& group = groups[static_cast<std::size_t>(task % group_count)];
    std::vector<Trial>& trials = made.trials[static_cast<std::size_t>(k)];
    trials.resize(group.size());
    if (cancelled) return;
    try {
      trials = run_trials(manifold, P, group, split, options, [&cancelled] { return !cancelled; });
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
  return made;
}

}  // namespace

std::vector<ModelEvaluation> evaluate(ManifoldPtr manifold, ConstMatrixRef P, const EvaluateOptions& options) {
  if (options.repeats < 1) throw Error("an evaluation needs at least one split");
  const std::vector<FitGroup> groups = fit_groups(options.models);
  std::optional<RankExchange> ranks;
  if (options.ranks) ranks.emplace(*options.ranks);
  const std::vector<Index> own = own_tasks(groups, options.repeats, ranks ? &*ranks : nullptr);
  const auto make = [&] { return make_trials(manifold, P, groups, own, options); };
  std::map<std::string, std::vector<Trial>> trials;
  for (const std::string& name : options.models) trials[name].resize(static_cast<std::size_t>(options.repeats));
  for (const NumberedTrials& made : ranks ? ranks->gather_values<NumberedTrials>(make) : std::vector{make()})
    for (std::size_t k = 0; k < made.tasks.size(); ++k) {
      const auto split = static_cast<std::size_t>(made.tasks[k]) / groups.size();
      const FitGroup& group = groups[static_cast<std::size_t>(made.tasks[k]) % groups.size()];
      for (std::size_t m = 0; m < group.size(); ++m) trials.at(group[m])[split] = made.trials[k][m];
    }
  std::vector<ModelEvaluation> result;
  for (const std::string& name : options.models) result.push_back(summary_of(name, trials.at(name), options));
  return result;
}

}  // namespace wgp
