#include "fit/large_fit.h"
#include "fit/candidate.h"
#include "model/error_summary.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/format.h"
#include "core/random_streams.h"
#include "evidence/learned_density.h"
#include "evidence/variational_evidence.h"
#include "fit/all_points.h"
#include "fit/chosen_noise_law.h"
#include "fit/grid_steps.h"
#include "fit/latent_process.h"
#include "fit/latent_search.h"
#include "fit/points.h"
#include "fit/random_subset.h"
#include "fit/settings.h"
#include "fit/variational_settings.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using namespace variational;

class LargeFit {
 public:
  LargeFit(const ManifoldPtr& manifold, LargePoints& points, const FitOptions& options)
      : begin_(std::chrono::steady_clock::now()),
        manifold_(manifold),
        points_(points),
        options_(options),
        N_(points.count()),
        members_(random_subset(N_, options.subsample, options.seed, stream::variational_subset)),
        some_(points.points(members_)),
        session_(
            options, [](const EvidenceSetting& setting) { return variational_evidence(setting); },
            fit_fingerprint(*manifold, Matrix::Constant(1, 1, static_cast<double>(N_)), some_, options)) {
    points.attach(session_);
  }

  FitResult run() {
    FitSummary summary;
    summary.inference = Inference::variational;
    points_.check();
    some_ = without_defects(*manifold_, some_);
    Lifting part = lift_to_mean(manifold_, some_, options_.model, options_.clip);
    summary.mean_unique = part.mean_unique;
    summary.mean_converged = improve_mean(part);
    part.lifted = part.lift->lift(Matrix(), some_);
    part.scale = std::sqrt(part.lifted.V.squaredNorm() / static_cast<double>(part.lifted.V.size()));
    const LiftCounts counts = points_.lift({part.base, part.scale});
    if (counts.failed > 0)
      throw Error(fmt::format("the logarithm of {} points at the mean could not be computed", counts.failed));
    summary.cut_locus_points = counts.cut;
    summary.near_cut_points = counts.near;
    const double to_data = -static_cast<double>(N_ * part.lift->dim()) * std::log(part.scale);

    FitProblem problem = integrated_problem(part, session_);
    // Of the vectors themselves: those of all points have no fewer rows.
    problem.outputs = {problem.V, problem.V.rows()};
    const std::vector<LatentOptimum> optima = search_latents({part, problem, session_, "variational", members_, true});
    const LatentOptimum& best = optima.front();
    const KernelSpectrum spectrum = spectrum_of(problem);
    const std::unique_ptr<NormalPasses> all = points_.passes(spectrum, problem.d());
    NormalPasses& passes = *all;
    std::optional<PassState> state;
    try {
      if (!stopped()) state = begin(passes, problem, best);
      if (state) run_passes(passes, *state, session_.control, N_, to_data);
    } catch (const Stopped&) {
      if (state) passes.make_whole(*state);
    }
    report_candidates(optima, part, state, to_data, summary);
    if (!state) return by_part(part, problem, best, std::move(summary));

    summary.outliers = points_.skipped(*state);
    const Model model = model_of(part, problem, passes, *state, summary);
    const auto law = law_of(model, problem, passes, *state, summary);
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    summary.cancelled = stopped();
    summary.stop = stopped() ? StopReason::cancelled : StopReason::progress_small;
    if (stopped() && !law) summary.left_undone = in_words({LeftUndone::Folds::missing, {}, {}});
    return {law ? model.with([&](Model::Parts& parts) { parts.law = law; }) : model, std::move(summary)};
  }

 private:
  bool stopped() const { return session_.control.stopped(); }

  // Steps to the mean of the logarithms, from where the part's is. Said to have converged where they become small.
  bool improve_mean(Lifting& part) {
    double before = infinity;
    for (int k = 0; k < most_mean_passes; ++k) {
      const Vector step = points_.sum_of_logarithms(part.base) / static_cast<double>(N_);
      const double length = step.norm();
      if (!(length < before)) return false;  // data that wrap around: the part's mean is as good as any
      Matrix next(part.base.size(), 1);
      manifold_->at(part.base)->exp(step, next);
      part.base = manifold_->project(next.col(0));
      part.lift = std::make_shared<const Basepoint>(manifold_, part.base);
      if (length <= small_mean_step * part.scale) return part.mean_converged;
      before = length;
    }
    return false;
  }

