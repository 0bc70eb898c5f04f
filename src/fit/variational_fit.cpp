#include "fit/variational_fit.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>

#include "core/format.h"
#include "evidence/variational_evidence.h"
#include "fit/base_start.h"
#include "fit/candidate.h"
#include "fit/chosen_noise_law.h"
#include "fit/contender.h"
#include "fit/latent_process.h"
#include "fit/latent_search.h"
#include "fit/left_out.h"
#include "fit/plan.h"
#include "fit/process_chains.h"
#include "fit/settings.h"
#include "fit/variational_bases.h"
#include "fit/variational_settings.h"
#include "model/drawn_density.h"
#include "model/error_summary.h"
#include "model/windings.h"

namespace wgp {

std::string to_string(OutlierRule rule) { return rule == OutlierRule::none ? "none" : "auto"; }
std::string to_string(ChooseBy by) { return by == ChooseBy::bound ? "bound" : "density"; }

std::string why_not_variational(const FitOptions& options) {
  if (options.model == ModelKind::regression) return "a regression has its inputs given";
  return why_not_variational(*options.kernel.make(options.latent, options.lengths), options.latent);
}

bool integrates_latents(const FitOptions& options) {
  return options.inference == Inference::variational && why_not_variational(options).empty();
}

std::string to_string(NoiseLawChoice choice) {
  return choice == NoiseLawChoice::automatic ? "auto"
         : choice == NoiseLawChoice::normal  ? "normal"
         : choice == NoiseLawChoice::student ? "student"
                                             : "structured";
}

namespace {

// Plain coordinates whose length-scale is so long that the data say nothing about them: each latent has its prior.
Index switched_off(const Model& model) {
  const Model::Parts& parts = model.parts();
  if (parts.lengths != LengthScales::per_dimension) return 0;
  Index count = 0;
  for (Index j = parts.latent.angles(); j < parts.latent.dim(); ++j)
    count += median(parts.X_sd.row(j).transpose()) > variational::sd_of_nothing;
  return count;
}

class VariationalFit {
 public:
  VariationalFit(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options)
      : begin_(std::chrono::steady_clock::now()),
        fit_(manifold, P, options),
        calibration_points_(P(Eigen::all, plan_.calibration)) {}

  FitResult run() {
    FitSummary summary;
    summary.inference = Inference::variational;
    summary.training = plan_.training;
    std::vector<Contender> contenders = {at_mean(summary)};
    std::vector<std::string> not_tried;
    for (const BasepointKind kind : plan_.bases) {
      if (stopped()) {
        not_tried.push_back(to_string(kind));
        continue;
      }
      if (auto other = contender_with_base(fit_, kind, contenders.front()))
        contenders.push_back(std::move(*other));
      else if (stopped())
        not_tried.push_back(to_string(kind));
    }
    std::size_t chosen = contenders.size() - 1;
    if (plan_.bases_compete) chosen = stopped() ? 0 : plainest_of(contenders, variational::denser);
    Contender& winner = contenders[chosen];

    summary.bound = winner.bound;
    if (chosen > 0)
      for (CandidateReport& candidate : summary.candidates) candidate.chosen = false;
    if (contenders.size() > 1)
      for (const Contender& one : contenders) {
        BasepointReport report{one.base, -infinity, std::nullopt, &one == &winner};
        if (one.left_out) {
          report.held_out = one.held_out();
          report.reconstruction_error = reconstruction_error(*one.left_out, lifting_.P);
          if (&one != &winner && winner.left_out && winner.left_out->points == one.left_out->points)
            report.standard_error = standard_error(one.left_out->log_densities - winner.left_out->log_densities);
        }
        summary.basepoints.push_back(report);
        if (one.base == BasepointKind::mean) continue;
        summary.candidates.push_back({one.kind, one.bound, report.held_out, std::sqrt(one.model->parts().noise),
                                      one.iterations, &one == &winner});
        summary.iterations += one.iterations;
      }
    summary.evaluations = summary.iterations;
    summary.stop = stopped() ? StopReason::cancelled : StopReason::progress_small;
    const Model model = with_noise_law(winner, summary);
    for (Index& row : summary.outliers) row = plan_.training[static_cast<std::size_t>(row)];
    count_cut_locus_points(model, summary);
    summary.mean_converged = lifting_.mean_converged;
    summary.mean_unique = lifting_.mean_unique;
    summary.cancelled = stopped();
    if (stopped()) {
      LeftUndone left;
      if (plan_.folds && !winner.left_out) left.folds = LeftUndone::Folds::missing;
      if (plan_.bases_compete && contenders.size() > 1) left.bases = LeftUndone::Bases::missing;
      left.bases_not_tried = not_tried;
      summary.left_undone = in_words(left);
    }
    if (!model.lift().is_embedded())
      summary.largest_nonprincipal_responsibility = largest_nonprincipal_responsibility(model);
    FitResult result{calibrated(model), std::move(summary)};
    result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    return result;
  }

