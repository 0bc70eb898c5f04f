#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "wgp/basepoint.h"

namespace wgp {
namespace {

class LinearBasis final : public BasisFunctions {
 public:
  explicit LinearBasis(const LatentSpace& latent) : latent_(latent) {}
  std::string spec() const override {
    std::string result = "linear";
    for (Index j = 0; j < latent_.dim(); ++j) result += latent_.is_angle(j) ? " angle" : " line";
    return result;
  }
  Index latent_dim() const override { return latent_.dim(); }
  Index count() const override { return latent_.feature_count(); }
  Matrix values(ConstMatrixRef X) const override { return latent_.features(X); }
  Matrix slopes(ConstVectorRef x) const override {
    Matrix result = Matrix::Zero(count(), latent_.dim());
    for (Index k = 0; k < count(); ++k) {
      Matrix one = Matrix::Zero(count(), 1), dx = Matrix::Zero(latent_.dim(), 1);
      one(k, 0) = 1;
      latent_.pull_back(x, one, dx);
      result.row(k) = dx.transpose();
    }
    return result;
  }
  Matrix pull_back(ConstMatrixRef X, ConstMatrixRef by_values) const override {
    Matrix result = Matrix::Zero(latent_.dim(), X.cols());
    latent_.pull_back(X, by_values, result);
    return result;
  }

 private:
  LatentSpace latent_;
};

// The four cubic pieces that are not zero at u in [0, 1] of an interval, and their derivatives by u.
struct CubicPieces {
  double value[4], slope[4];
  explicit CubicPieces(double u) {
    const double w = 1 - u;
    value[0] = w * w * w / 6;
    value[1] = (3 * u * u * u - 6 * u * u + 4) / 6;
    value[2] = (3 * w * w * w - 6 * w * w + 4) / 6;
    value[3] = u * u * u / 6;
    slope[0] = -w * w / 2;
    slope[1] = (3 * u * u - 4 * u) / 2;
    slope[2] = -(3 * w * w - 4 * w) / 2;
    slope[3] = u * u / 2;
  }
};

class Axis {
 public:
  explicit Axis(const SplineAxis& form) : form_(form) {
    if (form_.is_angle) {
      form_.low = -std::numbers::pi;
      form_.high = std::numbers::pi;
    }
    if (form_.pieces < (form_.is_angle ? 4 : 1) || !(form_.high > form_.low))
      throw Error(
          fmt::format("a spline over [{}, {}] in {} pieces is impossible", form_.low, form_.high, form_.pieces));
  }
  const SplineAxis& form() const { return form_; }
  Index count() const { return form_.is_angle ? form_.pieces : form_.pieces + 3; }

  // The four functions that are not zero at x; those of a loop come around.
  struct Pieces {
    Index which[4];
    double value[4], slope[4];
  };
  Pieces at(double x) const {
    const double width = (form_.high - form_.low) / static_cast<double>(form_.pieces);
    if (form_.is_angle) x -= 2 * std::numbers::pi * std::floor((x - form_.low) / (2 * std::numbers::pi));
    const double inside = std::min(std::max(x, form_.low), form_.high);
    const double place = (inside - form_.low) / width;
    const Index first = std::min(static_cast<Index>(place), form_.pieces - 1);
    const CubicPieces cubic(place - static_cast<double>(first));
    Pieces pieces;
    for (Index k = 0; k < 4; ++k) {
      pieces.which[k] = form_.is_angle ? (first + k) % form_.pieces : first + k;
      pieces.value[k] = cubic.value[k] + (x - inside) / width * cubic.slope[k];
      pieces.slope[k] = cubic.slope[k] / width;
    }
    return pieces;
  }
  // Differences of neighbouring coefficients: second ones along a line, whose ends higher orders would leave loose;
  // third ones around a loop, which has no ends and cannot but bend.
  Matrix differences() const {
    Matrix D = Matrix::Identity(count(), count());
    for (int order = form_.is_angle ? 3 : 2; order > 0; --order) {
      const Index n = D.rows(), kept = form_.is_angle ? n : n - 1;
      Matrix next(kept, D.cols());
      for (Index i = 0; i < kept; ++i) next.row(i) = D.row((i + 1) % n) - D.row(i);
      D = std::move(next);
    }
    return D;
  }

