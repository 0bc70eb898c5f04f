#include "cli/output/fit_report.h"

#include <algorithm>
#include <cmath>

#include "report/words/units.h"

namespace wgp::cli {
namespace {

Json starts_json(const FitSummary& summary) {
  Json starts = Json::array();
  for (const StartReport& start : summary.starts)
    starts.push_back({{"kind", start.kind},
                      {"log_posterior", start.log_posterior},
                      {"iterations", start.iterations},
                      {"log_likelihood", start.log_likelihood},
                      {"leave_one_out", start.leave_one_out},
                      {"degenerate", start.degenerate},
                      {"chosen", start.chosen},
                      {"stop", to_string(start.stop)},
                      {"evaluations", start.evaluations}});
  // Where latents were integrated out, starts have a bound: see candidates.
  for (const CandidateReport& one : summary.candidates)
    starts.push_back(
        {{"kind", one.kind}, {"log_posterior", nullptr}, {"iterations", one.iterations}, {"chosen", one.chosen}});
  return starts;
}

Json basepoints_json(const FitSummary& summary) {
  Json tried = Json::array();
  for (const BasepointReport& one : summary.basepoints)
    tried.push_back({{"kind", to_string(one.kind)},
                     {"leave_one_out", one.leave_one_out},
                     {"held_out", one.held_out ? Json(*one.held_out) : Json()},
                     {"standard_error", one.standard_error ? Json(*one.standard_error) : Json()},
                     {"reconstruction_error", one.reconstruction_error ? Json(*one.reconstruction_error) : Json()},
                     {"chosen", one.chosen}});
  return tried;
}

Json candidates_json(const FitSummary& summary) {
  Json candidates = Json::array();
  for (const CandidateReport& one : summary.candidates)
    candidates.push_back({{"kind", one.kind},
                          {"inference", to_string(summary.inference)},
                          {"bound", one.bound},
                          {"held_out_log_density", one.held_out_log_density ? Json(*one.held_out_log_density) : Json()},
                          {"noise_sd", one.noise_sd},
                          {"iterations", one.iterations},
                          {"chosen", one.chosen}});
  return candidates;
}

// Rows as people count them, from 1 on.
Json outliers_json(const FitSummary& summary) {
  Json rows = Json::array();
  for (const Index row : summary.outliers) rows.push_back(row + 1);
  return rows;
}

// Nothing where nothing is known.
std::string known_number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; }

std::string note_of(const StartReport& start) {
  std::string note = start.chosen ? "chosen" : "";
  if (!start.degenerate.empty()) note += (note.empty() ? "" : ", ") + start.degenerate;
  return note;
}

// Which start was chosen and why, in one sentence: by the log posterior, by points given the others, or by points left
// out, as the numbers of the table show. Nothing for a single start, or where none was chosen.
std::string verdict_of(const FitSummary& summary, const Model::Parts& parts) {
  const std::vector<StartReport>& starts = summary.starts;
  const auto chosen = std::find_if(starts.begin(), starts.end(), [](const StartReport& one) { return one.chosen; });
  if (chosen == starts.end() || starts.size() < 2) return "";
  Index sound = 0;
  const StartReport *likeliest = &*chosen, *densest = &*chosen;
  for (const StartReport& one : starts) {
    if (one.degenerate != chosen->degenerate && !one.degenerate.empty()) continue;
    ++sound;
    if (one.log_posterior > likeliest->log_posterior) likeliest = &one;
    if (one.leave_one_out > densest->leave_one_out) densest = &one;
  }
  const std::string of = sound == static_cast<Index>(starts.size())
                             ? fmt::format("of {} starts", starts.size())
                             : fmt::format("of {} starts, {} of them usable", starts.size(), sound);
  std::string why;
  if (parts.basepoint != BasepointKind::mean)
    why = fmt::format("left-out points have the highest density with its base point ({})", to_string(parts.basepoint));
  else if (summary.cancelled)
    why = "the best so far when the fit was ended early";
  else if (likeliest == &*chosen && !std::isfinite(chosen->leave_one_out))
    why = "it has the highest log posterior";
  else if (likeliest == &*chosen && densest == &*chosen)
    why = "it has the highest log posterior, and the highest leave-one-out density";
  else if (likeliest == &*chosen)
    why = fmt::format(
        "it has the highest log posterior, and left-out points have a higher density than under {}, the best by "
        "leave-one-out density",
        densest->kind);
  else if (densest == &*chosen)
    why = fmt::format(
        "it has the highest leave-one-out density; {} has a higher log posterior but overfits single points",
        likeliest->kind);
  else
    why = "left-out points have the highest density under it";
  constexpr double same = 0.01;  // nats
  const auto alike = std::count_if(starts.begin(), starts.end(), [&](const StartReport& one) {
    return &one != &*chosen && std::abs(one.log_posterior - chosen->log_posterior) <= same;
  });
  return fmt::format(
      "{} was chosen {}: {}{}", chosen->kind, of, why,
      alike == 0 ? ""
                 : fmt::format("; {} ended at the same optimum, which speaks for it", plural(alike, "other start")));
}

}  // namespace

