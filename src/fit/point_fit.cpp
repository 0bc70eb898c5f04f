#include "fit/point_fit.h"
#include "model/error_summary.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/format.h"
#include "evidence/variational_evidence.h"
#include "fit/candidate.h"
#include "fit/salesman_tour.h"
#include "fit/search.h"
#include "fit/settings.h"
#include "fit/starts.h"
#include "model/windings.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

bool asked_for(const FitOptions& options, const char* init) {
  return std::find(options.inits.begin(), options.inits.end(), init) != options.inits.end();
}

std::optional<Vector> curve_latents(const Manifold& manifold, ConstMatrixRef P, const FitOptions& options) {
  if (options.latent.dim() != 1 || P.cols() < settings::fewest_points_of_a_curve) return std::nullopt;
  const bool by_itself = options.inits.empty() && options.starts != 1 && options.latent.angles() == 1;
  if (!asked_for(options, "curve") && !by_itself) return std::nullopt;
  CurveOptions curve;
  curve.topology = options.latent.angles() == 1 ? CurveOptions::Topology::closed : CurveOptions::Topology::open;
  return principal_curve(manifold, P, curve).latents;
}

// By itself the start of maximum likelihood alone: it is a way through all points, noise and all.
std::optional<Vector> tour_latents(const Lifting& lifting, Prior prior, FitSession& session) {
  const FitOptions& options = session.options;
  const Index N = lifting.P.cols();
  const bool by_itself = options.inits.empty() && options.starts != 1 && prior == Prior::none &&
                         N >= settings::fewest_points_of_a_tour && N <= settings::most_points_of_a_tour;
  if (options.latent.dim() != 1 || !(asked_for(options, "tour") || by_itself)) return std::nullopt;
  try {
    const Matrix distances = options.model == ModelKind::wgplvm
                                 ? geodesic_distances(*lifting.manifold, lifting.P, &session.control)
                                 : euclidean_distances(lifting.lifted.V, &session.control);
    return place_along_tour(distances, options.latent.angles() == 1 ? Way::closed : Way::open);
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

// Standard deviations of plain inputs.
Vector spread_of(const LatentSpace& latent, ConstMatrixRef X) {
  const Index plain = latent.plain_count();
  const Matrix centred = X.bottomRows(plain).colwise() - X.bottomRows(plain).rowwise().mean().eval();
  return (centred.rowwise().squaredNorm() / static_cast<double>(X.cols())).cwiseSqrt();
}

// Several length-scales and noises to start from, the lengths in units of each input's spread.
std::vector<Optimum> regression_starts(const FitProblem& problem, ConstMatrixRef X, ConstMatrixRef log_variances) {
  const Index plain = problem.latent.plain_count();
  const Vector spread = spread_of(problem.latent, X);
  const auto lengths = problem.kernel->length_parameters();
  std::vector<Optimum> starts;
  for (const double share : settings::regression_lengths)
    for (const double noise : settings::regression_noises) {
      Optimum start;
      start.kind = fmt::format("length {} noise {}", share, noise);
      start.state.X = X;
      start.state.S = log_variances;
      start.state.theta = problem.kernel->default_parameters();
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        const double width =
            lengths.size() == static_cast<std::size_t>(plain) ? spread[static_cast<Index>(i)] : spread.mean();
        start.state.theta[lengths[i]] = std::log(std::max(share * width, 1e-8));
      }
      start.state.u = std::log(noise);
      starts.push_back(std::move(start));
    }
  return starts;
}

// A whole fit: the plan carried out, candidate by candidate.
class PointFit {
 public:
  PointFit(const ManifoldPtr& manifold, ConstMatrixRef X, ConstMatrixRef P, const FitOptions& options, Latents latents,
           const EvidenceFactory& evidence)
      : begin_(std::chrono::steady_clock::now()),
        manifold_(manifold),
        options_(options),
        plan_(plan_fit(*manifold, P.cols(), options, latents)),
        session_(options, evidence, fit_fingerprint(*manifold, X, P, options)),
        calibration_points_(P(Eigen::all, plan_.calibration)),
        lifting_(lift_to_mean(manifold, P(Eigen::all, plan_.training), options.model, options.clip)) {
    if (latents == Latents::free) return;
    inputs_ = X(Eigen::all, plan_.training);
    if (options.input_sd.size() > 0) {
      // Some may be known exactly.
      const double least = 1e-12 * std::max(1e-300, X.cwiseAbs().maxCoeff());
      log_variances_ = 2 * options.input_sd(Eigen::all, plan_.training).array().max(least).log();
      const Vector spread = spread_of(options.latent, X);
      const double unit = spread.size() > 0 && spread.maxCoeff() > 0 ? spread.maxCoeff() : 1;
      session_.evidence = [inputs = UncertainInputs{inputs_, log_variances_.array().exp(), unit}](
                              const EvidenceSetting& setting) { return uncertain_inputs_evidence(setting, inputs); };
    }
    calibration_inputs_ = X(Eigen::all, plan_.calibration);
  }

  FitResult run() {
    std::vector<Candidate> at_mean;
    for (const Prior prior : plan_.priors)
      if (at_mean.empty() || !stopped()) at_mean.push_back(best_at_mean(prior));
    const std::size_t chosen_prior = densest(at_mean);
    std::vector<Candidate> kinds;  // the best of each kind of base point, the plainest first
    kinds.push_back(std::move(at_mean[chosen_prior]));
    std::vector<StartReport> starts_at_mean = std::move(starts_[chosen_prior]);
    std::vector<StartReport> starts_of_bases;
    std::vector<std::string> not_tried;
    for (const BasepointKind kind : plan_.bases) {
      if (stopped()) {
        not_tried.push_back(to_string(kind));
        continue;
      }
      std::vector<Model> at_mean_models = {*kinds.front().model};
      at_mean_models.insert(at_mean_models.end(), others_at_mean_.begin(), others_at_mean_.end());
      std::vector<Candidate> tried = candidates_with_base(kind, at_mean_models, kinds.front().prior);
      if (tried.empty() && stopped()) {
        not_tried.push_back(to_string(kind));
        continue;
      }
      if (tried.empty()) break;
      const std::size_t best = best_base(tried);
      for (const Candidate& one : tried) starts_of_bases.push_back(one.report);
      kinds.push_back(std::move(tried[best]));
    }
    // No base point could be fitted: what was to be a start is all there is.
    if (plan_.mean_is_a_start() && kinds.size() == 1 && !kinds.front().held && !stopped())
      judge(kinds.front(), lifting_, plan_, session_);
    const std::size_t chosen = choose(kinds);
    Candidate& winner = kinds[chosen];

    FitSummary summary;
    // The starts of what was asked for first, then those at the mean.
    for (const StartReport& start : starts_of_bases) {
      summary.iterations += start.iterations;
      summary.evaluations += start.evaluations;
    }
    summary.iterations += iterations_at_mean_;
    summary.evaluations += evaluations_at_mean_;
    summary.starts = std::move(starts_of_bases);
    summary.starts.insert(summary.starts.end(), starts_at_mean.begin(), starts_at_mean.end());
    for (StartReport& start : summary.starts)
      start.chosen = start.kind == winner.report.kind && start.log_posterior == winner.report.log_posterior;
    if (options_.basepoint != BasepointKind::mean && kinds.size() > 1)
      for (const Candidate& kind : kinds) {
        BasepointReport report{kind.base, leave_one_out_density(*kind.model), std::nullopt, &kind == &winner};
        const Model::Parts& parts = kind.model->parts();
        const Score score = reconstruction_score(*kind.model, parts.X, parts.P);
        report.reconstruction_error = kind.model->on_manifold() ? score.intrinsic_rmse : score.euclidean_rmse;
        if (kind.held && plan_.bases_compete) {
          report.held_out = kind.held->log_density();
          const bool alike = winner.held && winner.held->log_densities.size() == kind.held->log_densities.size();
          if (&kind != &winner && alike)
            report.standard_error = standard_error(kind.held->log_densities - winner.held->log_densities);
        }
        summary.basepoints.push_back(report);
      }
    fill(summary, winner);
    if (stopped()) {
      LeftUndone left;
      if (plan_.folds && plan_.latents == Latents::free && !winner.held) left.folds = LeftUndone::Folds::missing;
      if (plan_.bases_compete && kinds.size() > 1) left.bases = LeftUndone::Bases::missing;
      left.bases_not_tried = not_tried;
      summary.left_undone = in_words(left);
    }
    return {finished(winner), std::move(summary)};
  }

 private:
  bool stopped() const { return session_.control.stopped(); }

  // The optima of a prior at the mean, of which the best one stands for it.
  Candidate best_at_mean(Prior prior) {
    const std::string name = to_string(prior);
    const FitProblem problem = problem_at_mean(lifting_, prior, plan_.latents, session_);
    std::vector<Optimum> optima;
    if (plan_.latents == Latents::free) {
      if (!curve_looked_for_) curve_ = curve_latents(*manifold_, lifting_.P, options_);
      curve_looked_for_ = true;
      const CurveStarts curves{curve_, tour_latents(lifting_, prior, session_)};
      optima = search_optima(problem, session_, curves, name, lifting_.to_data(), plan_.effort_at_mean,
                             plan_.iterations_at_mean);
    } else {
      optima = regressions(problem, name);
    }
    std::vector<StartReport> reports;
    for (const Optimum& optimum : optima) {
      reports.push_back(report_of(problem, optimum, lifting_, session_));
      iterations_at_mean_ += reports.back().iterations;
      evaluations_at_mean_ += reports.back().evaluations;
    }
    std::vector<Candidate> judged;
    const std::vector<std::size_t> standing = contenders(problem, optima, reports, stopped());
    // Base points that begin at each of them say which is best, and left-out points say it of those.
    const bool all_begin = plan_.mean_is_a_start() && plan_.priors.size() == 1;
    for (const std::size_t k : standing) {
      if (!judged.empty() && !all_begin && !judged.front().held) break;  // nothing to compare
      Candidate candidate{fmt::format("{}/{}", name, k),
                          prior,
                          BasepointKind::mean,
                          false,
                          problem,
                          optima[k],
                          reports[k],
                          std::nullopt,
                          false,
                          std::nullopt};
      judge(candidate, lifting_, plan_, session_, all_begin ? Judged::unopposed : Judged::by_left_out_points);
      reports[k] = candidate.report;
      judged.push_back(std::move(candidate));
    }
    starts_.push_back(std::move(reports));
    for (std::size_t k = 1; all_begin && k < judged.size(); ++k)
      if (std::abs(judged[k].optimum.state.value - judged[0].optimum.state.value) > settings::same_optimum)
        others_at_mean_.push_back(*judged[k].model);
    return std::move(judged[densest(judged)]);
  }

  std::vector<Optimum> regressions(const FitProblem& problem, const std::string& name) {
    std::vector<Optimum> optima = regression_starts(problem, inputs_, log_variances_);
    session_.executor.tasks(static_cast<Index>(optima.size()), [&](Index i, Executor& inner) {
      Optimum& optimum = optima[static_cast<std::size_t>(i)];
      optimum = session_.log.step<Optimum>(
          fmt::format("{}/regression {}", name, i),
          [&](const Vector& numbers) { return unpack_optimum(numbers, problem); },
          [&] {
            FitProblem own = problem;
            own.executor = &inner;
            own.free.latents = log_variances_.size() > 0;
            OptimiseOptions optimise;
            optimise.max_iterations = options_.max_iterations;
            optimise.keep_going = [&](int iteration, double value) {
              return session_.control.report(optimum.kind, iteration, options_.max_iterations,
                                             -value + lifting_.to_data());
            };
            Refined refined = refine(own, optimum.state, optimise);
            // Where inputs are uncertain the lattice is that of the start: chosen anew until that makes no difference.
            for (int round = 0; round < settings::most_lattices && log_variances_.size() > 0; ++round) {
              const Refined before = std::move(refined);
              refined = refine(own, before.state, optimise);
              refined.report.iterations += before.report.iterations;
              refined.report.evaluations += before.report.evaluations;
              refined.report.gradients += before.report.gradients;
              if (std::abs(refined.state.value - before.state.value) < settings::same_lattice) break;
            }
            return Optimum{optimum.kind,   refined.state, refined.report, static_cast<double>(refined.report.gradients),
                           refined.jitter, true};
          },
          [&] { return !stopped(); });
    });
    std::stable_sort(optima.begin(), optima.end(),
                     [](const Optimum& a, const Optimum& b) { return a.state.value > b.state.value; });
    if (!std::isfinite(optima.front().state.value) && !stopped())
      throw Error("no kernel parameters with a positive definite covariance were found");
    return optima;
  }

  // The starts of a kind of base point, judged; fewer if the fit is told to end. Where there are many curves, those
  // that are good without a process, which costs little to find out, are tried with one.
  std::vector<Candidate> candidates_with_base(BasepointKind kind, const std::vector<Model>& at_mean, Prior prior) {
    const std::string name = fmt::format("{}/{}", to_string(prior), to_string(kind));
    const FitProblem problem = problem_with_base(lifting_, kind, prior, plan_.latents, session_);
    std::vector<Candidate> candidates;
    try {
      std::vector<BaseStart> alone, with_process;
      for (BaseStart& start : base_starts(at_mean, lifting_, problem, kind))
        (start.base_only ? alone : with_process).push_back(std::move(start));
      const std::vector<std::size_t> curves = judge_bases(problem, alone, {name + " alone", prior, kind}, candidates);
      if (curves.size() > settings::curves_with_a_process)
        std::erase_if(with_process, [&](const BaseStart& start) {
          const auto last = curves.begin() + static_cast<std::ptrdiff_t>(settings::curves_with_a_process);
          return std::find(curves.begin(), last, start.curve) == last;
        });
      judge_bases(problem, with_process, {name, prior, kind}, candidates);
    } catch (const Stopped&) {
    }
    return candidates;
  }

  struct NamedSearch {
    std::string name;
    Prior prior;
    BasepointKind base;
  };
  // Where others with as many coefficients have both the greater log posterior and the greater leave-one-out density,
  // points left out a fold at a time need not be asked.
  static void mark_lost(std::vector<Candidate>& made) {
    const auto beats = [](const Candidate& one, const Candidate& other) {
      return one.optimum.state.coefficients.size() == other.optimum.state.coefficients.size() &&
             one.optimum.state.value > other.optimum.state.value &&
             one.report.leave_one_out > other.report.leave_one_out - settings::same_leave_one_out;
    };
    for (Candidate& other : made)
      other.lost = std::any_of(made.begin(), made.end(), [&](const Candidate& one) { return beats(one, other); });
  }
  // Adds what becomes of the starts to the candidates; returns their curves, the best first.
  std::vector<std::size_t> judge_bases(const FitProblem& problem, const std::vector<BaseStart>& starts,
                                       const NamedSearch& search, std::vector<Candidate>& candidates) {
    std::vector<BaseOptimum> optima = search_bases(problem, starts, session_, search.name, lifting_.to_data());
    std::vector<Candidate> made;
    std::vector<std::size_t> curve_of;
    for (std::size_t k = 0; k < optima.size(); ++k) {
      BaseOptimum& found = optima[k];
      if (!std::isfinite(found.optimum.state.value)) continue;
      found.problem.executor = &session_.executor;
      Candidate candidate;
      candidate.name = fmt::format("{}/{}", search.name, k);
      candidate.prior = search.prior;
      candidate.base = search.base;
      candidate.base_only = found.base_only;
      candidate.problem = found.problem;
      candidate.optimum = found.optimum;
      candidate.report = report_of(found.problem, found.optimum, lifting_, session_);
      try {
        judge(candidate, lifting_, plan_, session_, Judged::unopposed);
      } catch (const Error&) {  // this start makes no model; others do
        continue;
      }
      candidate.report.leave_one_out = leave_one_out_density(*candidate.model);
      made.push_back(std::move(candidate));
      curve_of.push_back(starts[k].curve);
    }
    mark_lost(made);
    std::vector<std::pair<double, std::size_t>> curves;  // minus the merit
    for (std::size_t k = 0; k < made.size(); ++k) {
      if (!made[k].lost) judge(made[k], lifting_, plan_, session_);
      curves.emplace_back(-merit_of_base(made[k]), curve_of[k]);
      candidates.push_back(std::move(made[k]));
    }
    std::stable_sort(curves.begin(), curves.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::size_t> order;
    for (const auto& [merit, curve] : curves) order.push_back(curve);
    return order;
  }

  std::size_t choose(const std::vector<Candidate>& kinds) const {
    if (!plan_.bases_compete) return kinds.size() - 1;
    // What was cut short is not compared.
    if (stopped()) return 0;
    std::vector<const Vector*> densities;
    for (const Candidate& kind : kinds) densities.push_back(kind.held ? &kind.held->log_densities : nullptr);
    return plainest_good(densities);
  }

  void fill(FitSummary& summary, const Candidate& winner) const {
    summary.training = plan_.training;
    summary.log_posterior = winner.report.log_posterior;
    summary.log_likelihood = winner.report.log_likelihood;
    summary.stop = winner.optimum.report.stop;
    summary.jitter = winner.optimum.jitter * lifting_.scale * lifting_.scale;
    if (log_variances_.size() > 0) summary.bound = winner.report.log_likelihood;
    const Model& model = *winner.model;
    count_cut_locus_points(model, summary);
    summary.mean_converged = lifting_.mean_converged;
    summary.mean_unique = lifting_.mean_unique;
    summary.cancelled = stopped();
    if (winner.held && plan_.latents == Latents::free) {
      summary.held_out_log_density = winner.held->log_density();
      summary.held_out_log_densities = winner.held->log_densities;
      summary.variance_scale = winner.held->variance_scale;
    }
    if (!model.lift().is_embedded())
      summary.largest_nonprincipal_responsibility = largest_nonprincipal_responsibility(model);
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  Model finished(const Candidate& winner) const {
    if (calibration_points_.cols() == 0) return *winner.model;
    const std::optional<Matrix> inputs =
        plan_.latents == Latents::given ? std::optional<Matrix>(calibration_inputs_) : std::nullopt;
    return with_calibration(*winner.model, calibration_points_, options_.threads, inputs);
  }

  const std::chrono::steady_clock::time_point begin_;
  const ManifoldPtr manifold_;
  const FitOptions& options_;
  const FitPlan plan_;
  FitSession session_;
  Matrix calibration_points_, calibration_inputs_, inputs_;
  Matrix log_variances_;  // of the inputs, where they are not known exactly
  const Lifting lifting_;
  std::optional<Vector> curve_;                           // where points lie along a principal curve
  bool curve_looked_for_ = false;                         // the same for every prior
  std::vector<Model> others_at_mean_;                     // where base points begin too
  std::vector<std::vector<StartReport>> starts_;          // at the mean, of each prior
  int iterations_at_mean_ = 0, evaluations_at_mean_ = 0;  // of all priors
};

}  // namespace

FitResult point_fit(const EvidenceFactory& evidence, const ManifoldPtr& manifold, ConstMatrixRef P,
                    const FitOptions& options) {
  return PointFit(manifold, Matrix(), P, options, Latents::free, evidence).run();
}

FitResult point_regression(const ManifoldPtr& manifold, ConstMatrixRef X, ConstMatrixRef P, const FitOptions& options) {
  return PointFit(manifold, X, P, options, Latents::given, point_evidence).run();
}

}  // namespace wgp
