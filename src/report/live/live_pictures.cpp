// Flat pictures of a look: outlines with what they might be, matrices beside their difference from the mean, places on
// a map; and for all others the picture that reports draw, with its draws behind it.
#include <algorithm>
#include <cmath>

#include "core/format.h"
#include "linalg/decompositions.h"
#include "linalg/row_major.h"
#include "report/live/live_view.h"
#include "report/pictures/flat_layout.h"
#include "report/pictures/point_picture.h"
#include "report/svg/palette.h"
#include "report/svg/plot.h"

namespace wgp::report {
namespace {

constexpr double side = 420;
constexpr const char* draw_colour = "#7fa8c9";
constexpr const char* mean_colour = "#8a939c";

class LiveOutline : public LivePicture {
 public:
  explicit LiveOutline(const LivePictureScale& scale) : mean_(scale.mean), landmarks_(scale.mean.size() / 2) {
    reach_ = std::max(scale.points.cwiseAbs().maxCoeff(), 1e-12);
  }

  Svg draw(const Look& look, ConstVectorRef other) const override {
    Svg svg("look", side, side, "The outline that the model predicts");
    svg.polygon(placed(mean_), stroked(mean_colour, 1.2, "5 4"));
    svg.begin_group(0.45);
    for (Index i = 0; i < look.draws.cols(); ++i) svg.polygon(placed(look.draws.col(i)), stroked(draw_colour, 1));
    svg.end_group();
    const Matrix corners = placed(look.point), from = placed(mean_);
    svg.polygon(corners, stroked("#134a72", 2.2));
    if (other.size() > 0) svg.polygon(placed(other), stroked(accent, 1.8));
    if (landmarks_ <= few_landmarks)
      for (Index k = 0; k < landmarks_; ++k) {
        if ((corners.col(k) - from.col(k)).norm() > 3)
          svg.segment(from(0, k), from(1, k), corners(0, k), corners(1, k), stroked("#5b646d", 1.1));
        svg.circle(corners(0, k), corners(1, k), k == 0 ? 4 : 2.6, filled(ink));
      }
    return svg;
  }
  std::string words() const override {
    return fmt::format(
        "The outline through {} landmarks that the model predicts here (dark), shapes that might be met here (pale), "
        "and the mean shape (dashed){}.",
        landmarks_, landmarks_ <= few_landmarks ? "; thin lines show where each landmark has gone from there" : "");
  }

 private:
  static constexpr Index few_landmarks = 60;
  Matrix placed(ConstVectorRef point) const {
    const double scale = 0.46 * side / reach_;
    Matrix corners(2, landmarks_);
    for (Index k = 0; k < landmarks_; ++k)
      corners.col(k) << side / 2 + scale * point[2 * k], side / 2 - scale * point[2 * k + 1];
    return corners;
  }
  Vector mean_;
  Index landmarks_;
  double reach_;
};

// White for nothing, blue above, orange below.
std::string signed_colour(double share) {
  const double t = std::clamp(std::abs(share), 0.0, 1.0);
  const auto mix = [&](int to) { return static_cast<int>(std::lround(255 + t * (to - 255))); };
  return share >= 0 ? fmt::format("#{:02x}{:02x}{:02x}", mix(0), mix(90), mix(160))
                    : fmt::format("#{:02x}{:02x}{:02x}", mix(200), mix(80), mix(0));
}

class LiveMatrix : public LivePicture {
 public:
  LiveMatrix(Index n, const LivePictureScale& scale) : n_(n), channels_(scale.channels) {
    const auto M = as_matrix(scale.mean, n, n);
    mean_ = M;
    sds_ = M.diagonal().cwiseMax(1e-300).cwiseSqrt();
    for (Index i = 0; i < scale.points.cols(); ++i) {
      largest_correlation_ = std::max(largest_correlation_, off_diagonal(scale.points.col(i)));
      const Vector logs = log_spectrum(scale.points.col(i));
      low_ = std::min(low_, logs.minCoeff());
      high_ = std::max(high_, logs.maxCoeff());
    }
  }

