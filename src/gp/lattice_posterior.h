// A Gaussian process on a Fourier lattice, given its data with uncertain latents.
//
//   f(x) ~ N(w'phi(x), phi(x)' D^1/2 B^-1 D^1/2 phi(x) + neglected),   B = I + D^1/2 Psi2 D^1/2 / noise
// Means need the weights w alone. The variance is a polynomial in the lattice's tables, whose coefficients are made
// from the sums over points when a variance is first asked for. Plain coordinates live on circles; farther than half a
// circle from the middle of the data the process is what it is without data.
#pragma once

#include "gp/lattice.h"
#include "wgp/posterior.h"

namespace wgp {

// A process on the same lattice that the data leave possible as well: its latents, kernel and noise are others, and
// with the kernel what the lattice leaves out of it.
struct LatticeDraw {
  Vector theta;
  double noise = 0, neglected = 0;
  Matrix weights, table;
  void each_part(auto&& visitor) { visitor(theta, noise, neglected, weights, table); }
};

struct LatticePosteriorParts {
  KernelPtr kernel;
  LatentSpace latent = LatentSpace::plain(1);
  Vector theta;
  double noise = 0, neglected = 0;
  Vector periods;
  Modes modes;
  Matrix X;        // means of the training latents
  Matrix weights;  // M x outputs, of features with amplitude 1
  Matrix table;    // sums over the training latents (gp/lattice.h)
};
// Error where sizes do not fit together, a variance is impossible or the kernel has no spectrum.
PosteriorPtr lattice_posterior(LatticePosteriorParts parts, std::vector<LatticeDraw> draws = {});
// From arrays() and what is not in them: kernel, latent space, theta, noise, neglected and X of `known`. Error where
// they do not belong together.
PosteriorPtr restore_lattice_posterior(LatticePosteriorParts known, const std::map<std::string, Matrix>& arrays);
// Of one that lattice_posterior() made; null otherwise.
const LatticePosteriorParts* lattice_parts(const Posterior& posterior);

// Where its lattice tells places apart: no farther than half a circle from the middle of the data.
struct LatticeBounds {
  explicit LatticeBounds(const LatticePosteriorParts& parts);
  bool hold(ConstMatrixRef X) const;  // all of these latents

  Index angles;
  Vector middle, half_circle;
};

// The processes of its draws: what new points are expected from is the mean over them. None of other posteriors.
struct DrawnProcess {
  PosteriorPtr posterior;
  double noise;
};
const std::vector<DrawnProcess>& drawn_processes(const Posterior& posterior);

// Predictions at a latent that is uncertain: means over q(x) = N(X, diag S), with the variance that this brings.
struct UncertainPrediction {
  Matrix mean;      // outputs x n
  Vector variance;  // mean over the outputs: of the function, of its place, without noise
};
UncertainPrediction predict_uncertain(const Posterior& posterior, ConstMatrixRef X, ConstMatrixRef S);

// Predictions of a process with two latent coordinates at all pairs of places, the first coordinate running fastest: by
// the tables of either coordinate, without features of the pairs.
GpPrediction predict_pairs(const Posterior& lattice, const Vector& first, const Vector& second);

// The names of arrays(): weights (M x outputs), table, modes (the zero frequency, then those of the lattice, a row
// each), periods. Where there are draws: log parameters, then the variance of the noise and the neglected one, a row
// each; weights and tables, one below the other.
namespace lattice_array {
inline constexpr const char *weights = "weights", *table = "lattice_table", *modes = "lattice_modes",
                            *periods = "lattice_periods", *draw_parameters = "draw_parameters",
                            *draw_weights = "draw_weights", *draw_tables = "draw_tables";
}

}  // namespace wgp
