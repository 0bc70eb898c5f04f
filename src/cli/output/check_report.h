// What wgp check finds out about the points of a table.
#pragma once

#include <string>
#include <vector>

#include "wgp/statistics.h"

namespace wgp::cli {

// Points that stand more than once; representatives of a quotient are compared as they are.
struct Duplicates {
  Index exact = 0;  // points that equal an earlier one
  Index near = 0;   // further points within 1e-9 (relative) of another
};
Duplicates find_duplicates(ConstMatrixRef points);

// Eigenvalue ratios of SPD matrices. scaled: after the diagonal is scaled to 1; graded matrices, which have a large
// condition but a small scaled one, keep their digits.
struct Conditions {
  double smallest = infinity, largest = 0, largest_scaled = 0;
  Index worst = 0;  // column of the largest scaled one
};
Conditions find_conditions(ConstMatrixRef spd_points);

// Pairs on or near each other's cut locus.
struct CutPairs {
  Index checked = 0, cut_locus = 0, near_cut = 0;
  bool all_pairs = true;
  Index first = -1, second = -1;  // an example
};
// mean_radius: all points lie within it of some point; if twice that stays below the injectivity radius there is
// nothing to look for.
CutPairs find_cut_pairs(const Manifold& manifold, ConstMatrixRef points, double mean_radius, std::uint64_t seed);

// What the rows of an unknown table could be, the most telling first.
struct Candidate {
  std::string spec, reason;
  Index fits = 0;       // rows that are points of it
  std::string columns;  // that --columns must be given for that; empty: as they stand
};
// Landmarks, angles: what any numbers could be. They are named only where nothing else is, and never of an image.
enum class Evidence { any_numbers, image };
std::vector<Candidate> guess_manifolds(ConstMatrixRef rows, Evidence evidence = Evidence::any_numbers);

}  // namespace wgp::cli
