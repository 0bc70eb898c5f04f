// What both metrics on Corr(n), the positive definite n x n matrices with unit diagonal, share.
//
// A point is a column of n * n numbers, the matrix row by row; tangent vectors are symmetric with zero diagonal.
#pragma once

#include "geometry/flat_chart.h"
#include "wgp/manifold.h"
#include "wgp/row_form.h"

namespace wgp {

// The strict lower triangle, row by row, as a column; and the symmetric matrix with this triangle and a zero diagonal.
Vector strict_lower(ConstMatrixRef matrix);
Matrix symmetric_hollow(ConstVectorRef strict_lower, Index n);
// The tangent part of an ambient vector: symmetric part, zero diagonal.
Matrix hollow_part(ConstMatrixRef matrix);

// The correlations c_ij / sqrt(c_ii c_jj) of a covariance matrix, symmetric to the last bit.
Matrix correlations(ConstMatrixRef covariance);

class CorrelationManifold : public Manifold, public RowLayout {
 public:
  // metric: what follows "correlation:n" in the spec.
  CorrelationManifold(Index n, std::string metric, std::shared_ptr<const GlobalChart> chart);

  std::string spec() const final;
  Index dim() const final { return n_ * (n_ - 1) / 2; }
  Index ambient_dim() const final { return n_ * n_; }
  Index size() const { return n_; }

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const final;
  double injectivity_radius() const final { return infinity; }
  double mean_ball_radius() const final { return infinity; }
  bool is_flat() const final { return true; }

  using Manifold::defect;
  std::optional<std::string> defect(ConstVectorRef x, double tolerance) const final;
  // Of any positive definite matrix, its correlations.
  Vector project(ConstVectorRef x) const final;

  Vector random_point(
      Random& random) const final;   // the correlations of a Wishart matrix with n + 2 degrees of freedom
  RowForms row_forms() const final;  // matrix, or strict lower triangle
  std::vector<std::string> ambient_names() const final;

 private:
  Index n_;
  std::string metric_;
  std::shared_ptr<const GlobalChart> chart_;
};

}  // namespace wgp
