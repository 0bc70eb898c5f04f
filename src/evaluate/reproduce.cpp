#include "evaluate/reproduce.h"

#include "core/format.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>

#include "core/executor.h"
#include "evaluate/rank_shares.h"
#include "evaluate/split.h"
#include "evaluate/trial.h"
#include "evaluate/trial_store.h"
#include "fit/checkpoint.h"
#include "wgp/io.h"

namespace wgp {
namespace {

constexpr double conformal_share = 0.25;  // of the training points
constexpr int portrait = -1;              // in the place of a split's number

const std::vector<FitGroup>& trial_groups() {
  static const std::vector<FitGroup> groups = {
      {"wgplvm"}, {"wgplvm-variational"}, {"gplvm", "gplvmproj"}, {"nearest", "pga"}};
  return groups;
}

// One file of the store.
struct Task {
  std::size_t set = 0;
  FitGroup group;
  int split = portrait;
  double cost = 0;
  std::string name;
  std::uint64_t fingerprint = 0;
};

// The femur picture shows test points beside the training points, as the paper's does; the others show all points.
std::vector<Index> portrayed_points(const Experiment& experiment, const ReproduceOptions& options) {
  const Index N = experiment.points.cols();
  if (experiment.plan.name == "femur") return random_split(N, EvaluateOptions().train_share, options.seed).train;
  std::vector<Index> all(static_cast<std::size_t>(N));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

EvaluateOptions options_of(const Experiment& experiment, const FitGroup& group, const ReproduceOptions& options) {
  EvaluateOptions evaluation = evaluate_options(experiment, options);
  if (!group.front().starts_with("wgplvm")) evaluation.conformal_share = 0;
  return evaluation;
}

std::uint64_t fingerprint_of(const Experiment& experiment, const Task& task, const ReproduceOptions& options) {
  const EvaluateOptions evaluation = options_of(experiment, task.group, options);
  FitOptions fit = evaluation.fit;
  fit.seed = options.seed;
  std::uint64_t hash = fit_fingerprint(*experiment.manifold, Matrix(), experiment.points, fit);
  // What an evaluation adds to a fit.
  const auto mix = [&hash](double number) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15;
  };
  mix(evaluation.train_share);
  mix(evaluation.draws);
  mix(evaluation.conformal_share);
  mix(static_cast<double>(evaluation.fit.variance));
  for (const double clip : evaluation.clips) mix(clip);
  for (const char c : options.notes.program) mix(c);
  return hash;
}

std::vector<Task> tasks_of(const std::vector<Experiment>& experiments, const ReproduceOptions& options) {
  std::vector<Task> tasks;
  for (std::size_t set = 0; set < experiments.size(); ++set) {
    const Experiment& experiment = experiments[set];
    const std::string& name = experiment.plan.name;
    const double N = static_cast<double>(experiment.points.cols());
    const auto add = [&](const FitGroup& group, int split, double fits, const std::string& what) {
      Task task{set, group, split, fits * N * N * N, fmt::format("{}-{}", name, what), 0};
      task.fingerprint = fingerprint_of(experiment, task, options);
      tasks.push_back(std::move(task));
    };
    for (const char* model : {"wgplvm", "gplvm"}) add({model}, portrait, 1, fmt::format("portrait-{}", model));
    for (int split = 0; split < options.repeats; ++split)
      for (const FitGroup& group : trial_groups())
        add(group, split, cost_of_trial(group), fmt::format("split-{:02}-{}", split, group.front()));
  }
  // The longest first, so that the threads end together.
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.cost > b.cost; });
  return tasks;
}

std::string words(const Task& task, const Experiment& experiment) {
  return task.split == portrait
             ? fmt::format("{}, portrait, {}", experiment.plan.name, task.group.front())
             : fmt::format("{}, split {}, {}", experiment.plan.name, task.split, fmt::join(task.group, " and "));
}

FitResult fit_portrait(const Experiment& experiment, const Task& task, const ReproduceOptions& options,
                       const std::function<bool()>& keep_going) {
  FitOptions fit_options = options_of(experiment, task.group, options).fit;
  fit_options.model = task.group.front() == "wgplvm" ? ModelKind::wgplvm : ModelKind::gplvm;
  fit_options.seed = options.seed;
  fit_options.threads = 1;
  fit_options.keep_going = [&keep_going](const Progress&) { return keep_going(); };
  return fit(experiment.manifold, take_columns(experiment.points, portrayed_points(experiment, options)), fit_options);
}