 private:
  bool stopped() const { return fit_.stopped(); }

  // ---- at the mean
  Contender at_mean(FitSummary& summary) {
    std::vector<LatentOptimum> optima = search_latents({lifting_, problem_, session_, "variational", plan_.training});
    std::vector<std::optional<double>> densities(optima.size());
    std::size_t chosen = 0;
    if (options_.choose == ChooseBy::density && !stopped()) {
      densities = densities_of_kinds(optima);
      for (std::size_t k = 1; k < optima.size(); ++k)
        if (densities[k].value_or(-infinity) > densities[chosen].value_or(-infinity)) chosen = k;
    }
    if (options_.candidate > 0) {
      if (static_cast<std::size_t>(options_.candidate) > optima.size())
        throw Error(fmt::format("there is no candidate {}: this fit found {}", options_.candidate, optima.size()));
      chosen = static_cast<std::size_t>(options_.candidate - 1);
    }
    std::vector<const LatentOptimum*> starts = chain_starts(problem_, options_, optima[chosen], optima);
    if (options_.candidate > 0 && !starts.empty()) starts.resize(1);
    std::vector<Contender> near = {contender_of(optima[chosen], starts)};
    std::vector<std::size_t> of_optima = {chosen};
    if (options_.choose == ChooseBy::bound && options_.candidate == 0 && plan_.folds && searched_again() && !stopped())
      for (const std::size_t k : nearly_as_high(optima, problem_.N())) {
        near.push_back(contender_of(optima[k]));
        of_optima.push_back(k);
      }
    const std::size_t best =
        stopped()
            ? 0
            : plainest_of(near, was_reconnected(near.front().kind) ? variational::surely_denser : variational::denser);
    chosen = of_optima[best];
    if (near.size() > 1)
      for (std::size_t k = 0; k < near.size(); ++k)
        if (near[k].left_out) densities[of_optima[k]] = near[k].held_out();
    for (std::size_t k = 0; k < optima.size(); ++k) {
      const LatentOptimum& one = optima[k];
      // One that was left behind on a part of the points: as far below as if all were like these.
      const double share = static_cast<double>(one.state.X.cols()) / static_cast<double>(problem_.N());
      const LatentOptimum& first = optima.front();
      const double bound = first.bound_of_part && &one != &first
                               ? first.bound + (one.bound - *first.bound_of_part) / share
                               : one.bound / share;
      summary.candidates.push_back({one.kind, bound + lifting_.to_data(), densities[k],
                                    lifting_.scale * std::sqrt(one.noise()), one.iterations, k == chosen});
      summary.iterations += one.iterations;
    }
    summary.jitter = optima[chosen].jitter * lifting_.scale * lifting_.scale;
    near[best].bound = summary.candidates[chosen].bound;
    const std::vector<bool>& skipped = near[best].skipped;
    for (std::size_t n = 0; n < skipped.size(); ++n)
      if (skipped[n]) summary.outliers.push_back(static_cast<Index>(n));
    return std::move(near[best]);
  }

