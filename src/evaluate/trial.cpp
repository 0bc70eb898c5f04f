#include "evaluate/trial.h"

#include "core/format.h"
#include "core/random_streams.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "evaluate/calibration.h"
#include "evaluate/split.h"
#include "lift/embedded_lift.h"
#include "model/error_summary.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

TrialErrors errors_of(const Score& score) {
  return {score.intrinsic_rmse, score.intrinsic_median, score.euclidean_rmse};
}

TrialErrors errors_between(const Manifold& manifold, ConstMatrixRef points, ConstMatrixRef back) {
  Vector intrinsic(points.cols());
  for (Index i = 0; i < points.cols(); ++i) intrinsic[i] = distance(manifold, points.col(i), back.col(i));
  return {root_mean_square(intrinsic), median(intrinsic),
          root_mean_square(euclidean_distances(manifold, points, back))};
}

Trial nearest_trial(const Manifold& manifold, ConstMatrixRef train, ConstMatrixRef test) {
  Matrix back(test.rows(), test.cols());
  for (Index i = 0; i < test.cols(); ++i) {
    Index nearest = 0;
    manifold.at(test.col(i))->distance(train).minCoeff(&nearest);
    back.col(i) = train.col(nearest);
  }
  Trial trial;
  trial.density = trial.projection = errors_between(manifold, test, back);
  return trial;
}

Trial pga_trial(const Manifold& manifold, ConstMatrixRef train, ConstMatrixRef test, Index q) {
  const FrechetMean mean = frechet_mean(manifold, train);
  const Pga pga = tangent_pga(manifold, train, mean.mean, std::min(q, manifold.dim()));
  const auto space = manifold.at(mean.mean);
  Matrix coords(manifold.dim(), test.cols()), back(test.rows(), test.cols());
  space->log(test, coords);
  space->exp(pga.directions * (pga.directions.transpose() * coords), back);
  Trial trial;
  trial.density = trial.projection = errors_between(manifold, test, back);
  return trial;
}

// wgplvm as the options have it, or with its latents dealt with in the one way or the other whatever they say.
constexpr const char *integrated_name = "wgplvm-variational", *estimated_name = "wgplvm-point";

ModelKind kind_named(const std::string& name) {
  if (name == integrated_name || name == estimated_name) return ModelKind::wgplvm;
  for (const ModelKind kind : {ModelKind::wgplvm, ModelKind::gplvm, ModelKind::gplvmproj})
    if (to_string(kind) == name) return kind;
  throw Error(fmt::format(
      "there is no model '{}'; there are wgplvm, wgplvm-variational, wgplvm-point, gplvm, gplvmproj, nearest "
      "and pga",
      name));
}

Trial model_trial(const Model& model, const FitSummary& summary, ConstMatrixRef test, const EvaluateOptions& evaluation,
                  std::uint64_t seed) {
  Trial trial;
  trial.density = errors_of(model.score(test, {Encoder::density}));
  trial.projection = errors_of(model.score(test, {Encoder::projection}));
  trial.log_likelihood = summary.bound ? std::numeric_limits<double>::quiet_NaN() : summary.log_likelihood;
  trial.bound = summary.bound.value_or(std::numeric_limits<double>::quiet_NaN());
  trial.seconds = summary.seconds;
  const ModelKind kind = model.parts().kind;
  if (kind == ModelKind::wgplvm) trial.held_out_log_density = mixture_log_density(model, test).mean();

  Random random(seed, stream::trial_draws);
  const Model regions = under_law_of_regions(model);
  const Matrix latents = regions.encode(test).X;
  trial.fractions = calibration_fractions(regions, test, latents, evaluation.draws, random);
  const Matrix drawn = regions.sample(latents, 1, random);
  trial.null_fractions = calibration_fractions(regions, drawn, regions.encode(drawn).X, evaluation.draws, random);

  if (kind == ModelKind::gplvmproj && model.manifold().spec().starts_with("spd"))
    for (const double clip : evaluation.clips) {
      const Model clipped = model.with([&](Model::Parts& parts) { parts.clip = clip; });
      trial.clip_errors.push_back(clipped.score(test, {Encoder::density}).intrinsic_rmse);
    }
  return trial;
}

// The share of test points that conformal regions of a fit of its own hold, at each level.
std::vector<double> coverage_of(const Model& calibrated, ConstMatrixRef test) {
  const Vector distances = calibrated.score(test).intrinsic;
  std::vector<double> coverage;
  for (const double level : conformal_levels)
    coverage.push_back((distances.array() <= *calibrated.conformal_radius(level)).cast<double>().mean());
  return coverage;
}

// The same latents, parameters and noise: gplvm and gplvmproj differ in what they make of a prediction alone.
Model as_kind(const Model& model, ModelKind kind, double clip) {
  if (model.parts().kind == kind) return model;
  return model.with([&](Model::Parts& parts) {
    parts.kind = kind;
    parts.clip = clip;
  });
}

