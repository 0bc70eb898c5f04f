#include "geometry/flat_chart.h"

namespace wgp {
namespace {

class FlatTangentSpace final : public TangentSpace {
 public:
  FlatTangentSpace(Vector p, std::shared_ptr<const GlobalChart> chart)
      : p_(std::move(p)), chart_(std::move(chart)), differential_(chart_->differential(p_)) {
    Matrix phi(chart_->dim(), 1);
    chart_->to_coords(p_, phi);
    phi_ = phi;
  }

  const Vector& base() const override { return p_; }
  Index dim() const override { return chart_->dim(); }
  double injectivity_radius() const override { return infinity; }

  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    for (const Index i : chart_->to_coords(points, coords))
      report.status[static_cast<std::size_t>(i)] = LogStatus::outside_domain;
    const double near = differential_->near_radius() * differential_->near_radius();
    for (Index i = 0; i < points.cols(); ++i) {
      const bool done =
          (points.col(i) - p_).squaredNorm() <= near && differential_->small_difference(points.col(i), coords.col(i));
      if (!done) coords.col(i) -= phi_;
    }
    return report;
  }

  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    return {chart_->to_points(coords, phi_, points)};
  }

  Matrix to_ambient(ConstMatrixRef coords) const override { return differential_->to_ambient(coords); }
  Matrix to_coords(ConstMatrixRef ambient) const override { return differential_->to_coords(ambient); }

  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    Matrix q(p_.size(), 1);
    chart_->to_points(v, phi_, q);
    return chart_->differential(q.col(0))->to_ambient(coords);
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef) const override { return flat_jacobi_fields(dim()); }

  std::optional<Vector> curvature(ConstVectorRef, ConstVectorRef, ConstVectorRef) const override {
    return Vector(Vector::Zero(dim()));
  }

 private:
  Vector p_, phi_;
  std::shared_ptr<const GlobalChart> chart_;
  std::unique_ptr<const ChartDifferential> differential_;
};

}  // namespace

std::unique_ptr<const TangentSpace> flat_tangent_space(Vector p, std::shared_ptr<const GlobalChart> chart) {
  return std::make_unique<FlatTangentSpace>(std::move(p), std::move(chart));
}

}  // namespace wgp
