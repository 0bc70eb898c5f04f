// Manifolds written in Python: see wgp.CustomManifold, which has the defaults.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "arrays.h"
#include "module.h"
#include "wgp/chart.h"
#include "wgp/manifold.h"

namespace wgp::python {
namespace {

// Central differences of order eight: about 1e-11 of the derivative for functions of size and scale one.
constexpr double step = 2e-2;
constexpr double weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};

template <class Function>
auto difference(const Function& f, double h = step) {
  auto sum = (weights[0] * (f(h) - f(-h))).eval();
  for (int k = 1; k < 4; ++k) sum += weights[k] * (f((k + 1) * h) - f(-(k + 1) * h));
  return (sum / h).eval();
}

class OwnSpace;

// Jacobi fields from exp, transport and frames alone.
std::unique_ptr<const JacobiFields> fields_by_differences(const OwnSpace& space, ConstVectorRef v);

class OwnManifold final : public Manifold, public std::enable_shared_from_this<OwnManifold> {
 public:
  explicit OwnManifold(nb::object object) : object_(std::move(object)) {
    dim_ = nb::cast<Index>(object_.attr("dim"));
    ambient_ = nb::cast<Index>(object_.attr("ambient_dim"));
    spec_ = nb::cast<std::string>(object_.attr("spec"));
    tolerance_ = nb::cast<double>(object_.attr("tolerance"));
    injectivity_radius_ = nb::cast<double>(object_.attr("injectivity_radius"));
    mean_ball_radius_ = nb::cast<double>(object_.attr("mean_ball_radius"));
    if (dim_ < 1 || ambient_ < dim_)
      throw Error(spec_ + ": dim " + std::to_string(dim_) + " and ambient_dim " + std::to_string(ambient_) +
                  "; 1 <= dim <= ambient_dim is needed");
  }
  ~OwnManifold() override {
    nb::gil_scoped_acquire acquire;
    object_.reset();
  }

  std::string spec() const override { return spec_; }
  Index dim() const override { return dim_; }
  Index ambient_dim() const override { return ambient_; }
  double default_tolerance() const override { return tolerance_; }
  double injectivity_radius() const override { return injectivity_radius_; }
  double mean_ball_radius() const override { return mean_ball_radius_; }
  bool is_symmetric() const override { return false; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override;

  std::optional<std::string> defect(ConstVectorRef x, double tolerance) const override {
    nb::gil_scoped_acquire acquire;
    const nb::object found = object_.attr("defect")(numbers_of(x), tolerance);
    if (found.is_none()) return std::nullopt;
    return nb::cast<std::string>(found);
  }
  Vector project(ConstVectorRef x) const override {
    nb::gil_scoped_acquire acquire;
    return columns_from(object_.attr("project")(numbers_of(x)), ambient_, 1, "project").col(0);
  }
  Vector random_point(Random& random) const override {
    nb::gil_scoped_acquire acquire;
    const nb::object generator = nb::module_::import_("numpy").attr("random").attr("default_rng")(random.bits() >> 1);
    return columns_from(object_.attr("random_point")(generator), ambient_, 1, "random_point").col(0);
  }

  const nb::object& object() const { return object_; }

 private:
  nb::object object_;
  Index dim_ = 0, ambient_ = 0;
  std::string spec_;
  double tolerance_ = 0, injectivity_radius_ = 0, mean_ball_radius_ = 0;
};

class OwnSpace final : public TangentSpace {
 public:
  OwnSpace(std::shared_ptr<const OwnManifold> manifold, ConstVectorRef p) : manifold_(std::move(manifold)), p_(p) {
    nb::gil_scoped_acquire acquire;
    const Index d = manifold_->dim(), D = manifold_->ambient_dim();
    frame_ = columns_from(call("frame", numbers_of(p_)), D, d, "frame");
    // Of an ambient vector the tangent part.
    coframe_ = (frame_.transpose() * frame_).ldlt().solve(frame_.transpose());
  }

  const Vector& base() const override { return p_; }
  Index dim() const override { return manifold_->dim(); }
  const std::shared_ptr<const OwnManifold>& shared_manifold() const { return manifold_; }
  double injectivity_radius() const override { return manifold_->injectivity_radius(); }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    {
      nb::gil_scoped_acquire acquire;
      coords = coframe_ * columns_from(call("log", numbers_of(p_), rows_of(points)), p_.size(), points.cols(), "log");
    }
    for (Index i = 0; i < points.cols(); ++i) {
      if (!coords.col(i).allFinite()) {
        coords.col(i).setZero();
        report.status[static_cast<std::size_t>(i)] = LogStatus::outside_domain;
      } else if (std::isfinite(injectivity_radius())) {
        report.set_margin(i, injectivity_radius() - coords.col(i).norm(), injectivity_radius());
      }
    }
    return report;
  }
  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    {
      nb::gil_scoped_acquire acquire;
      points = columns_from(call("exp", numbers_of(p_), rows_of(frame_ * coords)), p_.size(), coords.cols(), "exp");
    }
    ExpReport report;
    for (Index i = 0; i < points.cols(); ++i)
      if (!points.col(i).allFinite()) report.outside_domain.push_back(i);
    return report;
  }
  Matrix to_ambient(ConstMatrixRef coords) const override { return frame_ * coords; }
  Matrix to_coords(ConstMatrixRef ambient) const override { return coframe_ * ambient; }
  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    nb::gil_scoped_acquire acquire;
    return columns_from(call("transport", numbers_of(p_), numbers_of(frame_ * v), rows_of(frame_ * coords)), p_.size(),
                        coords.cols(), "transport");
  }
  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    return fields_by_differences(*this, v);
  }

 private:
  template <class... Arguments>
  nb::object call(const char* method, Arguments&&... arguments) const {
    return manifold_->object().attr(method)(std::forward<Arguments>(arguments)...);
  }

  std::shared_ptr<const OwnManifold> manifold_;
  Vector p_;
  Matrix frame_, coframe_;
};

