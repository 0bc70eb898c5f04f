// Latents integrated out with q(x_n) = N(mu_n, diag S_n), for more points than fit into an optimiser.
//
// One pass over the points: given the process's weights, every point takes a natural-gradient step of its own,
//   Lambda = prior precision - 2 dL/dS,   S <- 1 / ((1 - pace)/S + pace Lambda),   mu <- mu + pace S (dL/dmu - prior
//   mu)
// where L_n is what the point adds to the bound; pace becomes 1.4 times what it was, and 0.3 times with the step undone
// where L_n has fallen. Then sums over the points, and from them alone kernel parameters, noise and new weights. What
// is kept of a point is mu, S and its pace; what is added up has the size of the lattice. Where latents and weights
// determine each other passes are slow: weights are mixed from those of the last passes (optimise/anderson.h), which
// ends as high as L-BFGS over all latents, and needs none of its memory.
//
// Over ranks (core/rank_exchange.h) each has some of the points: it reads the vectors of these alone, and of
// PointLatents only their columns mean anything. Sums, kernel and noise are the same on all.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/column_file.h"
#include "core/executor.h"
#include "core/run_control.h"
#include "evidence/block_steps.h"
#include "evidence/hyper_steps.h"
#include "evidence/variational_evidence.h"
#include "optimise/anderson.h"
#include "wgp/column_blocks.h"

namespace wgp {

// Points that are elsewhere, with their latents: asked for what passes need to know of all of them.
class PointsElsewhere {
 public:
  virtual ~PointsElsewhere() = default;
  virtual Index count() const = 0;
  virtual BlockExtents extents() = 0;
  virtual BlockSums sums(const Lattice& lattice) = 0;
  virtual BlockSums move(const Lattice& lattice, const PassWeights& weights) = 0;
  virtual std::vector<BlockSums> sums_of_folds(const Lattice& lattice, int folds) = 0;
};

struct PointLatents {
  Matrix X, S;  // means and variances
  Vector pace;
  std::vector<char> skipped;  // points that belong to nothing: they stay, and are in no sum. Empty: none
  bool skips(Index n) const { return !skipped.empty() && skipped[static_cast<std::size_t>(n)] != 0; }
  // Instead of all these, where points may be very many: a column for each, its mean, variance, pace, and 1 if it is
  // skipped.
  std::shared_ptr<ColumnFile> file;
  static Index file_rows(Index q) { return 2 * q + 2; }
  // As they begin.
  static Matrix begun(const LatentSpace& latent, ConstMatrixRef X, ConstMatrixRef S, const std::vector<char>& skipped);
};

struct PassState {
  PointLatents points;
  Vector theta;
  double noise = 1;
  std::optional<LatticePlan> plan;
  BlockSums sums;
  double bound = 0;  // of the latents at the beginning of the last pass
  int passes = 0;
};

class NormalPasses {
 public:
  // vectors: of d outputs, or of fewer rows with the same inner products; kept by reference.
  NormalPasses(const KernelSpectrum& spectrum, const ColumnBlocks& vectors, Index d, Executor* executor,
               RunControl* control);
  // Of points that know their latents already. Kept by reference.
  NormalPasses(const KernelSpectrum& spectrum, PointsElsewhere& points, Index d);

  static constexpr Index points_at_once = 128;
  // The points of this rank: whole blocks of so many.
  static Executor::Range own_points(const Executor& executor, Index N);

  PassState begin(Matrix X, Matrix S, Vector theta, double noise, std::vector<char> skipped = {});
  // Of latents in a file, the columns of this rank (PointLatents::begun).
  PassState begin(std::shared_ptr<ColumnFile> latents, Vector theta, double noise);
  // Of points elsewhere: their latents stay there.
  PassState begin(Vector theta, double noise);
  // Throws Stopped.
  void pass(PassState& state, const HyperSteps& how);
  void replan(PassState& state);
  // After a pass that was stopped midway: sums of the latents as they are.
  void make_whole(PassState& state);
  // Every rank learns the latents of all points.
  void share_latents(PassState& state) const;
  // The sums over each fold: point n is in fold n % folds.
  std::vector<BlockSums> sums_of_folds(const PassState& state, int folds) const;
  // The bound of the state as it is.
  double bound(const PassState& state) const;
  LatticeSums lattice_sums(const PassState& state, const BlockSums& sums) const;

 private:
  // The sum over all points of what make(first, count) says of a block of them.
  template <class T, class Make, class Add>
  T over_blocks(RunControl* control, const Make& make, const Add& add) const;
  BlockSums collect(const PassState& state, RunControl* control) const;
  // Points of a block that are in the sums.
  struct Block {
    std::vector<Index> members;
    Matrix V, X, S;
    Vector pace;
    Matrix columns;  // of the file
  };
  Block block_at(const PassState& state, Index first, Index count) const;
  void put_back(PassState& state, Index first, Block& block) const;
  BlockExtents extents(const PassState& state) const;
  BlockSums move(PassState& state, const PassWeights& weights) const;

  const KernelSpectrum& spectrum_;
  const ColumnBlocks* vectors_ = nullptr;  // either these
  PointsElsewhere* elsewhere_ = nullptr;   // or these
  Index N_;
  Index d_;
  Executor here_;
  Executor* executor_;
  Executor::Range own_;  // points
  RunControl* control_;
  AndersonMixing mixing_;
  Vector used_;  // the weights that points moved by in the last pass
};

}  // namespace wgp
