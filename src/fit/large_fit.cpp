#include "fit/large_fit.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/column_file.h"
#include "core/format.h"
#include "core/random_streams.h"
#include "core/rank_columns.h"
#include "evidence/normal_passes.h"
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

// Vectors of all points at a base point, in one pass over them.
struct LiftedPoints {
  std::unique_ptr<ColumnFile> vectors;  // over the part's scale; those of this rank
  Index cut_locus = 0, near_cut = 0;
};

struct Counts {
  Index cut = 0, near = 0, failed = 0;
  void each_part(auto&& visitor) { visitor(cut, near, failed); }
};

class LargeFit {
 public:
  LargeFit(const ManifoldPtr& manifold, const ColumnBlocks& points, const FitOptions& options)
      : begin_(std::chrono::steady_clock::now()),
        manifold_(manifold),
        points_(points),
        options_(options),
        N_(points.count()),
        members_(random_subset(N_, options.subsample, options.seed, stream::variational_subset)),
        some_(points.gathered(members_)),
        session_(
            options, [](const EvidenceSetting& setting) { return variational_evidence(setting); },
            fit_fingerprint(*manifold, Matrix::Constant(1, 1, static_cast<double>(N_)), some_, options)),
        own_(NormalPasses::own_points(session_.executor, N_)) {}

  FitResult run() {
    FitSummary summary;
    summary.inference = Inference::variational;
    check_all();
    some_ = without_defects(*manifold_, some_);
    Lifting part = lift_to_mean(manifold_, some_, options_.model, options_.clip);
    summary.mean_unique = part.mean_unique;
    summary.mean_converged = improve_mean(part);
    part.lifted = part.lift->lift(Matrix(), some_);
    part.scale = std::sqrt(part.lifted.V.squaredNorm() / static_cast<double>(part.lifted.V.size()));
    const LiftedPoints all = lift_all(part);
    const RankColumns vectors(*all.vectors, own_, session_.executor.ranks());
    summary.cut_locus_points = all.cut_locus;
    summary.near_cut_points = all.near_cut;
    const double to_data = -static_cast<double>(N_ * part.lift->dim()) * std::log(part.scale);

    FitProblem problem = integrated_problem(part, session_);
    // Of the vectors themselves: those of all points have no fewer rows.
    problem.outputs = {problem.V, problem.V.rows()};
    const std::vector<LatentOptimum> optima = search_latents({part, problem, session_, "variational", members_, true});
    const LatentOptimum& best = optima.front();
    const KernelSpectrum spectrum = spectrum_of(problem);
    NormalPasses passes(spectrum, vectors, problem.d(), &session_.executor, &session_.control);
    std::optional<PassState> state;
    try {
      if (!stopped()) state = begin(passes, problem, best, vectors);
      if (state) run_passes(passes, *state, session_.control, N_, to_data);
    } catch (const Stopped&) {
      if (state) passes.make_whole(*state);
    }
    report_candidates(optima, part, state, to_data, summary);
    if (!state) return by_part(part, problem, best, std::move(summary));

    summary.outliers = outliers_of(*state);
    const Model model = model_of(part, problem, passes, *state, summary);
    const auto law = law_of(model, problem, passes, *state, summary);
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    summary.cancelled = stopped();
    summary.stop = stopped() ? StopReason::cancelled : StopReason::progress_small;
    return {law ? model.with([&](Model::Parts& parts) { parts.law = law; }) : model, std::move(summary)};
  }

 private:
  bool stopped() const { return session_.control.stopped(); }

  Matrix block(Index first, Index count) const {
    Matrix P(points_.rows(), count);
    points_.read(first, P);
    return P;
  }
  template <class T, class Make, class Add>
  T over_blocks(const Make& make, const Add& add) {
    constexpr Index at_once = NormalPasses::points_at_once;
    const auto of_block = [&](Index b) {
      const Index first = b * at_once;
      return make(first, block(first, std::min(at_once, N_ - first)));
    };
    return session_.executor.reduce_over_ranks<T>((N_ + at_once - 1) / at_once, of_block, add);
  }

  void check_all() {
    over_blocks<Index>(
        [&](Index first, const Matrix& P) {
          check_points(*manifold_, P, first);
          return P.cols();
        },
        [](Index& into, Index one) { into += one; });
  }

