// The density of the latents of a closed curve, learned with the rest: a prior that is uniform pays for every stretch
// of the curve that has no data, and closes it.
//
// Its logarithm has J harmonics (gp/angle_density.h) with normal coefficients of standard deviation t/j^2. Given q(x)
// the best of them need the sums of E cos jx and E sin jx alone, which the table of a lattice holds:
//   gain = max_a [ a'c - N log Z(a) - sum_j (j^4 / 2t^2)(a_j^2 + b_j^2) ] - cost,
//   cost = sum_j log(1 + N t^2 / 2j^4),
// cost being what it takes to choose coefficients, to first order: with it the gain is the log evidence of the density
// over that of the uniform one, which stays where the gain is not positive. As a maximum it is a function of q(x)
// alone, whose derivatives are those at the coefficients it is attained at: nothing has to be kept between passes.
#pragma once

#include "gp/angle_density.h"
#include "gp/lattice.h"
#include "wgp/posterior.h"

namespace wgp {

struct LearnedDensity {
  AngleDensity density;
  double gain = 0;  // what the bound has more than with a uniform prior
  // Adds the derivative of the gain by the table.
  void add_by_table(const Lattice& lattice, MatrixRef by_table) const;
};

// Uniform for other latents than one angle. table: sums over points (gp/lattice.h).
LearnedDensity learned_density(const Lattice& lattice, ConstMatrixRef table);
// Of the training latents of a process on a lattice; uniform of others.
AngleDensity learned_density(const Posterior& posterior);
// Sums over so many points of E cos jx, j = 1 ... J, then of E sin jx.
LearnedDensity learned_density(ConstVectorRef sums, double count);

}  // namespace wgp
