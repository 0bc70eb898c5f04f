// wgp fit
#include <unistd.h>

#include <chrono>
#include <cmath>

#include "cli/commands/commands.h"
#include "cli/input/assume_manifold.h"
#include "cli/input/fit_flags.h"
#include "cli/input/interruption.h"
#include "cli/input/points.h"
#include "cli/output/fit_report.h"
#include "cli/output/model_tables.h"
#include "wgp/model_file.h"

namespace wgp::cli {
namespace {

// Asked by the fit between its steps: draws a line on a terminal, and ends the fit on Ctrl-C or when time is up.
class Watch {
 public:
  Watch(const Arguments& arguments, const Interruption& interruption)
      : interruption_(interruption),
        limit_(arguments.number("time-limit", infinity, 0, 1e9)),
        draws_(!arguments.has("quiet") && isatty(STDERR_FILENO) == 1) {}
  ~Watch() { clear(); }

  bool keep_going(const FitProgress& progress) {
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    expired_ = spent >= limit_;
    if (draws_) {
      // The line is overwritten as a whole, and no longer than a narrow terminal.
      const std::string objective =
          std::isfinite(progress.best) ? fmt::format("objective {:.6g}, ", progress.best) : "";
      const std::string line = fmt::format("fit: {} {}/{}, {}{:.0f} s{}", progress.phase, progress.step, progress.steps,
                                           objective, spent, time_left(progress, spent));
      fmt::print(stderr, "\r{:<70.70}", line);
      std::fflush(stderr);
      drawn_ = true;
    }
    return !expired_ && !interruption_.requested();
  }
  // Of the phase, from its own pace; an optimisation ends when it likes, so its limit of steps promises nothing.
  std::string time_left(const FitProgress& progress, double spent) {
    if (progress.phase != phase_) {
      phase_ = progress.phase;
      phase_begin_ = spent;
      first_step_ = progress.step;
    }
    const int made = progress.step - first_step_;
    if ((phase_ != "growth" && phase_ != "moves") || made < 1) return "";
    return fmt::format(", {} {:.0f} s left", phase_,
                       (spent - phase_begin_) / made * static_cast<double>(progress.steps - progress.step));
  }
  void clear() {
    if (drawn_) fmt::print(stderr, "\r{:70}\r", "");
    drawn_ = false;
  }
  bool expired() const { return expired_; }
  double limit() const { return limit_; }

