// Fits and regressions.
#include "arrays.h"
#include "fit_options.h"
#include "loaded_model.h"
#include "module.h"

namespace wgp::python {
namespace {

ModelNotes notes_of(const std::string& form, const std::string& encoder) {
  return {"wgp " WGP_VERSION " (Python)", form, encoder};
}

void open_checkpoint(const nb::dict& named, FitOptions& options, std::shared_ptr<CheckpointWriter>& writer) {
  const auto path_of = [&](const char* name) -> std::string {
    if (!named.contains(name) || nb::object(named[name]).is_none()) return "";
    return nb::cast<std::string>(nb::str(nb::handle(named[name])));
  };
  const std::string from = path_of("resume"), to = path_of("checkpoint");
  FitCheckpoint finished;
  if (!from.empty()) {
    finished = load_checkpoint(from);
    options.resume = std::make_shared<const FitCheckpoint>(finished);
  }
  const std::string path = to.empty() ? from : to;
  if (path.empty()) return;
  options.on_step = [&writer, path, finished](std::uint64_t fingerprint, const FitStep& step) mutable {
    if (!writer) {
      finished.fingerprint = fingerprint;
      writer = std::make_shared<CheckpointWriter>(path, finished);
    }
    writer->add(step);
  };
}

nb::tuple fitted(std::shared_ptr<const Manifold> manifold, const Rows& rows, const nb::dict& named,
                 const std::string& form, const std::string& encoder, nb::object callback, double time_limit) {
  FitOptions options = fit_options_from(named, *manifold);
  std::shared_ptr<CheckpointWriter> writer;
  open_checkpoint(named, options, writer);
  FitWatch watch(std::move(callback), time_limit);
  watch.attach(options);
  const Columns points = columns(rows);
  std::optional<FitResult> result;
  watch.run([&] { result.emplace(fit(manifold, points, options)); });
  return nb::make_tuple(LoadedModel{std::move(result->model), std::move(result->summary), notes_of(form, encoder)},
                        watch.interrupted());
}

nb::tuple regressed(std::shared_ptr<const Manifold> manifold, const Rows& inputs, const Rows& rows,
                    const nb::dict& named, std::optional<Rows> input_sd, const std::string& form, nb::object callback,
                    double time_limit) {
  FitOptions options = fit_options_from(named, *manifold);
  if (input_sd) options.input_sd = columns(*input_sd);
  FitWatch watch(std::move(callback), time_limit);
  watch.attach(options);
  const Columns X = columns(inputs), points = columns(rows);
  std::optional<FitResult> result;
  watch.run([&] { result.emplace(regress(manifold, X, points, options)); });
  return nb::make_tuple(LoadedModel{std::move(result->model), std::move(result->summary), notes_of(form, "")},
                        watch.interrupted());
}

nb::dict latent_choice(std::shared_ptr<const Manifold> manifold, const Rows& rows, const nb::dict& named,
                       nb::object callback, double time_limit) {
  FitOptions options = fit_options_from(named, *manifold);
  FitWatch watch(std::move(callback), time_limit);
  watch.attach(options);
  LatentChoice choice;
  watch.run([&] { choice = choose_latent_space(manifold, columns(rows), options); });
  nb::dict words;
  words["why"] = choice.why;
  words["interrupted"] = watch.interrupted();
  words["tried"] = words_of(choice.tried, [](const LatentCandidate& candidate) {
    nb::dict one;
    one["angles"] = candidate.latent.angles();
    one["plain"] = candidate.latent.plain_count();
    one["kernel"] = candidate.kernel;
    one["held_out_log_density"] = candidate.log_density;
    one["standard_error"] = candidate.standard_error ? nb::object(nb::float_(*candidate.standard_error)) : nb::none();
    one["chosen"] = candidate.chosen;
    return one;
  });
  return words;
}

}  // namespace

void bind_fits(nb::module_& module) {
  module.def("fit", &fitted, nb::arg("manifold"), nb::arg("points"), nb::arg("options"), nb::arg("form"),
             nb::arg("encoder"), nb::arg("callback").none(), nb::arg("time_limit"));
  module.def("regress", &regressed, nb::arg("manifold"), nb::arg("inputs"), nb::arg("points"), nb::arg("options"),
             nb::arg("input_sd").none(), nb::arg("form"), nb::arg("callback").none(), nb::arg("time_limit"));
  module.def("choose_latent_space", &latent_choice, nb::arg("manifold"), nb::arg("points"), nb::arg("options"),
             nb::arg("callback").none(), nb::arg("time_limit"));
  module.def("estimate_fit", [](std::shared_ptr<const Manifold> manifold, Index count, const nb::dict& named) {
    const FitOptions options = fit_options_from(named, *manifold);
    FitEstimate estimate;
    {
      nb::gil_scoped_release release;
      estimate = estimate_fit(*manifold, count, options);
    }
    return nb::make_tuple(estimate.seconds, estimate.bytes);
  });
}

}  // namespace wgp::python
