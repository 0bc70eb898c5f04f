// v | u ~ N(mean, g U diag(D) U' / u), u ~ Gamma(nu/2, nu/2): in StudentLaw c = 1 and A = U diag(D)^1/2.
#include <algorithm>
#include <cmath>

#include "core/format.h"
#include "linalg/decompositions.h"
#include "linalg/products.h"
#include "noise/ball_quantiles.h"
#include "noise/student_law.h"

namespace wgp {
namespace {

void check_structure(const StructuredNoise& parts) {
  const Index d = parts.variances.size();
  const Matrix& U = parts.directions;
  if (d < 1 || U.rows() != d || U.cols() != d)
    throw Error(fmt::format("a structured noise law has {} variances and {} x {} directions, but they must be as many",
                            d, U.rows(), U.cols()));
  if (!parts.variances.allFinite() || !(parts.variances.minCoeff() > 0))
    throw Error("a variance of a structured noise law is not a positive number");
  if (!U.allFinite() || !((product_tn(U, U) - Matrix::Identity(d, d)).cwiseAbs().maxCoeff() < 1e-8))
    throw Error("the directions of a structured noise law are not orthonormal");
}

class Structured final : public StudentLaw {
 public:
  explicit Structured(StructuredNoise parts, std::shared_ptr<const BallQuantiles> ball = nullptr, double ball_scale = 1)
      : StudentLaw("structured", parts.variances.size(),
                   {1, parts.variances.mean(), parts.variances.array().log().sum() / 2, parts.degrees_of_freedom,
                    parts.fitted_noise}),
        parts_(std::move(parts)),
        root_(parts_.variances.cwiseSqrt()),
        isotropic_(
            student_noise(dim(), parts_.isotropic_scale, parts_.isotropic_degrees_of_freedom, parts_.fitted_noise)),
        ball_(std::move(ball)),
        ball_scale_(ball_scale) {
    if (!ball_) ball_ = std::make_shared<const BallQuantiles>(parts_.variances, parts_.degrees_of_freedom);
  }

  std::string kind() const override { return "structured"; }

  Matrix whiten(ConstMatrixRef V) const override {
    return root_.cwiseInverse().asDiagonal() * product_tn(parts_.directions, V);
  }
  Matrix whiten_adjoint(ConstMatrixRef by_w) const override {
    return product(parts_.directions, root_.cwiseInverse().asDiagonal() * by_w);
  }
  Matrix correlated(ConstMatrixRef V) const override { return shaped(V) / std::sqrt(parts_.variances.mean()); }

  Matrix draw(ConstVectorRef variance, Random& random) const override {
    const Vector growth = 1 + variance.array() / fitted_noise();
    return shaped(draw_unit(variance.size(), random)) * growth.cwiseSqrt().asDiagonal();
  }
  Matrix draw_noise(Index count, Random& random) const override { return shaped(draw_unit(count, random)); }

  double radius(double level, double variance) const override {
    if (parts_.isotropic_regions) return isotropic_->radius(level, variance);
    if (parts_.variances.maxCoeff() == parts_.variances.minCoeff())
      return std::sqrt(radial().quantile(level) * parts_.variances[0] * growth(variance));
    return std::sqrt(ball_->at(level) * ball_scale_ * growth(variance));
  }
  const NoiseLaw& for_codes() const override { return *isotropic_; }
  const NoiseLaw& for_regions() const override {
    return parts_.isotropic_regions ? *isotropic_ : static_cast<const NoiseLaw&>(*this);
  }

  NoiseLawPtr scaled(double factor) const override { return multiplied(factor, 1); }
  NoiseLawPtr with_noise_times(double factor) const override { return multiplied(factor, factor); }
  std::map<std::string, double> parameters() const override {
    return {{"degrees_of_freedom", parts_.degrees_of_freedom},
            {"fitted_noise", parts_.fitted_noise},
            {"isotropic_scale", parts_.isotropic_scale},
            {"isotropic_degrees_of_freedom", parts_.isotropic_degrees_of_freedom},
            {"isotropic_regions", parts_.isotropic_regions ? 1 : 0}};
  }
  NoiseArrays arrays() const override { return {{"directions", parts_.directions}, {"variances", parts_.variances}}; }

 private:
  NoiseLawPtr multiplied(double variances, double fitted_noise) const {
    StructuredNoise parts = parts_;
    parts.variances *= variances;
    parts.isotropic_scale *= variances;
    parts.fitted_noise *= fitted_noise;
    return std::make_shared<const Structured>(std::move(parts), ball_, variances * ball_scale_);
  }

  Matrix shaped(ConstMatrixRef V) const { return product(parts_.directions, root_.asDiagonal() * V); }

  StructuredNoise parts_;
  Vector root_;  // of D
  NoiseLawPtr isotropic_;
  std::shared_ptr<const BallQuantiles> ball_;  // of D / ball_scale: laws that differ in scale alone share it
  double ball_scale_;
};

}  // namespace

NoiseLawPtr structured_noise(StructuredNoise parts) {
  check_structure(parts);
  return std::make_shared<const Structured>(std::move(parts));
}

NoiseLawPtr restore_structured_noise(Index dim, const NoiseParameters& parameters, const NoiseArrays& arrays) {
  const auto number = [&](const char* name) { return noise_parameter(parameters, "structured", name); };
  const auto array = [&](const char* name, Index cols) {
    const auto found = arrays.find(name);
    if (found == arrays.end()) throw Error(fmt::format("a structured noise law needs the array '{}'", name));
    if (found->second.rows() != dim || found->second.cols() != cols)
      throw Error(fmt::format("'{}' of a structured noise law is {} x {}, but {} x {} is expected", name,
                              found->second.rows(), found->second.cols(), dim, cols));
    return found->second;
  };
  StructuredNoise parts;
  parts.degrees_of_freedom = number("degrees_of_freedom");
  parts.fitted_noise = number("fitted_noise");
  parts.isotropic_scale = number("isotropic_scale");
  parts.isotropic_degrees_of_freedom = number("isotropic_degrees_of_freedom");
  parts.isotropic_regions = number("isotropic_regions") != 0;
  parts.directions = array("directions", dim);
  parts.variances = array("variances", 1);
  return structured_noise(std::move(parts));
}

NoiseLawPtr example_structured_noise(Index dim) {
  StructuredNoise parts;
  Random random(11);
  parts.directions = Qr(random.normals(dim, dim)).Q();
  parts.variances.resize(dim);
  for (Index k = 0; k < dim; ++k) parts.variances[k] = 1.5 / static_cast<double>(1 + k);
  parts.degrees_of_freedom = 7;
  parts.fitted_noise = 0.5;
  parts.isotropic_scale = parts.variances.mean();
  parts.isotropic_degrees_of_freedom = 5;
  return structured_noise(std::move(parts));
}

}  // namespace wgp