  // Where the part's optimum puts the points.
  PassState begin(NormalPasses& passes, const FitProblem& problem, const LatentOptimum& best) {
    if (!best.grid)
      return points_.begin_at_nearest(
          passes, {problem.outputs.rows, best.state.X, best.state.S.array().exp(), best.state.theta, best.noise()});
    const KernelSpectrum spectrum = spectrum_of(problem);
    GridEngine engine(spectrum, problem.outputs.rows, problem.d(), &session_.executor, &session_.control);
    // Points may still move to another stretch there.
    const double to_data =
        -static_cast<double>(std::min(N_, most_settled) * problem.V.rows()) * std::log(problem.scale);
    const GridState found = GridSteps(problem.latent.dim(), session_.control, to_data)
                                .settled_on_more(engine, spectrum, points_.vectors(), problem.d(), *best.grid,
                                                 options_.seed, session_.executor);
    return points_.begin_on_grid(passes, engine, found);
  }

  void report_candidates(const std::vector<LatentOptimum>& optima, const Lifting& part,
                         const std::optional<PassState>& state, double to_data, FitSummary& summary) const {
    // Those that were left behind on a part of the points: as far below as if all were like these.
    const double share = static_cast<double>(some_.cols()) / static_cast<double>(N_);
    for (const LatentOptimum& one : optima) {
      const bool first = &one == &optima.front();
      const bool whole = first && state;
      const double below = (one.bound - optima.front().bound) / share;
      const double best = state ? state->bound : optima.front().bound / share;
      summary.candidates.push_back({one.kind, best + below + to_data, std::nullopt,
                                    part.scale * std::sqrt(whole ? state->noise : one.noise()),
                                    one.iterations + (whole ? state->passes : 0), first});
      summary.iterations += summary.candidates.back().iterations;
    }
    summary.evaluations = summary.iterations;
    summary.bound = summary.candidates.front().bound;
  }

  // The process that these sums make, in the data's units.
  PosteriorPtr posterior_of(const Model::Parts& parts, const FitProblem& problem, const NormalPasses& passes,
                            const PassState& state, const BlockSums& sums) const {
    LatticeSums of_data = passes.lattice_sums(state, sums);
    of_data.squares *= problem.scale * problem.scale;
    of_data.cross *= problem.scale;
    return collapsed_posterior({problem.kernel, problem.latent, parts.theta, parts.noise, parts.X},
                               spectrum_of(problem), *state.plan, of_data, sums.table);
  }

  Model model_of(const Lifting& part, const FitProblem& problem, const NormalPasses& passes, const PassState& state,
                 FitSummary& summary) {
    const bool all = options_.keep_latents || N_ <= most_latents_in_model;
    summary.training = random_subset(N_, all ? N_ : some_latents_in_model, options_.seed, stream::kept_points);
    Model::Parts parts = integrated_parts(part, problem, options_, state.theta, state.noise);
    parts.points_fitted = N_;
    if (N_ <= most_points_in_model) parts.P = without_defects(*manifold_, points_.points(summary.training));
    LargePoints::Latents latents = points_.latents(state, summary.training);
    parts.X = problem.latent.wrapped(std::move(latents.X));
    parts.X_sd = std::move(latents.S);
    parts.X_sd = parts.X_sd.cwiseSqrt();
    const PosteriorPtr posterior = posterior_of(parts, problem, passes, state, state.sums);
    if (!posterior) throw Error("the fit ended where there is no process: are the points finite and not all equal?");
    parts.angle_density = learned_density(*posterior).coefficients();
    return Model(std::move(parts), posterior);
  }