std::string model_line(const Model::Parts& parts) {
  const Index angles = parts.latent.angles(), q = parts.latent.dim();
  const bool regression = parts.kind == ModelKind::regression;
  return fmt::format("{} of {} on {}, {}{}, kernel {}{}", to_string(parts.kind), plural(parts.point_count(), "point"),
                     parts.manifold->spec(), plural(q, regression ? "input" : "latent coordinate"),
                     angles > 0 ? fmt::format(" ({})", plural(angles, "angle")) : "", parts.kernel->spec(),
                     parts.lengths == LengthScales::per_dimension ? " with a length-scale each" : "") +
         (parts.basepoint == BasepointKind::mean ? "" : fmt::format(", base point {}", to_string(parts.basepoint)));
}

Json kernel_json(const Model::Parts& parts) {
  Json object = {{"spec", parts.kernel->spec()}};
  const auto names = parts.kernel->parameter_names();
  for (std::size_t i = 0; i < names.size(); ++i) object[names[i]] = parts.theta[static_cast<Index>(i)];
  return object;
}

Json noise_law_json(const NoiseLaw& law) {
  // nu: degrees of freedom of the tails; none where they are normal.
  Json object = {{"kind", law.kind()}, {"nu", Json()}};
  for (const auto& [name, value] : law.parameters()) {
    object[name == "degrees_of_freedom" ? "nu" : name] = std::isfinite(value) ? Json(value) : Json();
  }
  return object;
}

Json fit_json(const Model& model, const FitSummary& summary, const std::string& path) {
  const Model::Parts& parts = model.parts();
  // Where latents were integrated out there is neither.
  const bool integrated = summary.bound.has_value();
  return {{"inference", to_string(summary.inference)},
          {"inference_note", summary.inference_note.empty() ? Json() : Json(summary.inference_note)},
          {"bound", summary.bound ? Json(*summary.bound) : Json()},
          {"log_likelihood", integrated ? Json() : Json(summary.log_likelihood)},
          {"log_posterior", integrated ? Json() : Json(summary.log_posterior)},
          {"iterations", summary.iterations},
          {"evaluations", summary.evaluations},
          {"seconds", summary.seconds},
          {"stop", to_string(summary.stop)},
          {"candidates", candidates_json(summary)},
          {"outliers", outliers_json(summary)},
          {"starts", starts_json(summary)},
          {"basepoint", to_string(parts.basepoint)},
          {"basepoints", basepoints_json(summary)},
          {"noise_variance", parts.noise},
          {"kernel", kernel_json(parts)},
          {"jitter", summary.jitter},
          {"cut_locus_points", summary.cut_locus_points},
          {"near_cut_points", summary.near_cut_points},
          {"largest_nonprincipal_responsibility", summary.largest_nonprincipal_responsibility},
          {"cancelled", summary.cancelled},
          {"left_undone", summary.left_undone.empty() ? Json() : Json(summary.left_undone)},
          {"held_out_log_density", summary.held_out_log_density ? Json(*summary.held_out_log_density) : Json()},
          {"variance_scale", summary.variance_scale},
          {"noise_law", noise_law_json(*parts.law)},
          {"noise_law_note", summary.noise_law_note.empty() ? Json() : Json(summary.noise_law_note)},
          {"mean_unique", summary.mean_unique},
          {"n", parts.point_count()},
          {"model", path}};
}