  // Steps to the mean of the logarithms, from where the part's is. Said to have converged where they become small.
  bool improve_mean(Lifting& part) {
    double before = infinity;
    for (int k = 0; k < most_mean_passes; ++k) {
      const Vector sum =
          over_blocks<Vector>([&](Index, const Matrix& P) -> Vector { return lifted(part, P).V.rowwise().sum(); },
                              [](Vector& into, const Vector& one) { into += one; });
      const Vector step = sum / static_cast<double>(N_);
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

  Lifted lifted(const Lifting& part, const Matrix& P) const {
    return part.lift->lift(Matrix(), without_defects(*manifold_, P));
  }

  LiftedPoints lift_all(const Lifting& part) {
    LiftedPoints all;
    all.vectors = std::make_unique<ColumnFile>(part.lift->dim());
    all.vectors->resize(N_);
    const Counts counts = over_blocks<Counts>(
        [&](Index first, const Matrix& P) {
          const Lifted found = lifted(part, P);
          all.vectors->write(first, found.V / part.scale);
          const LogReport& report = found.report;
          return Counts{report.count(LogStatus::cut_locus), report.count(LogStatus::near_cut),
                        report.count(LogStatus::not_converged) + report.count(LogStatus::outside_domain)};
        },
        [](Counts& into, const Counts& one) {
          into.cut += one.cut;
          into.near += one.near;
          into.failed += one.failed;
        });
    if (counts.failed > 0)
      throw Error(fmt::format("the logarithm of {} points at the mean could not be computed", counts.failed));
    all.cut_locus = counts.cut;
    all.near_cut = counts.near;
    return all;
  }

  // Where the part's optimum puts the points.
  PassState begin(NormalPasses& passes, const FitProblem& problem, const LatentOptimum& best,
                  const ColumnBlocks& vectors) {
    if (best.grid) {
      const KernelSpectrum spectrum = spectrum_of(problem);
      GridEngine engine(spectrum, problem.outputs.rows, problem.d(), &session_.executor, &session_.control);
      // Points may still move to another stretch there.
      const double to_data =
          -static_cast<double>(std::min(N_, most_settled) * problem.V.rows()) * std::log(problem.scale);
      const GridState found =
          GridSteps(problem.latent.dim(), session_.control, to_data)
              .settled_on_more(engine, spectrum, vectors, problem.d(), *best.grid, options_.seed, session_.executor);
      GridEngine::Codes codes = engine.codes(found, vectors, own_);
      std::vector<char> skipped;
      if (best.grid->outliers > 0) skipped = belong_to_nothing(codes.log_evidence, found.outliers, vectors);
      return passes.begin(std::move(codes.X), std::move(codes.S), found.theta, found.noise, std::move(skipped));
    }
    const std::vector<Index> nearest =
        nearest_columns(problem.outputs.rows, vectors, own_, session_.executor, session_.control);
    Matrix X(problem.latent.dim(), N_), S(problem.latent.dim(), N_);
    X.middleCols(own_.first, own_.last - own_.first) = best.state.X(Eigen::all, nearest);
    S.middleCols(own_.first, own_.last - own_.first) = best.state.S(Eigen::all, nearest).array().exp();
    return passes.begin(std::move(X), std::move(S), best.state.theta, best.noise());
  }

  // More likely to come from anywhere than from what the part has learned.
  std::vector<char> belong_to_nothing(const Vector& log_evidence, double share, const ColumnBlocks& vectors) const {
    std::vector<char> skipped(static_cast<std::size_t>(N_));
    const double odds = std::log((1 - share) / share);
    for (Index first = own_.first; first < own_.last; first += NormalPasses::points_at_once) {
      Matrix V(vectors.rows(), std::min(NormalPasses::points_at_once, own_.last - first));
      vectors.read(first, V);
      for (Index i = 0; i < V.cols(); ++i)
        skipped[static_cast<std::size_t>(first + i)] =
            odds + log_evidence[first + i] < log_density_of_anything(V.col(i).squaredNorm(), V.rows());
    }
    return skipped;
  }

  // Of all ranks.
  std::vector<Index> outliers_of(const PassState& state) {
    std::vector<Index> own, all;
    for (Index n = own_.first; n < own_.last; ++n)
      if (state.points.skips(n)) own.push_back(n);
    if (!session_.ranks) return own;
    for (const std::vector<Index>& some : session_.ranks->gather_values<std::vector<Index>>([&] { return own; }))
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }
  Matrix gathered(const Matrix& columns, const std::vector<Index>& members) {
    return RankColumns(MatrixColumns(columns), own_, session_.executor.ranks()).gathered(members);
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
    summary.training = random_subset(N_, points_in_model, options_.seed, stream::kept_points);
    Model::Parts parts = integrated_parts(part, problem, options_, state.theta, state.noise);
    parts.points_fitted = N_;
    parts.P = without_defects(*manifold_, points_.gathered(summary.training));
    parts.X = problem.latent.wrapped(gathered(state.points.X, summary.training));
    parts.X_sd = gathered(state.points.S, summary.training).cwiseSqrt();
    const PosteriorPtr posterior = posterior_of(parts, problem, passes, state, state.sums);
    if (!posterior) throw Error("the fit ended where there is no process: are the points finite and not all equal?");
    return Model(std::move(parts), posterior);
  }

  // From some points of each fold, encoded by what all the others have made.
  NoiseLawPtr law_of(const Model& model, const FitProblem& problem, const NormalPasses& passes, const PassState& state,
                     FitSummary& summary) {
    constexpr int folds = static_cast<int>(settings::folds);
    const auto fold_of = [](Index n) { return static_cast<int>(n % folds); };
    std::vector<BlockSums> of_folds;
    try {
      if (!stopped()) of_folds = passes.sums_of_folds(state, folds, fold_of);
    } catch (const Stopped&) {
    }
    if (of_folds.empty()) {
      summary.noise_law_note = "no points were left out: the fit was told to end";
      return nullptr;
    }
    std::vector<Index> looked_at = random_subset(N_, folds * most_left_out, options_.seed, stream::left_out_points);
    std::erase_if(looked_at,
                  [&](Index n) { return std::binary_search(summary.outliers.begin(), summary.outliers.end(), n); });
    Folds out;
    out.out.resize(static_cast<std::size_t>(folds));
    for (std::size_t k = 0; k < looked_at.size(); ++k)
      out.out[static_cast<std::size_t>(fold_of(looked_at[k]))].push_back(static_cast<Index>(k));
    const Matrix P = without_defects(*manifold_, points_.gathered(looked_at));
    std::atomic<int> done = 0;
    const FoldModel model_of_others = [&](std::size_t fold, Executor&) -> std::optional<Model> {
      if (!session_.control.report("points left out", ++done, folds, -infinity)) throw Stopped();
      BlockSums others = state.sums;
      others.subtract(of_folds[fold]);
      Model::Parts parts = model.parts();
      const PosteriorPtr posterior = posterior_of(parts, problem, passes, state, others);
      if (!posterior) return std::nullopt;
      return Model(std::move(parts), posterior);
    };
    try {
      const auto left_out = leave_out(out, model_of_others, P, std::vector<bool>(looked_at.size(), false),
                                      model.parts().noise, session_.executor);
      if (!left_out) return nullptr;
      const bool named = !summary.outliers.empty();
      NoiseLawPtr law = chosen_noise_law(*left_out, model, P, options_, session_.executor, summary);
      if (!named)
        for (Index& row : summary.outliers) row = looked_at[static_cast<std::size_t>(row)];
      return law;
    } catch (const Stopped&) {
      summary.noise_law_note = "no points were left out: the fit was told to end";
      return nullptr;
    }
  }

  // Told to end before all points were looked at: what the part has made.
  FitResult by_part(const Lifting& part, const FitProblem& problem, const LatentOptimum& best, FitSummary summary) {
    summary.training = members_;
    summary.noise_law_note = "no points were left out: the fit was told to end";
    summary.cancelled = true;
    summary.stop = StopReason::cancelled;
    const auto model = integrated_model(part, problem, options_, best, some_, part.lifted.V);
    if (!model) throw Error("the search ended where there is no process: are the points finite and not all equal?");
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    return {model->with([&](Model::Parts& parts) { parts.points_fitted = N_; }), std::move(summary)};
  }

  const std::chrono::steady_clock::time_point begin_;
  const ManifoldPtr manifold_;
  const ColumnBlocks& points_;
  const FitOptions& options_;
  const Index N_;
  const std::vector<Index> members_;  // of the part that is searched on
  Matrix some_;                       // its points
  FitSession session_;
  const Executor::Range own_;  // the points of this rank
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

FitResult large_fit(const ManifoldPtr& manifold, const ColumnBlocks& points, const FitOptions& options) {
  return LargeFit(manifold, points, options).run();
}

}  // namespace wgp
