#include "cli/output/fit_watch.h"

#include <unistd.h>

#include <cmath>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/input/fit_flags.h"
#include "cli/output/fit_report.h"
#include "cli/output/messages.h"
#include "cli/output/standard_error.h"
#include "cli/ranks.h"
#include "wgp/model_file.h"

namespace wgp::cli {
namespace {

constexpr auto between_lines = std::chrono::milliseconds(100);  // on a terminal
constexpr double seconds_between_lines = 30;                    // in a log, by default

// What a phase of the search is called by the library, in words.
std::string phase_words(const std::string& phase) {
  for (const auto& [name, words] :
       std::initializer_list<std::pair<const char*, const char*>>{{"growth", "extending initial maps"},
                                                                  {"growing", "extending initial maps"},
                                                                  {"growths", "extending initial maps"},
                                                                  {"mending", "refining initial maps"},
                                                                  {"settling", "optimising latents"},
                                                                  {"moves", "trying local changes"},
                                                                  {"polish", "optimising"},
                                                                  {"latents", "optimising"},
                                                                  {"curves and surfaces", "optimising"},
                                                                  {"points left out", "cross-validation"}})
    if (phase == name) return words;
  return phase;
}

struct FinishedSteps {
  std::uint64_t fingerprint = 0;
  std::vector<std::string> names;
  std::vector<Vector> numbers;
  void each_part(auto&& visitor) { visitor(fingerprint, names, numbers); }
};

// Read by the process that will write to it, so that all go on from the same steps.
FitCheckpoint checkpoint_of(const std::string& path) {
  if (!ranks()) return load_checkpoint(path);
  const auto steps = unpacked<FinishedSteps>(from_first([&] {
    const FitCheckpoint checkpoint = load_checkpoint(path);
    FinishedSteps read{checkpoint.fingerprint, {}, {}};
    for (const auto& [name, numbers] : checkpoint.steps) {
      read.names.push_back(name);
      read.numbers.push_back(numbers);
    }
    return packed(read);
  }));
  FitCheckpoint checkpoint{steps.fingerprint, {}};
  for (std::size_t k = 0; k < steps.names.size(); ++k) checkpoint.steps[steps.names[k]] = steps.numbers[k];
  return checkpoint;
}

}  // namespace

FitWatch::FitWatch(const Arguments& arguments)
    : arguments_(arguments),
      limit_(arguments.number("time-limit", infinity, 0, 1e9)),
      quiet_(arguments.has("quiet")),
      draws_(!quiet_ && isatty(STDERR_FILENO) == 1),
      writes_lines_(!quiet_ && !draws_ && writes() && arguments.number("progress", seconds_between_lines, 0, 1e9) > 0),
      between_lines_(arguments.number("progress", seconds_between_lines, 0, 1e9)) {}

void FitWatch::attach(FitOptions& options) {
  options.keep_going = [this](const Progress& progress) { return keep_going(progress); };
  keep_checkpoints(options);
}

bool FitWatch::keep_going(const Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const double spent = std::chrono::duration<double>(now - begin_).count();
  expired_ = spent >= limit_;
  const std::string left = time_left(progress, spent);
  const bool draw = draws_ && now - last_line_ >= between_lines;
  const bool write = writes_lines_ && now - last_line_ >= between_lines_;
  if (draw || write) {
    const std::string objective = std::isfinite(progress.best) ? fmt::format("objective {:.6g}, ", progress.best) : "";
    const std::string line = fmt::format("fit: {} {}/{}, {}{:.0f} s{}", phase_words(progress.phase), progress.step,
                                         progress.steps, objective, spent, left);
    // On a terminal the line is overwritten as a whole, and no longer than a narrow one.
    write_to_standard_error(draw ? fmt::format("\r{:<70.70}", line) : line + "\n");
    drawn_ = draw;
    last_line_ = now;
  }
  return !expired_ && !interruption_.requested();
}

// Of the phase, from its own pace; an optimisation ends when it likes, so its limit of steps promises nothing.
std::string FitWatch::time_left(const Progress& progress, double spent) {
  if (progress.phase != phase_) {
    phase_ = progress.phase;
    phase_begin_ = spent;
    first_step_ = progress.step;
  }
  const int made = progress.step - first_step_;
  if ((phase_ != "growth" && phase_ != "moves") || made < 1) return "";
  return fmt::format(", about {:.0f} s of it left",
                     (spent - phase_begin_) / made * static_cast<double>(progress.steps - progress.step));
}

void FitWatch::clear() {
  if (drawn_) write_to_standard_error(fmt::format("\r{:70}\r", ""));
  drawn_ = false;
}

// --checkpoint FILE: finished steps go there; --resume FILE: they come from there, and go back there. One that cannot
// be written is worth a warning, not the fit.
void FitWatch::keep_checkpoints(FitOptions& options) {
  const std::string from = arguments_.text("resume"), to = arguments_.text("checkpoint", from == "-" ? "" : from);
  if (to == "-") throw UsageError("--checkpoint -: a checkpoint grows as the fit goes on, so it needs a file");
  if (!from.empty()) options.resume = std::make_shared<const FitCheckpoint>(checkpoint_of(from));
  if (to.empty() || !writes()) return;
  const Messages messages(arguments_);
  try {
    check_writable(to);
  } catch (const Error& error) {
    messages.say("warning: no checkpoint: {}", error.what());
    return;
  }
  auto writer = std::make_shared<std::optional<CheckpointWriter>>();
  auto failed = std::make_shared<bool>(false);
  options.on_step = [this, to, writer, failed, messages, before = options.resume](std::uint64_t fingerprint,
                                                                                  const FitStep& step) {
    if (*failed) return;
    try {
      if (!*writer) writer->emplace(to, before ? *before : FitCheckpoint{fingerprint, {}});
      (*writer)->add(step);
    } catch (const Error& error) {
      *failed = true;
      clear();
      messages.say("warning: no checkpoint from here on: {}", error.what());
    }
  };
}

int FitWatch::finish(const FitSummary& summary, const std::string& model_path, bool strict) const {
  const Messages messages(arguments_);
  // Processes hear of a signal or of the time one after the other.
  const bool interrupted_anywhere = anywhere(interrupted()), expired_anywhere = anywhere(expired_);
  const char* kept = model_path == "-" ? "standard output" : model_path.c_str();
  if (interrupted_anywhere) {
    messages.say("interrupted: the best model so far is in {}", kept);
    return exit_interrupted;
  }
  if (summary.cancelled && expired_anywhere)
    messages.say("the time limit of {} s is over: the best model so far is in {}", limit_, kept);
  return has_failed(summary) && strict ? exit_not_converged : exit_done;
}

}  // namespace wgp::cli