  Svg draw(const Look& look, ConstVectorRef other) const override {
    const bool cells = n_ <= most_variables;
    Svg svg("look", 2 * panel + gap + name_room(), cells ? panel + 150 : 150, "The matrix that the model predicts");
    const double left = name_room();
    if (cells) {
      heat(svg, left, "correlations", correlation(look.point), largest_correlation_);
      const Matrix apart = other.size() > 0 ? difference(look.point) - difference(other) : difference(look.point);
      const double largest = apart.cwiseAbs().maxCoeff();
      heat(svg, left + panel + gap,
           fmt::format("difference from the {}, up to \u00b1{:.2g}", other.size() > 0 ? "chosen point" : "mean",
                       largest),
           apart, largest);
    }
    spectrum(svg, left, cells ? panel + 52 : 20, look);
    return svg;
  }
  std::string words() const override {
    return fmt::format(
        "Left: correlations, from -{0:.2g} (orange) to {0:.2g} (blue). Right: how the matrix differs from the mean, in "
        "units of the mean's standard deviations, on a scale of its own at every place. Below: eigenvalues on a "
        "logarithmic scale; pale lines are draws.",
        largest_correlation_);
  }

 private:
  static constexpr Index most_variables = 48;
  static constexpr double panel = 300, gap = 26;
  double name_room() const { return channels_.empty() || n_ > most_names ? 6 : 52; }
  static constexpr Index most_names = 32;

  Matrix difference(ConstVectorRef point) const {
    return sds_.cwiseInverse().asDiagonal() * (as_matrix(point, n_, n_) - mean_) * sds_.cwiseInverse().asDiagonal();
  }
  Matrix correlation(ConstVectorRef point) const {
    const Matrix A = as_matrix(point, n_, n_);
    const Vector inverse = A.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    return inverse.asDiagonal() * A * inverse.asDiagonal();
  }
  double off_diagonal(ConstVectorRef point) const {
    Matrix C = correlation(point);
    C.diagonal().setZero();
    return C.cwiseAbs().maxCoeff();
  }
  Vector log_spectrum(ConstVectorRef point) const {
    const Matrix A = as_matrix(point, n_, n_);
    const Vector values = symmetric_eigenvalues((A + A.transpose()) / 2).reverse();
    return values.cwiseMax(1e-12 * std::max(values.cwiseAbs().maxCoeff(), 1e-300)).array().log10();
  }

  void heat(Svg& svg, double left, const std::string& title, const Matrix& A, double largest) const {
    constexpr double top = 24;
    const double cell = panel / static_cast<double>(n_);
    svg.text(left + panel / 2, 15, title, {.size = 13, .anchor = Anchor::middle});
    svg.begin_crisp_group();
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j)
        svg.rect({left + static_cast<double>(j) * cell, top + static_cast<double>(i) * cell, cell, cell},
                 filled(signed_colour(A(i, j) / std::max(largest, 1e-300))));
    svg.end_group();
    svg.rect({left, top, panel, panel}, stroked("#c3c9cf", 0.8));
    if (!channels_.empty() && n_ <= most_names && left < panel)
      for (Index i = 0; i < n_; ++i)
        svg.text(left - 3, top + (static_cast<double>(i) + 0.5) * cell + 3,
                 std::string(channels_[static_cast<std::size_t>(i)]).substr(0, 8),
                 {.size = std::min(10.0, cell), .anchor = Anchor::end, .colour = "#5b646d"});
  }

  void spectrum(Svg& svg, double left, double top, const Look& look) const {
    constexpr double height = 84;
    const double width = 2 * panel + gap, step = width / static_cast<double>(n_);
    const double span = std::max(high_ - low_, 1e-9);
    const auto y = [&](double log) { return top + height * (1 - std::clamp((log - low_) / span, 0.0, 1.0) * 0.92); };
    svg.text(left, top - 6, "eigenvalues", {.size = 12});
    const Vector logs = log_spectrum(look.point);
    for (Index k = 0; k < n_; ++k) {
      const double x = left + static_cast<double>(k) * step;
      svg.rect({x + 0.15 * step, y(logs[k]), 0.7 * step, top + height - y(logs[k])}, filled("#5b646d"));
    }
    for (Index i = 0; i < std::min<Index>(look.draws.cols(), 12); ++i) {
      const Vector drawn = log_spectrum(look.draws.col(i));
      for (Index k = 0; k < n_; ++k) {
        const double x = left + static_cast<double>(k) * step;
        svg.segment(x + 0.15 * step, y(drawn[k]), x + 0.85 * step, y(drawn[k]), stroked(draw_colour, 1.2));
      }
    }
    svg.segment(left, top + height, left + width, top + height, stroked("#9aa5b1", 0.8));
  }

