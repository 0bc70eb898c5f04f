// wgp fit
#include <optional>

#include "cli/commands/commands.h"
#include "cli/input/assume_manifold.h"
#include "cli/input/fit_flags.h"
#include "cli/input/input_notes.h"
#include "cli/input/label_file.h"
#include "cli/input/mirror_images.h"
#include "cli/input/point_ids.h"
#include "cli/input/spread_points.h"
#include "cli/output/fit_report.h"
#include "cli/output/fit_watch.h"
#include "cli/output/model_tables.h"
#include "cli/output/spread_notice.h"
#include "cli/ranks.h"
#include "fit/large_fit.h"
#include "geometry/rounding.h"
#include "wgp/model_file.h"

namespace wgp::cli {
namespace {

void check_points(const std::string& input, const Manifold& manifold, const PointSet& set, Index q) {
  const Index N = set.count();
  if (N < 2) throw Error(fmt::format("{}: {}; a model needs at least 2", input, plural(N, "point")));
  if (q >= N)
    throw Error(fmt::format("{}: {} for {} latent coordinates; there must be more points than coordinates (--latent Q)",
                            input, plural(N, "point"), q));
  if (!set.file && all_points_equal(manifold, set.points))
    throw Error(fmt::format("{}: all points are equal; there is nothing to model", input));
}

std::string about_seconds(double seconds) {
  if (seconds < 90) return fmt::format("about {:.2g} s", seconds);
  if (seconds < 5400) return fmt::format("about {:.2g} minutes", seconds / 60);
  return fmt::format("about {:.3g} hours", seconds / 3600);
}
// Of each process.
std::string about_bytes(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", std::max(1.0, bytes / 1e6)) : fmt::format("{:.2g} GB", bytes / 1e9);
}

// What waits in temporary files: vectors, latents, and points that were read into one. Of each process, its own.
double file_bytes(const FitEstimate& estimate, const PointSet& set, const Manifold& manifold) {
  if (!set.file) return estimate.file_bytes;
  const double processes = ranks() ? ranks()->count() : 1;
  return estimate.file_bytes +
         8 * static_cast<double>(set.count()) * static_cast<double>(manifold.ambient_dim()) / processes;
}
std::string takes_text(const FitEstimate& estimate, double file_bytes) {
  return fmt::format("{}, {} of memory{}{}", about_seconds(estimate.seconds), about_bytes(estimate.bytes),
                     file_bytes > 0 ? fmt::format(", {} of temporary files (TMPDIR)", about_bytes(file_bytes)) : "",
                     ranks() ? " in each process" : "");
}

// The starts that a fit makes by itself are the library's business; these are the ones that were asked for.
int describe(const Arguments& arguments, const Manifold& manifold, const PointSet& set, const FitOptions& options) {
  const Index N = set.count();
  std::vector<std::string> starts = options.inits;
  if (starts.empty()) starts.push_back(fmt::format("those of effort {}", to_string(options.effort)));
  if (options.starts > 0) starts.push_back(fmt::format("{} in all", options.starts));
  const auto kernel = options.kernel.make(options.latent, options.lengths);
  const bool integrated = integrates_latents(options);
  const FitEstimate estimate = estimate_fit(manifold, N, options);
  std::string workers = plural(options.threads, "thread");
  if (ranks()) workers += fmt::format(" in each of {} processes", ranks()->count());
  if (arguments.has("json")) {
    print_json({{"dry_run", true},
                {"n", N},
                {"manifold", manifold.spec()},
                {"dim", manifold.dim()},
                {"model", to_string(options.model)},
                {"latent", {{"angles", options.latent.angles()}, {"plain", options.latent.plain_count()}}},
                {"kernel", kernel->spec()},
                {"parameters", kernel->parameter_names()},
                {"inference", to_string(integrated ? Inference::variational : Inference::point)},
                {"prior", integrated ? Json() : Json(to_string(options.prior))},
                {"effort", to_string(options.effort)},
                {"starts", starts},
                {"seed", options.seed},
                {"threads", options.threads},
                {"processes", ranks() ? ranks()->count() : 1},
                {"estimated_seconds", estimate.seconds},
                {"estimated_bytes", estimate.bytes},
                {"estimated_file_bytes", file_bytes(estimate, set, manifold)}});
    return exit_done;
  }
  write_file(
      "-",
      fmt::format("would fit {} to {} on {} (dimension {})\n"
                  "latent     {} and {}\n"
                  "kernel     {} ({})\n"
                  "inference  {}\n"
                  "starts     {}; seed {}, {}\n"
                  "takes      {}\n"
                  "nothing was fitted or written (--dry-run)\n",
                  to_string(options.model), plural(N, "point"), manifold.spec(), manifold.dim(),
                  plural(options.latent.angles(), "angle"), plural(options.latent.plain_count(), "plain coordinate"),
                  kernel->spec(), fmt::join(kernel->parameter_names(), ", "),
                  integrated ? std::string("variational: latents are integrated out")
                             : fmt::format("point: latents are estimated, prior {}", to_string(options.prior)),
                  fmt::join(starts, ", "), options.seed, workers,
                  takes_text(estimate, file_bytes(estimate, set, manifold))));
  return exit_done;
}

Json latent_choice_json(const LatentChoice& choice) {
  Json tried = Json::array();
  for (const LatentCandidate& one : choice.tried)
    tried.push_back({{"angles", one.latent.angles()},
                     {"plain", one.latent.plain_count()},
                     {"kernel", one.kernel},
                     {"held_out_log_density", one.log_density},
                     {"standard_error", one.standard_error ? Json(*one.standard_error) : Json()},
                     {"chosen", one.chosen}});
  return {{"why", choice.why}, {"tried", tried}};
}

// What the model file says beside the model. Points that --calibrate holds out take their labels with them.
ModelNotes notes_of(const Arguments& arguments, const PointSet& set, const std::vector<std::string>& id_columns,
                    const FitResult& result) {
  ModelNotes notes{"wgp " WGP_VERSION, set.form->name(), to_string(encoder_from(arguments))};
  note_points(arguments, set, id_columns, result.summary.training, notes);
  note_input(arguments, result.model.manifold(), set, notes);
  if (set.text.empty()) return notes;
  const std::string column = label_name(arguments.text("labels"));
  const bool number = column.find_first_not_of("0123456789") == std::string::npos;
  notes.label_column = number ? "column " + column : column;
  for (const Index i : result.summary.training) notes.labels.push_back(set.text[0][static_cast<std::size_t>(i)]);
  return notes;
}

}  // namespace

int run_fit(const Arguments& arguments) {
  const Messages messages(arguments);
  const InputFiles files = input_files(arguments);
  const ManifoldPtr manifold = manifold_of(arguments, files, messages);
  InputOptions reading = input_options(arguments, *manifold);
  if (arguments.has("labels")) reading.text_columns = {arguments.text("labels")};
  reading.id_columns = id_columns_of(arguments, files);
  FitOptions options = fit_options_from(arguments, *manifold);
  const bool dry = arguments.has("dry-run");
  const std::string path = dry ? "" : model_path_from(arguments);
  if (!dry && writes()) check_writable(path);

  const std::string input = files.name();
  check_standard_input({files.first(), arguments.text("at")});
  const bool in_passes = why_not_in_passes(options).empty() && !latent_is_automatic(arguments);
  options.ranks = ranks();
  check_reflect(arguments, *manifold);
  PointSet set = in_passes && ranks() ? read_spread_points(files, manifold, reading, messages)
                                      : read_points(files, manifold, reading, messages,
                                                    in_passes ? WhereTo::file_if_many : WhereTo::memory);
  treat_mirror_images(arguments, *manifold, set, messages);
  check_points(input, *manifold, set, options.latent.dim());
  qualify_ids(arguments, set, reading.id_columns);
  check_ids(arguments, set);
  if (arguments.has("at")) options.given_latents = latents_of_rows(arguments, options.latent.dim(), set, input);
  if (dry) return writes() ? describe(arguments, *manifold, set, options) : exit_done;

  FitWatch watch(arguments);
  watch.attach(options);  // refuses what it cannot resume from, before anything is said
  const FitEstimate estimate = writes() ? estimate_fit(*manifold, set.count(), options) : FitEstimate();
  constexpr double worth_saying = 10;  // seconds
  if (estimate.seconds > worth_saying && !latent_is_automatic(arguments))
    messages.say("this takes {}", takes_text(estimate, file_bytes(estimate, set, *manifold)));
  std::optional<LatentChoice> choice;
  if (latent_is_automatic(arguments)) {
    choice = choose_latent_space(manifold, set.points, options);
    for (const LatentCandidate& one : choice->tried)
      if (one.chosen) {
        options.latent = one.latent;
        options.kernel = one.kernel;
      }
    watch.clear();
    messages.say("latent space: {}", choice->why);
  }
  FitResult result = [&] {
    try {
      return set.file ? fit(manifold, *set.file, options) : fit(manifold, set.points, options);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", input, error.what()));
    }
  }();
  watch.clear();
  // Rows as the file has them: some may have been dropped, or not chosen.
  if (!set.file)
    for (Index& row : result.summary.outliers) row = files.several() ? set.row(row) : set.place(row, input).row;
  if (writes()) save_model(path, result.model, result.summary, notes_of(arguments, set, reading.id_columns, result));
  if (arguments.has("json")) {
    Json object = fit_json(result.model, result.summary, path);
    object["estimated_seconds"] = estimate.seconds;
    if (choice) object["latent_choice"] = latent_choice_json(*choice);
    print_json(object);
  }
  messages.say("{}: {:.1f} s", model_line(result.model.parts()), result.summary.seconds);
  messages.say("{}", fit_text(result.model, result.summary));
  if (!set.file && writes()) say_spread(result.model, result.summary, set.points, messages);
  return watch.finish(result.summary, path, arguments.has("strict"));
}

}  // namespace wgp::cli
