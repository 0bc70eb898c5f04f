// wgp evaluate
#include <unistd.h>

#include <chrono>
#include <cmath>

#include "cli/commands/commands.h"
#include "cli/input/assume_manifold.h"
#include "cli/input/fit_flags.h"
#include "cli/input/interruption.h"
#include "cli/input/mirror_images.h"
#include "cli/input/points.h"
#include "cli/output/evaluate_report.h"
#include "cli/output/standard_error.h"
#include "cli/ranks.h"

namespace wgp::cli {

int run_evaluate(const Arguments& arguments) {
  const Messages messages(arguments);
  const InputFiles files = input_files(arguments);
  const ManifoldPtr manifold = manifold_of(arguments, files, messages);
  const InputOptions reading = input_options(arguments, *manifold);
  EvaluateOptions options = evaluate_options_from(arguments, *manifold);
  options.ranks = ranks();
  const std::string input = files.name();
  check_reflect(arguments, *manifold);
  PointSet set = read_points(files, manifold, reading, messages);
  treat_mirror_images(arguments, *manifold, set, messages);
  // Before the work rather than after it: a file that cannot be written.
  const auto table = writes() && arguments.has("output") ? create_evaluation_table(arguments.text("output")) : nullptr;

  const Interruption interruption;
  const bool draws = !arguments.has("quiet") && isatty(STDERR_FILENO) == 1;
  const auto begin = std::chrono::steady_clock::now();
  options.keep_going = [&](const EvaluateProgress& progress) {
    if (draws) {
      const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      const std::string line = fmt::format("evaluate: {} of {} done, {:.0f} s, about {:.0f} s left", progress.done,
                                           progress.all, spent, spent / progress.done * (progress.all - progress.done));
      write_to_standard_error(fmt::format("\r{:<70.70}", line));
    }
    return !interruption.requested();
  };
  const std::vector<ModelEvaluation> evaluations = [&] {
    try {
      return evaluate(manifold, set.points, options);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", input, error.what()));
    }
  }();
  if (draws) write_to_standard_error(fmt::format("\r{:70}\r", ""));
  const bool interrupted = anywhere(interruption.requested());
  if (evaluations.front().density.euclidean_rmse.values.empty()) {
    messages.say("interrupted: no split was finished");
    return exit_interrupted;
  }
  const Index d = manifold->dim(), q = options.fit.latent.dim();
  if (table) write_evaluation_table(*table, evaluations);
  if (arguments.has("json"))
    print_json(evaluation_json(evaluations, d, q));
  else if (arguments.text("output") != "-")
    write_file("-", evaluation_text(evaluations, d, q));
  if (interrupted) {
    messages.say("interrupted: these are the splits that were finished");
    return exit_interrupted;
  }
  return exit_done;
}

}  // namespace wgp::cli
