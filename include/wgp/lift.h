// Lifts: how the points of a manifold become the vectors that a Gaussian process models, and back.
//
//   constant   v = Log_mu(p), p = Exp_mu(v): dim(M) coordinates in an orthonormal frame at one base point
//   moving     the same at a base point m(x) that follows the latent (wgp/basepoint.h, which is both)
//   embedded   v = e(p) - e_mean in the ambient space, where e is an isometric embedding: SPD matrices by their
//              triangle with off-diagonal entries times sqrt 2, planar shapes rotated to the mean shape, others as they
//              are stored. Predictions leave the manifold unless they are projected back.
//
// wrap(x, lift(x, p)) = p wherever the lift's report is ok. Densities: a density of v becomes one of p, per unit of
// Riemannian volume, by division by exp(log_volume) = |det dExp_m(v)|.
#pragma once

#include <memory>

#include "wgp/manifold.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

struct Lifted {
  Matrix V;  // one column per point
  LogReport report;
  Vector log_volume;  // at each point; empty unless it was asked for
  // What pull_back() needs to know of the way up; null unless it was asked for.
  class Trace {
   public:
    virtual ~Trace() = default;
  };
  std::shared_ptr<const Trace> trace;
};
enum class LiftWanted { vectors, vectors_and_volume, everything };  // everything: for pull_back()

// What a function of V, and of the volume, depends on beside the points.
struct LiftGradient {
  Matrix X, coefficients;
  Vector centre;
};

class Lift;
using LiftPtr = std::shared_ptr<const Lift>;

class Lift {
 public:
  virtual ~Lift() = default;
  virtual Index dim() const = 0;
  virtual bool moves() const { return false; }  // whether V depends on the latents
  virtual bool is_embedded() const {
    return false;
  }  // V is of the ambient space: no volume, no density on the manifold

  // Point i at latent i. Latents are not looked at where the lift does not move.
  virtual Lifted lift(ConstMatrixRef X, ConstMatrixRef P, LiftWanted wanted = LiftWanted::vectors) const = 0;
  // All points at one latent; log_volume of those within `radius` of the base point, 0 for others.
  virtual Lifted lift_at(ConstVectorRef x, ConstMatrixRef P, double radius) const = 0;
  // Columns without a point (see ExpReport) hold anything.
  virtual ExpReport wrap(ConstMatrixRef X, ConstMatrixRef V, MatrixRef P) const = 0;
  virtual Vector log_volume(ConstMatrixRef X, ConstMatrixRef V) const = 0;
  // All v of a point at a latent, by increasing length; see TangentSpace::preimages.
  virtual Preimages preimages(ConstVectorRef x, ConstVectorRef point, double radius) const = 0;
  // The differential of wrap by v at one latent, in an orthonormal frame at the point: columns are images of columns.
  virtual Matrix push_forward(ConstVectorRef x, ConstVectorRef v, ConstMatrixRef directions) const = 0;

  // Derivatives by latents, centre and coefficients of a function with these derivatives by V, minus the sum of
  // log_volume if `volume` says so. lifted: made with LiftWanted::everything. Error where nothing can move.
  enum class Volume { ignored, subtracted };
  virtual LiftGradient pull_back(ConstMatrixRef X, ConstMatrixRef P, const Lifted& lifted, ConstMatrixRef dL_dV,
                                 Volume volume) const;
  // What may move besides the centre, how rough it is (see BasisFunctions::roughness), and how far the centre may go at
  // once.
  virtual const Matrix& coefficients() const;
  virtual Matrix roughness() const { return Matrix(0, 0); }
  virtual double reach() const { return infinity; }
  // The same lift with its centre moved along these coordinates, and these coefficients, which are those at the centre
  // before: carried along in parallel. Error where nothing can move.
  virtual LiftPtr moved(ConstVectorRef step, ConstMatrixRef coefficients) const;
  // For a function of moved(step, coefficients): derivatives by step and coefficients from those at the moved lift.
  virtual void pull_back_move(ConstVectorRef step, ConstMatrixRef coefficients, const Lift& end,
                              LiftGradient& gradient) const;
};

}  // namespace WGP_PUBLIC
