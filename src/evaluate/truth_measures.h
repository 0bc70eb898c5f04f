// How near a model comes to the submanifold that its data are about.
//
// Distances are root mean squares in units of the noise s.
//   learned to true   from 3,000 decoded latents, over the circle or over the range of the training latents, to 3,000
//                     points of the true curve. Sheet: from the decoded training latents to the whole true sheet
//                     (lattice of step 0.06 over |x| < 6, then nearest_on_surface)
//   true to learned   the reverse. Sheet: from a lattice of step 0.1 over the disc |x| < 2.6 to the decoded rectangle
//                     that the training latents span (161 x 161 nodes, then nearest_on_surface)
// A curve has the right shape when both are at most 1, its length is within 10 % of the true one's, and it crosses
// itself as often (curve_crossings.h).
#pragma once

#include <vector>

#include "evaluate/truth_sets.h"
#include "wgp/model.h"

namespace wgp {

// What does not depend on the model, computed once a set.
struct TruthReference {
  TruthReference(TruthSet set, ConstMatrixRef test);

  TruthSet set;
  Matrix test;
  double log_density = 0;  // of the test points under the truth, mean
  // Of curves.
  Matrix parameters, points;
  double length = 0;
  Index crossings = 0;
};

// Not a number where a measure does not apply.
struct TruthMeasures {
  double learned_to_true = 0, true_to_learned = 0;
  double outside_learned_to_true, outside_true_to_learned;  // gap: of points whose nearest, or own, t is outside of it
  double learned_to_disc;                                   // sheet: learned-to-true against the part |x| < 2.6 of it
  double length;                                            // of the decoded curve over the true one's
  double noise = 0;                                         // fitted standard deviation over s
  double log_density;  // of the test points, latents integrated out, mean; per unit of volume
  double true_log_density;
  Index crossings = 0, true_crossings = 0;
  bool right_shape = false;  // of curves
};
TruthMeasures measure_truth(const TruthReference& reference, const Model& model);

// Shares of training points that were named as outliers: of the outliers further than 3.5 s from the true set, and of
// the good points.
struct OutlierShares {
  double found, false_alarms;
};
OutlierShares outlier_shares(const TruthReference& reference, const TruthPoints& training,
                             const std::vector<bool>& named);

}  // namespace wgp