  // From some points of each fold, encoded by what all the others have made.
  NoiseLawPtr law_of(const Model& model, const FitProblem& problem, const NormalPasses& passes, const PassState& state,
                     FitSummary& summary) {
    constexpr int folds = static_cast<int>(settings::folds);
    std::vector<BlockSums> of_folds;
    try {
      if (!stopped()) of_folds = passes.sums_of_folds(state, folds);
    } catch (const Stopped&) {
    }
    if (of_folds.empty()) {
      summary.noise_law_note = "the default: the fit was ended before points were left out";
      return nullptr;
    }
    std::vector<Index> looked_at = random_subset(N_, folds * most_left_out, options_.seed, stream::left_out_points);
    std::erase_if(looked_at,
                  [&](Index n) { return std::binary_search(summary.outliers.begin(), summary.outliers.end(), n); });
    Folds out;
    out.out.resize(static_cast<std::size_t>(folds));
    for (std::size_t k = 0; k < looked_at.size(); ++k)
      out.out[static_cast<std::size_t>(looked_at[k] % folds)].push_back(static_cast<Index>(k));
    const Matrix P = without_defects(*manifold_, points_.points(looked_at));
    std::atomic<int> done = 0;
    const FoldModel model_of_others = [&](std::size_t fold, Executor&) -> std::optional<Model> {
      if (!session_.control.report("points left out", ++done, folds, -infinity)) throw Stopped();
      BlockSums others = state.sums;
      others.subtract(of_folds[fold]);
      Model::Parts parts = model.parts();
      const PosteriorPtr posterior = posterior_of(parts, problem, passes, state, others);
      if (!posterior) return std::nullopt;
      parts.angle_density = learned_density(*posterior).coefficients();
      return Model(std::move(parts), posterior);
    };
    try {
      const auto left_out = leave_out(out, model_of_others, P, std::vector<bool>(looked_at.size(), false),
                                      model.parts().noise, session_.executor);
      if (!left_out) return nullptr;
      const bool named = !summary.outliers.empty();
      NoiseLawPtr law = chosen_noise_law(*left_out, model, P, options_, session_.executor, summary).law;
      if (!named)
        for (Index& row : summary.outliers) row = looked_at[static_cast<std::size_t>(row)];
      return law;
    } catch (const Stopped&) {
      summary.noise_law_note = "the default: the fit was ended before points were left out";
      return nullptr;
    }
  }

  // Told to end before all points were looked at: what the part has made.
  FitResult by_part(const Lifting& part, const FitProblem& problem, const LatentOptimum& best, FitSummary summary) {
    summary.training = members_;
    summary.noise_law_note = "the default: the fit was ended before points were left out";
    summary.cancelled = true;
    summary.left_undone = fmt::format("only {} of {} points were looked at; {}", members_.size(), N_,
                                      in_words({LeftUndone::Folds::missing, {}, {}}));
    summary.stop = StopReason::cancelled;
    const auto model = integrated_model(part, problem, options_, best, some_, part.lifted.V);
    if (!model) throw Error("the search ended where there is no process: are the points finite and not all equal?");
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    return {model->with([&](Model::Parts& parts) {
              parts.points_fitted = N_;
              if (N_ > most_points_in_model) parts.P.resize(0, 0);
            }),
            std::move(summary)};
  }

  const std::chrono::steady_clock::time_point begin_;
  const ManifoldPtr manifold_;
  LargePoints& points_;
  const FitOptions& options_;
  const Index N_;
  const std::vector<Index> members_;  // of the part that is searched on
  Matrix some_;                       // its points
  FitSession session_;
};

}  // namespace

bool is_large(const Manifold& manifold, Index N) {
  return N > most_in_memory || N > most_numbers_in_memory / manifold.ambient_dim();
}

std::string why_not_in_passes(const FitOptions& options) {
  if (!integrates_latents(options)) return "latents are estimated, not integrated out";
  if (options.model != ModelKind::wgplvm) return "the model is a baseline in the ambient space";
  if (options.latent.dim() > 3) return "there are more than three latent coordinates";
  if (options.basepoint != BasepointKind::mean) return "the base point is fitted";
  if (options.calibration_share > 0) return "points are held out for conformal regions";
  if (options.given_latents.size() > 0) return "latents are given";
  if (options.candidate > 0 || options.choose != ChooseBy::bound)
    return "a candidate is chosen otherwise than by its bound";
  return "";
}

FitResult large_fit(const ManifoldPtr& manifold, LargePoints& points, const FitOptions& options) {
  return LargeFit(manifold, points, options).run();
}

FitResult large_fit(const ManifoldPtr& manifold, const ColumnBlocks& points, const FitOptions& options) {
  PointsHere here(manifold, points);
  return large_fit(manifold, here, options);
}

}  // namespace wgp