void add(ReconstructionErrors& to, const TrialErrors& errors) {
  to.intrinsic_rmse.values.push_back(errors.intrinsic_rmse);
  to.intrinsic_median.values.push_back(errors.intrinsic_median);
  to.euclidean_rmse.values.push_back(errors.euclidean_rmse);
}

}  // namespace

std::vector<FitGroup> fit_groups(const std::vector<std::string>& models) {
  std::vector<FitGroup> groups;
  FitGroup* ambient = nullptr;
  groups.reserve(models.size());
  for (const std::string& name : models) {
    const bool fitted = name != "nearest" && name != "pga";
    if (fitted && kind_named(name) != ModelKind::wgplvm) {
      if (ambient != nullptr) {
        ambient->push_back(name);
        continue;
      }
      groups.push_back({name});
      ambient = &groups.back();
    } else {
      groups.push_back({name});
    }
  }
  return groups;
}

double cost_of_trial(const FitGroup& group) {
  const std::string& model = group.front();
  return model == "nearest" || model == "pga" ? 0.01 : model == integrated_name ? 0.2 : model == "gplvm" ? 1 : 1.5;
}

std::vector<Trial> run_trials(const ManifoldPtr& manifold, ConstMatrixRef P, const FitGroup& group, int split,
                              const EvaluateOptions& options, const std::function<bool()>& keep_going) {
  const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(split);
  const Split parts = random_split(P.cols(), options.train_share, seed);
  if (parts.train.size() < 2 || parts.test.empty())
    throw Error(fmt::format("{} points cannot be split into training and test points at a share of {}", P.cols(),
                            options.train_share));
  const Matrix train = take_columns(P, parts.train), test = take_columns(P, parts.test);
  std::vector<Trial> trials;
  std::optional<FitResult> fitted;
  FitOptions fit_options = options.fit;
  fit_options.seed = seed;
  fit_options.threads = 1;  // the trials are what runs side by side
  fit_options.keep_going = [&keep_going](const Progress&) { return keep_going(); };
  for (const std::string& name : group) {
    if (name == "nearest") {
      trials.push_back(nearest_trial(*manifold, train, test));
    } else if (name == "pga") {
      trials.push_back(pga_trial(*manifold, train, test, options.fit.latent.dim()));
    } else {
      const ModelKind kind = kind_named(name);
      fit_options.model = kind;
      if (name == integrated_name || name == estimated_name) {
        fit_options.inference = name == integrated_name ? Inference::variational : Inference::point;
        fit_options.inits.clear();
      }
      if (!fitted) fitted = fit(manifold, train, fit_options);
      trials.push_back(
          model_trial(as_kind(fitted->model, kind, fit_options.clip), fitted->summary, test, options, seed));
      if (options.conformal_share > 0 && kind != ModelKind::gplvm && keep_going()) {
        FitOptions held_out = fit_options;
        held_out.calibration_share = options.conformal_share;
        trials.back().coverage = coverage_of(fit(manifold, train, held_out).model, test);
      }
    }
    trials.back().finished = keep_going();
  }
  return trials;
}

ModelEvaluation summary_of(const std::string& name, const std::vector<Trial>& trials, const EvaluateOptions& options) {
  ModelEvaluation summary;
  summary.model = name;
  summary.on_manifold = name != "gplvm";
  const bool fitted = name != "nearest" && name != "pga";
  for (const Trial& trial : trials) {
    if (!trial.finished) continue;
    add(summary.density, trial.density);
    add(summary.projection, trial.projection);
    if (!fitted) continue;
    if (std::isfinite(trial.log_likelihood)) summary.log_likelihood.values.push_back(trial.log_likelihood);
    if (std::isfinite(trial.bound)) summary.bound.values.push_back(trial.bound);
    summary.seconds.values.push_back(trial.seconds);
    if (kind_named(name) == ModelKind::wgplvm)
      summary.held_out_log_density.values.push_back(trial.held_out_log_density);
    auto& [fractions, null_fractions] = summary.calibration;
    fractions.insert(fractions.end(), trial.fractions.begin(), trial.fractions.end());
    null_fractions.insert(null_fractions.end(), trial.null_fractions.begin(), trial.null_fractions.end());
    summary.coverage.resize(trial.coverage.size());
    for (std::size_t k = 0; k < trial.coverage.size(); ++k) summary.coverage[k].values.push_back(trial.coverage[k]);
    summary.clip_errors.resize(trial.clip_errors.size());
    for (std::size_t k = 0; k < trial.clip_errors.size(); ++k) {
      summary.clip_errors[k].first = options.clips[k];
      summary.clip_errors[k].second.values.push_back(trial.clip_errors[k]);
    }
  }
  std::sort(summary.calibration.fractions.begin(), summary.calibration.fractions.end());
  std::sort(summary.calibration.null_fractions.begin(), summary.calibration.null_fractions.end());
  return summary;
}

}  // namespace wgp
