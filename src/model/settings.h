// The constants that encoding was tuned by. Measured with `bench_encode N D POINTS` (share of points whose density
// comes within 1e-6 of the best on a fine grid, and microseconds a point) on 600 points of d = 6 with two latents, and
// checked on d = 2, 55 and 176.
#pragma once

#include "wgp/types.h"

namespace wgp::encoding {

// Starts: the best of training latents and of a coarse grid, by density and by distance. Six distinct ones find 2998 of
// 3000 optima; four find 2970.
inline constexpr Index starts_per_point = 6;
inline constexpr Index most_training_latents = 2000;      // of more some, evenly
inline constexpr Index starts_looked_at = 40;             // in the order of their cost, for distinct ones among them
inline constexpr Index starts_looked_at_for_peaks = 400;  // where all peaks of a distribution are wanted
inline constexpr double least_distance_of_starts = 0.3;   // in length-scales
inline constexpr Index grid_side[] = {0, 200, 20, 8};     // by latent dimension; none beyond three
inline constexpr double grid_margin = 1;                  // beyond the training latents, in length-scales

// Outside of the support log(s^2 / limit)^2 costs this much a dimension: the search turns back before it gets anywhere.
inline constexpr double support_steepness = 100;
// A latent where the process knows hardly more than its prior is outside of the support, whatever the limit.
inline constexpr double unknown_share = 0.9;

// Descents of all candidates at once. After these rounds only those of a point's candidates go on that are worse than
// its best by at most so many nats.
inline constexpr int rounds = 80;
struct Pruning {
  int round;
  double worse;
};
inline constexpr double negligible = 7;  // nats: peaks that hold less than a thousandth
inline constexpr Pruning prunings[] = {{6, 30}, {9, 20},          {12, 12},        {16, 10},
                                       {20, 8}, {25, negligible}, {50, negligible}};

// Peaks of one point nearer to each other than so many standard deviations are one. A point is ambiguous where its
// heaviest peak holds less than this share.
inline constexpr double same_peak = 2, sure = 0.95;
inline constexpr double same_place = 0.02;                   // of two candidates nearer than this one goes on
inline constexpr double same_end = 1e-3;                     // of two ends nearer than this one is kept
inline constexpr double first_step = 0.2, longest_step = 1;  // in length-scales
inline constexpr double gradient_tolerance = 1e-6, progress_tolerance = 1e-10;  // of 1 + |f|

// From this many points on a table of predictions pays for its nodes; a gradient costs as much as three predictions.
inline constexpr Index worth_a_table = 1000, gradient_cost = 3;
inline constexpr Index block = 256;          // points whose candidates descend together: N kernel values a candidate
inline constexpr Index blocks_a_table = 16;  // a table serves so many blocks: which ones does not depend on threads

}  // namespace wgp::encoding
