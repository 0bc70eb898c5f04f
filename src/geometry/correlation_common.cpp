#include "geometry/correlation_common.h"

#include <cmath>

#include "core/format.h"

#include "geometry/spd_common.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

class StrictLowerForm final : public RowForm {
 public:
  explicit StrictLowerForm(Index n) : RowForm("strict lower triangle", n * (n - 1) / 2), n_(n) {}

  Vector to_point(ConstVectorRef row) const override {
    return as_column(symmetric_hollow(row, n_) + Matrix::Identity(n_, n_));
  }
  Vector from_point(ConstVectorRef point) const override { return strict_lower(as_matrix(point, n_)); }
  Vector to_tangent(ConstVectorRef, ConstVectorRef row) const override { return as_column(symmetric_hollow(row, n_)); }
  Vector from_tangent(ConstVectorRef, ConstVectorRef ambient) const override { return from_point(ambient); }

 private:
  Index n_;
};

}  // namespace

Vector strict_lower(ConstMatrixRef matrix) {
  const Index n = matrix.rows();
  Vector result(n * (n - 1) / 2);
  for (Index i = 1, e = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j, ++e) result[e] = matrix(i, j);
  return result;
}

Matrix symmetric_hollow(ConstVectorRef strict_lower, Index n) {
  Matrix result = Matrix::Zero(n, n);
  for (Index i = 1, e = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j, ++e) result(i, j) = result(j, i) = strict_lower[e];
  return result;
}

Matrix hollow_part(ConstMatrixRef matrix) {
  Matrix result = (matrix + matrix.transpose()) / 2;
  result.diagonal().setZero();
  return result;
}

Matrix correlations(ConstMatrixRef covariance) {
  const Vector scale = covariance.diagonal().cwiseSqrt().cwiseInverse();
  Matrix C = covariance.cwiseProduct(scale * scale.transpose());
  C.diagonal().setOnes();
  return C;
}

CorrelationManifold::CorrelationManifold(Index n, std::string metric, std::shared_ptr<const GlobalChart> chart)
    : n_(n), metric_(std::move(metric)), chart_(std::move(chart)) {
  if (n < 2)
    throw Error(fmt::format("correlation:{}{} does not exist: the matrix size must be at least 2", n, metric_));
}

std::string CorrelationManifold::spec() const { return fmt::format("correlation:{}{}", n_, metric_); }

std::unique_ptr<const TangentSpace> CorrelationManifold::at(ConstVectorRef p) const {
  return flat_tangent_space(project(p), chart_);
}

std::optional<std::string> CorrelationManifold::defect(ConstVectorRef x, double tolerance) const {
  const auto C = as_matrix(x, n_);
  for (Index i = 0; i < n_; ++i)
    if (!(std::abs(C(i, i) - 1) <= tolerance))
      return fmt::format("diagonal entry ({0},{0}) is {1:.9g}, not 1", i + 1, C(i, i));
  return spd_defect(C, tolerance);
}

Vector CorrelationManifold::project(ConstVectorRef x) const {
  return as_column(correlations(nearest_spd(as_matrix(x, n_))));
}

Vector CorrelationManifold::random_point(Random& random) const {
  return project(as_column(outer_square(random.normals(n_, n_ + 2))));
}

RowForms CorrelationManifold::row_forms() const {
  return {std::make_shared<RowForm>("matrix", n_ * n_), std::make_shared<StrictLowerForm>(n_)};
}

std::vector<std::string> CorrelationManifold::ambient_names() const { return matrix_entry_names("c", n_); }

}  // namespace wgp