  Index n_;
  std::vector<std::string> channels_;
  Matrix mean_;
  Vector sds_;
  double largest_correlation_ = 1e-300, low_ = infinity, high_ = -infinity;
};

// The plane, the hyperbolic plane, the torus: all points on a map, and where the prediction is.
class LiveMap : public LivePicture {
 public:
  LiveMap(std::unique_ptr<const FlatLayout> layout, const Model& model, const LivePictureScale& scale)
      : layout_(std::move(layout)),
        svg_("look", side + 60, side + 52, "The predicted point on a map"),
        box_{54, 8, side, side} {
    const Matrix& points = model.parts().has_points() ? model.parts().P : scale.points;
    const Matrix flat = layout_->flat(points);
    const Eigen::Vector2d low = flat.rowwise().minCoeff(), high = flat.rowwise().maxCoeff();
    const Eigen::Vector2d middle = (low + high) / 2;
    half_ = std::max(0.56 * (high - low).maxCoeff(), 1e-9 + 1e-9 * middle.norm());
    x_ = {middle.x() - half_, middle.x() + half_};
    y_ = {middle.y() - half_, middle.y() + half_};
    const Plot plot(svg_, box_, {x_, layout_->x_label()}, {y_, layout_->y_label()});
    plot.grid();
    const Index every = std::max<Index>(1, flat.cols() / 2000);
    svg_.begin_clip(box_);
    for (Index i = 0; i < flat.cols(); i += every)
      svg_.circle(x_of(flat(0, i)), y_of(flat(1, i)), flat.cols() > 500 ? 1.8 : 2.6, filled("#9fb7cb"));
    svg_.end_clip();
    plot.frame();
  }

  Svg draw(const Look& look, ConstVectorRef other) const override {
    Svg svg = svg_;
    svg.begin_clip(box_);
    const FlatLayout::Disc disc = layout_->disc(look.point, look.radius);
    svg.circle(x_of(disc.centre.x()), y_of(disc.centre.y()), disc.radius * side / (2 * half_),
               {.fill = "#f5d3b6", .opacity = 0.55});
    const Matrix draws = look.draws.cols() > 0 ? layout_->flat(look.draws) : Matrix(2, 0);
    for (Index i = 0; i < draws.cols(); ++i) svg.circle(x_of(draws(0, i)), y_of(draws(1, i)), 2.2, filled("#134a72"));
    const Matrix at = layout_->flat(look.point);
    svg.circle(x_of(at(0, 0)), y_of(at(1, 0)), 5.5, {.fill = accent, .stroke = "#ffffff", .width = 1.5});
    if (other.size() > 0) {
      const Matrix there = layout_->flat(other);
      svg.marker(Marker::diamond, x_of(there(0, 0)), y_of(there(1, 0)), 6, {.fill = ink, .stroke = "#ffffff"});
    }
    svg.end_clip();
    return svg;
  }
  std::string words() const override {
    return layout_->words() +
           " The orange dot is the prediction here, the disc holds 95 % of new points, dark dots are draws, pale dots "
           "the training points.";
  }

