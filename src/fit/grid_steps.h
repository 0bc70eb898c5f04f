// What a search does on a grid of nodes: passes, until they gain next to nothing, and what begins them.
#pragma once

#include "core/run_control.h"
#include "evidence/grid_engine.h"
#include "fit/latent_optimum.h"
#include "fit/latent_starts.h"
#include "wgp/column_blocks.h"

namespace wgp {

KernelSpectrum spectrum_of(const FitProblem& problem);
// What a grid makes of each point's latent, as means and variances.
LatentOptimum from_grid(std::string kind, GridEngine& engine, GridState state);

// A pass that leaves kernel and noise as they are.
inline const GridEngine::Pass parameters_fixed = {{}, false, 0};
void passes(GridEngine& engine, GridState& state, int count, const GridEngine::Pass& pass);
GridState begin_at(const LatentStart& start, const GridEngine& engine);

class GridSteps {
 public:
  // q: latent coordinates. to_data: what turns a bound into one of the data, for reports.
  GridSteps(Index q, RunControl& control, double to_data) : q_(q), control_(control), to_data_(to_data) {}

  // All throw Stopped. Until ten passes in a row gain next to nothing.
  void settle(GridEngine& engine, GridState& state, int most) const;
  void anneal(GridEngine& engine, GridState& state) const;
  void warm(GridEngine& engine, GridState& state, int with_nothing, int without_noise, int free) const;

  // A state that `part` has found, settled by as many of all points as that takes little time for. rows: the outputs of
  // all points. The state is one of these points, and any engine can adopt it from `part`.
  GridState settled_on_more(GridEngine& part, const KernelSpectrum& spectrum, const ColumnBlocks& rows, Index d,
                            const GridState& found, std::uint64_t seed, Executor& executor) const;

  // A part of a surface that lies in the wrong place keeps itself there: points hold the process where they are, and it
  // them. So some points, at random, are left to what the others make of the surface, and then taken in again; what is
  // better stays. rows: the outputs of the points.
  GridState shaken(const KernelSpectrum& spectrum, ConstMatrixRef rows, Index d, GridState state, std::uint64_t seed,
                   Executor& executor) const;
  // The part of a surface beyond a straight cut through the latents is left to the rest of it: those of its points that
  // are expected most are taken in, the process goes on to where they are, and so on outwards. Mends flaps at the edge
  // that were folded back.
  GridState regrown(const KernelSpectrum& spectrum, ConstMatrixRef rows, Index d, GridState state, std::uint64_t seed,
                    Executor& executor) const;

 private:
  void keep_better(GridEngine& whole, const GridState& found, GridState& best) const;

  Index q_;
  RunControl& control_;
  double to_data_;
};

}  // namespace wgp
