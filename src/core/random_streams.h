// Which stream of random numbers (wgp/random.h) serves what. Draws of different streams are independent, so that one
// use of chance cannot change another; a stream followed by a count has one for each of many.
#pragma once

#include <cstdint>

namespace wgp::stream {

inline constexpr std::uint64_t mean_restarts = 1, curve_starts = 2, curve_noise = 3, checked_pairs = 2,
                               calibration_points = 7, folds = 8, metric_draws = 57, mixture_components = 58,
                               centre_candidates = 61, base_fillers = 62, start_fillers = 77, shape_mean = 80,
                               trial_draws = 81, femur_draws = 91, cone_draws = 92, cone_points = 93;
inline constexpr std::uint64_t synthetic_femur = 61, synthetic_diatoms = 62, synthetic_dti = 63, synthetic_crypto = 64;
inline constexpr std::uint64_t truth_training = 94, truth_test = 95, truth_shape = 96, truth_outliers = 97;
inline constexpr std::uint64_t variational_subset = 98, noise_balls = 99, uncertain_latents = 90, tried_steps = 89,
                               kept_points = 88, left_out_points = 87, settled_points = 86;
inline constexpr std::uint64_t process_chains = 32000;      // and up: one for each chain
inline constexpr std::uint64_t regrown_points = 31000;      // and up: one for each time
inline constexpr std::uint64_t shaken_points = 30000;       // and up: one for each time
inline constexpr std::uint64_t variational_tours = 20000;   // and up: sixteen for each number of cluster centres
inline constexpr std::uint64_t importance_draws = 1000000;  // and up: one for each point
inline constexpr std::uint64_t random_start = 100;          // and up: one for each start
inline constexpr std::uint64_t growth = 1000;               // and up: one for each growth
inline constexpr std::uint64_t move = 10000;                // and up: ten for each round of moves

}  // namespace wgp::stream
