// Points without a picture of their own: their numbers, as bars about zero or, where there are many, as a profile.
#include "core/format.h"

#include <algorithm>

#include "report/pictures/point_picture.h"
#include "report/svg/palette.h"
#include "report/svg/plot.h"

namespace wgp::report {
namespace {

constexpr Index most_bars = 32;

class BarPicture : public PointPicture {
 public:
  BarPicture(ConstMatrixRef points, std::string what) : numbers_(points.rows()), what_(std::move(what)) {
    low_ = std::min(points.minCoeff(), 0.0);
    high_ = std::max(points.maxCoeff(), 0.0);
    if (high_ - low_ < 1e-12) high_ = low_ + 1;
  }

  void draw(Svg& svg, const Box& box, ConstVectorRef point) const override {
    const Box inner{box.x + 0.06 * box.width, box.y + 0.08 * box.height, 0.88 * box.width, 0.84 * box.height};
    const auto y = [&](double value) { return inner.bottom() - inner.height * (value - low_) / (high_ - low_); };
    const double step = inner.width / static_cast<double>(numbers_);
    if (numbers_ <= most_bars) {
      for (Index k = 0; k < numbers_; ++k) {
        const double top = y(std::max(point[k], 0.0)), bottom = y(std::min(point[k], 0.0));
        const double width = std::min(0.78 * step, 16.0), middle = inner.x + (static_cast<double>(k) + 0.5) * step;
        svg.rect({middle - width / 2, top, width, std::max(bottom - top, 0.8)},
                 filled(point[k] < 0 ? accent : second_accent));
      }
    } else {
      Matrix line(2, numbers_);
      for (Index k = 0; k < numbers_; ++k) line.col(k) << inner.x + (static_cast<double>(k) + 0.5) * step, y(point[k]);
      svg.polyline(line, stroked(second_accent, 1.2));
    }
    svg.segment(inner.x, y(0), inner.right(), y(0), stroked("#5b646d", 0.8));
  }

  std::string words() const override {
    return fmt::format("The {} of a point of {} as {} about zero, from {} to {} on one scale.",
                       numbers_ == 1 ? "number" : fmt::format("{} numbers", numbers_), what_,
                       numbers_ == 1           ? "a bar"
                       : numbers_ <= most_bars ? "bars"
                                               : "a profile",
                       tick_label(low_, (high_ - low_) / 50), tick_label(high_, (high_ - low_) / 50));
  }

 private:
  Index numbers_;
  double low_, high_;
  std::string what_;
};

}  // namespace

PointPicturePtr bar_picture(ConstMatrixRef points, std::string what) {
  return std::make_unique<BarPicture>(points, std::move(what));
}

}  // namespace wgp::report
