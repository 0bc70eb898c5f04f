#include "noise/fit_student.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "noise/student_radial.h"

namespace wgp {
namespace {

constexpr double least_freedom = 2.1, most_freedom = 1e4, prior_rate = 0.1;

// Where the sum's derivative by c is zero: mean[(nu + m) Q / (nu c + Q)] = m. The left side falls in c; Newton's steps
// in ln c from the normal law's scale settle soon, and are kept short in case they do not.
double scale_given(ConstVectorRef Q, double m, double nu) {
  double log_c = std::log(Q.mean() / m);
  for (int step = 0; step < 60; ++step) {
    const double k = nu * std::exp(log_c);
    double share = 0, slope = 0;
    for (const double one : Q) {
      const double s = one / (k + one);
      share += s;
      slope += s * (1 - s);
    }
    const double n = static_cast<double>(Q.size());
    const double error = (nu + m) * share / n - m, by_log_c = -(nu + m) * slope / n;
    const double move = by_log_c < 0 ? std::clamp(-error / by_log_c, -1.0, 1.0) : -1.0;
    log_c += move;
    if (std::abs(move) < 1e-10) break;
  }
  return std::exp(log_c);
}

}  // namespace

StudentFit fit_student(ConstVectorRef Q, Index m) {
  const double d = static_cast<double>(m), n = static_cast<double>(Q.size());
  const auto cost = [&](double log_nu) {
    const double nu = std::exp(log_nu), c = scale_given(Q, d, nu);
    double sum = n * (log_gamma_increase(nu / 2, d / 2) - d / 2 * std::log(nu * c));
    for (const double one : Q) sum -= (nu + d) / 2 * std::log1p(one / (nu * c));
    return -(sum + log_nu - prior_rate * nu);
  };
  constexpr int bits = 20;  // of ln nu
  const double log_nu =
      boost::math::tools::brent_find_minima(cost, std::log(least_freedom), std::log(most_freedom), bits).first;
  const double nu = std::exp(log_nu);
  return {nu, scale_given(Q, d, nu)};
}

}  // namespace wgp
