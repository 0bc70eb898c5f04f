// R^n: everything is a difference.
#include "core/format.h"

#include "geometry/factories.h"
#include "linalg/householder.h"
#include "wgp/exact_points.h"

namespace wgp {
namespace {

class EuclideanTangentSpace final : public TangentSpace {
 public:
  explicit EuclideanTangentSpace(ConstVectorRef p) : p_(p) {}

  const Vector& base() const override { return p_; }
  Index dim() const override { return p_.size(); }
  double injectivity_radius() const override { return infinity; }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    coords = points.colwise() - p_;
    return LogReport(points.cols());
  }
  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    points = coords.colwise() + p_;
    return {};
  }
  Matrix to_ambient(ConstMatrixRef coords) const override { return coords; }
  Matrix to_coords(ConstMatrixRef ambient) const override { return ambient; }
  Matrix transport(ConstVectorRef, ConstMatrixRef coords) const override { return coords; }
  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef) const override { return flat_jacobi_fields(dim()); }
  std::optional<Vector> curvature(ConstVectorRef, ConstVectorRef, ConstVectorRef) const override {
    return Vector(Vector::Zero(dim()));
  }

 private:
  Vector p_;
};

class Euclidean final : public Manifold, public ExactPoints {
 public:
  explicit Euclidean(Index n) : n_(n) {}

  std::string spec() const override { return fmt::format("euclidean:{}", n_); }
  Index dim() const override { return n_; }
  Index ambient_dim() const override { return n_; }
  double injectivity_radius() const override { return infinity; }
  double mean_ball_radius() const override { return infinity; }
  bool is_flat() const override { return true; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    return std::make_unique<EuclideanTangentSpace>(p);
  }
  std::optional<std::string> defect(ConstVectorRef, double) const override { return std::nullopt; }
  Vector project(ConstVectorRef x) const override { return x; }
  Index leading_exact(ConstMatrixRef X) const override {
    Index i = 0;
    while (i < X.cols() && X.col(i).allFinite()) ++i;
    return i;
  }
  Vector random_point(Random& random) const override { return random.normals(n_); }
  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    const Matrix Q = random_orthogonal(random, n_);
    const Vector shift = random.normals(n_);
    return [Q, shift](ConstVectorRef x) { return Vector(Q * x + shift); };
  }

 private:
  Index n_;
};

}  // namespace

ManifoldPtr make_euclidean(Index n) {
  if (n < 1) throw Error(fmt::format("euclidean:{} does not exist: the dimension must be at least 1", n));
  return std::make_shared<Euclidean>(n);
}

}  // namespace wgp