namespace {

// Whether the search can be relied on: several starts that end alike say that it can, others that are nearly as good
// that the data allow several readings.
std::string how_alike(const FitSummary& summary) {
  constexpr double same = 0.01, plausible = 3;  // nats
  const std::vector<CandidateReport>& all = summary.candidates;
  const auto best =
      std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bound < b.bound; });
  if (!summary.basepoints.empty() || !std::isfinite(best->bound)) return "";
  Index alike = 0, close = 0;
  double next = -infinity;
  for (const CandidateReport& one : all) {
    const double below = best->bound - one.bound;
    if (&one == &*best) continue;
    alike += below <= same;
    close += below > same && below <= plausible;
    if (below > same) next = std::max(next, one.bound);
  }
  std::string text;
  if (alike > 0)
    text += fmt::format("{} ended at the same optimum, which speaks for it. ", plural(alike, "other candidate"));
  if (close > 0)
    text += fmt::format("{} less than {:g} nats below: nearly as plausible, see them with --candidate K. ",
                        close == 1 ? "1 candidate is" : fmt::format("{} candidates are", close), plausible);
  else if (std::isfinite(next))
    text += fmt::format("The next one is {:.3g} nats lower: clearly less plausible. ", best->bound - next);
  if (!text.empty()) text.back() = '\n';
  return text;
}

// Which candidate was chosen and why, in one sentence.
std::string reason_of_choice(const FitSummary& summary) {
  const std::vector<CandidateReport>& all = summary.candidates;
  const auto chosen = std::find_if(all.begin(), all.end(), [](const CandidateReport& one) { return one.chosen; });
  if (chosen == all.end() || all.size() < 2) return "";
  const bool highest = std::all_of(all.begin(), all.end(), [&](const auto& one) { return one.bound <= chosen->bound; });
  const bool densest = chosen->held_out_log_density && std::all_of(all.begin(), all.end(), [&](const auto& one) {
                         return one.held_out_log_density.value_or(-infinity) <= *chosen->held_out_log_density;
                       });
  return fmt::format("{} was chosen of {} candidates: {}\n", chosen->kind, all.size(),
                     !summary.basepoints.empty() ? "by its base point, see below"
                     : densest                   ? "held-out points have the highest density under it"
                     : highest                   ? "it has the highest bound on the log evidence"
                                                 : "it was asked for") +
         how_alike(summary);
}

std::string candidates_text(const FitSummary& summary) {
  constexpr std::size_t shown = 5;
  const std::vector<CandidateReport>& all = summary.candidates;
  const bool held = std::any_of(all.begin(), all.end(), [](const auto& one) { return one.held_out_log_density; });
  std::size_t width = 9;
  for (const CandidateReport& one : all) width = std::max(width, one.kind.size());
  std::string text = fmt::format("{:>2}  {:<{}}  {:>10}{}  {:>8}\n", "", "candidate", width, "bound",
                                 held ? fmt::format("  {:>8}", "left out") : "", "noise sd");
  for (std::size_t k = 0; k < all.size(); ++k) {
    const CandidateReport& one = all[k];
    if (k >= shown && !one.chosen) continue;
    text += fmt::format(
        "{:>2}  {:<{}}  {:>10.6g}{}  {:>8.4g}{}\n", k + 1, one.kind, width, one.bound,
        held ? fmt::format("  {:>8}",
                           one.held_out_log_density ? fmt::format("{:.3f}", *one.held_out_log_density) : std::string())
             : "",
        one.noise_sd, one.chosen ? "  chosen" : "");
  }
  if (all.size() > shown) text += fmt::format("... {} in all\n", all.size());
  return text + reason_of_choice(summary);
}

