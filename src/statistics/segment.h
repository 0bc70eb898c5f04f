// A geodesic segment, and the nearest point on it.
#pragma once

#include <memory>

#include "wgp/statistics.h"

namespace wgp {

class Segment {
 public:
  Segment(const Manifold& manifold, ConstVectorRef a, ConstVectorRef b);

  double length() const { return length_; }
  const TangentSpace& start() const { return *start_; }
  Vector point(double arc_length) const;

  // Newton on phi(s) = 1/2 d(gamma(s), y)^2, kept inside [low, high] by bisection, from s:
  //   phi' = -<Log_gamma(s) y, gamma'>,   phi'' = <gamma', Hess gamma'>
  // until the step is below `tolerance`.
  SegmentProjection project(ConstVectorRef y, double s, double low, double high, double tolerance) const;

 private:
  struct Slope {
    double distance, first, second;
  };
  Slope slope_at(ConstVectorRef y, double s) const;

  const Manifold& manifold_;
  std::unique_ptr<const TangentSpace> start_;
  Vector unit_;  // gamma'(0), coordinates at a
  double length_;
};

}  // namespace wgp