 private:
  SplineAxis form_;
};

class SplineBasis final : public BasisFunctions {
 public:
  explicit SplineBasis(const std::vector<SplineAxis>& axes) {
    if (axes.empty()) throw Error("a spline needs at least one axis");
    for (const SplineAxis& axis : axes) axes_.emplace_back(axis);
    for (const Axis& axis : axes_) count_ *= axis.count();
    if (count_ > 4096) throw Error(fmt::format("a spline with {} coefficients is too large", count_));
  }
  std::string spec() const override {
    std::string result = "spline";
    for (const Axis& axis : axes_) {
      const SplineAxis& form = axis.form();
      if (form.is_angle)
        result += fmt::format(" angle/{}", form.pieces);
      else
        result += fmt::format(" line[{:.17g},{:.17g}]/{}", form.low, form.high, form.pieces);
    }
    return result;
  }
  Index latent_dim() const override { return static_cast<Index>(axes_.size()); }
  Index count() const override { return count_; }
  Matrix values(ConstMatrixRef X) const override {
    Matrix result = Matrix::Zero(count_, X.cols());
    Visit visit(axes_);
    for (Index i = 0; i < X.cols(); ++i) visit(X.col(i), [&](Index k, const Visit& at) { result(k, i) = at.value(); });
    return result;
  }
  Matrix slopes(ConstVectorRef x) const override {
    Matrix result = Matrix::Zero(count_, latent_dim());
    Visit visit(axes_);
    visit(x, [&](Index k, const Visit& at) {
      for (Index j = 0; j < latent_dim(); ++j) result(k, j) = at.slope(j);
    });
    return result;
  }
  Matrix pull_back(ConstMatrixRef X, ConstMatrixRef by_values) const override {
    Matrix result = Matrix::Zero(latent_dim(), X.cols());
    Visit visit(axes_);
    for (Index i = 0; i < X.cols(); ++i)
      visit(X.col(i), [&](Index k, const Visit& at) {
        for (Index j = 0; j < latent_dim(); ++j) result(j, i) += by_values(k, i) * at.slope(j);
      });
    return result;
  }
  Matrix roughness() const override {
    std::vector<Matrix> blocks;
    Index rows = 0;
    for (std::size_t j = 0; j < axes_.size(); ++j) {
      Matrix D = Matrix::Ones(1, 1);
      for (std::size_t i = 0; i < axes_.size(); ++i)
        D = kronecker(i == j ? axes_[i].differences() : Matrix(Matrix::Identity(axes_[i].count(), axes_[i].count())),
                      D);
      rows += D.rows();
      blocks.push_back(std::move(D));
    }
    Matrix all(rows, count_);
    Index next = 0;
    for (const Matrix& block : blocks) {
      all.middleRows(next, block.rows()) = block;
      next += block.rows();
    }
    return all;
  }

 private:
  static Matrix kronecker(const Matrix& a, const Matrix& b) {
    Matrix result(a.rows() * b.rows(), a.cols() * b.cols());
    for (Index i = 0; i < a.rows(); ++i)
      for (Index j = 0; j < a.cols(); ++j) result.block(i * b.rows(), j * b.cols(), b.rows(), b.cols()) = a(i, j) * b;
    return result;
  }
  // The products over the axes that are not zero at a place, the first axis running fastest.
  class Visit {
   public:
    explicit Visit(const std::vector<Axis>& axes) : axes_(axes), pieces_(axes.size()), digits_(axes.size()) {}
    template <class F>
    void operator()(ConstVectorRef x, const F& each) {
      for (std::size_t j = 0; j < axes_.size(); ++j) pieces_[j] = axes_[j].at(x[static_cast<Index>(j)]);
      std::fill(digits_.begin(), digits_.end(), 0);
      do {
        Index k = 0, stride = 1;
        for (std::size_t j = 0; j < axes_.size(); ++j) {
          k += stride * pieces_[j].which[digits_[j]];
          stride *= axes_[j].count();
        }
        each(k, *this);
      } while (next());
    }
    double value() const { return product(axes_.size()); }
    double slope(Index axis) const { return product(static_cast<std::size_t>(axis)); }

   private:
    double product(std::size_t derived) const {
      double result = 1;
      for (std::size_t j = 0; j < axes_.size(); ++j)
        result *= (j == derived ? pieces_[j].slope : pieces_[j].value)[digits_[j]];
      return result;
    }
    bool next() {
      for (Index& digit : digits_) {
        if (++digit < 4) return true;
        digit = 0;
      }
      return false;
    }
    const std::vector<Axis>& axes_;
    std::vector<Axis::Pieces> pieces_;
    std::vector<Index> digits_;  // which of the four pieces of each axis
  };

  std::vector<Axis> axes_;
  Index count_ = 1;
};

}  // namespace

Matrix BasisFunctions::pull_back(ConstMatrixRef X, ConstMatrixRef by_values) const {
  Matrix result(latent_dim(), X.cols());
  for (Index i = 0; i < X.cols(); ++i) result.col(i) = slopes(X.col(i)).transpose() * by_values.col(i);
  return result;
}

BasisPtr linear_basis(const LatentSpace& latent) { return std::make_shared<LinearBasis>(latent); }
BasisPtr spline_basis(std::vector<SplineAxis> axes) { return std::make_shared<SplineBasis>(axes); }

BasisPtr parse_basis(const std::string& spec) {
  std::istringstream words(spec);
  std::string kind, word;
  words >> kind;
  std::vector<SplineAxis> axes;
  Index angles = 0, lines = 0;
  bool good = kind == "linear" || kind == "spline";
  while (good && words >> word) {
    SplineAxis axis;
    long pieces = 0;
    char rest = 0;
    if (kind == "linear") {
      good = word == "line" || (word == "angle" && lines == 0);
    } else if (std::sscanf(word.c_str(), "angle/%ld%c", &pieces, &rest) == 1) {
      axis.is_angle = true;
    } else {
      good = std::sscanf(word.c_str(), "line[%lf,%lf]/%ld%c", &axis.low, &axis.high, &pieces, &rest) == 3;
    }
    good = good && pieces >= 0 && pieces <= 4096 && std::isfinite(axis.low) && std::isfinite(axis.high);
    axis.pieces = pieces;
    (word.starts_with("angle") ? angles : lines) += 1;
    axes.push_back(axis);
  }
  if (!good || axes.empty())
    throw Error(
        fmt::format("'{}' is not a set of base point functions; expected e.g. 'linear line' or 'spline angle/8 "
                    "line[-2,3]/6'",
                    spec));
  return kind == "linear" ? linear_basis(LatentSpace(angles, lines)) : spline_basis(axes);
}

}  // namespace wgp
