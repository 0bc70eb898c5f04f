// Base point functions: m(x) = Exp_mu(xi(x)), the point whose tangent space a latent x is modelled in.
//
// xi(x) = C phi(x) is a map into the tangent space at mu: coefficients C (d x K) times K functions of the latents.
// Along m the frame is that of mu, carried along the radial geodesics t -> Exp_mu(t xi(x)): smooth, and the same
// wherever x comes from, so a closed curve has no seam.
//
//   constant   K = 0, m(x) = mu: the paper's choice with mu the Frechet mean
//   linear     phi = the latents (an angle t: cos t, sin t): a geodesic, or a geodesic submanifold
//   spline     phi = cubic B-splines, periodic in angles: a curve or surface of any form
// and any other phi that a program supplies.
//
// lift:  v = coordinates of Log_m(x)(p) in that frame.    wrap: its inverse, p = Exp_m(x)(v).
// pull_back: from dL/dv to the derivatives by x, C and mu. When mu moves, frame and C are carried along in parallel.
// With b = dL/dv, F Lambda F' the curvature operator along the geodesic in question, S, C, H as in wgp/jacobi.h:
//   w = -(C/S)(Lambda_v) b,   t = R(v, b) xi
//   dL/dxi = S(Lambda_xi) w - H(Lambda_xi) t,    dL/dmu = C(Lambda_xi) w - S(Lambda_xi) t
// t is the turn of the frame against the parallel one. It needs a symmetric space, unless m is constant.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wgp/latent.h"
#include "wgp/lift.h"
#include "wgp/manifold.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

class BasisFunctions {
 public:
  virtual ~BasisFunctions() = default;
  virtual std::string spec() const = 0;  // parse_basis(spec()) rebuilds it
  virtual Index latent_dim() const = 0;
  virtual Index count() const = 0;
  virtual Matrix values(ConstMatrixRef X) const = 0;  // count x N
  virtual Matrix slopes(ConstVectorRef x) const = 0;  // count x q: d phi_k / d x_j
  // From derivatives by the values (count x N) to those by the latents (q x N); the default is by slopes().
  virtual Matrix pull_back(ConstMatrixRef X, ConstMatrixRef by_values) const;
  // D with |D phi-coefficients|^2 a measure of roughness: coefficients c of one coordinate are penalised by |D c|^2.
  virtual Matrix roughness() const { return Matrix(0, count()); }
};
using BasisPtr = std::shared_ptr<const BasisFunctions>;

BasisPtr linear_basis(const LatentSpace& latent);

// Cubic B-splines of equal pieces over [low, high], straight beyond; over an angle: over the circle.
struct SplineAxis {
  bool is_angle = false;
  double low = 0, high = 1;
  Index pieces = 8;
};
BasisPtr spline_basis(std::vector<SplineAxis> axes);  // products over the axes

// "linear angle line", "spline angle/8 line[-2,3]/6". Throws Error.
BasisPtr parse_basis(const std::string& spec);

class Basepoint final : public Lift {
 public:
  // basis: null for a constant. coefficients: d x basis->count(), in the frame at the centre.
  Basepoint(ManifoldPtr manifold, ConstVectorRef centre, BasisPtr basis = nullptr, Matrix coefficients = {});

  const Manifold& manifold() const { return *manifold_; }
  const TangentSpace& space() const { return *space_; }  // at the centre
  const Vector& centre() const { return space_->base(); }
  const BasisPtr& basis() const { return basis_; }
  Matrix points(ConstMatrixRef X) const;  // m(x), one column each

  Index dim() const override { return space_->dim(); }
  bool moves() const override { return basis_ != nullptr; }
  const Matrix& coefficients() const override { return coefficients_; }
  Matrix roughness() const override { return basis_ ? basis_->roughness() : Matrix(0, 0); }
  double reach() const override { return space_->injectivity_radius(); }
  Lifted lift(ConstMatrixRef X, ConstMatrixRef P, LiftWanted wanted = LiftWanted::vectors) const override;
  Lifted lift_at(ConstVectorRef x, ConstMatrixRef P, double radius) const override;
  ExpReport wrap(ConstMatrixRef X, ConstMatrixRef V, MatrixRef P) const override;
  Vector log_volume(ConstMatrixRef X, ConstMatrixRef V) const override;
  Preimages preimages(ConstVectorRef x, ConstVectorRef point, double radius) const override;
  Matrix push_forward(ConstVectorRef x, ConstVectorRef v, ConstMatrixRef directions) const override;
  // Throws Error where m moves on a manifold that is not a symmetric space.
  LiftGradient pull_back(ConstMatrixRef X, ConstMatrixRef P, const Lifted& lifted, ConstMatrixRef dL_dV,
                         Volume volume) const override;
  LiftPtr moved(ConstVectorRef step, ConstMatrixRef coefficients) const override;
  void pull_back_move(ConstVectorRef step, ConstMatrixRef coefficients, const Lift& end,
                      LiftGradient& gradient) const override;

 private:
  class Frame;  // T_m(x)M in the frame that was carried there from the centre
  struct Frames;
  Frame frame_at(ConstVectorRef xi) const;
  Lifted lift_from_centre(ConstMatrixRef P, LiftWanted wanted) const;
  LiftGradient pull_back_to_centre(ConstMatrixRef P, const Lifted& lifted, ConstMatrixRef dL_dV, Volume volume) const;
  // Of the sum of log|det dExp_mu| at the points, by mu: where curvature is not parallel.
  Vector volume_slope(ConstMatrixRef P) const;
  Matrix displacements(ConstMatrixRef X) const { return coefficients_ * basis_->values(X); }

  ManifoldPtr manifold_;
  std::shared_ptr<const TangentSpace> space_;
  BasisPtr basis_;
  Matrix coefficients_;
};

// Why base points cannot move on this manifold; empty where they can.
std::string why_base_points_stay(const Manifold& manifold);

}  // namespace WGP_PUBLIC
