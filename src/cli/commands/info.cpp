// wgp info
#include "cli/commands/commands.h"
#include "cli/input/points.h"
#include "cli/output/fit_report.h"
#include "gp/angle_density.h"
#include "report/pages/provenance.h"
#include "wgp/model_file.h"

namespace wgp::cli {

namespace {

// What was learned of the density of the latents around a closed curve; null: it is uniform.
Json angle_density_json(const Model::Parts& parts) {
  if (parts.angle_density.size() == 0) return {};
  const AngleDensity density(parts.angle_density);
  const Vector log_ratio = density.log_ratio(evenly_around());
  const Index J = density.harmonics();
  return {{"cosines", to_json(density.coefficients().head(J))},
          {"sines", to_json(density.coefficients().tail(J))},
          {"lowest", std::exp(log_ratio.minCoeff())},
          {"highest", std::exp(log_ratio.maxCoeff())}};
}

Json motion_json(const ModelNotes& notes) {
  if (notes.motion.bones.empty()) return nullptr;
  return {{"bones", notes.motion.bones}, {"frame", notes.motion.frame}, {"rows", notes.motion.quantity}};
}

}  // namespace

int run_info(const Arguments& arguments) {
  const std::string& path = arguments.operands()[0];
  const LoadedModel loaded = load_model(path);
  const Model::Parts& parts = loaded.model.parts();
  const Json kernel = kernel_json(parts);
  if (arguments.has("json")) {
    Json fit = fit_json(loaded.model, loaded.summary, path);
    for (const char* elsewhere : {"seconds", "kernel", "noise_variance", "noise_law", "n", "model"})
      fit.erase(elsewhere);
    print_json({{"format_version", model_format_version},
                {"program", loaded.notes.program},
                {"kind", to_string(parts.kind)},
                {"manifold", parts.manifold->spec()},
                {"row_form", loaded.notes.row_form},
                {"encoder", loaded.notes.encoder.empty() ? "density" : loaded.notes.encoder},
                {"label_column", loaded.notes.labels.empty() ? Json(nullptr) : Json(loaded.notes.label_column)},
                {"id_column", loaded.notes.ids.empty() ? Json(nullptr) : Json(loaded.notes.id_column)},
                {"motion", motion_json(loaded.notes)},
                {"channels", loaded.notes.channels.empty() ? Json(nullptr) : Json(loaded.notes.channels)},
                {"shrink", loaded.notes.shrink.empty() ? Json(nullptr) : Json(loaded.notes.shrink)},
                {"samples", loaded.notes.samples == 0 ? Json(nullptr) : Json(loaded.notes.samples)},
                {"reflected", loaded.notes.reflected},
                {"n", parts.point_count()},
                {"dim", loaded.model.dim()},
                {"latent", {{"angles", parts.latent.angles()}, {"plain", parts.latent.plain_count()}}},
                {"kernel", kernel},
                {"length_scales", parts.lengths == LengthScales::shared ? "shared" : "per_dimension"},
                {"inference", to_string(parts.inference)},
                {"prior", parts.inference == Inference::point ? Json(to_string(parts.prior)) : Json()},
                {"clip", parts.clip},
                {"noise_variance", parts.noise},
                {"noise_law", noise_law_json(*parts.law)},
                {"angle_density", angle_density_json(parts)},
                {"calibration_points", parts.calibration.size()},
                {"fit", fit}});
    return exit_done;
  }
  std::string text = fmt::format("{}: {}\n", path, model_line(parts));
  for (const auto& [name, value] : kernel.items())
    if (value.is_number()) text += fmt::format("{} {:.6g}\n", name, value.get<double>());
  if (loaded.summary.bound)
    text +=
        fmt::format("{} integrated out, bound on the log evidence {:.6g}\n",
                    parts.kind == ModelKind::regression ? "errors of the inputs" : "latents", *loaded.summary.bound);
  else
    text += fmt::format("log likelihood {:.6g}, log posterior {:.6g}, prior {}\n", loaded.summary.log_likelihood,
                        loaded.summary.log_posterior, to_string(parts.prior));
  if (const Json density = angle_density_json(parts); !density.is_null())
    text += fmt::format("the density of the angle was learned: from {:.2g} to {:.2g} times the uniform one\n",
                        density["lowest"].get<double>(), density["highest"].get<double>());
  text += fit_text(loaded.model, loaded.summary) + "\n";
  if (parts.calibration.size() > 0)
    text += fmt::format("calibrated with {} held out\n", plural(parts.calibration.size(), "point"));
  for (const auto& [name, value] : report::how_read(loaded.notes)) text += fmt::format("{}: {}\n", name, value);
  text += fmt::format("format {}{}\n", model_format_version,
                      loaded.notes.program.empty() ? "" : ", written by " + loaded.notes.program);
  write_file("-", text);
  return exit_done;
}

}  // namespace wgp::cli
