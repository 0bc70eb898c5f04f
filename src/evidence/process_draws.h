// Processes drawn from what the data leave possible: weights, latents, kernel and noise together.
//
// An optimum holds latents and process independent of each other given the data. They are not: where points end, a
// whole stretch of latents may lie elsewhere together with the process. What independence leaves out is missing from
// every variance, and densities of new points there are too sure of themselves. So a Markov chain goes on from the
// optimum. In turn:
//   weights w | X       normal, with mean and covariance of the collapsed bound (collapsed_bound.h) at S = 0
//   latents x_n | w     p(x_n) N(v_n; w'phi(x_n), noise I), by random steps that are accepted or not, each point by
//                       itself; 0 beyond the lattice
//   kernel, noise | X   with the weights integrated out, likewise; flat in their logarithms
// A draw keeps the process given the chain's latents, weights integrated out: the density of new points is the mean
// over draws.
#pragma once

#include <cstdint>
#include <vector>

#include "core/run_control.h"
#include "gp/lattice_posterior.h"

namespace wgp {

// Where a chain begins: latents with their standard deviations, which are what its steps are measured in.
struct ChainStart {
  Matrix X, X_sd;
  Vector theta;
  double noise = 0;
};
// Whether the process's lattice holds a start: its latents, and of its kernel so much that points are not worse off by
// more than so many nats each than under the process itself.
bool is_held(const LatticePosteriorParts& process, const ChainStart& start, double nats_a_point);

struct ChainLength {
  int sweeps = 0;  // the first third is not drawn from
  int draws = 0;   // equally spaced over the rest
};
// process: whose lattice is kept; plain coordinates. V: the vectors of its points. stream: of random numbers. Latents
// stay within the lattice's bounds, beyond which no process knows of them; nothing where they begin elsewhere, or where
// there is no process on the way. Throws Stopped.
std::vector<LatticeDraw> draw_processes(const LatticePosteriorParts& process, ConstMatrixRef V, const ChainStart& start,
                                        const ChainLength& length, std::uint64_t seed, std::uint64_t stream,
                                        RunControl& control);

}  // namespace wgp