 private:
  const Interruption& interruption_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double limit_;
  bool draws_, drawn_ = false, expired_ = false;
  std::string phase_;
  double phase_begin_ = 0;
  int first_step_ = 0;
};

void check_points(const std::string& input, const Manifold& manifold, ConstMatrixRef points, Index q) {
  const Index N = points.cols();
  if (N < 2) throw Error(fmt::format("{}: {}; a model needs at least 2", input, plural(N, "point")));
  if (q >= N)
    throw Error(fmt::format("{}: {} for {} latent coordinates; there must be more points than coordinates (--latent Q)",
                            input, plural(N, "point"), q));
  if (all_equal(manifold, points))
    throw Error(fmt::format("{}: all points are equal; there is nothing to model", input));
}

// The starts that a fit makes by itself are the library's business; these are the ones that were asked for.
int describe(const Arguments& arguments, const Manifold& manifold, Index N, const FitOptions& options) {
  std::vector<std::string> starts = options.inits;
  if (starts.empty()) starts.push_back(fmt::format("those of effort {}", to_string(options.effort)));
  if (options.starts > 0) starts.push_back(fmt::format("{} in all", options.starts));
  const auto kernel = parse_kernel(options.kernel, options.latent, options.lengths);
  if (arguments.has("json")) {
    print_json({{"dry_run", true},
                {"n", N},
                {"manifold", manifold.spec()},
                {"dim", manifold.dim()},
                {"model", to_string(options.model)},
                {"latent", {{"angles", options.latent.angles()}, {"plain", options.latent.plain_count()}}},
                {"kernel", kernel->spec()},
                {"parameters", kernel->parameter_names()},
                {"prior", to_string(options.prior)},
                {"effort", to_string(options.effort)},
                {"starts", starts},
                {"seed", options.seed},
                {"threads", options.threads}});
    return exit_done;
  }
  write_file("-", fmt::format("would fit {} to {} on {} (dimension {})\n"
                              "latent     {} and {}\n"
                              "kernel     {} ({})\n"
                              "prior      {}\n"
                              "starts     {}; seed {}, {}\n"
                              "nothing was fitted or written (--dry-run)\n",
                              to_string(options.model), plural(N, "point"), manifold.spec(), manifold.dim(),
                              plural(options.latent.angles(), "angle"),
                              plural(options.latent.plain_count(), "plain coordinate"), kernel->spec(),
                              fmt::join(kernel->parameter_names(), ", "), to_string(options.prior),
                              fmt::join(starts, ", "), options.seed, plural(options.threads, "thread")));
  return exit_done;
}

// What the model file says beside the model. Points that --calibrate holds out take their labels with them.
ModelNotes notes_of(const Arguments& arguments, const PointSet& set, const Model& model, const Messages& messages) {
  ModelNotes notes{"wgp " WGP_VERSION, set.form->name(), to_string(encoder_from(arguments))};
  if (set.text.empty()) return notes;
  if (static_cast<Index>(set.text[0].size()) != model.parts().P.cols()) {
    messages.say("the labels are left out, since --calibrate holds points out");
    return notes;
  }
  const std::string column = arguments.text("labels");
  const bool number = column.find_first_not_of("0123456789") == std::string::npos;
  notes.label_column = number ? "column " + column : column;
  notes.labels = set.text[0];
  return notes;
}

// --checkpoint FILE: finished steps go there; --resume FILE: they come from there, and go back there.
void keep_checkpoints(const Arguments& arguments, FitOptions& options) {
  const std::string from = arguments.text("resume"), to = arguments.text("checkpoint", from);
  if (!from.empty()) options.resume = std::make_shared<const FitCheckpoint>(load_checkpoint(from));
  if (to.empty()) return;
  check_writable(to);
  options.on_step = [to](const FitCheckpoint& checkpoint) { save_checkpoint(to, checkpoint); };
}

}  // namespace

int run_fit(const Arguments& arguments) {
  const Messages messages(arguments);
  const ManifoldPtr manifold = manifold_of(arguments, arguments.operands()[0], messages);
  InputOptions reading = input_options(arguments, *manifold);
  if (arguments.has("labels")) reading.text_columns = {arguments.text("labels")};
  FitOptions options = fit_options_from(arguments);
  const bool dry = arguments.has("dry-run");
  const std::string path = dry ? "" : model_path_from(arguments);
  if (!dry) check_writable(path);

  const std::string& input = arguments.operands()[0];
  const PointSet set = read_points(input, manifold, reading, messages);
  check_points(input, *manifold, set.points, options.latent.dim());
  if (dry) return describe(arguments, *manifold, set.points.cols(), options);

  const Interruption interruption;
  Watch watch(arguments, interruption);
  options.keep_going = [&](const FitProgress& progress) { return watch.keep_going(progress); };
  keep_checkpoints(arguments, options);
  const FitResult result = [&] {
    try {
      return fit(manifold, set.points, options);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", input, error.what()));
    }
  }();
  watch.clear();
  save_model(path, result.model, result.summary, notes_of(arguments, set, result.model, messages));
  if (arguments.has("json")) print_json(fit_json(result.model, result.summary, path));
  messages.say("{}: {:.1f} s", model_line(result.model.parts()), result.summary.seconds);
  messages.say("{}", fit_text(result.model, result.summary));
  const char* kept = path == "-" ? "standard output" : path.c_str();
  if (interruption.requested()) {
    messages.say("interrupted: the best model so far is in {}", kept);
    return exit_interrupted;
  }
  if (result.summary.cancelled && watch.expired())
    messages.say("the time limit of {} s is over: the best model so far is in {}", watch.limit(), kept);
  return has_failed(result.summary) && arguments.has("strict") ? exit_not_converged : exit_done;
}

}  // namespace wgp::cli
