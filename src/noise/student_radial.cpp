#include "noise/student_radial.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "core/constants.h"
#include "simd/function_kernels.h"

namespace wgp {
namespace {

constexpr double stirling_from = 30;

// lnGamma(x) - ((x - 1/2) ln x - x + ln(2 pi)/2), to working precision from 30 on.
double stirling_rest(double x) {
  const double y = 1 / (x * x);
  return (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188)))) / x;
}

}  // namespace

double log_gamma_increase(double a, double by) {
  if (a < stirling_from) return boost::math::lgamma(a + by) - boost::math::lgamma(a);
  return (a - 0.5) * std::log1p(by / a) + by * (std::log(a + by) - 1) + stirling_rest(a + by) - stirling_rest(a);
}

StudentRadial::StudentRadial(Index dim, double degrees_of_freedom)
    : d_(static_cast<double>(dim)), nu_(degrees_of_freedom) {
  log_constant_ =
      std::isinf(nu_) ? -d_ / 2 * std::log(2 * pi) : log_gamma_increase(nu_ / 2, d_ / 2) - d_ / 2 * std::log(nu_ * pi);
}

double StudentRadial::log_density(double Q) const {
  return log_constant_ - (std::isinf(nu_) ? Q / 2 : (nu_ + d_) / 2 * std::log1p(Q / nu_));
}

void StudentRadial::log_densities(MatrixRef Q) const {
  if (std::isinf(nu_)) {
    Q = log_constant_ - Q.array() / 2;
    return;
  }
  const double scale = -(nu_ + d_) / 2;
  for (Index i = 0; i < Q.cols(); ++i) {
    auto column = Q.col(i).array();
    column /= nu_;
    simd_functions().log1p(Q.col(i).data(), Q.rows());
    column = log_constant_ + scale * column;
  }
}

double StudentRadial::weight(double Q) const { return std::isinf(nu_) ? 1 : (nu_ + d_) / (nu_ + Q); }

double StudentRadial::share_within(double Q) const {
  if (!std::isfinite(Q)) return std::isnan(Q) ? Q : 1;
  if (std::isinf(nu_)) return boost::math::cdf(boost::math::chi_squared(d_), Q);
  return boost::math::cdf(boost::math::fisher_f(d_, nu_), Q / d_);
}

double StudentRadial::share_beyond(double Q) const {
  if (!std::isfinite(Q)) return std::isnan(Q) ? Q : 0;
  if (std::isinf(nu_)) return boost::math::cdf(boost::math::complement(boost::math::chi_squared(d_), Q));
  return boost::math::cdf(boost::math::complement(boost::math::fisher_f(d_, nu_), Q / d_));
}

double StudentRadial::quantile(double level) const {
  if (std::isinf(nu_)) return boost::math::quantile(boost::math::chi_squared(d_), level);
  return d_ * boost::math::quantile(boost::math::fisher_f(d_, nu_), level);
}

double StudentRadial::variance() const { return std::isinf(nu_) ? 1 : nu_ / (nu_ - 2); }

double StudentRadial::draw_precision(Random& random) const {
  return std::isinf(nu_) ? 1 : boost::math::gamma_p_inv(nu_ / 2, random.uniform()) / (nu_ / 2);
}

}  // namespace wgp
