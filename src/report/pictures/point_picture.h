// A point in its manifold's own picture, in a small box: an outline, an ellipse, a matrix, a frame, bars.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/svg/svg.h"
#include "wgp/manifold.h"

namespace wgp::report {

class PointPicture {
 public:
  virtual ~PointPicture() = default;
  virtual void draw(Svg& svg, const Box& box, ConstVectorRef point) const = 0;
  virtual std::string words() const = 0;      // a sentence for the caption: what is drawn, and how to read it
  virtual double cell() const { return 84; }  // the least side of a box, in pixels
};
using PointPicturePtr = std::unique_ptr<PointPicture>;

// The picture for this manifold; its scale is such that all the given points fit. channels: names of the rows and
// columns of matrices, or none.
PointPicturePtr picture_of(const Manifold& manifold, ConstMatrixRef points,
                           const std::vector<std::string>& channels = {});

PointPicturePtr outline_picture(ConstMatrixRef points);           // kendall: x1 y1 x2 y2 ...
PointPicturePtr landmark_picture(ConstMatrixRef points);          // kendall3d: x1 y1 z1 ...
PointPicturePtr ellipse_picture(Index n, ConstMatrixRef points);  // spd:2 and spd:3
PointPicturePtr matrix_picture(Index n, ConstMatrixRef points,
                               const std::vector<std::string>& channels);  // spd:n and correlation:n
PointPicturePtr frame_picture();                                           // so:3
PointPicturePtr globe_picture();                                           // sphere:2
PointPicturePtr bar_picture(ConstMatrixRef points, std::string what);      // plain numbers

}  // namespace wgp::report
