// v ~ N(mean, (a s^2(x) + b) I).
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numbers>

#include "core/format.h"
#include "noise/laws.h"

namespace wgp {
namespace {

class NormalNoise final : public NoiseLaw {
 public:
  NormalNoise(Index dim, double noise, double function_scale) : dim_(dim), noise_(noise), scale_(function_scale) {}

  std::string kind() const override { return "normal"; }
  Index dim() const override { return dim_; }
  double function_scale() const override { return scale_; }
  double noise_variance() const override { return noise_; }

  Density density(double squared, double variance) const override {
    const double d = static_cast<double>(dim_), total = scale_ * variance + noise_;
    return {-d / 2 * std::log(2 * std::numbers::pi * total) - squared / (2 * total), -1 / (2 * total),
            scale_ * (squared / (2 * total * total) - d / (2 * total))};
  }
  Vector log_density(ConstVectorRef squared, ConstVectorRef variance) const override {
    const double d = static_cast<double>(dim_);
    const Vector total = total_variance(variance);
    return -d / 2 * (2 * std::numbers::pi * total.array()).log() - squared.array() / (2 * total.array());
  }
  Matrix log_densities(ConstMatrixRef squared, ConstVectorRef variance) const override {
    const Vector total = total_variance(variance);
    const Vector constant = -static_cast<double>(dim_) / 2 * (2 * std::numbers::pi * total.array()).log();
    const Vector weight = (2 * total.array()).inverse();
    Matrix result(squared.rows(), squared.cols());
    for (Index i = 0; i < result.cols(); ++i)
      result.col(i) = constant.array() - squared.col(i).array() * weight.array();
    return result;
  }

  Matrix draw(ConstVectorRef variance, Random& random) const override {
    return random.normals(dim_, variance.size()) * total_variance(variance).cwiseSqrt().asDiagonal();
  }
  Matrix draw_noise(Index count, Random& random) const override {
    return std::sqrt(noise_) * random.normals(dim_, count);
  }
  double radius(double level, double variance) const override {
    const boost::math::chi_squared chi(static_cast<double>(dim_));
    return std::sqrt(boost::math::quantile(chi, level) * (scale_ * variance + noise_));
  }

  double share_within(double squared, double variance) const override {
    const boost::math::chi_squared chi(static_cast<double>(dim_));
    return boost::math::cdf(chi, squared / (scale_ * variance + noise_));
  }

  double p_value(double squared, double variance) const override {
    const boost::math::chi_squared chi(static_cast<double>(dim_));
    return boost::math::cdf(boost::math::complement(chi, squared / (scale_ * variance + noise_)));
  }
  // Ten standard deviations beyond where most points are.
  double reach(double variance) const override {
    return (10 + std::sqrt(static_cast<double>(dim_))) * std::sqrt(scale_ * variance + noise_);
  }

  NoiseLawPtr scaled(double factor) const override { return normal_noise(dim_, factor * noise_, factor * scale_); }
  NoiseLawPtr with_noise_times(double factor) const override { return normal_noise(dim_, factor * noise_, scale_); }
  std::map<std::string, double> parameters() const override {
    return {{"noise_variance", noise_}, {"function_scale", scale_}};
  }

 private:
  Index dim_;
  double noise_, scale_;
};

}  // namespace

NoiseLawPtr normal_noise(Index dim, double noise_variance, double function_scale) {
  return std::make_shared<const NormalNoise>(dim, noise_variance, function_scale);
}

NoiseLawPtr restore_normal_noise(Index dim, const NoiseParameters& parameters, const NoiseArrays&) {
  const auto number = [&](const char* name) {
    const double value = noise_parameter(parameters, "normal", name);
    if (!(value >= 0 && std::isfinite(value)))
      throw Error(fmt::format("'{}' of a normal noise law is {}, but must not be negative", name, value));
    return value;
  };
  const double scale = number("function_scale");
  if (scale == 0) throw Error("'function_scale' of a normal noise law is 0, but a positive number is expected");
  return normal_noise(dim, number("noise_variance"), scale);
}

NoiseLawPtr example_normal_noise(Index dim) { return normal_noise(dim, 0.3, 1.7); }

}  // namespace wgp