std::unique_ptr<const TangentSpace> OwnManifold::at(ConstVectorRef p) const {
  return std::make_unique<OwnSpace>(shared_from_this(), p);
}

double log_abs_det(const Matrix& J) {
  return Eigen::PartialPivLU<Matrix>(J).matrixLU().diagonal().array().abs().log().sum();
}

// Differences are taken of what is asked for alone: each of them calls Python many times.
class FieldsByDifferences final : public JacobiFields {
 public:
  FieldsByDifferences(const OwnSpace& space, ConstVectorRef v)
      : manifold_(space.shared_manifold()), p_(space.base()), v_(v) {}

  Matrix dexp(ConstMatrixRef x) const override { return J0() * x; }
  Matrix dexp_adjoint(ConstMatrixRef y) const override { return J0().transpose() * y; }
  Matrix dexp_base(ConstMatrixRef x) const override { return J1() * x; }
  Matrix dexp_base_adjoint(ConstMatrixRef y) const override { return J1().transpose() * y; }
  Matrix dlog_base(ConstMatrixRef x) const override { return -inverse() * (J1() * x); }
  Matrix dlog_end(ConstMatrixRef y) const override { return inverse() * y; }
  Matrix dlog_end_adjoint(ConstMatrixRef x) const override { return inverse().transpose() * x; }
  double log_det() const override { return log_abs_det(J0()); }
  Vector log_det_gradient() const override {
    const OwnSpace space(manifold_, p_);
    Vector gradient(v_.size());
    for (Index i = 0; i < v_.size(); ++i)
      gradient[i] = difference([&](double h) {
        const FieldsByDifferences there(space, v_ + h * Vector::Unit(v_.size(), i));
        return Vector::Constant(1, log_abs_det(there.ends_by_v()) - log_abs_det(there.carried()));
      })[0];
    return gradient;
  }

 private:
  // In coordinates at the end point: where the frame at p is carried to.
  Matrix carried() const {
    const OwnSpace space(manifold_, p_);
    return end(space)->to_coords(space.transport(v_, Matrix::Identity(v_.size(), v_.size())));
  }
  // How the end point moves with v, in coordinates there.
  Matrix ends_by_v() const {
    const OwnSpace space(manifold_, p_);
    const auto at_q = end(space);
    Matrix moves(v_.size(), v_.size());
    for (Index i = 0; i < v_.size(); ++i)
      moves.col(i) =
          at_q->to_coords(difference([&](double h) { return exp_point(space, v_ + h * Vector::Unit(v_.size(), i)); }));
    return moves;
  }
  std::unique_ptr<const TangentSpace> end(const OwnSpace& space) const { return manifold_->at(exp_point(space, v_)); }

  const Matrix& J0() const {
    if (J0_.size() == 0) J0_ = Eigen::PartialPivLU<Matrix>(carried()).solve(ends_by_v());
    return J0_;
  }
  const Matrix& inverse() const {
    if (inverse_.size() == 0) inverse_ = Eigen::PartialPivLU<Matrix>(J0()).inverse();
    return inverse_;
  }
  // When p moves along x and v is carried along.
  const Matrix& J1() const {
    if (J1_.size() > 0) return J1_;
    const OwnSpace space(manifold_, p_);
    const auto at_q = end(space);
    Matrix moves(v_.size(), v_.size());
    for (Index i = 0; i < v_.size(); ++i)
      moves.col(i) = at_q->to_coords(difference([&](double h) {
        const Vector moved = h * Vector::Unit(v_.size(), i);
        const auto there = manifold_->at(exp_point(space, moved));
        return exp_point(*there, there->to_coords(space.transport(moved, v_)));
      }));
    return J1_ = Eigen::PartialPivLU<Matrix>(carried()).solve(moves);
  }

  std::shared_ptr<const OwnManifold> manifold_;
  Vector p_, v_;
  mutable Matrix J0_, J1_, inverse_;
};

std::unique_ptr<const JacobiFields> fields_by_differences(const OwnSpace& space, ConstVectorRef v) {
  return std::make_unique<FieldsByDifferences>(space, v);
}

}  // namespace

void bind_own_manifolds(nb::module_& module) {
  module.def("own_manifold", [](nb::object object) -> std::shared_ptr<const Manifold> {
    return std::make_shared<OwnManifold>(std::move(object));
  });
  // A chart with a metric tensor: metric(x) is n x n.
  module.def("chart", [](Index dim, nb::object metric, double injectivity_radius) -> std::shared_ptr<const Manifold> {
    const auto kept = std::shared_ptr<nb::object>(new nb::object(std::move(metric)), [](nb::object* object) {
      nb::gil_scoped_acquire acquire;
      delete object;
    });
    ChartOptions options;
    options.injectivity_radius = injectivity_radius;
    return chart_manifold(dim, numeric_jet([kept, dim](ConstVectorRef x) -> Matrix {
                            nb::gil_scoped_acquire acquire;
                            return columns_from((*kept)(numbers_of(x)), dim, dim, "metric").transpose();
                          }),
                          options);
  });
  module.def("product", [](std::vector<std::shared_ptr<const Manifold>> factors, std::vector<double> weights) {
    return product_manifold(std::move(factors), std::move(weights));
  });
}

}  // namespace wgp::python
