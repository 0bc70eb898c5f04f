#include "fit/left_out.h"

#include <algorithm>
#include <cmath>

#include "core/evenly.h"
#include "fit/process_chains.h"
#include "fit/variational_settings.h"
#include "model/drawn_density.h"
#include "model/error_summary.h"
#include "model/mixture_density.h"
#include "noise/benjamini_hochberg.h"

namespace wgp {
namespace {

// A quarter of an octave, and half of one.
constexpr double step_of_scale = 1.1892071150027210667, step_of_function = step_of_scale * step_of_scale;

// What the points of a fold are under the model of the others, as numbers that ranks can tell each other.
struct FoldResiduals {
  Matrix X, sd;  // codes
  Vector log_density, weight;
  std::vector<int> status;
  std::vector<Index> points_of_modes;
  Matrix modes, sd_of_modes;
  Vector probabilities;

  Matrix Z, J;
  Vector g, variance, log_densities;
  void each_part(auto&& visitor) {
    visitor(X, sd, log_density, weight, status, points_of_modes, modes, sd_of_modes, probabilities, Z, J, g, variance,
            log_densities);
  }

  void take(const Encoding& codes) {
    X = codes.X;
    sd = codes.sd;
    log_density = codes.log_density;
    weight = codes.weight;
    for (const EncodeStatus one : codes.status) status.push_back(static_cast<int>(one));
    const auto count = static_cast<Index>(codes.modes.size());
    modes.resize(X.rows(), count);
    sd_of_modes.resize(X.rows(), count);
    probabilities.resize(count);
    for (Index k = 0; k < count; ++k) {
      const LatentMode& mode = codes.modes[static_cast<std::size_t>(k)];
      points_of_modes.push_back(mode.point);
      modes.col(k) = mode.x;
      sd_of_modes.col(k) = mode.sd;
      probabilities[k] = mode.probability;
    }
  }
  Encoding codes() const {
    Encoding codes{X, sd, log_density, weight, {}, {}};
    for (const int one : status) codes.status.push_back(static_cast<EncodeStatus>(one));
    for (Index k = 0; k < modes.cols(); ++k)
      codes.modes.push_back(
          {points_of_modes[static_cast<std::size_t>(k)], modes.col(k), sd_of_modes.col(k), probabilities[k]});
    return codes;
  }
};

// d (mean - v) / dx at each latent: q columns each. Where the base point moves, so does the vector of a point.
Matrix slopes_of_residuals(const Model& model, ConstMatrixRef X, ConstMatrixRef points) {
  constexpr double h = 1e-4;
  const Index q = X.rows(), n = X.cols();
  const auto away = [&](const Matrix& at) -> Matrix {
    if (!model.lift().moves()) return model.posterior()->mean(at);
    return model.posterior()->mean(at) - model.lift().lift(at, points).V;
  };
  Matrix J(model.dim(), n * q);
  for (Index j = 0; j < q; ++j) {
    Matrix moved = X;
    moved.row(j).array() += h;
    const Matrix above = away(moved);
    moved.row(j).array() -= 2 * h;
    const Matrix slope = (above - away(moved)) / (2 * h);
    for (Index i = 0; i < n; ++i) J.col(i * q + j) = slope.col(i);
  }
  return J;
}

FoldResiduals residuals_of(const Model& model, ConstMatrixRef P, const std::vector<Index>& points) {
  const Matrix own = P(Eigen::all, points);
  const Encoding codes = model.encode(own);
  FoldResiduals fold;
  fold.take(codes);
  const GpPrediction gp = model.posterior()->predict(codes.X);
  const double noise = model.parts().noise;
  fold.variance = gp.variance;
  fold.g = (gp.variance.array() + noise) / noise;
  fold.Z = (model.lift().lift(codes.X, own).V - gp.mean) * fold.g.cwiseSqrt().cwiseInverse().asDiagonal();
  fold.J = slopes_of_residuals(model, codes.X, own);
  fold.log_densities = mixture_log_density(model, own, 0, &codes);
  return fold;
}

Vector p_values(const LeftOutPoints& left_out, const NoiseLaw& law) {
  const Matrix residuals = left_out.residuals.Z * left_out.residuals.g.cwiseSqrt().asDiagonal();
  return law.p_values(residuals, left_out.variance);
}

}  // namespace

std::optional<LeftOutPoints> leave_out(const Folds& folds, const FoldModel& model_of, ConstMatrixRef P,
                                       const std::vector<bool>& skipped, double noise, Executor& executor,
                                       const FoldDraws& draws_of) {
  const auto count = static_cast<Index>(folds.out.size());
  std::vector<std::optional<Model>> models(folds.out.size());
  std::vector<std::vector<Index>> looked_at(folds.out.size());
  executor.tasks(count, [&](Index k, Executor& inner) {
    const auto fold = static_cast<std::size_t>(k);
    std::vector<Index> points;
    for (const Index i : folds.out[fold])
      if (!skipped[static_cast<std::size_t>(i)]) points.push_back(i);
    for (const Index i : evenly(static_cast<Index>(points.size()), variational::most_left_out))
      looked_at[fold].push_back(points[static_cast<std::size_t>(i)]);
    models[fold] = model_of(fold, inner);
  });
  if (!std::all_of(models.begin(), models.end(), [](const auto& one) { return one.has_value(); })) return std::nullopt;
  if (draws_of) {
    auto draws = executor.made_over_ranks<std::vector<LatticeDraw>>(count, [&](Index k, Executor&) {
      return draws_of(static_cast<std::size_t>(k), *models[static_cast<std::size_t>(k)]);
    });
    for (std::size_t fold = 0; fold < models.size(); ++fold)
      models[fold] = with_draws(*models[fold], std::move(draws[fold]));
  }
  const auto found = executor.made_over_ranks<FoldResiduals>(count, [&](Index k, Executor&) {
    const auto fold = static_cast<std::size_t>(k);
    return residuals_of(*models[fold], P, looked_at[fold]);
  });

  LeftOutPoints all;
  Index n = 0;
  for (const auto& points : looked_at) n += static_cast<Index>(points.size());
  if (n == 0) return std::nullopt;
  const Index d = found[0].Z.rows(), q = found[0].J.cols() / std::max<Index>(1, found[0].Z.cols());
  all.residuals.Z.resize(d, n);
  all.residuals.J.resize(d, n * q);
  all.residuals.g.resize(n);
  all.residuals.fitted_noise = noise;
  all.variance.resize(n);
  all.log_densities.resize(n);
  Index at = 0;
  for (std::size_t fold = 0; fold < found.size(); ++fold) {
    const FoldResiduals& one = found[fold];
    const std::vector<Index>& points = looked_at[fold];
    const auto here = static_cast<Index>(points.size());
    all.points.insert(all.points.end(), points.begin(), points.end());
    all.residuals.fold.insert(all.residuals.fold.end(), points.size(), static_cast<int>(fold));
    const double unit = std::sqrt(noise / models[fold]->parts().noise);
    all.residuals.Z.middleCols(at, here) = unit * one.Z;
    all.residuals.J.middleCols(at * q, here * q) = unit * one.J;
    all.residuals.g.segment(at, here) = one.g;
    all.variance.segment(at, here) = unit * unit * one.variance;
    all.log_densities.segment(at, here) = one.log_densities;
    at += here;
    all.folds.push_back({*models[fold], points, one.codes()});
  }
  return all;
}

DensestLaw densest_law(const LeftOutPoints& left_out, const NoiseLaw& law, double noise, ConstMatrixRef P,
                       DensitiesOf of, Executor& executor) {
  const auto law_of_fold = [&](const FoldOfPoints& fold) {
    return law.with_noise_times(fold.model.parts().noise / noise);
  };
  // Of models with draws: what every law looks at is found once for all of them, where it is first asked for.
  std::vector<std::optional<DrawnDensity>> known(left_out.folds.size());
  const auto known_of = [&](std::size_t k) -> const DrawnDensity& {
    if (!known[k]) {
      const FoldOfPoints& fold = left_out.folds[k];
      const NoiseLawPtr own = law_of_fold(fold);
      const DrawnProcess alone{fold.model.posterior(), fold.model.parts().noise};
      known[k].emplace(fold.model.with([&](Model::Parts& parts) { parts.law = own; }),
                       of == DensitiesOf::draws ? drawn_processes(*fold.model.posterior()) : std::vector{alone},
                       P(Eigen::all, fold.points),
                       std::vector{widened(*own, {std::pow(step_of_scale, -variational::most_steps_of_scale), 1}), own,
                                   widened(*own, {std::pow(step_of_scale, variational::most_steps_of_scale +
                                                                              variational::most_steps_of_care),
                                                  std::pow(step_of_function, variational::most_steps_of_function +
                                                                                 variational::most_steps_of_care)})});
    }
    return *known[k];
  };
  const auto at = [&](double all, double function) {
    const LawScales scales{all, function};
    const auto parts =
        executor.made_over_ranks<Vector>(static_cast<Index>(left_out.folds.size()), [&](Index k, Executor&) {
          const FoldOfPoints& fold = left_out.folds[static_cast<std::size_t>(k)];
          const NoiseLawPtr wide = widened(*law_of_fold(fold), scales);
          if (has_draws(fold.model)) return known_of(static_cast<std::size_t>(k)).log_density(*wide);
          const Model model = fold.model.with([&](Model::Parts& own) { own.law = wide; });
          return mixture_log_density(model, P(Eigen::all, fold.points), 0, &fold.codes);
        });
    DensestLaw found{widened(law, scales), scales, Vector(left_out.log_densities.size()), Vector()};
    Index done = 0;
    for (const Vector& part : parts) {
      found.log_densities.segment(done, part.size()) = part;
      done += part.size();
    }
    return found;
  };
  DensestLaw best = at(1, 1);
  const Vector before = best.log_densities;
  const auto climb = [&](double all, double function, int most) {
    bool moved = false;
    for (int k = 0; k < most; ++k, moved = true) {
      DensestLaw next = at(best.scales.variances * all, best.scales.function * function);
      if (!(next.log_densities.mean() > best.log_densities.mean())) break;
      best = std::move(next);
    }
    return moved;
  };
  if (!climb(step_of_scale, 1, variational::most_steps_of_scale))
    climb(1 / step_of_scale, 1, variational::most_steps_of_scale);
  // Latents that are independent given the data leave out that whole stretches of them may lie elsewhere together: the
  // function is less certain than it says, most of all where points end.
  climb(1, step_of_function, variational::most_steps_of_function);
  // Left-out points of the same sample are a little nearer than new ones: the widest within a standard error.
  const Vector top = best.log_densities;
  const auto take_care = [&](double all, double function) {
    for (int k = 0; k < variational::most_steps_of_care; ++k) {
      DensestLaw next = at(best.scales.variances * all, best.scales.function * function);
      const Vector loss = top - next.log_densities;
      if (!(loss.mean() <= standard_error(loss))) break;
      best = std::move(next);
    }
  };
  take_care(1, step_of_function);
  take_care(step_of_scale, 1);
  best.log_densities_before = before;
  return best;
}

std::vector<Index> unlikely_points(const LeftOutPoints& left_out, const NoiseLaw& law) {
  constexpr double false_share = 0.01;
  const Vector p = p_values(left_out, law);
  std::vector<Index> named;
  for (const Index k : benjamini_hochberg(p, false_share))
    named.push_back(left_out.points[static_cast<std::size_t>(k)]);
  std::sort(named.begin(), named.end());
  return named;
}

Vector shares_within(const LeftOutPoints& left_out, const NoiseLaw& law) {
  Vector shares = 1 - p_values(left_out, law).array();
  std::sort(shares.begin(), shares.end());
  const Index n = shares.size();
  if (n <= variational::most_shares) return shares;
  Vector quantiles(variational::most_shares);
  for (Index k = 0; k < quantiles.size(); ++k) quantiles[k] = shares[(2 * k + 1) * n / (2 * quantiles.size())];
  return quantiles;
}

}  // namespace wgp
