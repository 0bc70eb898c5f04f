// Finding the good optimum: grow a chart from a patch, then remove and regrow its worst points.
//
// Optima that a latent variable model is usually stuck in are folds: far parts of the data laid over one another. A
// chart that starts from a small patch and takes in points where they fit best has no reason to fold. What went wrong
// anyway shows up as points that their neighbours predict badly; those are taken out and grown again.
#pragma once

#include <functional>
#include <vector>

#include "fit/optimum.h"
#include "wgp/random.h"

namespace wgp {

// Where patches begin: `count` points of the denser half, the densest first, each next one farthest from those before
// it, so that few growths see all parts of the data. Fewer if there are fewer points.
std::vector<Index> patch_centres(const FitProblem& problem, Index count);

// A state on all points, grown from the patch about a point; `evaluations` counts full-size evaluations, smaller ones
// by N^3. keep_going is asked with the number of points that are in; false: the state's value is minus infinity. Throws
// Stopped where the problem's control says so within a step.
FitState grow(const FitProblem& problem, Index centre, Random& random, double& evaluations,
              const std::function<bool(Index)>& keep_going);

// One remove-and-regrow move; the caller accepts it if its value is higher. round chooses the kind of removal.
FitState regrow(const FitProblem& problem, const FitState& state, int round, Random random, double& evaluations);

}  // namespace wgp
