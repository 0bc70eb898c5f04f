// What points show that a fit with integrated latents has not seen: left out a fold at a time, encoded and predicted by
// what the other points make of the optimum. How they scatter about their predictions is the noise law's to say.
#pragma once

#include "fit/cross_validate.h"
#include "fit/latent_search.h"
#include "gp/lattice_posterior.h"
#include "noise/estimate_noise.h"
#include "wgp/model.h"

namespace wgp {

// A fold, and what the other points say of it.
struct FoldOfPoints {
  Model model;
  std::vector<Index> points;  // of the training points
  Encoding codes;
};

struct LeftOutPoints {
  std::vector<FoldOfPoints> folds;
  std::vector<Index> points;   // of the training points, fold after fold
  LeftOutResiduals residuals;  // of these
  Vector variance;             // of the function at their codes
  Vector log_densities;        // per unit of volume, latents integrated out, under the law as fitted
};

// The model of a fold's other points alone; nothing where there is none.
using FoldModel = std::function<std::optional<Model>(std::size_t fold, Executor& inner)>;

// Draws of the process for a fold's model. Over ranks each fold's are made on one of them.
using FoldDraws = std::function<std::vector<LatticeDraw>(std::size_t fold, const Model& model)>;

// P: all training points. skipped: those that belong to nothing and say nothing about the noise. noise: of the model of
// all points; each fold's residuals, slopes and variances are handed out in units where its own model's noise is that:
// folds that end at optima with less and with more noise would pass for heavy tails together. Nothing if some fold has
// no model. At most settings::most_left_out points of each fold are looked at.
// draws_of: empty where there are none.
std::optional<LeftOutPoints> leave_out(const Folds& folds, const FoldModel& model_of, ConstMatrixRef P,
                                       const std::vector<bool>& skipped, double noise, Executor& executor,
                                       const FoldDraws& draws_of = {});

// How wide a law has to be for the left-out points to be densest, their latents integrated out: it is estimated from
// residuals at codes, and where a curve winds or a surface folds, codes are found on whichever stretch is nearer than
// the right one.
struct DensestLaw {
  NoiseLawPtr law;
  LawScales scales;                            // of the law as it was given
  Vector log_densities, log_densities_before;  // of the left-out points, under it and under the law as it was given
};
// Under the process of each fold, or as means over the draws of those that have some.
enum class DensitiesOf { process, draws };
// noise: as above.
DensestLaw densest_law(const LeftOutPoints& left_out, const NoiseLaw& law, double noise, ConstMatrixRef P,
                       DensitiesOf of, Executor& executor);

// Training points that are not likely to come from the law: those that Benjamini and Hochberg's procedure names among
// the left-out ones, one in a hundred of them wrongly.
std::vector<Index> unlikely_points(const LeftOutPoints& left_out, const NoiseLaw& law);

// The share of the law's predictions about each left-out point's code that lies nearer to them than the point does: in
// order, and of many points as many quantiles as settings::most_shares.
Vector shares_within(const LeftOutPoints& left_out, const NoiseLaw& law);

}  // namespace wgp
