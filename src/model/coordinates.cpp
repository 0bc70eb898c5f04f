#include "model/coordinates.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "linalg/decompositions.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

class Wrapped final : public Coordinates {
 public:
  Wrapped(ManifoldPtr manifold, ConstVectorRef base) : manifold_(std::move(manifold)), space_(manifold_->at(base)) {}

  Index dim() const override { return space_->dim(); }
  const Vector& base() const override { return space_->base(); }
  Matrix to_coords(ConstMatrixRef points) const override {
    Matrix coords(dim(), points.cols());
    space_->log(points, coords);
    return coords;
  }
  Matrix to_points(ConstMatrixRef coords) const override {
    Matrix points(manifold_->ambient_dim(), coords.cols());
    space_->exp(coords, points);
    return points;
  }
  Vector log_volume(ConstMatrixRef coords) const override {
    Vector h(coords.cols());
    for (Index i = 0; i < coords.cols(); ++i) h[i] = space_->jacobi(coords.col(i))->log_det();
    return h;
  }

 private:
  ManifoldPtr manifold_;
  std::unique_ptr<const TangentSpace> space_;
};

bool starts_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }
bool is_product(const std::string& spec) { return spec.find_first_of(",^*(") != std::string::npos; }

enum class Embedding { as_stored, triangle, aligned };
Embedding embedding_of(const Manifold& manifold) {
  const std::string spec = manifold.spec();
  if (is_product(spec)) return Embedding::as_stored;
  if (starts_with(spec, "spd:")) return Embedding::triangle;
  if (starts_with(spec, "kendall:")) return Embedding::aligned;
  return Embedding::as_stored;
}

Matrix square(ConstVectorRef stored) {
  const Index n = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(stored.size()))));
  return stored.reshaped(n, n);
}

Vector triangle(ConstVectorRef stored) {
  const Matrix S = square(stored);
  Vector entries(S.rows() * (S.rows() + 1) / 2);
  Index k = 0;
  for (Index i = 0; i < S.rows(); ++i)
    for (Index j = 0; j <= i; ++j) entries[k++] = i == j ? S(i, i) : (S(i, j) + S(j, i)) / std::sqrt(2.0);
  return entries;
}
Vector from_triangle(ConstVectorRef entries) {
  const Index n = static_cast<Index>((std::sqrt(8.0 * static_cast<double>(entries.size()) + 1) - 1) / 2 + 0.5);
  Matrix S(n, n);
  Index k = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      S(i, j) = S(j, i) = i == j ? entries[k] : entries[k] / std::sqrt(2.0);
      ++k;
    }
  return S.reshaped();
}

// The rotation of w that comes nearest to the shape z.
Vector aligned_to(ConstVectorRef z, ConstVectorRef w) {
  std::complex<double> c = 0;
  for (Index j = 0; j < z.size(); j += 2) c += std::conj(std::complex(w[j], w[j + 1])) * std::complex(z[j], z[j + 1]);
  if (std::abs(c) > 0) c /= std::abs(c);
  Vector turned(w.size());
  for (Index j = 0; j < z.size(); j += 2) {
    const auto entry = c * std::complex(w[j], w[j + 1]);
    turned[j] = entry.real();
    turned[j + 1] = entry.imag();
  }
  return turned;
}

Vector clipped(ConstVectorRef stored, double clip) {
  const Matrix S = square(stored);
  const Spectrum spectrum = symmetric_spectrum((S + S.transpose()) / 2);
  const double largest = std::max(spectrum.values.maxCoeff(), 1e-300);
  const Vector raised = spectrum.values.cwiseMax(clip * largest);
  const Matrix result = spectrum.vectors * raised.asDiagonal() * spectrum.vectors.transpose();
  return ((result + result.transpose()) / 2).reshaped();
}

class Embedded final : public Coordinates {
 public:
  Embedded(ManifoldPtr manifold, ConstVectorRef base, bool project, double clip)
      : manifold_(std::move(manifold)), base_(base), project_(project), clip_(clip), kind_(embedding_of(*manifold_)) {
    const Index shape = kind_ == Embedding::aligned ? manifold_->ambient_dim() : 0;
    shape_ = base_.head(shape);
    mean_ = base_.tail(base_.size() - shape);
  }

  Index dim() const override { return mean_.size(); }
  const Vector& base() const override { return base_; }
  Matrix to_coords(ConstMatrixRef points) const override {
    Matrix coords(dim(), points.cols());
    for (Index i = 0; i < points.cols(); ++i) coords.col(i) = embed(points.col(i)) - mean_;
    return coords;
  }
  Matrix to_points(ConstMatrixRef coords) const override {
    Matrix points(manifold_->ambient_dim(), coords.cols());
    for (Index i = 0; i < coords.cols(); ++i) {
      const Vector e = coords.col(i) + mean_;
      const Vector point = kind_ == Embedding::triangle ? from_triangle(e) : e;
      points.col(i) = project_ ? projected(point) : point;
    }
    return points;
  }
  Vector log_volume(ConstMatrixRef coords) const override { return Vector::Zero(coords.cols()); }

 private:
  Vector embed(ConstVectorRef p) const {
    if (kind_ == Embedding::triangle) return triangle(p);
    if (kind_ == Embedding::aligned) return aligned_to(shape_, p);
    return p;
  }
  // The nearest point of the manifold; for SPD with eigenvalues that are not below the clip.
  Vector projected(const Vector& point) const {
    if (kind_ == Embedding::triangle) return clipped(point, clip_);
    try {
      const Vector p = manifold_->project(point);
      return kind_ == Embedding::aligned ? aligned_to(shape_, p) : p;
    } catch (const Error&) {
      // No nearest point (the origin of a sphere, coincident landmarks): that of the mean, which has one almost surely.
      return manifold_->project(kind_ == Embedding::triangle ? from_triangle(mean_) : mean_);
    }
  }

  ManifoldPtr manifold_;
  Vector base_, shape_, mean_;
  bool project_;
  double clip_;
  Embedding kind_;
};

}  // namespace

std::unique_ptr<const Coordinates> wrapped_coordinates(ManifoldPtr manifold, ConstVectorRef base) {
  return std::make_unique<Wrapped>(std::move(manifold), base);
}
std::unique_ptr<const Coordinates> embedded_coordinates(ManifoldPtr manifold, ConstVectorRef base, bool project,
                                                        double clip) {
  return std::make_unique<Embedded>(std::move(manifold), base, project, clip);
}

Vector embedded_base(const Manifold& manifold, ConstMatrixRef points) {
  const Embedding kind = embedding_of(manifold);
  if (kind == Embedding::aligned) {
    const Vector shape = frechet_mean(manifold, points).mean;
    Vector mean = Vector::Zero(shape.size());
    for (Index i = 0; i < points.cols(); ++i) mean += aligned_to(shape, points.col(i));
    Vector base(2 * shape.size());
    base << shape, mean / static_cast<double>(points.cols());
    return base;
  }
  if (kind == Embedding::as_stored) return points.rowwise().mean();
  Vector mean = triangle(points.col(0));
  for (Index i = 1; i < points.cols(); ++i) mean += triangle(points.col(i));
  return mean / static_cast<double>(points.cols());
}

Vector euclidean_distances(const Manifold& manifold, ConstMatrixRef a, ConstMatrixRef b) {
  if (embedding_of(manifold) != Embedding::aligned) return (a - b).colwise().norm();
  Vector distances(a.cols());
  for (Index i = 0; i < a.cols(); ++i) distances[i] = (a.col(i) - aligned_to(a.col(i), b.col(i))).norm();
  return distances;
}

}  // namespace wgp
