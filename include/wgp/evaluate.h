// How good is a model on points it has not seen? Repeated random splits into training and test points.
//
// Models are wgplvm, gplvm and gplvmproj (wgp/model.h), and wgplvm-variational and wgplvm-point, whatever
// FitOptions::inference says; beside them stand two that need no fit: "nearest", the nearest
// training point, and "pga", the projection on the first principal geodesics. A point is reconstructed by encoding it,
// by density or by projection, and predicting at its latent. Split s is numpy.random.default_rng(seed + s).permutation:
// the first share of it trains.
//
// Calibration: F is the share of draws from the predictive distribution at a test point's latent that lie nearer to the
// mean prediction than the point does, under the law that regions come from (NoiseLaw::for_regions). Encoding takes up
// q of the d residual dimensions, so not even a perfect model has uniform F; the null is what points drawn from the
// fitted model itself and encoded again show, the reference what a perfect model in flat space would.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "wgp/fit.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

// One number per split.
struct Measured {
  std::vector<double> values;
  double mean() const;
  double sem() const;  // standard error of the mean; 0 for one value
};

struct ReconstructionErrors {
  Measured intrinsic_rmse, intrinsic_median, euclidean_rmse;
};

struct Calibration {
  std::vector<double> fractions, null_fractions;  // sorted, of all splits together

  double area() const;       // integral of ecdf(u) - u: positive where the uncertainty is too large
  double ks() const;         // greatest distance of the ecdf from u
  double null_area() const;  // the area of the null
  double null_ks() const;    // greatest distance between the ecdf and the null's
  // Of a perfect model in flat space: points of d dimensions, q of them taken up by the latent.
  static double reference_area(Index d, Index q);
};

inline constexpr double conformal_levels[] = {0.5, 0.8, 0.9, 0.95};

struct ModelEvaluation {
  std::string model;
  bool on_manifold = true;  // gplvm is not: no intrinsic errors
  ReconstructionErrors density, projection;
  Calibration calibration;  // empty for nearest and pga
  Measured log_likelihood;  // of the training points; empty where latents were integrated out, and
  Measured bound;           // on their log evidence there
  // Of a test point, per unit of Riemannian volume, latents mixed over those of the training points. Empty for models
  // of the ambient space, whose densities are per unit of another measure. See mixture_log_density.
  Measured held_out_log_density;
  Measured seconds;                                      // of the fit
  std::vector<Measured> coverage;                        // of conformal regions at conformal_levels; where asked for
  std::vector<std::pair<double, Measured>> clip_errors;  // gplvmproj on SPD: intrinsic RMSE by density for each clip
};

struct EvaluateProgress {
  int done = 0, all = 0;
  std::string model;
  int split = 0;
};

struct EvaluateOptions {
  FitOptions fit;  // its model and seed are set for each trial
  std::vector<std::string> models = {"wgplvm", "gplvm", "gplvmproj", "nearest", "pga"};
  int repeats = 10;
  double train_share = 0.8;
  std::uint64_t seed = 0;
  int draws = 50;              // for each F
  double conformal_share = 0;  // of the training points, held out in a fit of its own for conformal regions
  std::vector<double> clips;   // further clips of gplvmproj to report
  int threads = 1;             // trials run side by side; the result does not depend on it
  Ranks* ranks = nullptr;      // processes that share the trials out, kept by reference (wgp/ranks.h)
  std::function<bool(const EvaluateProgress&)> keep_going;  // false: stop; what is finished is reported
};

// In the order of options.models. Throws Error where a training set has no model. Over ranks all have the result.
std::vector<ModelEvaluation> evaluate(ManifoldPtr manifold, ConstMatrixRef P, const EvaluateOptions& options = {});

}  // namespace WGP_PUBLIC
