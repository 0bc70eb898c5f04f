// Landmark configurations that are mirror images of the others: digitised from the back of the picture, or of the other
// side of the body.
#pragma once

#include <vector>

#include "wgp/manifold.h"

namespace wgp {

// Coordinates of a landmark where all of a manifold is one shape of landmarks, whose mirror image is another point:
// 2 or 3; 0 of any other manifold.
Index landmark_coordinates(const Manifold& manifold);

// The mirror images of such points: the last coordinate of every landmark changes its sign.
Matrix mirrored(ConstMatrixRef points, Index coordinates);

// Whether a configuration lies clearly closer to this shape when it is reflected.
bool is_mirror_image(const Manifold& manifold, ConstVectorRef point, const Vector& shape);

struct MirrorImages {
  std::vector<Index> points;           // the minority that lies closer to the mean of all when it is reflected
  Vector distance, mirrored_distance;  // of each of these to that mean, as it is and reflected
};
// None where nothing can be said: other manifolds, shapes that are nearly their own mirror images, fewer than 3 points.
MirrorImages find_mirror_images(const Manifold& manifold, ConstMatrixRef points);

}  // namespace wgp