// The tasks of one run: first what the store holds, then, in parallel, what is left.
class Run {
 public:
  Run(const std::vector<Experiment>& experiments, const ReproduceOptions& options)
      : experiments_(experiments), options_(options), store_(options.store), trials_(experiments.size()) {
    if (options.ranks) ranks_.emplace(*options.ranks);
    for (std::size_t set = 0; set < experiments.size(); ++set) {
      Reproduced& reproduced = result_.sets.emplace_back();
      reproduced.experiment = experiments[set];
      reproduced.portrayed = portrayed_points(experiments[set], options);
      for (const FitGroup& group : trial_groups())
        for (const std::string& model : group) trials_[set][model].resize(static_cast<std::size_t>(options.repeats));
    }
  }

  Reproduction result() {
    const std::vector<Task> tasks = tasks_of(experiments_, options_);
    const std::vector<Index> left = left_of(tasks);
    const std::vector<Index> own = shared_out(tasks, left);
    left_ = static_cast<int>(own.size());
    for (const Index task : own) cost_left_ += tasks[static_cast<std::size_t>(task)].cost;
    const auto perform_own = [&] {
      Executor(options_.threads).each(static_cast<Index>(own.size()), [&](Index i, int) {
        perform(tasks[static_cast<std::size_t>(own[static_cast<std::size_t>(i)])]);
      });
      if (!failure_.empty()) throw Error(failure_);
    };
    if (!ranks_)
      perform_own();
    else
      take_of_ranks(tasks, [&] {
        perform_own();
        return made_files(tasks, own);
      });
    result_.complete = result_.made == static_cast<int>(left.size());
    for (std::size_t set = 0; set < experiments_.size(); ++set)
      for (const FitGroup& group : trial_groups())
        for (const std::string& model : group)
          result_.sets[set].evaluations.push_back(
              summary_of(model, trials_[set].at(model), evaluate_options(experiments_[set], options_)));
    return std::move(result_);
  }

 private:
  // What rank 0's store lacks.
  std::vector<Index> left_of(const std::vector<Task>& tasks) {
    const auto look = [&] {
      std::vector<Index> left;
      if (ranks_ && ranks_->rank() != 0) return left;
      for (std::size_t k = 0; k < tasks.size(); ++k)
        if (take(tasks[k]))
          ++result_.taken;
        else
          left.push_back(static_cast<Index>(k));
      return left;
    };
    return ranks_ ? ranks_->gather_values<std::vector<Index>>(look).front() : look();
  }

  // This rank's.
  std::vector<Index> shared_out(const std::vector<Task>& tasks, const std::vector<Index>& left) const {
    if (!ranks_) return left;
    std::vector<double> costs;
    for (const Index task : left) costs.push_back(tasks[static_cast<std::size_t>(task)].cost);
    const std::vector<int> shares = rank_shares(costs, ranks_->count());
    std::vector<Index> own;
    for (std::size_t k = 0; k < left.size(); ++k)
      if (shares[k] == ranks_->rank()) own.push_back(left[k]);
    return own;
  }

  struct MadeFiles {
    std::vector<Index> tasks;
    std::vector<std::string> bytes;
    void each_part(auto&& visitor) { visitor(tasks, bytes); }
  };
  MadeFiles made_files(const std::vector<Task>& tasks, const std::vector<Index>& own) const {
    MadeFiles files;
    for (const Index task : own)
      if (const auto bytes = store_.bytes_of(path_of(tasks[static_cast<std::size_t>(task)])); !bytes.empty()) {
        files.tasks.push_back(task);
        files.bytes.push_back(bytes);
      }
    return files;
  }
  void take_of_ranks(const std::vector<Task>& tasks, const std::function<MadeFiles()>& make) {
    const auto of_ranks = ranks_->gather_values_at_first<MadeFiles>(make);
    for (std::size_t rank = 1; rank < of_ranks.size(); ++rank)
      for (std::size_t k = 0; k < of_ranks[rank].tasks.size(); ++k) {
        const Task& task = tasks[static_cast<std::size_t>(of_ranks[rank].tasks[k])];
        if (store_.bytes_of(path_of(task)) != of_ranks[rank].bytes[k])
          write_file(path_of(task), of_ranks[rank].bytes[k]);
        if (take(task)) ++result_.made;
      }
  }
  std::string path_of(const Task& task) const {
    return task.split == portrait ? store_.model_path(task.name, task.fingerprint)
                                  : store_.trials_path(task.name, task.fingerprint);
  }

