#include "arrays.h"
#include "loaded_model.h"

namespace wgp::python {
namespace {

// None where nothing is known.
nb::object known(const std::optional<double>& value) {
  return value ? nb::object(nb::float_(*value)) : nb::object(nb::none());
}
nb::object known(const std::string& text) {
  return text.empty() ? nb::object(nb::none()) : nb::object(nb::str(text.c_str()));
}

nb::list starts_of(const FitSummary& summary) {
  return words_of(summary.starts, [](const StartReport& start) {
    nb::dict one;
    one["kind"] = start.kind;
    one["log_posterior"] = start.log_posterior;
    one["log_likelihood"] = start.log_likelihood;
    one["leave_one_out"] = start.leave_one_out;
    one["iterations"] = start.iterations;
    one["evaluations"] = start.evaluations;
    one["stop"] = to_string(start.stop);
    one["degenerate"] = start.degenerate;
    one["chosen"] = start.chosen;
    return one;
  });
}

nb::list candidates_of(const FitSummary& summary) {
  return words_of(summary.candidates, [&](const CandidateReport& candidate) {
    nb::dict one;
    one["kind"] = candidate.kind;
    one["inference"] = to_string(summary.inference);
    one["bound"] = candidate.bound;
    one["held_out_log_density"] = known(candidate.held_out_log_density);
    one["noise_sd"] = candidate.noise_sd;
    one["iterations"] = candidate.iterations;
    one["chosen"] = candidate.chosen;
    return one;
  });
}

nb::list basepoints_of(const FitSummary& summary) {
  return words_of(summary.basepoints, [](const BasepointReport& basepoint) {
    nb::dict one;
    one["kind"] = to_string(basepoint.kind);
    one["leave_one_out"] = basepoint.leave_one_out;
    one["held_out"] = known(basepoint.held_out);
    one["standard_error"] = known(basepoint.standard_error);
    one["reconstruction_error"] = known(basepoint.reconstruction_error);
    one["chosen"] = basepoint.chosen;
    return one;
  });
}

nb::dict kernel_of(const Model::Parts& parts) {
  nb::dict kernel;
  kernel["spec"] = parts.kernel->spec();
  const auto names = parts.kernel->parameter_names();
  for (std::size_t i = 0; i < names.size(); ++i) kernel[names[i].c_str()] = parts.theta[static_cast<Index>(i)];
  return kernel;
}

nb::dict noise_law_of(const NoiseLaw& law) {
  nb::dict words;
  words["kind"] = law.kind();
  words["nu"] = nb::none();
  for (const auto& [name, value] : law.parameters())
    words[name == "degrees_of_freedom" ? "nu" : name.c_str()] =
        std::isfinite(value) ? nb::object(nb::float_(value)) : nb::object(nb::none());
  return words;
}

}  // namespace

nb::dict summary_of(const LoadedModel& loaded) {
  const FitSummary& summary = loaded.summary;
  const Model::Parts& parts = loaded.model.parts();
  const bool integrated = summary.bound.has_value();
  nb::dict words;
  words["inference"] = to_string(summary.inference);
  words["inference_note"] = known(summary.inference_note);
  words["bound"] = known(summary.bound);
  words["log_likelihood"] = integrated ? nb::object(nb::none()) : nb::object(nb::float_(summary.log_likelihood));
  words["log_posterior"] = integrated ? nb::object(nb::none()) : nb::object(nb::float_(summary.log_posterior));
  words["held_out_log_density"] = known(summary.held_out_log_density);
  words["iterations"] = summary.iterations;
  words["evaluations"] = summary.evaluations;
  words["seconds"] = summary.seconds;
  words["stop"] = to_string(summary.stop);
  words["candidates"] = candidates_of(summary);
  words["starts"] = starts_of(summary);
  // Rows of the array, from 0 on as Python counts.
  words["outliers"] = words_of(summary.outliers, [](Index row) { return row; });
  words["basepoint"] = to_string(parts.basepoint);
  words["basepoints"] = basepoints_of(summary);
  words["noise_variance"] = parts.noise;
  words["noise_law"] = noise_law_of(*parts.law);
  words["noise_law_note"] = known(summary.noise_law_note);
  words["kernel"] = kernel_of(parts);
  words["jitter"] = summary.jitter;
  words["variance_scale"] = summary.variance_scale;
  words["cut_locus_points"] = summary.cut_locus_points;
  words["near_cut_points"] = summary.near_cut_points;
  words["mean_unique"] = summary.mean_unique;
  words["latent_note"] = known(summary.latent_note);
  words["cancelled"] = summary.cancelled;
  words["left_undone"] = known(summary.left_undone);
  words["n"] = parts.point_count();
  return words;
}

}  // namespace wgp::python
