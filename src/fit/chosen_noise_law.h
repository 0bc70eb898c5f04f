// The noise law of a fit with integrated latents: which one, and how wide, by the points that it left out.
#pragma once

#include "fit/left_out.h"
#include "wgp/fit.h"

namespace wgp {

// P: the points that left_out counts. Says in the summary why, how dense left-out points are under it, how far they lie
// and which of them are unlikely. Error where the law that was asked for cannot be estimated.
struct ChosenLaw {
  NoiseLawPtr law;
  LawScales of_draws;  // Model::Parts::scales_of_draws
};
ChosenLaw chosen_noise_law(const LeftOutPoints& left_out, const Model& model, ConstMatrixRef P,
                           const FitOptions& options, Executor& executor, FitSummary& summary);

}  // namespace wgp
