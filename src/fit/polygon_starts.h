// Starts of one latent coordinate from short tours through cluster centres: where a curve through the data may run.
#pragma once

#include "fit/salesman_tour.h"
#include "wgp/random.h"

namespace wgp {

// k-means: columns of V about `count` centres, begun far apart (k-means++).
Matrix cluster_centres(ConstMatrixRef V, Index count, Random& random);

struct PolygonStart {
  Vector x;             // of each point: an angle, or from -1.73 to 1.73
  double residual = 0;  // mean squared distance of a point from the polygon
};
// The points on the polygon through the centres in the order of a short way.
PolygonStart polygon_start(ConstMatrixRef V, ConstMatrixRef centres, Way way, Random& random);

}  // namespace wgp
