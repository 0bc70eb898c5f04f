// Manifolds that have room on paper: the plane, space seen from one side, the hyperbolic plane, two angles.
#pragma once

#include <memory>
#include <string>

#include "wgp/manifold.h"

namespace wgp::report {

class FlatLayout {
 public:
  virtual ~FlatLayout() = default;
  virtual Matrix flat(ConstMatrixRef points) const = 0;  // 2 x n
  // Of all points within a distance of one: a circle in each of these layouts.
  struct Disc {
    Eigen::Vector2d centre;
    double radius;
  };
  virtual Disc disc(ConstVectorRef point, double radius) const { return {flat(point).col(0), radius}; }
  virtual double longest_step() const { return infinity; }  // lines are cut where they go round an edge
  virtual std::string x_label() const = 0;
  virtual std::string y_label() const = 0;
  virtual std::string words() const = 0;
  virtual std::string onto() const { return "the plane"; }
};

// Nothing where the manifold has none. Space is seen along the direction in which the points spread least.
std::unique_ptr<const FlatLayout> flat_layout(const Manifold& manifold, ConstMatrixRef points);

}  // namespace wgp::report
