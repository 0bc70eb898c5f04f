#include "lift/embedded_lift.h"

#include <algorithm>
#include <cmath>

#include "linalg/decompositions.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

bool starts_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }
bool is_product(const std::string& spec) { return spec.find_first_of(",^*(") != std::string::npos; }

enum class Embedding { as_stored, triangle, aligned };
Embedding embedding_of(const Manifold& manifold) {
  const std::string spec = manifold.spec();
  if (is_product(spec)) return Embedding::as_stored;
  if (starts_with(spec, "spd:")) return Embedding::triangle;
  for (const char* quotient : {"kendall:", "kendall3d:", "grassmann:"})
    if (starts_with(spec, quotient)) return Embedding::aligned;
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

// The representative of w that comes nearest to z.
Vector aligned_to(const Manifold& manifold, ConstVectorRef z, ConstVectorRef w) { return manifold.aligned(w, z, w); }

Vector clipped(ConstVectorRef stored, double clip) {
  const Matrix S = square(stored);
  const Spectrum spectrum = symmetric_spectrum((S + S.transpose()) / 2);
  const double largest = std::max(spectrum.values.maxCoeff(), 1e-300);
  const Vector raised = spectrum.values.cwiseMax(clip * largest);
  const Matrix result = spectrum.vectors * raised.asDiagonal() * spectrum.vectors.transpose();
  return ((result + result.transpose()) / 2).reshaped();
}

class Embedded final : public Lift {
 public:
  Embedded(ManifoldPtr manifold, ConstVectorRef base, Predictions predictions, double clip)
      : manifold_(std::move(manifold)),
        base_(base),
        predictions_(predictions),
        clip_(clip),
        kind_(embedding_of(*manifold_)) {
    if (is_unaligned_base(*manifold_, base_)) kind_ = Embedding::as_stored;
    const Index shape = kind_ == Embedding::aligned ? manifold_->ambient_dim() : 0;
    shape_ = base_.head(shape);
    mean_ = base_.tail(base_.size() - shape);
  }

  Index dim() const override { return mean_.size(); }
  bool is_embedded() const override { return true; }
  Lifted lift(ConstMatrixRef, ConstMatrixRef P, LiftWanted wanted) const override {
    Lifted lifted{Matrix(dim(), P.cols()), LogReport(P.cols()), {}, nullptr};
    for (Index i = 0; i < P.cols(); ++i) lifted.V.col(i) = embed(P.col(i)) - mean_;
    if (wanted != LiftWanted::vectors) lifted.log_volume = Vector::Zero(P.cols());
    return lifted;
  }
  Lifted lift_at(ConstVectorRef, ConstMatrixRef P, double) const override {
    return lift(Matrix(), P, LiftWanted::vectors_and_volume);
  }
  ExpReport wrap(ConstMatrixRef, ConstMatrixRef V, MatrixRef P) const override {
    ExpReport report;
    for (Index i = 0; i < V.cols(); ++i) {
      const Vector e = V.col(i) + mean_;
      const Vector point = kind_ == Embedding::triangle ? from_triangle(e) : e;
      P.col(i) = predictions_ == Predictions::projected && point.allFinite() ? projected(point) : point;
      if (!P.col(i).allFinite()) report.outside_domain.push_back(i);
    }
    return report;
  }
  Vector log_volume(ConstMatrixRef, ConstMatrixRef V) const override { return Vector::Zero(V.cols()); }
  Preimages preimages(ConstVectorRef, ConstVectorRef point, double) const override {
    return {embed(point) - mean_, Vector::Zero(1), true, true};
  }
  // Distances in the embedding, before any projection.
  Matrix push_forward(ConstVectorRef, ConstVectorRef, ConstMatrixRef directions) const override { return directions; }

 private:
  Vector embed(ConstVectorRef p) const {
    if (kind_ == Embedding::triangle) return triangle(p);
    if (kind_ == Embedding::aligned) return aligned_to(*manifold_, shape_, p);
    return p;
  }
  // The nearest point of the manifold; for SPD with eigenvalues that are not below the clip.
  Vector projected(const Vector& point) const {
    if (kind_ == Embedding::triangle) return clipped(point, clip_);
    try {
      const Vector p = manifold_->project(point);
      return kind_ == Embedding::aligned ? aligned_to(*manifold_, shape_, p) : p;
    } catch (const Error&) {
      // No nearest point (the origin of a sphere, coincident landmarks): that of the mean, which has one almost surely.
      return manifold_->project(kind_ == Embedding::triangle ? from_triangle(mean_) : mean_);
    }
  }

  ManifoldPtr manifold_;
  Vector base_, shape_, mean_;
  Predictions predictions_;
  double clip_;
  Embedding kind_;
};

}  // namespace

LiftPtr embedded_lift(ManifoldPtr manifold, ConstVectorRef base, Predictions predictions, double clip) {
  return std::make_shared<const Embedded>(std::move(manifold), base, predictions, clip);
}

Vector embedded_base(const Manifold& manifold, ConstMatrixRef points) {
  const Embedding kind = embedding_of(manifold);
  if (kind == Embedding::aligned) {
    const Vector shape = frechet_mean(manifold, points).mean;
    Vector mean = Vector::Zero(shape.size());
    for (Index i = 0; i < points.cols(); ++i) mean += aligned_to(manifold, shape, points.col(i));
    Vector base(2 * shape.size());
    base << shape, mean / static_cast<double>(points.cols());
    return base;
  }
  if (kind == Embedding::as_stored) return points.rowwise().mean();
  Vector mean = triangle(points.col(0));
  for (Index i = 1; i < points.cols(); ++i) mean += triangle(points.col(i));
  return mean / static_cast<double>(points.cols());
}

bool is_unaligned_base(const Manifold& manifold, ConstVectorRef base) {
  return embedding_of(manifold) == Embedding::aligned && !starts_with(manifold.spec(), "kendall:") &&
         base.size() == manifold.ambient_dim();
}

Vector euclidean_distances(const Manifold& manifold, ConstMatrixRef a, ConstMatrixRef b) {
  Vector distances(a.cols());
  for (Index i = 0; i < a.cols(); ++i) distances[i] = (a.col(i) - aligned_to(manifold, a.col(i), b.col(i))).norm();
  return distances;
}

}  // namespace wgp
