// The paper's experiments with the paper's protocol: repeated splits of each data set, every model on each of them, and
// one model of each set for pictures. Everything that is finished is kept in a directory (TrialStore).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/experiments.h"
#include "wgp/model_file.h"

namespace wgp {

struct ReproduceProgress {
  int done = 0, all = 0;
  double share = 0;  // of the work, as far as it can be told beforehand
  std::string what;  // "diatoms, split 3, wgplvm"
};

struct ReproduceOptions {
  int repeats = 10;
  std::uint64_t seed = 0;
  Effort effort = Effort::normal;
  int threads = 1;  // trials run side by side; the result does not depend on it
  // Processes that share the trials out, kept by reference (wgp/ranks.h). Each keeps what it finishes in its own store,
  // which had better be the same directory, so that nothing is lost where one is killed; rank 0 has all in the end.
  Ranks* ranks = nullptr;
  std::string store;
  ModelNotes notes;  // kept in the model files; another program's files are not taken up
  std::function<void(const ReproduceProgress&)> on_progress;  // after each finished file, from one thread at a time
  std::function<bool()> interrupted;  // true: stop; asked often and from all threads. What is finished is kept
};

// What came out for one data set.
struct Reproduced {
  Experiment experiment;
  std::vector<ModelEvaluation> evaluations;  // wgplvm, wgplvm-variational, gplvm, gplvmproj, nearest, pga
  std::vector<Index> portrayed;              // the points that the two models below are of
  std::optional<Model> wgplvm, gplvm;
};

struct Reproduction {
  std::vector<Reproduced> sets;
  int made = 0, taken = 0;           // files, of this run and of earlier ones
  std::vector<std::string> damaged;  // files that were made again
  bool complete = false;
};

EvaluateOptions evaluate_options(const Experiment& experiment, const ReproduceOptions& options);

// How many files of this very run the store holds already.
int count_finished(const std::vector<Experiment>& experiments, const ReproduceOptions& options);

// Over ranks rank 0 has the whole result, the others what they made of it.
Reproduction reproduce(const std::vector<Experiment>& experiments, const ReproduceOptions& options);

}  // namespace wgp
