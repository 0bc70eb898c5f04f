// The constants that fits were tuned by, each with the command that measured it. Those of encoding: model/settings.h.
#pragma once

#include <vector>

#include "wgp/types.h"

namespace wgp::settings {

// ---- the objective
// |theta| and log noise beyond these are not admissible. Of latents, which are of the order of length-scales, 5e8 of
// them are as good as infinitely many, and the way to more is long; inputs of a regression have units of their own.
inline constexpr double theta_box = 20, theta_box_of_inputs = 25, highest_log_noise = 20, lowest_log_noise = -50;
inline constexpr double angle_length_sd = 0.5;  // of log length-scales over angles, median 1 (the paper's prior)
// Relative to 1 + |value| / N: `bench_optimum 10 normal` ends no lower with 1e-6.
inline constexpr double gradient_tolerance = 1e-5;

// ---- base points that are fitted, in units of V's scale: `bench_basepoints arc,spiral,seam,turn,hyperbolic,morph
// SEED`
inline constexpr double follow_sd = 0.3, coefficient_sd = 10;
inline constexpr double first_rough_sd = 0.5, least_rough_sd = 0.02, most_rough_sd = 2;
inline constexpr double free_share_of_radius = 0.9, beyond_cost = 2000;
inline constexpr double least_length = 0.3, short_length_cost = 500;
// A centre beyond its injectivity radius, or coefficients that wrap around many times, are steps gone astray.
inline constexpr double longest_centre_step = 0.9, largest_coefficient = 1e3;
// Iterations before the centre begins anew; rounds end when roughness and value hardly change.
inline constexpr int round_length = 200;
inline constexpr double round_change = 0.05, round_progress = 1e-6;
// Latents at the mean that a curve begins with need not be those of an optimum to the last digit.
inline constexpr int iterations_of_starts_of_bases = 500;
// Two optima at the mean nearer than this, in nats, are one: bases begin there once.
inline constexpr double same_optimum = 0.1;
inline constexpr double same_leave_one_out = 1e-3;  // of points, in nats each
inline constexpr int settling_iterations_of_bases = 100;
inline constexpr double progress_tolerance_of_bases = 1e-7;
// A start whose process is nothing but a trace of this share of the noise, and what a process must bring, in nats a
// point, to be preferred to it.
inline constexpr double base_only_amplitude = 1e-4, base_only_credit = 0.01;
// Curves that predict left-out points best without a process are tried with one; the others would be no better for it.
inline constexpr std::size_t curves_with_a_process = 2;
// What is left of a fold's points hardly moves a curve.
inline constexpr int relaxing_iterations_of_curves = 60;
// Fits of moving base points on more numbers than this take minutes each: one start must do, and folds are not relaxed.
inline constexpr Index many_numbers = 40000;
// Eight points to a piece or more: far from the centre of a round manifold its tangent space is stretched, and a smooth
// curve needs many pieces there. Products over several latents have coefficients enough with few.
inline constexpr Index pieces_of_curves[] = {24, 16, 9}, points_a_piece = 8, fewest_pieces = 4;
inline constexpr Index pieces_of_surfaces = 4, pieces_of_volumes = 2;
// Least squares through the start's targets: weights of roughness and of size against the normal matrix's mean
// diagonal.
inline constexpr double start_smoothing = 1e-3, start_shrinkage = 1e-6;
// Targets nearer to the cut locus than this share of the injectivity radius call for another centre, tried this often.
inline constexpr double safe_margin = 0.25;
inline constexpr int centres_tried = 200;

// ---- starts
inline constexpr double least_start_noise = 1e-3, most_start_noise = 0.5;
inline constexpr Index neighbours_in_graph = 8;       // of path lengths: `bench_optimum 10 quick`
inline constexpr Index most_points_of_a_tour = 4000;  // it needs all distances
inline constexpr Index fewest_points_of_a_tour = 4, fewest_points_of_a_curve = 8;
inline constexpr int settling_iterations = 50;                   // kernel and noise before latents
inline constexpr double regression_lengths[] = {0.1, 0.3, 1.0};  // shares of the inputs' spread
inline constexpr double regression_noises[] = {0.01, 0.3};
inline constexpr int most_lattices = 5;       // of inputs that are uncertain
inline constexpr double same_lattice = 1e-3;  // nats

// ---- growth and moves: `bench_optimum 10 normal` and `thorough`, `bench_seeds`
inline constexpr Index fewest_to_grow = 20;  // a chart of fewer points is no larger than its first patch
struct Growth {
  Index patch, copies;
  double noise_sd;
};
inline constexpr Growth growth_of_planes = {15, 6, 1.5}, growth_of_volumes = {40, 12, 0.05};  // q <= 2; q >= 3
inline constexpr double growing_precision = 0.05, growing_log_noise = -4;
inline constexpr double share_with_free_kernel = 1.0 / 3;  // of the points; before that kernel parameters stay
inline constexpr int patch_iterations = 60, growing_iterations = 10, grown_iterations = 60;
inline constexpr double growing_share = 0.06;  // of the chart's size, taken in at a time
inline constexpr Index fewest_taken_in = 3;
inline constexpr double nearest_copy = 0.15, farthest_copy = 1;  // from its latent, in length-scales
inline constexpr double least_removed = 0.03, most_removed = 0.25;
inline constexpr int half_plane_every = 5;  // a removal in so many takes a half-plane of the latents
inline constexpr double removal_temperature = 0.3;
inline constexpr int removed_iterations = 15, regrown_iterations = 40;
inline constexpr double regrowing_share = 0.25;
inline constexpr double least_gain = 1e-6;        // of a move
inline constexpr Index candidates_at_once = 512;  // their scores would outgrow the covariance
inline constexpr Index density_neighbour = 8;     // its distance says how dense it is around a point

// A move is given up where its value, raised by so many times what it gained in the last stretch of iterations, is
// lower than where it began: of those that are followed to the end, a few in a hundred come higher after all.
inline constexpr int stretch_of_moves = 5;
inline constexpr double stretches_ahead = 3;

// What an effort is willing to spend: growths, then rounds of moves on the best of what was found, of which ever fewer
// are left. Early rounds tell little about late ones, and two searches of the same points differ by more than what the
// second half of the rounds brings: many begin, and few go on.
struct Stage {
  std::size_t leading;
  int until;  // round
};
struct Schedule {
  int growths;
  std::vector<Stage> stages;
  int rounds() const { return stages.empty() ? 0 : stages.back().until; }
};
inline const Schedule quick_schedule = {0, {}}, normal_schedule = {16, {{6, 8}, {3, 20}, {2, 40}}},
                      thorough_schedule = {24, {{8, 16}, {4, 40}, {2, 80}}};
// Curves get knotted: points that lie close together may be far apart along it, and untying takes many moves.
inline const Schedule normal_schedule_of_curves = {24, {{8, 12}, {4, 40}, {2, 72}}},
                      thorough_schedule_of_curves = {32, {{8, 30}, {4, 80}, {2, 140}}};
// A growth that is a start by itself: `bench/fit_race.py build/bench/bench_models`.
inline constexpr int moves_of_a_start = 4;
// On the sets of that race the last tenth of a nat took a third of the iterations.
inline constexpr double quick_progress_tolerance = 1e-7;

// ---- what counts as degenerate
inline constexpr double noise_of_all_noise = 0.95, collapsed_spread = 1e-3, scattered_spread = 1e3,
                        longest_log_length_of_angles = 3;

// ---- points that are left out: `bench_calibration DATA 3`
inline constexpr Index folds = 5, fewest_to_leave_out = 10, most_points_a_fold = 150;
inline constexpr int relaxing_iterations = 500, quick_relaxing_iterations = 60;
inline constexpr int steps_an_octave = 8, lowest_octave = -1, highest_octave = 6;  // of the variances' scale
// Base points are compared by what they leave out from this many points on.
inline constexpr Index fewest_to_choose_base = 20;

// ---- points whose covariance an exact fit factors: of more, a fit that is told to end would not have its model within
// a second (a factor and an inverse's diagonal), and a search takes hours
inline constexpr Index most_exact = 4000;

// ---- how often a default fit makes its steps, for estimates of what it takes; counted so that `bench_estimate` ends
// near 1
namespace estimate {
inline constexpr Index tried_points = 192;
inline constexpr double share_of_quick = 0.12, share_of_thorough = 1.6;  // of a search
inline constexpr double passes_of_curves = 2000, passes_of_folds_again = 900, passes_of_folds = 150,
                        evaluations_of_ends = 500;
inline constexpr double passes_of_surfaces = 1500, evaluations_of_growths = 8000, evaluations_of_surfaces = 700,
                        evaluations_of_chains = 5500;
inline constexpr double evaluations_of_volumes = 1600, evaluations_of_two_growths = 800;
// Of three coordinates: length-scales of a fit are longer than those that the steps are tried with, and so the lattice
// is smaller.
inline constexpr double lattice_of_volumes = 0.3;
inline constexpr double evaluations_of_folds = 400, evaluations_of_all = 150, passes_of_all = 40,
                        densities_of_left_out = 250, evaluations_of_passes = 70, evaluations_of_fold_sums = 5;
// Of fits in passes: what each of all points takes, and some of them. `bench/scale.py` says how long such fits take.
inline constexpr double passes_of_large = 70, logarithms_of_large = 6, passes_of_settled = 20,
                        seconds_of_a_product = 1e-10;
inline constexpr double evaluations_of_points = 9000, evaluations_of_point_curves = 36000;
inline constexpr double gain_of_a_thread = 0.7, remembered = 24, squares_of_points = 4;
inline constexpr double bytes_of_a_program = 3e7;
}  // namespace estimate

}  // namespace wgp::settings