std::string outliers_text(const FitSummary& summary) {
  constexpr std::size_t shown = 10;
  if (summary.outliers.empty()) return "";
  std::vector<Index> rows;
  for (std::size_t k = 0; k < std::min(shown, summary.outliers.size()); ++k) rows.push_back(summary.outliers[k] + 1);
  const auto count = static_cast<Index>(summary.outliers.size());
  return fmt::format("{} named, too far from the model for its noise: {} {}{}\n", plural(count, "outlier"),
                     count == 1 ? "row" : "rows", fmt::join(rows, ", "),
                     summary.outliers.size() > shown ? ", ..." : "");
}

std::string starts_text(const Model& model, const FitSummary& summary) {
  constexpr std::size_t shown = 5;
  const Model::Parts& parts = model.parts();
  std::vector<const StartReport*> starts;
  for (const StartReport& start : summary.starts) starts.push_back(&start);
  // The chosen one stands first, whatever its log posterior.
  std::stable_sort(starts.begin(), starts.end(), [](const auto* a, const auto* b) {
    return a->chosen != b->chosen ? a->chosen : a->log_posterior > b->log_posterior;
  });
  std::size_t width = 5;
  for (const StartReport* start : starts) width = std::max(width, start->kind.size());
  const bool latents = parts.kind != ModelKind::regression;
  std::string text = fmt::format("{:<{}}  {:>13}{}  note\n", "start", width, "log posterior",
                                 latents ? fmt::format("  {:>13}", "leave-one-out") : "");
  for (std::size_t i = 0; i < std::min(shown, starts.size()); ++i) {
    const std::string note = note_of(*starts[i]);
    text += fmt::format("{:<{}}  {:>13.6g}{}{}{}\n", starts[i]->kind, width, starts[i]->log_posterior,
                        latents ? fmt::format("  {:>13}", known_number(starts[i]->leave_one_out)) : "",
                        note.empty() ? "" : "  ", note);
  }
  if (starts.size() > shown)
    text += fmt::format("... and {}\n", plural(static_cast<Index>(starts.size() - shown), "start") + " more");
  if (const std::string verdict = verdict_of(summary, parts); !verdict.empty()) text += verdict + "\n";
  return text;
}

// A plainer base point is kept unless another makes left-out points denser by more than the standard error of that.
std::string why_plainer(const std::vector<BasepointReport>& tried) {
  const auto chosen = std::find_if(tried.begin(), tried.end(), [](const auto& one) { return one.chosen; });
  if (chosen == tried.end() || !chosen->held_out) return "";
  const BasepointReport* rival = nullptr;
  for (const BasepointReport& one : tried)
    if (&one > &*chosen && one.held_out && *one.held_out > *chosen->held_out)
      if (!rival || *one.held_out > *rival->held_out) rival = &one;
  if (!rival || !rival->standard_error) return "";
  return fmt::format(
      "{} was kept: held-out points are denser under {} by {:.2g} nats a point, which is no more than the standard "
      "error "
      "of that difference ({:.2g}), and {} is the simpler model\n",
      to_string(chosen->kind), to_string(rival->kind), *rival->held_out - *chosen->held_out, *rival->standard_error,
      to_string(chosen->kind));
}

