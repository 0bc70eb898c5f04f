// The constants of the search with latents integrated out. They were tuned on drawn sets about known submanifolds:
// `bench_truth five,hard --seeds 1-20` prints what they reach there, and other seeds what that is worth. Times are of
// `bench_truth sheet` and of `evaluate` on real data.
#pragma once

#include <cstdint>

#include "wgp/types.h"

namespace wgp {

// How long the chains of a model are, and how many draws they leave, all of them together.
struct ChainEffort {
  int sweeps, draws;
};

}  // namespace wgp

namespace wgp::variational {

// ---- how many points are searched on
inline constexpr Index most_grown = 200;
// Beyond this many outputs posteriors of two latents are narrower than a grid of 44 x 44.
inline constexpr Index most_outputs_of_grids = 20;

// ---- passes on the grid, in units where the vectors' mean square is 1
inline constexpr double annealing[] = {0.5, 0.25, 0.12, 0.06};  // noise variances, six passes each
inline constexpr double start_variance = 0.02;                  // of latents about their start
inline constexpr double noise_of_kept_starts = 0.05;            // where the start's latents are to stay
inline constexpr double least_gain_a_point = 1e-4;              // in ten passes
inline constexpr int most_passes = 120, most_passes_of_all = 60;

// ---- starts
inline constexpr std::uint64_t random_starts = 5, tours_of_a_size = 3;
inline constexpr Index tour_sizes[] = {12, 20, 30, 45, 60};
inline constexpr double tour_length_of_angles = 0.5, tour_length_of_lines = 0.4;
inline constexpr std::size_t finished_tours = 4, most_reconnections = 4;
// Bounds that differ by less are taken for one optimum's.
inline constexpr double reconnection_must_pay = 0.3, same_bound = 0.5;
inline constexpr std::size_t reconnected = 4;
inline constexpr int growths_of_surfaces = 14, growths_of_volumes = 2, growing_iterations = 100;
inline constexpr std::size_t finished_growths = 4;
// Kernel and noise of surfaces move slowly: with every third pass they end where they end with all, in 0.85 of the
// time.
inline constexpr int parameters_of_surfaces_every = 3;
// Cuts through a surface whose far side is grown anew, first; then a quarter of the points at random. Chosen on sheets
// 124 and 131-133 of `bench_truth sheet`; the share that is taken in at a time, .06 or .12, and two passes or four
// after it, make no difference beyond that of chance. Moves that paid had lost less than this after ten passes.
inline constexpr std::uint64_t regrowths = 16, shakes = 3;
inline constexpr double least_regrown = 0.1, most_regrown = 0.5, share_taken_in_again = 0.1;
inline constexpr double share_of_shaken = 0.25, lost_by_moves = 4;

// ---- draws of the process: of surfaces of at most so many points, from the chosen optimum and from another whose
// bound is hardly lower. `bench_truth sheet --seeds 1001-1010`: -1.454 without draws, -1.369 with them. On 1001-1006,
// under the law as fitted, one chain of 500, 1,000, 2,000 or 4,000 sweeps had -1.45, -1.45, -1.41 and -1.39 (-1.51
// without), two of 4,000 had -1.37, three -1.37, and one that began at the true latents -1.36. On 1001-1005 two of
// 2,250 had -1.431 and four of 1,125 -1.447.
// Left-out points are judged under one short chain from where the fold's own points end, those of the model under two
// long ones: what a fit says of its left-out points, and the width of the law that follows from them, is that of a
// fifth fewer points and of a chain that has gone less far, and errs on the side of care. As long ones would take
// four times as long as those of the model.
inline constexpr Index most_drawn = 600;
inline constexpr std::size_t most_chains = 2;
inline constexpr ChainEffort chains_of_all = {4500, 36}, chains_of_folds = {600, 12};

// ---- outliers
inline constexpr Index fewest_for_outliers = 30;
inline constexpr double first_share_of_outliers = 0.05, outliers_must_pay = 2;
inline constexpr double least_outliers_of_a_part = 0.01;

// ---- normal q(x): iterations of L-BFGS, and after how many the lattice is chosen anew
inline constexpr int polishing_of_lines = 200, polishing_of_surfaces = 150, polishing_of_volumes = 350,
                     settling_of_volumes = 60, replan_every = 75;
inline constexpr std::size_t polished_surfaces = 3;

// ---- ends of open curves: how many points of each are given back, and what bound that may cost: so much, and so much
// for each point. Chosen on `bench_truth arc --seeds 201-215` (learned .35 without, .27; .25 with three times the
// first, and new points .003 nats less dense; .29 without it, and a last point that lies 3.8 sd aside keeps its bend).
inline constexpr std::size_t most_at_an_end = 5;
inline constexpr double bound_of_ends = 2, bound_of_an_end = 1;
inline constexpr int iterations_of_ends = 80;
inline constexpr Index places_of_ends = 400, most_with_ends = 2000;

// ---- all points, where a part of them was searched on: passes with normal q(x), and after how many of them the
// lattice is chosen anew. On 20,000 points of a sheet 60 passes end .01 nats a point above 150 iterations of L-BFGS
// over all latents, in half the time.
// First as many as these settle on the grid: of 5,513 tensors of a brain all end .1 nats a point lower without that.
// L-BFGS over the latents of as many as those comes last.
inline constexpr Index most_settled = 20000, most_polished = 10000;
inline constexpr int most_normal_passes = 60, first_replan = 6, replan_passes_every = 20;
inline constexpr double least_gain_of_ten_passes = 1e-3;

// ---- fits in passes over points that are read in blocks: from so many points, or numbers, on
inline constexpr Index most_in_memory = 100000, most_numbers_in_memory = 50000000;
// What a model holds: its points, if they are few; all latents, unless they are very many; then so many, at random.
inline constexpr Index most_points_in_model = 5000, most_latents_in_model = 100000, some_latents_in_model = 2000;
inline constexpr int most_mean_passes = 12;
inline constexpr double small_mean_step = 1e-9;  // of the points' distance from the mean

// ---- points that are left out: what the others have, from where all were fitted, and how many of a fold are looked at
inline constexpr int refit_passes = 30, refit_iterations = 80;
inline constexpr Index most_left_out = 2000;
inline constexpr Index most_refitted = 5000;  // points whose latents are refined without a fold
inline constexpr Index most_shares = 400;     // as many as a figure shows
// Curves of at most so many points are searched for anew without a fold. Where that ends lower than from where all were
// fitted, by so much a point, it lost its way.
inline constexpr Index most_searched_again = 1000;
inline constexpr double lost_a_point = 0.1;
// A noise law is at most eight times as wide, or as narrow, as residuals at codes say, and the function's variance at
// most eight times what the process says.
inline constexpr int most_steps_of_scale = 12, most_steps_of_function = 6, most_steps_of_care = 2;
// Optima that are so near in bound, and at most so many, are told apart by left-out points.
// Alike: as near as same_bound, and in the logarithm of the noise variance.
inline constexpr double near_bound_a_point = 0.08, same_log_noise = 0.2;
inline constexpr std::size_t most_near = 5;
inline constexpr double denser = 1;         // by so many standard errors
inline constexpr double surely_denser = 2;  // than a curve that was reconnected

// ---- a coordinate whose latents have their prior, N(0, 1), but for this
inline constexpr double sd_of_nothing = 0.9;

}  // namespace wgp::variational
