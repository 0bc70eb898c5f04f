// Manifolds that are flat because an isometry phi maps them onto R^d: log-Euclidean and log-Cholesky SPD matrices, and
// both metrics on correlation matrices. With frame coordinates = increments of phi,
//   Log_p q = phi(q) - phi(p),   Exp_p v = phi^-1(phi(p) + v),   transport = the same numbers,   J0 = J1 = I.
// Only the chart itself and its differential, for ambient tangent vectors, differ from one to the next.
#pragma once

#include <memory>

#include "linalg/small_symmetric.h"
#include "wgp/manifold.h"

namespace wgp {

// The differential of phi at one point.
class ChartDifferential {
 public:
  virtual ~ChartDifferential() = default;
  virtual Matrix to_coords(ConstMatrixRef ambient) const = 0;  // D phi; drops what is not tangent
  virtual Matrix to_ambient(ConstMatrixRef coords) const = 0;
  // phi(q) - phi(p) to full relative accuracy, where q is so near p that the plain difference would lose digits; false,
  // with nothing written, elsewhere, and certainly where the ambient |q - p| exceeds near_radius().
  virtual double near_radius() const = 0;
  virtual bool small_difference(ConstVectorRef q, VectorRef difference) const = 0;
};

class GlobalChart {
 public:
  virtual ~GlobalChart() = default;
  virtual Index dim() const = 0;
  virtual FailedColumns to_coords(ConstMatrixRef points, MatrixRef coords) const = 0;                         // phi
  virtual FailedColumns to_points(ConstMatrixRef coords, ConstVectorRef offset, MatrixRef points) const = 0;  // phi^-1
  virtual std::unique_ptr<const ChartDifferential> differential(ConstVectorRef p) const = 0;
};

// p normalised by the manifold's project().
std::unique_ptr<const TangentSpace> flat_tangent_space(Vector p, std::shared_ptr<const GlobalChart> chart);

}  // namespace wgp