std::string basepoints_text(const FitSummary& summary) {
  const std::vector<BasepointReport>& tried = summary.basepoints;
  if (tried.empty()) return "";
  const bool held = tried.front().held_out.has_value(), others = summary.inference == Inference::point;
  const bool errors = std::any_of(tried.begin(), tried.end(), [](const auto& one) { return one.reconstruction_error; });
  std::string text = fmt::format(
      "{:<10}{}{}{}  (log density in nats a point{})\n", "base point",
      others ? fmt::format("  {:>13}", "leave-one-out") : "", held ? fmt::format("  {:>13}", "held out") : "",
      errors ? fmt::format("  {:>9}", "rms error") : "",
      errors ? fmt::format("; error: distance to the reconstruction, of {} points", others ? "training" : "held-out")
             : "");
  for (const BasepointReport& one : tried)
    text += fmt::format(
        "{:<10}{}{}{}{}\n", to_string(one.kind), others ? fmt::format("  {:>13}", known_number(one.leave_one_out)) : "",
        held ? fmt::format("  {:>13}", one.held_out ? known_number(*one.held_out) : "") : "",
        errors ? fmt::format("  {:>9}", one.reconstruction_error ? fmt::format("{:.4g}", *one.reconstruction_error)
                                                                 : std::string())
               : "",
        one.chosen ? "  chosen" : "");
  return text + why_plainer(tried);
}

}  // namespace

std::string stop_words(const FitSummary& summary) {
  const std::string name = to_string(summary.stop);
  switch (summary.stop) {
    case StopReason::gradient_small:
    case StopReason::progress_small:
      return fmt::format("converged ({})", name);
    case StopReason::max_iterations:
      return fmt::format(
          "not converged: the search reached its limit of iterations ({}). The model can be used, but a longer search "
          "may improve it: --max-iterations K allows more, --effort thorough makes more starts",
          name);
    case StopReason::cancelled:
      return fmt::format("ended early ({}): the best model so far", name);
    case StopReason::line_search_failed:
      return fmt::format("converged as far as rounding allows: no further step improves it ({})", name);
  }
  return name;
}

std::string fit_text(const Model& model, const FitSummary& summary) {
  const Model::Parts& parts = model.parts();
  std::string text;
  if (!summary.inference_note.empty())
    text += fmt::format(
        "latents were {}: {}\n",
        summary.inference == Inference::point ? "estimated, not integrated out" : "integrated out, not estimated",
        summary.inference_note);
  text += summary.candidates.empty() ? starts_text(model, summary) : candidates_text(summary);
  text += outliers_text(summary);
  if (!summary.latent_note.empty()) text += summary.latent_note + "\n";
  text += basepoints_text(summary);
  if (summary.held_out_log_density)
    text += fmt::format("left-out points: mean log density {:.2f} nats a point{}\n", *summary.held_out_log_density,
                        summary.inference == Inference::point
                            ? fmt::format("; predictive variances were multiplied by {:.2f}", summary.variance_scale)
                            : "");
  if (!summary.noise_law_note.empty())
    text += fmt::format("noise distribution {}: {}\n", parts.law->kind(), summary.noise_law_note);
  text += fmt::format("noise sd {:.4g}{}; {}", std::sqrt(parts.noise), report::distance_unit(*parts.manifold),
                      stop_words(summary));
  if (!summary.left_undone.empty()) text += "\nnot done before the fit was ended: " + summary.left_undone;
  if (summary.cut_locus_points + summary.near_cut_points > 0)
    text += fmt::format("\n{} on and {} near the cut locus of the mean", plural(summary.cut_locus_points, "point"),
                        summary.near_cut_points);
  if (summary.largest_nonprincipal_responsibility > 1e-6)
    text += fmt::format(
        "\nfor some point a geodesic other than the shortest has probability {:.2g}: the data spread far over the "
        "manifold (--basepoint auto may help)",
        summary.largest_nonprincipal_responsibility);
  return text;
}

bool has_failed(const FitSummary& summary) {
  return summary.cancelled || summary.stop == StopReason::max_iterations || summary.stop == StopReason::cancelled;
}

}  // namespace wgp::cli