  // With points left out. starts: of chains, where there are some.
  Contender contender_of(const LatentOptimum& optimum, std::vector<const LatentOptimum*> starts = {}) {
    LatentOptimum all = on_all_points(problem_, optimum, session_);
    Contender contender;
    contender.skipped.assign(static_cast<std::size_t>(problem_.N()), false);
    if (all.grid && all.grid->outliers > 0)
      for (Index n = 0; n < all.grid->inlier.size(); ++n)
        contender.skipped[static_cast<std::size_t>(n)] = all.grid->inlier[n] < 0.5;
    contender.kind = all.kind;
    contender.iterations = all.iterations;
    contender.model = integrated_model(lifting_, problem_, options_, all, lifting_.P, lifting_.lifted.V);
    if (!contender.model)
      throw Error("the search ended where there is no process: are the points finite and not all equal?");
    if (contender.model->parts().angle_density.size() == 0) all.densities = AngleDensities::uniform;
    // No draws where nodes could not look at them, nor of what is fitted anew with fewer coordinates.
    if (!has_close_nodes(*contender.model) || switched_off(*contender.model) > 0) starts.clear();
    if (!starts.empty())
      contender.model = with_draws({*contender.model, lifting_.lifted.V, not_skipped(all_points(), contender.skipped),
                                    lifting_, problem_, session_},
                                   starts, variational::chains_of_all);
    const Folds* folds = plan_.folds ? &*plan_.folds : nullptr;
    std::vector<LatentOptimum> of_others(folds ? folds->out.size() : 0);
    FoldDraws draws_of;
    if (folds && !starts.empty())
      draws_of = [&](std::size_t fold, const Model& model) {
        const std::vector<Index> kept = folds->kept(fold);
        const ChainSetting setting{
            model,   lifting_.lifted.V(Eigen::all, kept), not_skipped(kept, contender.skipped), lifting_, problem_,
            session_};
        return drawn_from(setting, of_others[fold], variational::chains_of_folds, 0);
      };
    contender.left_out = left_out_of(
        fit_, [&](std::size_t fold, Executor& inner) { return model_of_others(all, fold, of_others[fold], inner); },
        contender.skipped, contender.model->parts().noise, draws_of);
    return contender;
  }
  std::vector<Index> all_points() const {
    std::vector<Index> all(static_cast<std::size_t>(problem_.N()));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }
  // Which of these points, by their place among them, belong to something.
  static std::vector<Index> not_skipped(const std::vector<Index>& points, const std::vector<bool>& skipped) {
    std::vector<Index> some;
    for (std::size_t k = 0; k < points.size(); ++k)
      if (!skipped[static_cast<std::size_t>(points[k])]) some.push_back(static_cast<Index>(k));
    return some;
  }

  // Of a fold. Curves are searched for anew: what all points made of a curve has gone through those that are left out.
  // Surfaces, and curves of many points, which follow none of them, begin where all points left them; warm: what they
  // end at from there.
  std::optional<Model> model_of_others(const LatentOptimum& optimum, std::size_t fold, LatentOptimum& warm,
                                       Executor& inner) {
    const std::vector<Index> kept = plan_.folds->kept(fold);
    warm = refit(problem_, optimum, kept, session_, inner);
    const Matrix P = lifting_.P(Eigen::all, kept);
    const auto n = static_cast<double>(kept.size());
    if (const auto lifting = searched_again() ? lifting_alone(P) : std::nullopt) {
      FitProblem problem = integrated_problem(*lifting, session_);
      problem.executor = &inner;
      set_densities(problem, optimum.densities);
      const auto name = fmt::format("{} without fold {}", optimum.kind, fold);
      auto again = search_alike({*lifting, problem, session_, name, rows_of(kept)}, optimum, inner);
      if (again) again->densities = optimum.densities;
      // One that did not find its way says nothing about the noise.
      const double of_warm = warm.bound + lifting_.to_data() * n / static_cast<double>(problem_.N());
      if (again && of_warm - (again->bound + lifting->to_data()) < variational::lost_a_point * n)
        if (auto model = integrated_model(*lifting, problem, options_, *again, P, lifting->lifted.V)) return model;
    }
    const Matrix V = lifting_.lifted.V(Eigen::all, kept);
    return integrated_model(lifting_, problem_, options_, warm, P, V);
  }
  // Nothing where these points alone have no mean, or are all equal.
  std::optional<Lifting> lifting_alone(ConstMatrixRef P) const try {
    return lift_to_mean(manifold_, P, options_.model, options_.clip);
  } catch (const Error&) {
    return std::nullopt;
  }
  bool searched_again() const { return problem_.latent.dim() == 1 && problem_.N() <= variational::most_searched_again; }

  // Rows of the data.
  std::vector<Index> rows_of(const std::vector<Index>& points) const {
    std::vector<Index> rows;
    for (const Index i : points) rows.push_back(plan_.training[static_cast<std::size_t>(i)]);
    return rows;
  }

