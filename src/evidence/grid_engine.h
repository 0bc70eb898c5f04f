// Latents integrated out on a grid of nodes: one or two coordinates, q(x_n) free.
//
// Responsibilities pi_ng of node g for point n are exact given the process's weights,
//   pi_ng ~ p_g exp(b v_n.m_g - (b/2)(|m_g|^2 + d s_g^2)),   b = 1/noise, p the prior
// and everything else needs the sums mass_g = sum_n pi_ng and pull_g = sum_n pi_ng v_n alone, so that a state is small,
// points are looked at once a pass, and a fit has no local optima in single latents: points may jump between sheets.
// (Generative topographic mapping with a Gaussian process as its map, whose weights are integrated out.) The bound
// rises with every pass. Not for posteriors narrower than half the distance of two nodes.
//
// Outliers: with a share e of points that come from N(0, 4 I) instead (vectors have mean square 1), each point counts
// with the probability that it is not one of these.
#pragma once

#include <optional>
#include <vector>

#include "core/executor.h"
#include "core/run_control.h"
#include "evidence/hyper_steps.h"
#include "evidence/learned_density.h"
#include "evidence/variational_evidence.h"
#include "wgp/column_blocks.h"

namespace wgp {

class LatentNodes {
 public:
  // Angles all around, plain coordinates from -3 to 3: 400 nodes on a line or circle, 44 x 44 on a plane.
  explicit LatentNodes(const LatentSpace& latent);
  const LatentSpace& latent() const { return latent_; }
  const Matrix& nodes() const { return nodes_; }          // the first coordinate runs fastest
  const Vector& log_prior() const { return log_prior_; }  // adds up to 1; of angles uniform
  Index count() const { return nodes_.cols(); }
  const Vector& axis(Index j) const { return axes_[static_cast<std::size_t>(j)]; }
  // Adds up to 1 as well; those of the axes make that of a node.
  const Vector& axis_log_prior(Index j) const { return axes_log_prior_[static_cast<std::size_t>(j)]; }
  double step(Index j) const { return axis(j)[1] - axis(j)[0]; }

 private:
  LatentSpace latent_;
  std::vector<Vector> axes_, axes_log_prior_;
  Matrix nodes_;
  Vector log_prior_;
};

struct GridSums {
  Vector mass;                    // of each node
  Matrix pull;                    // rows of V x nodes
  double count = 0, squares = 0;  // of points, of |v|^2, by their weights
  // What the bound has besides the data term and what is learned of the latents' density: minus the divergence of q(x)
  // from the nodes' prior, and the outliers' part.
  double other = 0;
};

struct GridState {
  Vector theta;
  double noise = 1;
  GridSums sums;
  double bound = 0;     // after the last hyper-step
  double outliers = 0;  // e; 0: there are none. Set to a share, there are some from the next pass on
  Vector inlier;        // probability of each point; empty: 1
  std::optional<LatticePlan> plan;
  int passes = 0;
};

// Of outliers.
double log_density_of_anything(double squared, Index d);

class GridEngine {
 public:
  // rows: d x N, or fewer with the same inner products; kept by reference.
  GridEngine(const KernelSpectrum& spectrum, ConstMatrixRef rows, Index d, Executor* executor, RunControl* control,
             AngleDensities densities = AngleDensities::learned);

  const LatentNodes& nodes() const { return nodes_; }
  Index points() const { return rows_.cols(); }

  // Responsibilities that are normal about these latents.
  GridState begin(ConstMatrixRef X, ConstMatrixRef S, Vector theta, double noise) const;
  // What the points of this engine make of another one's process.
  GridState adopt(GridEngine& other, const GridState& state);

  // Steps of L-BFGS on what is free, then new weights and responsibilities. Throws Stopped.
  using Pass = HyperSteps;
  void pass(GridState& state, const Pass& pass);
  void replan(GridState& state) const;  // the lattice, for the parameters as they are now

  // Mean and variance of each point's latent around its best node, and what it was predicted from.
  struct Codes {
    Matrix X, S;
    Vector log_evidence;  // log p(v) under the process, latents integrated out
  };
  Codes codes(const GridState& state);
  // Of these vectors instead of the engine's own.
  Codes codes(const GridState& state, ConstMatrixRef vectors);
  // Means at the nodes: rows x count.
  Matrix means(const GridState& state);
  // The sums as those of a lattice.
  LatticeSums lattice_sums(const GridState& state);
  Matrix lattice_table(const GridState& state);

 private:
  struct Axes {  // of the lattice that they were made for
    std::vector<Matrix> tables;
    Matrix features;  // of one coordinate; of two their products are not made
  };
  struct Process {
    Matrix means;     // rows x nodes
    Vector variance;  // at the nodes
    Vector bias;      // log p_g - (b/2)(|m_g|^2 + d s_g^2), p the prior with what is learned of it
    double noise;
  };
  class Weights;
  class BlockOfPoints;
  const Axes& axes(const GridState& state);
  Process process(const GridState& state);
  Process process_of(const CollapsedBound& bound, const GridState& state, const LearnedDensity& learned);
  LearnedDensity learned(const GridState& state);
  void expect(GridState& state, const Process& process);
  double improve(GridState& state, const Pass& pass, CollapsedBound& bound);

  const KernelSpectrum& spectrum_;
  const Eigen::Ref<const Matrix> rows_;
  Index d_;
  Vector squared_;  // |v_n|^2
  Executor* executor_;
  Executor own_;
  RunControl* control_;
  AngleDensities densities_;
  LatentNodes nodes_;
  Axes axes_;
  Modes axes_modes_;
  Vector axes_periods_;
};

}  // namespace wgp
