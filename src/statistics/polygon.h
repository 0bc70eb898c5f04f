// A curve made of geodesic segments, open or closed, and the projection of points on it.
#pragma once

#include <memory>
#include <vector>

#include "statistics/segment.h"

namespace wgp {

class Polygon {
 public:
  Polygon(const Manifold& manifold, Matrix nodes, CurveOptions::Topology topology);

  const Matrix& nodes() const { return nodes_; }
  CurveOptions::Topology topology() const { return topology_; }
  double length() const { return begins_[begins_.size() - 1]; }
  Vector point(double arc_length) const;

  // The nearest point of the curve for every point; tolerance on the arc length, as a share of the segment's.
  CurveProjections project(ConstMatrixRef points, double tolerance) const;

 private:
  SegmentProjection project_one(ConstVectorRef y, ConstVectorRef to_nodes, double tolerance) const;

  Matrix nodes_;
  CurveOptions::Topology topology_;
  std::vector<Segment> segments_;
  std::unique_ptr<const TangentSpace> last_;  // at the last node, which starts no segment of an open curve
  Vector begins_;                             // arc length at which each segment begins; then the whole length
};

}  // namespace wgp
