// wgp reproduce
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/input/fit_flags.h"
#include "cli/input/interruption.h"
#include "cli/output/messages.h"
#include "cli/output/report_files.h"
#include "cli/output/reproduce_report.h"
#include "cli/output/standard_error.h"
#include "cli/ranks.h"
#include "evaluate/reproduce.h"
#include "report/pages/reproduce_page.h"

namespace wgp::cli {
namespace {

std::vector<Experiment> experiments_from(const Arguments& arguments) {
  std::vector<std::string> known, wanted;
  for (const ExperimentPlan& plan : experiment_plans()) known.push_back(plan.name);
  wanted = arguments.operands().empty() ? known : split_list(arguments.operands()[0]);
  for (const std::string& name : wanted)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(fmt::format("there is no experiment '{}'; there are {}", name, fmt::join(known, ", ")));
  const std::string directory = arguments.text("data");
  std::error_code ignored;
  if (!directory.empty() && !std::filesystem::is_directory(directory, ignored))
    throw Error(
        fmt::format("{}: no such directory; --data DIR holds femur/femur.csv, diatoms/diatoms.csv, dti/dti.csv "
                    "and crypto/crypto_cov.csv",
                    directory));
  std::vector<Experiment> experiments;
  for (const ExperimentPlan& plan : experiment_plans())  // in the paper's order, each once
    if (std::find(wanted.begin(), wanted.end(), plan.name) != wanted.end())
      experiments.push_back(load_experiment(plan, directory));
  return experiments;
}

ReproduceOptions options_from(const Arguments& arguments) {
  ReproduceOptions options;
  options.repeats = static_cast<int>(arguments.integer("repeats", options.repeats, 1, 1000));
  options.seed = arguments.seed();
  options.effort = effort_from(arguments);
  options.threads = threads_from(arguments);
  options.ranks = ranks();
  options.store = arguments.text("out", "reproduction") + "/trials";
  options.notes = {"wgp " WGP_VERSION, ""};
  return options;
}

// One line on a terminal: how far, how long, and about how long it will take.
class ProgressLine {
 public:
  explicit ProgressLine(const Arguments& arguments) : shown_(!arguments.has("quiet") && isatty(STDERR_FILENO) == 1) {}
  ~ProgressLine() { clear(); }
  void draw(const ReproduceProgress& progress) {
    if (!shown_) return;
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const std::string left =
        progress.share > 0 ? fmt::format(", about {:.0f} min left", spent / progress.share * (1 - progress.share) / 60)
                           : "";
    write_to_standard_error(fmt::format(
        "\r{:<78.78}",
        fmt::format("reproduce: {} of {} ({}), {:.0f} s{}", progress.done, progress.all, progress.what, spent, left)));

    drawn_ = true;
  }
  void clear() {
    if (drawn_) write_to_standard_error(fmt::format("\r{:78}\r", ""));
    drawn_ = false;
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool shown_, drawn_ = false;
};

}  // namespace

int run_reproduce(const Arguments& arguments) {
  const Messages messages(arguments);
  ReproduceOptions options = options_from(arguments);
  const std::vector<Experiment> experiments = experiments_from(arguments);
  if (!arguments.has("resume"))
    from_first([&]() -> std::string {
      if (const int finished = count_finished(experiments, options); finished > 0)
        throw UsageError(
            fmt::format("{} holds {} of this run already; --resume goes on from there, or take another --out",
                        options.store, plural(finished, "finished trial")));
      return "";
    });
  const Interruption interruption;
  ProgressLine line(arguments);
  options.on_progress = [&](const ReproduceProgress& progress) { line.draw(progress); };
  options.interrupted = [&] { return interruption.requested(); };
  const Reproduction reproduction = reproduce(experiments, options);
  line.clear();
  if (!writes()) return exit_done;
  for (const std::string& path : reproduction.damaged) messages.say("{}: damaged, made again", path);
  if (reproduction.taken > 0)
    messages.say("{} taken from earlier runs, {} made", plural(reproduction.taken, "trial"), reproduction.made);
  if (!reproduction.complete) {
    messages.say("interrupted: what is finished is in {}; --resume goes on from there", options.store);
    return exit_interrupted;
  }
  const std::string out = arguments.text("out", "reproduction"), html_path = out + "/reproduction.html";
  const report::Page page =
      report::reproduction_page(reproduction, options, fmt::format("Written by wgp {}.", WGP_VERSION));
  const FigureFiles figures = write_figures(out + "/figures", page);
  write_file(html_path, report::html(page));
  messages.say("written: {}; figures in {}/figures{}", html_path, out,
               figures.has_png ? "" : ", without PNG, since rsvg-convert (librsvg2-bin) was not found or failed");
  if (arguments.has("json"))
    print_json(reproduction_json(reproduction));
  else
    write_file("-", reproduction_text(reproduction));
  return exit_done;
}

}  // namespace wgp::cli