 private:
  double x_of(double value) const { return box_.x + side * (value - x_.low) / (2 * half_); }
  double y_of(double value) const { return box_.bottom() - side * (value - y_.low) / (2 * half_); }
  std::unique_ptr<const FlatLayout> layout_;
  Svg svg_;
  Box box_;
  Range x_, y_;
  double half_ = 1;
};

// Numbers with error bars.
class LiveNumbers : public LivePicture {
 public:
  explicit LiveNumbers(const LivePictureScale& scale) : mean_(scale.mean) {
    low_ = std::min(scale.points.minCoeff(), 0.0);
    high_ = std::max(scale.points.maxCoeff(), 0.0);
    const double margin = std::max(0.08 * (high_ - low_), 1e-9);
    low_ -= margin;
    high_ += margin;
  }
  Svg draw(const Look& look, ConstVectorRef other) const override {
    Svg svg("look", 560, 380, "The numbers that the model predicts");
    const Index n = look.point.size();
    const Box box{60, 12, 484, 320};
    Axis places{{0.5, static_cast<double>(n) + 0.5}, "coordinate"};
    const Plot plot(svg, box, places, {{low_, high_}, "value"});
    plot.grid();
    const bool bars = n <= 40;
    Matrix line(2, n), above(2, n), below(2, n), mean(2, n);
    for (Index k = 0; k < n; ++k) {
      const double x = plot.x(static_cast<double>(k + 1)), value = look.point[k];
      double sd = 0;
      if (look.draws.cols() > 0) sd = std::sqrt((look.draws.row(k).array() - value).square().mean());
      line.col(k) << x, plot.y(value);
      above.col(k) << x, plot.y(value + 2 * sd);
      below.col(k) << x, plot.y(value - 2 * sd);
      mean.col(k) << x, plot.y(mean_[k]);
    }
    if (n > 1) svg.polyline(mean, stroked(mean_colour, 1.1, "5 4"));
    if (bars) {
      const double width = std::min(0.7 * box.width / static_cast<double>(n), 22.0);
      for (Index k = 0; k < n; ++k) {
        const double zero = plot.y(0), y = line(1, k);
        svg.rect({line(0, k) - width / 2, std::min(zero, y), width, std::max(std::abs(zero - y), 0.8)},
                 filled("#7fa8c9"));
        svg.segment(line(0, k), above(1, k), line(0, k), below(1, k), stroked(ink, 1.4));
      }
    } else {
      Matrix band(2, 2 * n);
      band.leftCols(n) = above;
      band.rightCols(n) = below.rowwise().reverse();
      svg.polygon(band, filled("#d6e4ef"));
      svg.polyline(line, stroked("#134a72", 1.6));
    }
    if (other.size() == n)
      for (Index k = 0; k < n; ++k)
        svg.circle(plot.x(static_cast<double>(k + 1)), plot.y(other[k]), bars ? 3.2 : 1.6, filled(accent));
    plot.frame();
    return svg;
  }
  std::string words() const override {
    return "The numbers of the predicted point, with two standard deviations of what might be met here; dashed: the "
           "mean.";
  }

 private:
  Vector mean_;
  double low_, high_;
};

// Any other: as in reports, what might be met faintly behind it.
class LivePlain : public LivePicture {
 public:
  LivePlain(const Manifold& manifold, const LivePictureScale& scale)
      : picture_(picture_of(manifold, scale.points, scale.channels)), mean_(scale.mean) {}
  Svg draw(const Look& look, ConstVectorRef other) const override {
    const bool two = other.size() > 0;
    const double main = two ? 300 : side;
    Svg svg("look", two ? 2 * main + 20 : main, main + (two ? 24 : 0), "The point that the model predicts");
    const Box box{4, two ? 24.0 : 4, main - 8, main - 8};
    svg.begin_group(0.12);
    for (Index i = 0; i < std::min<Index>(look.draws.cols(), 8); ++i) picture_->draw(svg, box, look.draws.col(i));
    svg.end_group();
    picture_->draw(svg, box, look.point);
    if (two) {
      svg.text(main / 2, 15, "prediction", {.anchor = Anchor::middle});
      svg.text(1.5 * main + 20, 15, "chosen point", {.anchor = Anchor::middle});
      picture_->draw(svg, {main + 24, 24, main - 8, main - 8}, other);
    }
    return svg;
  }
  std::string words() const override { return picture_->words() + " Faint: what might be met here."; }

 private:
  PointPicturePtr picture_;
  Vector mean_;
};

}  // namespace

std::unique_ptr<const LivePicture> live_picture(const Model& model, const LivePictureScale& scale) {
  const Manifold& manifold = model.manifold();
  const std::string spec = manifold.spec();
  const bool one = spec.find_first_of(",^*") == std::string::npos;
  const Index ambient = manifold.ambient_dim();
  if (auto layout = flat_layout(manifold, scale.points); layout && spec != "euclidean:3")
    return std::make_unique<LiveMap>(std::move(layout), model, scale);
  if (one && spec.starts_with("kendall:")) return std::make_unique<LiveOutline>(scale);
  const auto n = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(ambient))));
  if (one && n > 3 && n * n == ambient && (spec.starts_with("spd:") || spec.starts_with("correlation:")))
    return std::make_unique<LiveMatrix>(n, scale);
  if (one && (spec.starts_with("euclidean:") || spec.starts_with("sphere:") || spec.starts_with("hyperbolic:") ||
              spec.starts_with("torus:")))
    return std::make_unique<LiveNumbers>(scale);
  return std::make_unique<LivePlain>(manifold, scale);
}

}  // namespace wgp::report
