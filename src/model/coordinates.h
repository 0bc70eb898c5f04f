// How the points of a manifold become the vectors that a Gaussian process models, and back.
//
//   wrapped     v = Log_mu(p), p = Exp_mu(v): dim(M) coordinates in an orthonormal frame
//   embedded    v = e(p) - e_mean in the ambient space, where e is an isometric embedding: SPD matrices by their
//               triangle with off-diagonal entries times sqrt 2, planar shapes rotated to the mean shape, others as
//               they are stored. Predictions leave the manifold unless they are projected back.
#pragma once

#include "wgp/model.h"

namespace wgp {

class Coordinates {
 public:
  virtual ~Coordinates() = default;
  virtual Index dim() const = 0;
  virtual Matrix to_coords(ConstMatrixRef points) const = 0;
  virtual Matrix to_points(ConstMatrixRef coords) const = 0;
  // log|det dExp| at each column, for densities on the manifold; zero for embedded coordinates.
  virtual Vector log_volume(ConstMatrixRef coords) const = 0;
  virtual const Vector& base() const = 0;
};

std::unique_ptr<const Coordinates> wrapped_coordinates(ManifoldPtr manifold, ConstVectorRef base);
// base: as embedded_base() made it. clip: eigenvalues of a projected SPD matrix are at least this share of the largest.
std::unique_ptr<const Coordinates> embedded_coordinates(ManifoldPtr manifold, ConstVectorRef base, bool project,
                                                        double clip);
// What the embedded coordinates need of the training points: the shape to align to, and the mean of the embedding.
Vector embedded_base(const Manifold& manifold, ConstMatrixRef points);

// Distances in the embedding between columns: Frobenius, chord, or aligned landmarks.
Vector euclidean_distances(const Manifold& manifold, ConstMatrixRef a, ConstMatrixRef b);

}  // namespace wgp