  // Log densities of a fifth of the points that had no part in a search of its own, by the kinds of optima it found:
  // left-out points of the search itself have shaped its starts.
  std::vector<std::optional<double>> densities_of_kinds(const std::vector<LatentOptimum>& optima) {
    std::vector<std::optional<double>> densities(optima.size());
    if (!plan_.folds) return densities;
    const Matrix validation = lifting_.P(Eigen::all, plan_.folds->out[0]);
    const Lifting lifting =
        lift_to_mean(manifold_, lifting_.P(Eigen::all, plan_.folds->kept(0)), options_.model, options_.clip);
    const FitProblem problem = integrated_problem(lifting, session_);
    std::map<std::string, double> by_kind, by_family;
    for (const LatentOptimum& one :
         search_latents({lifting, problem, session_, "inner", rows_of(plan_.folds->kept(0))})) {
      if (by_kind.contains(one.kind)) continue;  // a worse one of the same kind
      const auto model = integrated_model(lifting, problem, options_, on_all_points(problem, one, session_), lifting.P,
                                          lifting.lifted.V);
      if (!model) continue;
      const double density = mixture_log_density(*model, validation).mean();
      by_kind.emplace(one.kind, density);
      by_family.emplace(family_of(one.kind), density);
    }
    for (std::size_t k = 0; k < optima.size(); ++k) {
      if (const auto same = by_kind.find(optima[k].kind); same != by_kind.end())
        densities[k] = same->second;
      else if (const auto like = by_family.find(family_of(optima[k].kind)); like != by_family.end())
        densities[k] = like->second;
    }
    return densities;
  }

  // Where a curve comes near itself, points that are left out hardly tell which way it goes on from there.
  static bool was_reconnected(const std::string& kind) { return kind.find("reconnected") != std::string::npos; }

  Model with_noise_law(const Contender& winner, FitSummary& summary) {
    const Model& model = *winner.model;
    if (!winner.left_out) {
      summary.noise_law_note = plan_.folds ? "the default: the fit was ended before points were left out"
                                           : "the default: there are too few points to leave some out";
      return model;
    }
    const ChosenLaw chosen =
        chosen_noise_law(*winner.left_out, model, lifting_.P, options_, session_.executor, summary);
    return model.with([&](Model::Parts& parts) {
      parts.law = chosen.law;
      parts.scales_of_draws = chosen.of_draws;
    });
  }

  Model calibrated(const Model& model) const {
    if (calibration_points_.cols() == 0) return model;
    return with_calibration(model, calibration_points_, options_.threads);
  }

  const std::chrono::steady_clock::time_point begin_;
  IntegratedFit fit_;
  const ManifoldPtr& manifold_ = fit_.manifold;
  const FitOptions& options_ = fit_.options;
  const FitPlan& plan_ = fit_.plan;
  FitSession& session_ = fit_.session;
  const Lifting& lifting_ = fit_.lifting;
  const FitProblem& problem_ = fit_.problem;
  const Matrix calibration_points_;
};

}  // namespace

FitResult variational_fit(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options) {
  FitResult result = VariationalFit(manifold, P, options).run();
  const Index before = options.latent.dim();
  FitOptions fewer = options;
  // What was finished belongs to the fit with more of them.
  fewer.on_step = nullptr;
  fewer.resume = nullptr;
  for (Index off = switched_off(result.model); off > 0 && !result.summary.cancelled; off = switched_off(result.model)) {
    const Index plain = std::max<Index>(1, fewer.latent.plain_count() - off);
    if (plain == fewer.latent.plain_count()) break;
    fewer.latent = LatentSpace(fewer.latent.angles(), plain);
    result = VariationalFit(manifold, P, fewer).run();
    result.summary.latent_note =
        fmt::format("{} of {} coordinates were switched off by their length-scales and dropped",
                    before - fewer.latent.dim(), before);
  }
  // The process needs none of its points. Of many of them the model would be a copy of the data.
  if (result.model.parts().X.cols() > variational::most_points_in_model && options.model == ModelKind::wgplvm)
    result.model = result.model.with([](Model::Parts& parts) { parts.P.resize(0, 0); });
  return result;
}

}  // namespace wgp
