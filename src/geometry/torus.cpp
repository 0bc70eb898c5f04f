// The flat torus: angles in radians, stored in (-pi, pi].
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/constants.h"
#include "core/format.h"

#include "geometry/factories.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

constexpr Index most_preimages = 10000;

// The representative in (-pi, pi]; remainder() is exact, and sends odd multiples of pi to either end.
double wrap(double angle) {
  const double wrapped = std::remainder(angle, 2 * pi);
  return wrapped <= -pi ? pi : wrapped;
}

// Half a turn up to the rounding of two angles counts as half a turn, forwards.
double wrap_tie(double angle) {
  const double wrapped = wrap(angle);
  return pi - std::abs(wrapped) <= 2e-15 ? pi : wrapped;
}

class TorusTangentSpace final : public TangentSpace {
 public:
  explicit TorusTangentSpace(ConstVectorRef p) : p_(p.unaryExpr(&wrap)) {}

  const Vector& base() const override { return p_; }
  Index dim() const override { return p_.size(); }
  double injectivity_radius() const override { return pi; }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    for (Index i = 0; i < points.cols(); ++i) {
      coords.col(i) = (points.col(i) - p_).unaryExpr(&wrap_tie);
      const double largest = coords.col(i).cwiseAbs().maxCoeff();
      report.set_margin(i, pi - largest, pi);
      if (largest == pi) report.status[static_cast<std::size_t>(i)] = LogStatus::cut_locus;
    }
    return report;
  }
  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    points = (coords.colwise() + p_).unaryExpr(&wrap);
    return {};
  }
  Matrix to_ambient(ConstMatrixRef coords) const override { return coords; }
  Matrix to_coords(ConstMatrixRef ambient) const override { return ambient; }
  Matrix transport(ConstVectorRef, ConstMatrixRef coords) const override { return coords; }
  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef) const override { return flat_jacobi_fields(dim()); }
  std::optional<Vector> curvature(ConstVectorRef, ConstVectorRef, ConstVectorRef) const override {
    return Vector(Vector::Zero(dim()));
  }

  // log + 2 pi k for every integer vector k within the radius: depth-first over the coordinates.
  Preimages preimages(ConstVectorRef q, double radius) const override {
    const Vector v = log_coords(*this, q);
    std::vector<Vector> found = {v};
    Vector current = v;
    Preimages result;
    std::function<void(Index, double)> extend = [&](Index axis, double left) {
      if (static_cast<Index>(found.size()) >= most_preimages) {
        result.complete = false;
        return;
      }
      if (axis == v.size()) {
        if (current != v) found.push_back(current);
        return;
      }
      const double reach = std::sqrt(left);
      for (double k = std::ceil((-reach - v[axis]) / (2 * pi)); v[axis] + 2 * pi * k <= reach; ++k) {
        current[axis] = v[axis] + 2 * pi * k;
        extend(axis + 1, std::max(0.0, left - current[axis] * current[axis]));
      }
    };
    extend(0, radius * radius);
    std::stable_sort(found.begin() + 1, found.end(),
                     [](const Vector& a, const Vector& b) { return a.squaredNorm() < b.squaredNorm(); });
    result.coords.resize(dim(), static_cast<Index>(found.size()));
    for (std::size_t i = 0; i < found.size(); ++i) result.coords.col(static_cast<Index>(i)) = found[i];
    result.log_abs_det = Vector::Zero(result.coords.cols());
    return result;
  }

 private:
  Vector p_;
};

// The exact Frechet mean of weighted angles. With the angles sorted, every local minimum is the average after the first
// k angles were moved up by 2 pi; of these N candidates the best is the global optimum. O(N log N).
double circle_mean(Vector angles, Vector weights) {
  const Index n = angles.size();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return angles[a] < angles[b]; });
  // f(m) = 1/2 (sum w y^2 - m^2) for the shifted angles y with average m, as the weights sum to 1.
  double first = angles.dot(weights), second = (angles.cwiseAbs2()).dot(weights);
  double best = first, best_value = second - first * first;
  for (const Index i : order) {
    first += 2 * pi * weights[i];
    second += weights[i] * 4 * pi * (angles[i] + pi);
    if (second - first * first < best_value) {
      best_value = second - first * first;
      best = first;
    }
  }
  return wrap(best);
}

class Torus final : public Manifold, public RowLayout {
 public:
  explicit Torus(Index n) : n_(n) {}

  std::string spec() const override { return fmt::format("torus:{}", n_); }
  Index dim() const override { return n_; }
  Index ambient_dim() const override { return n_; }
  double injectivity_radius() const override { return pi; }
  double mean_ball_radius() const override { return pi / 2; }
  bool is_compact() const override { return true; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    return std::make_unique<TorusTangentSpace>(p);
  }
  // Any angle is a point: 370 degrees are 10.
  std::optional<std::string> defect(ConstVectorRef, double) const override { return std::nullopt; }
  Vector project(ConstVectorRef x) const override { return x.unaryExpr(&wrap); }
  std::optional<Vector> mean_start(ConstMatrixRef points, ConstVectorRef weights) const override {
    Vector mean(n_);
    for (Index j = 0; j < n_; ++j) mean[j] = circle_mean(points.row(j).transpose().unaryExpr(&wrap), weights);
    return mean;
  }
  Vector random_point(Random& random) const override {
    Vector angles(n_);
    for (double& angle : angles) angle = pi * (2 * random.uniform() - 1);
    return angles;
  }
  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    const Vector shift = random_point(random);
    return [shift](ConstVectorRef x) { return Vector((shift - x).unaryExpr(&wrap)); };
  }
  std::vector<std::string> ambient_names() const override {
    std::vector<std::string> names;
    for (Index i = 1; i <= n_; ++i) names.push_back(fmt::format("t{}", i));
    return names;
  }

 private:
  Index n_;
};

}  // namespace

ManifoldPtr make_torus(Index n) {
  if (n < 1) throw Error(fmt::format("torus:{} does not exist: the dimension must be at least 1", n));
  return std::make_shared<Torus>(n);
}

}  // namespace wgp