  bool going() const { return !failed_ && !(options_.interrupted && options_.interrupted()); }

  // From the store; false where it is missing or damaged.
  bool take(const Task& task) {
    if (task.split == portrait) {
      if (const auto loaded = store_.find_model(task.name, task.fingerprint)) {
        keep(task, loaded->model);
        return true;
      }
      if (store_.has_model(task.name, task.fingerprint))
        result_.damaged.push_back(store_.model_path(task.name, task.fingerprint));
      return false;
    }
    if (const auto kept = store_.find_trials(task.name, task.fingerprint); kept && kept->size() == task.group.size()) {
      keep(task, *kept);
      return true;
    }
    if (store_.has_trials(task.name, task.fingerprint))
      result_.damaged.push_back(store_.trials_path(task.name, task.fingerprint));
    return false;
  }

  void perform(const Task& task) {
    if (!going()) return;
    const Experiment& experiment = experiments_[task.set];
    const std::function<bool()> keep_going = [this] { return going(); };
    try {
      if (task.split == portrait) {
        const FitResult fitted = fit_portrait(experiment, task, options_, keep_going);
        if (!going()) return;  // a fit that was cut short
        store_.add_model(task.name, task.fingerprint, fitted, options_.notes);
        const std::lock_guard<std::mutex> lock(mutex_);
        keep(task, fitted.model);
        report(task);
      } else {
        const std::vector<Trial> made = run_trials(experiment.manifold, experiment.points, task.group, task.split,
                                                   options_of(experiment, task.group, options_), keep_going);
        if (!going()) return;
        store_.add_trials(task.name, task.fingerprint, made);
        const std::lock_guard<std::mutex> lock(mutex_);
        keep(task, made);
        report(task);
      }
    } catch (const Error& error) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (failure_.empty())
        failure_ = fmt::format("{}: {}: {}", experiment.source, words(task, experiment), error.what());
      failed_ = true;
    }
  }

  void keep(const Task& task, const std::vector<Trial>& made) {
    for (std::size_t m = 0; m < task.group.size(); ++m)
      trials_[task.set].at(task.group[m])[static_cast<std::size_t>(task.split)] = made[m];
  }
  void keep(const Task& task, const Model& model) {
    Reproduced& reproduced = result_.sets[task.set];
    (task.group.front() == "wgplvm" ? reproduced.wgplvm : reproduced.gplvm) = model;
  }
  void report(const Task& task) {
    ++result_.made;
    cost_made_ += task.cost;
    if (options_.on_progress)
      options_.on_progress({result_.made, left_, cost_made_ / cost_left_, words(task, experiments_[task.set])});
  }

  const std::vector<Experiment>& experiments_;
  const ReproduceOptions& options_;
  TrialStore store_;
  std::optional<RankExchange> ranks_;
  std::vector<std::map<std::string, std::vector<Trial>>> trials_;  // of each set, by model
  Reproduction result_;
  double cost_left_ = 0, cost_made_ = 0;
  int left_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::string failure_;
};

}  // namespace

EvaluateOptions evaluate_options(const Experiment& experiment, const ReproduceOptions& options) {
  EvaluateOptions evaluation;
  evaluation.fit = experiment.fit();
  evaluation.fit.effort = options.effort;
  evaluation.repeats = options.repeats;
  evaluation.seed = options.seed;
  evaluation.conformal_share = conformal_share;
  evaluation.clips = {1e-12, 1e-10, 1e-8, 1e-6};
  return evaluation;
}

int count_finished(const std::vector<Experiment>& experiments, const ReproduceOptions& options) {
  const TrialStore store(options.store);
  int count = 0;
  for (const Task& task : tasks_of(experiments, options))
    count += task.split == portrait ? store.has_model(task.name, task.fingerprint)
                                    : store.has_trials(task.name, task.fingerprint);
  return count;
}

Reproduction reproduce(const std::vector<Experiment>& experiments, const ReproduceOptions& options) {
  if (options.repeats < 1) throw Error("a reproduction needs at least one split");
  return Run(experiments, options).result();
}

}  // namespace wgp
