// A manifold of your own: positive quantities (concentrations, incomes) compared by their ratios,
//   <v, w>_p = sum_i v_i w_i / p_i^2,   so that p_i times the i-th axis is an orthonormal frame at p,
// written as two small classes; check_manifold then looks for mistakes in them.
#include <wgp/wgp.h>

#include <cstdio>

using namespace wgp;

class RatioSpace final : public TangentSpace {
 public:
  explicit RatioSpace(ConstVectorRef p) : p_(p) {}
  const Vector& base() const override { return p_; }
  Index dim() const override { return p_.size(); }
  double injectivity_radius() const override { return infinity; }
  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    // log1p of the relative difference: the logarithm of a ratio near 1 would lose digits.
    for (Index i = 0; i < points.cols(); ++i) coords.col(i) = ((points.col(i) - p_).array() / p_.array()).log1p();
    return LogReport(points.cols());
  }
  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    points = p_.asDiagonal() * coords.array().exp().matrix();
    return {};
  }
  Matrix to_ambient(ConstMatrixRef coords) const override { return p_.asDiagonal() * coords; }
  Matrix to_coords(ConstMatrixRef ambient) const override { return p_.cwiseInverse().asDiagonal() * ambient; }
  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {  // the frame of the end point
    return exp_point(*this, v).asDiagonal() * coords;
  }
  std::optional<Vector> curvature(ConstVectorRef x, ConstVectorRef, ConstVectorRef) const override { return 0 * x; }
  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override { return flat_jacobi_fields(v.size()); }

 private:
  Vector p_;
};

class Ratios final : public Manifold {
 public:
  std::string spec() const override { return "ratios:3"; }
  Index dim() const override { return 3; }
  Index ambient_dim() const override { return 3; }
  double injectivity_radius() const override { return infinity; }
  double mean_ball_radius() const override { return infinity; }
  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override { return std::make_unique<RatioSpace>(p); }
  std::optional<std::string> defect(ConstVectorRef x, double) const override {
    return x.minCoeff() > 0 ? std::nullopt : std::optional<std::string>("not positive");
  }
  Vector project(ConstVectorRef x) const override { return x.cwiseMax(1e-300); }
  Vector random_point(Random& random) const override { return random.normals(3).array().exp(); }
};

int main() {
  const auto failures = check_manifold(Ratios());
  for (const CheckFailure& failure : failures)
    std::printf("%s: %s\n", failure.property.c_str(), failure.message.c_str());
  if (failures.empty()) std::puts("all properties hold");
}
// Output:
// all properties hold
