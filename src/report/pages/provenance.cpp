#include "report/pages/provenance.h"

#include "core/format.h"

#include <cmath>

#include "report/words/units.h"

namespace wgp::report {
namespace {

std::string kind_words(ModelKind kind) {
  switch (kind) {
    case ModelKind::wgplvm:
      return "wgplvm: Gaussian process latent variable model in the tangent space at the mean";
    case ModelKind::gplvm:
      return "gplvm: Gaussian process latent variable model of the ambient coordinates";
    case ModelKind::gplvmproj:
      return "gplvmproj: the same as gplvm, predictions projected onto the manifold";
    case ModelKind::regression:
      return "regression: wrapped Gaussian process regression on given inputs";
  }
  return "unknown";
}

std::string latent_words(const LatentSpace& latent) {
  const auto count = [](Index n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); };
  if (latent.angles() == 0) return count(latent.dim(), "plain coordinate");
  if (latent.plain_count() == 0) return count(latent.angles(), "angle");
  return count(latent.angles(), "angle") + ", " + count(latent.plain_count(), "plain coordinate");
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

}  // namespace

NamedValues how_read(const ModelNotes& notes) {
  NamedValues rows;
  if (!notes.motion.bones.empty()) {
    std::string bones;
    for (const char c : notes.motion.bones) bones += c == ',' ? std::string(", ") : std::string(1, c);
    rows.emplace_back("rows of the motion", fmt::format("{}s of {}{}", notes.motion.quantity, bones,
                                                        notes.motion.frame == "root" ? " as seen from the root" : ""));
  }
  if (!notes.channels.empty()) rows.emplace_back("channels", fmt::format("{}", fmt::join(notes.channels, ", ")));
  if (!notes.shrink.empty())
    rows.emplace_back("covariance matrices were shrunk",
                      notes.samples == 0 ? notes.shrink : fmt::format("{}, {} samples", notes.shrink, notes.samples));
  if (notes.reflected) rows.emplace_back("mirror images among the landmarks", "were turned back");
  return rows;
}

NamedValues provenance(const LoadedModel& loaded) {
  const Model::Parts& parts = loaded.model.parts();
  const FitSummary& fit = loaded.summary;
  const bool fitted_latents = parts.kind != ModelKind::regression;
  NamedValues rows = {
      {"model", kind_words(parts.kind)},
      {"manifold", parts.manifold->spec()},
      {"dimension of the manifold d", fmt::format("{}", parts.manifold->dim())},
      {"dimension that is modelled", fmt::format("{}", loaded.model.dim())},
      {"training points N", fmt::format("{}", parts.point_count())},
      {fitted_latents ? "latent dimension q" : "inputs",
       fmt::format("{} ({})", parts.latent.dim(), latent_words(parts.latent))},
      {"kernel", parts.kernel->spec() + (parts.lengths == LengthScales::per_dimension ? ", a length-scale each" : "")},
  };
  const auto names = parts.kernel->parameter_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double value = parts.theta[static_cast<Index>(i)];
    rows.emplace_back(names[i], fmt::format("{} (exp: {})", number(value), number(std::exp(value))));
  }
  rows.emplace_back("noise sd", fmt::format("{:.4g}{}", noise_sd(loaded.model), distance_unit(*parts.manifold)));
  if (fit.variance_scale != 1) rows.emplace_back("predictive variances were multiplied by", number(fit.variance_scale));
  rows.emplace_back("noise distribution of predictions", parts.law->kind());
  for (const auto& [name, value] : parts.law->parameters()) rows.emplace_back("  " + name, number(value));
  if (!fit.noise_law_note.empty()) rows.emplace_back("why this noise distribution", fit.noise_law_note);
  if (!fitted_latents && fit.bound) rows.emplace_back("errors of the inputs", "integrated out");
  if (fitted_latents)
    rows.emplace_back("latents", parts.inference == Inference::variational
                                     ? "integrated out"
                                     : fmt::format("estimated, prior {}", to_string(parts.prior)));
  if (parts.kind == ModelKind::gplvmproj) rows.emplace_back("clip of eigenvalues", number(parts.clip));
  if (fit.bound) {
    rows.emplace_back("bound on the log evidence", number(*fit.bound));
  } else {
    rows.emplace_back("log likelihood", number(fit.log_likelihood));
    rows.emplace_back("log posterior", number(fit.log_posterior));
  }
  if (fit.held_out_log_density) rows.emplace_back("log density of left-out points", number(*fit.held_out_log_density));
  if (!fit.outliers.empty()) rows.emplace_back("outliers", fmt::format("{}", fit.outliers.size()));
  rows.emplace_back("optima found", fmt::format("{}", fit.starts.size() + fit.candidates.size()));
  rows.emplace_back("iterations, evaluations", fmt::format("{}, {}", fit.iterations, fit.evaluations));
  rows.emplace_back("stopped because", to_string(fit.stop) + (fit.cancelled ? " (cancelled: the best so far)" : ""));
  if (!fit.left_undone.empty()) rows.emplace_back("not done before the fit was ended", fit.left_undone);
  rows.emplace_back("jitter", number(fit.jitter));
  rows.emplace_back("points on the cut locus of the mean", fmt::format("{}", fit.cut_locus_points));
  rows.emplace_back("points near the cut locus", fmt::format("{}", fit.near_cut_points));
  rows.emplace_back("largest probability of a geodesic other than the shortest",
                    number(fit.largest_nonprincipal_responsibility));
  if (parts.calibration.size() > 0)
    rows.emplace_back("points held out for conformal regions", fmt::format("{}", parts.calibration.size()));
  for (const auto& [name, value] : how_read(loaded.notes)) rows.emplace_back(name, value);
  if (!loaded.notes.row_form.empty()) rows.emplace_back("form of the rows", loaded.notes.row_form);
  rows.emplace_back("model format", fmt::format("{}", model_format_version));
  if (!loaded.notes.program.empty()) rows.emplace_back("written by", loaded.notes.program);
  return rows;
}

double noise_sd(const Model& model) { return std::sqrt(model.parts().noise); }

std::string model_sentence(const Model& model) {
  const Model::Parts& parts = model.parts();
  const LatentSpace& latent = parts.latent;
  if (parts.kind == ModelKind::regression)
    return fmt::format("A wrapped Gaussian process regression of {} points on {}, on {} ({} kernel).",
                       parts.point_count(), parts.manifold->spec(),
                       latent.dim() == 1 ? "one input" : fmt::format("{} inputs", latent.dim()), parts.kernel->spec());
  const std::string coordinates = latent.dim() == 1
                                      ? fmt::format("one {}latent coordinate", latent.angles() == 1 ? "closed " : "")
                                      : fmt::format("{} latent coordinates", latent.dim());
  const bool some = parts.X.cols() < parts.point_count();
  return fmt::format("A {} of {} points on {} by {} ({} kernel).{}", to_string(parts.kind), parts.point_count(),
                     parts.manifold->spec(), coordinates, parts.kernel->spec(),
                     some ? fmt::format(" Of these it holds the latents of {}, at random.", parts.X.cols()) : "");
}

}  // namespace wgp::report
