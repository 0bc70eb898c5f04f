// Larger covariances and correlations: the correlations as squares whose area is their size, above the eigenvalues.
#include <algorithm>
#include <cmath>

#include "core/format.h"
#include "linalg/decompositions.h"
#include "linalg/row_major.h"
#include "report/pictures/point_picture.h"
#include "report/svg/palette.h"

namespace wgp::report {
namespace {

constexpr Index most_variables = 32;  // beyond it a square has less than two pixels: eigenvalues alone
constexpr double floor_share = 1e-12;

Vector log_eigenvalues(ConstVectorRef point, Index n) {
  const Matrix A = as_matrix(point, n, n);
  const Vector values = symmetric_eigenvalues((A + A.transpose()) / 2).reverse();
  return values.cwiseMax(floor_share * std::max(values.cwiseAbs().maxCoeff(), 1e-300)).array().log10();
}

class MatrixPicture : public PointPicture {
 public:
  MatrixPicture(Index n, ConstMatrixRef points, const std::vector<std::string>& channels) : n_(n), channels_(channels) {
    for (const std::string& name : channels_) name_width_ = std::max(name_width_, text_width(name, name_size));
    for (Index i = 0; i < points.cols(); ++i) {
      const Vector logs = log_eigenvalues(points.col(i), n);
      low_ = std::min(low_, logs.minCoeff());
      high_ = std::max(high_, logs.maxCoeff());
    }
  }

  void draw(Svg& svg, const Box& box, ConstVectorRef point) const override {
    const bool squares = n_ <= most_variables;
    const double bars = squares ? 0.24 * box.height : 0.9 * box.height;
    if (squares) correlations(svg, {box.x, box.y, box.width, box.height - bars - 4}, point);
    const Vector logs = log_eigenvalues(point, n_);
    const double step = box.width * 0.9 / static_cast<double>(n_), left = box.x + 0.05 * box.width;
    // The least bar of all keeps a tenth of the height, so that none vanishes.
    const double span = std::max(high_ - low_, 1e-9);
    for (Index k = 0; k < n_; ++k) {
      const double height = bars * (0.1 + 0.85 * (logs[k] - low_) / span);
      svg.rect({left + step * static_cast<double>(k) + 0.1 * step, box.bottom() - 2 - height, 0.8 * step, height},
               filled("#5b646d"));
    }
  }

  std::string words() const override {
    return std::string(n_ <= most_variables
                           ? "Correlation matrices: the area of a square is the size of the correlation, filled blue "
                             "where it is positive and hollow orange where it is negative. Below"
                           : "The spectra of the matrices") +
           (n_ <= most_variables ? " each, the eigenvalues on one logarithmic scale."
                                 : ": eigenvalues on one logarithmic scale.") +
           channel_words();
  }
  double cell() const override { return 112; }

 private:
  static constexpr double name_size = 7;
  static constexpr std::size_t most_names = 40;  // in a caption

  std::string channel_words() const {
    if (channels_.empty() || n_ > most_variables) return "";
    const auto shown = static_cast<std::ptrdiff_t>(std::min(channels_.size(), most_names));
    return fmt::format(" Rows and columns are the channels {}{}, in this order.",
                       fmt::join(channels_.begin(), channels_.begin() + shown, ", "),
                       channels_.size() > most_names ? ", ..." : "");
  }

  void correlations(Svg& svg, const Box& whole, ConstVectorRef point) const {
    const auto A = as_matrix(point, n_, n_);
    // Names stand before the rows where they can be read, and leave most of the room to the squares.
    const bool named = !channels_.empty() && name_width_ <= 0.3 * whole.width &&
                       std::min(whole.width - name_width_ - 2, whole.height) >= name_size * static_cast<double>(n_);
    Box box = whole;
    if (named) {
      box.x += name_width_ + 2;
      box.width -= name_width_ + 2;
    }
    const double side = std::min(box.width, box.height), cell = side / static_cast<double>(n_);
    const double left = box.x + (box.width - side) / 2, top = box.y + (box.height - side) / 2;
    for (Index i = 0; i < n_ && named; ++i)
      svg.text(left - 2, top + (static_cast<double>(i) + 0.5) * cell + 0.35 * name_size,
               channels_[static_cast<std::size_t>(i)], {.size = name_size, .anchor = Anchor::end, .colour = "#5b646d"});
    svg.rect({left, top, side, side}, {.fill = "#f6f7f8", .stroke = "#c3c9cf", .width = 0.6});
    std::vector<Box> above, below;
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j) {
        const double size = std::sqrt(std::abs(A(i, i) * A(j, j)));
        const double correlation = size > 0 ? std::clamp(A(i, j) / size, -1.0, 1.0) : 0;
        const double edge = 0.92 * cell * std::sqrt(std::abs(correlation));
        if (edge < 0.4) continue;
        (correlation > 0 ? above : below)
            .push_back({left + (static_cast<double>(j) + 0.5) * cell - edge / 2,
                        top + (static_cast<double>(i) + 0.5) * cell - edge / 2, edge, edge});
      }
    svg.rects(above, filled(second_accent));
    svg.rects(below, {.fill = "#fff", .stroke = accent, .width = 0.9});
  }

  Index n_;
  std::vector<std::string> channels_;
  double name_width_ = 0;
  double low_ = infinity, high_ = -infinity;
};

}  // namespace

PointPicturePtr matrix_picture(Index n, ConstMatrixRef points, const std::vector<std::string>& channels) {
  return std::make_unique<MatrixPicture>(n, points, channels);
}

}  // namespace wgp::report
