// Weighted products: points are concatenated, distances of factor j are multiplied by its weight.
#pragma once

#include "wgp/manifold.h"
#include "wgp/row_form.h"

namespace wgp {

class ProductManifold : public Manifold, public RowLayout {
 public:
  // Nested products must be flattened by the caller; weights are positive, one per factor.
  ProductManifold(std::vector<ManifoldPtr> factors, std::vector<double> weights);

  std::string spec() const override;
  Index dim() const override { return dim_; }
  Index ambient_dim() const override { return ambient_dim_; }
  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override;
  std::optional<std::string> defect(ConstVectorRef x, double tolerance) const override;
  double default_tolerance() const override;
  Vector project(ConstVectorRef x) const override;
  double injectivity_radius() const override;
  double mean_ball_radius() const override;
  bool is_compact() const override;
  bool is_flat() const override;
  bool is_symmetric() const override;
  std::optional<Vector> mean_start(ConstMatrixRef points, ConstVectorRef weights) const override;
  Matrix aligned(ConstVectorRef from, ConstVectorRef to, ConstMatrixRef x) const override;
  Vector random_point(Random& random) const override;
  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override;
  // The plain form, and one in which every factor stands in its shortest form.
  RowForms row_forms() const override;
  std::vector<std::string> ambient_names() const override;

  const std::vector<ManifoldPtr>& factors() const { return factors_; }

 private:
  std::vector<ManifoldPtr> factors_;
  std::vector<double> weights_;
  Index dim_ = 0, ambient_dim_ = 0;
};

}  // namespace wgp
