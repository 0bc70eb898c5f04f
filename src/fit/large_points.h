// All points of a fit in passes (fit/large_fit.h), wherever they are, and what the fit asks of them: sums, and some of
// the points. Their vectors and latents stay with them.
#pragma once

#include <memory>

#include "core/column_file.h"
#include "core/rank_columns.h"
#include "evidence/grid_engine.h"
#include "evidence/normal_passes.h"
#include "fit/latent_optimum.h"
#include "fit/problem.h"
#include "wgp/column_blocks.h"

namespace wgp {

// Of logarithms at the base point.
struct LiftCounts {
  Index cut = 0, near = 0, failed = 0;
  static LiftCounts of(const LogReport& report);
  void each_part(auto&& visitor) { visitor(cut, near, failed); }
  void add(const LiftCounts& other);
};

// A base point, and what vectors at it are divided by.
struct VectorUnits {
  Vector base;
  double scale = 1;
  void each_part(auto&& visitor) { visitor(base, scale); }
};

class LargePoints {
 public:
  virtual ~LargePoints() = default;
  virtual Index count() const = 0;
  // From here on, until the fit ends.
  virtual void attach(FitSession& session) = 0;

  virtual Matrix points(const std::vector<Index>& members) const = 0;
  virtual void check() = 0;  // Error for the first that is none
  virtual Vector sum_of_logarithms(const Vector& base) = 0;
  // Makes the vectors that all of what follows is about.
  virtual LiftCounts lift(const VectorUnits& units) = 0;
  // For gathered() alone.
  virtual const ColumnBlocks& vectors() const = 0;

  virtual std::unique_ptr<NormalPasses> passes(const KernelSpectrum& spectrum, Index d) = 0;
  // Latents that a grid's process gives; where some points belong to nothing, these are left out of everything.
  virtual PassState begin_on_grid(NormalPasses& passes, GridEngine& engine, const GridState& found) = 0;
  // Those of the nearest of these vectors.
  struct Known {
    Matrix vectors, X, S;
    Vector theta;
    double noise = 1;
    void each_part(auto&& visitor) { visitor(vectors, X, S, theta, noise); }
  };
  virtual PassState begin_at_nearest(NormalPasses& passes, const Known& known) = 0;
  virtual std::vector<Index> skipped(const PassState& state) = 0;
  struct Latents {
    Matrix X, S;  // means and variances
  };
  virtual Latents latents(const PassState& state, const std::vector<Index>& members) = 0;
};

// More likely to come from anywhere than from what a part has learned.
std::vector<char> belong_to_nothing(ConstVectorRef log_evidence, ConstMatrixRef vectors, double share);

// In this process, or spread over ranks of which each reads its own.
class PointsHere final : public LargePoints {
 public:
  // points: kept by reference.
  PointsHere(ManifoldPtr manifold, const ColumnBlocks& points) : manifold_(std::move(manifold)), points_(points) {}
  Index count() const override { return points_.count(); }
  void attach(FitSession& session) override;
  Matrix points(const std::vector<Index>& members) const override { return points_.gathered(members); }
  void check() override;
  Vector sum_of_logarithms(const Vector& base) override;
  LiftCounts lift(const VectorUnits& units) override;
  const ColumnBlocks& vectors() const override { return *of_ranks_; }
  std::unique_ptr<NormalPasses> passes(const KernelSpectrum& spectrum, Index d) override;
  PassState begin_on_grid(NormalPasses& passes, GridEngine& engine, const GridState& found) override;
  PassState begin_at_nearest(NormalPasses& passes, const Known& known) override;
  std::vector<Index> skipped(const PassState& state) override;
  Latents latents(const PassState& state, const std::vector<Index>& members) override;

 private:
  template <class T, class Make, class Add>
  T over_blocks(const Make& make, const Add& add);
  // What every rank makes for itself, where it may fail on one (a full disk): all of them end then.
  template <class T, class Make>
  std::shared_ptr<T> made_by_each(const Make& make) const;
  template <class Make>
  std::shared_ptr<ColumnFile> begun(const Make& make) const;

  const ManifoldPtr manifold_;
  const ColumnBlocks& points_;
  FitSession* session_ = nullptr;
  Executor::Range own_{0, 0};            // the points of this rank
  std::shared_ptr<ColumnFile> vectors_;  // of these
  std::unique_ptr<RankColumns> of_ranks_;
};

}  // namespace wgp
