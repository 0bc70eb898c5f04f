#include "wgp/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>

#include "evaluate/calibration.h"
#include "evaluate/split.h"
#include "model/coordinates.h"
#include "model/search.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

double root_mean_square(const Vector& x) { return std::sqrt(x.squaredNorm() / static_cast<double>(x.size())); }

double median(Vector x) {
  std::sort(x.begin(), x.end());
  const Index half = x.size() / 2;
  return x.size() % 2 == 1 ? x[half] : (x[half - 1] + x[half]) / 2;
}

struct Errors {
  double intrinsic_rmse = 0, intrinsic_median = 0, euclidean_rmse = 0;
};

// What one model did on one split.
struct Trial {
  bool finished = false;
  Errors density, projection;
  double log_likelihood = 0, held_out_log_density = 0, seconds = 0;
  std::vector<double> fractions, null_fractions, coverage, clip_errors;
};

Errors errors_of(const Score& score) { return {score.intrinsic_rmse, score.intrinsic_median, score.euclidean_rmse}; }

Errors errors_between(const Manifold& manifold, ConstMatrixRef points, ConstMatrixRef back) {
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

ModelKind kind_named(const std::string& name) {
  for (const ModelKind kind : {ModelKind::wgplvm, ModelKind::gplvm, ModelKind::gplvmproj})
    if (to_string(kind) == name) return kind;
  throw Error(fmt::format("there is no model '{}'; there are wgplvm, gplvm, gplvmproj, nearest and pga", name));
}

Trial model_trial(const ManifoldPtr& manifold, ConstMatrixRef train, ConstMatrixRef test, const FitOptions& options,
                  const EvaluateOptions& evaluation) {
  const FitResult fitted = fit(manifold, train, options);
  const Model& model = fitted.model;
  Trial trial;
  trial.density = errors_of(model.score(test, Encoder::density));
  trial.projection = errors_of(model.score(test, Encoder::projection));
  trial.log_likelihood = fitted.summary.log_likelihood;
  trial.seconds = fitted.summary.seconds;
  if (options.model == ModelKind::wgplvm) trial.held_out_log_density = mixture_log_density(model, test).mean();

  Random random(options.seed, 81);
  const Matrix latents = model.encode(test).X;
  trial.fractions = calibration_fractions(model, test, latents, evaluation.draws, random);
  const Matrix drawn = model.sample(latents, 1, random);
  trial.null_fractions = calibration_fractions(model, drawn, model.encode(drawn).X, evaluation.draws, random);

  if (options.model == ModelKind::gplvmproj && manifold->spec().starts_with("spd"))
    for (const double clip : evaluation.clips) {
      Model::Parts parts = model.parts();
      parts.clip = clip;
      trial.clip_errors.push_back(Model(std::move(parts)).score(test, Encoder::density).intrinsic_rmse);
    }
  if (evaluation.conformal_share > 0 && model.on_manifold()) {
    FitOptions held_out = options;
    held_out.calibration_share = evaluation.conformal_share;
    const Model calibrated = fit(manifold, train, held_out).model;
    const Vector distances = calibrated.score(test).intrinsic;
    for (const double level : conformal_levels)
      trial.coverage.push_back((distances.array() <= *calibrated.conformal_radius(level)).cast<double>().mean());
  }
  return trial;
}

void add(ReconstructionErrors& to, const Errors& errors) {
  to.intrinsic_rmse.values.push_back(errors.intrinsic_rmse);
  to.intrinsic_median.values.push_back(errors.intrinsic_median);
  to.euclidean_rmse.values.push_back(errors.euclidean_rmse);
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
    summary.log_likelihood.values.push_back(trial.log_likelihood);
    summary.seconds.values.push_back(trial.seconds);
    if (name == "wgplvm") summary.held_out_log_density.values.push_back(trial.held_out_log_density);
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

}  // namespace

double Measured::mean() const {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Measured::sem() const {
  if (values.size() < 2) return 0;
  const double n = static_cast<double>(values.size()), centre = mean();
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / (n - 1) / n);
}

std::vector<ModelEvaluation> evaluate(ManifoldPtr manifold, ConstMatrixRef P, const EvaluateOptions& options) {
  if (options.repeats < 1) throw Error("an evaluation needs at least one split");
  const std::size_t models = options.models.size();
  for (const std::string& name : options.models)
    if (name != "nearest" && name != "pga") kind_named(name);
  std::vector<std::vector<Trial>> trials(models, std::vector<Trial>(static_cast<std::size_t>(options.repeats)));
  const Index all = static_cast<Index>(models) * options.repeats;
  std::atomic<bool> cancelled = false;
  std::mutex mutex;
  std::string failure;
  int done = 0;
  // Split by split, so that what is finished when the work is stopped can be compared.
  in_parallel(options.threads, all, [&](Index task) {
    if (cancelled) return;
    const auto split_number = static_cast<std::uint64_t>(task) / models;
    const std::string& name = options.models[static_cast<std::size_t>(task) % models];
    const Split split = random_split(P.cols(), options.train_share, options.seed + split_number);
    const Matrix train = take_columns(P, split.train), test = take_columns(P, split.test);
    Trial& trial = trials[static_cast<std::size_t>(task) % models][split_number];
    try {
      if (train.cols() < 2 || test.cols() < 1)
        throw Error(fmt::format("{} points cannot be split into training and test points at a share of {}", P.cols(),
                                options.train_share));
      if (name == "nearest") {
        trial = nearest_trial(*manifold, train, test);
      } else if (name == "pga") {
        trial = pga_trial(*manifold, train, test, options.fit.latent.dim());
      } else {
        FitOptions fit_options = options.fit;
        fit_options.model = kind_named(name);
        fit_options.seed = options.seed + split_number;
        fit_options.threads = 1;  // the trials are what runs side by side
        fit_options.keep_going = [&cancelled](const FitProgress&) { return !cancelled; };
        trial = model_trial(manifold, train, test, fit_options, options);
      }
      trial.finished = !cancelled;
    } catch (const Error& error) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (failure.empty()) failure = fmt::format("split {}, {}: {}", split_number, name, error.what());
      cancelled = true;
    }
    const std::lock_guard<std::mutex> lock(mutex);
    ++done;
    if (options.keep_going && !options.keep_going({done, static_cast<int>(all), name, static_cast<int>(split_number)}))
      cancelled = true;
  });
  if (!failure.empty()) throw Error(failure);
  std::vector<ModelEvaluation> result;
  for (std::size_t m = 0; m < models; ++m) result.push_back(summary_of(options.models[m], trials[m], options));
  return result;
}

}  // namespace wgp
