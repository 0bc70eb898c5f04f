#include "lift/unit_curvature.h"

#include <cmath>

#include "core/constants.h"

namespace wgp {
namespace {

// Angles from the opposite point that the digits of unit vectors, once turned, cannot tell from 0.
constexpr double indistinct = 4e-15;
constexpr double largest_coordinate = 1e3;  // of hyperbolic space: ten digits of a distance of 1 are left

// sin r / r and its like near 0 as everywhere: r comes from a norm.
double ratio(double s, double r) { return r > 0 ? s / r : 1; }

}  // namespace

// The carrying motion of one displacement. From h, the sine of half its length, circular or hyperbolic:
// cos r - 1 = -+2 h^2 without cancellation, sin r = 2 h cos(r/2).
struct UnitCurvature::Motion {
  double r, c, s;  // length; cosine and sine of it
  double c_minus_one;
  double H;  // jacobi_H of the displacement: 2 (h / r)^2
  Vector u;

  void to(int sign, ConstVectorRef xi) {
    r = xi.norm();
    u = xi;
    if (r > 0) u /= r;
    const double h = sign > 0 ? std::sin(r / 2) : std::sinh(r / 2);
    const double half_c = sign > 0 ? std::cos(r / 2) : std::sqrt(1 + h * h);
    c_minus_one = -sign * 2 * h * h;
    c = 1 + c_minus_one;
    s = 2 * h * half_c;
    H = r > 0 ? 2 * (h / r) * (h / r) : 0.5;
  }
};

UnitCurvature::Seen UnitCurvature::see(ConstMatrixRef points) const {
  Seen seen{Vector(points.cols()), centre_.to_coords(points)};
  if (sign_ > 0)
    seen.a = points.transpose() * centre_.base();
  else
    seen.a = (1 + seen.C.colwise().squaredNorm().array()).sqrt().transpose();
  return seen;
}

bool UnitCurvature::is_exact(const Seen& seen, ConstMatrixRef Xi) const {
  if (sign_ > 0) return true;
  const double farthest = Xi.cols() > 0 ? std::sqrt(Xi.colwise().squaredNorm().maxCoeff()) : 0;
  return seen.a.maxCoeff() < largest_coordinate && std::cosh(farthest) < largest_coordinate &&
         centre_.base()[0] < largest_coordinate;
}

UnitCurvature::Length UnitCurvature::lift_one(const Motion& motion, const Seen& seen, Index i, VectorRef v,
                                              LogReport& report, Index to) const {
  const double a = seen.a[i];
  v = seen.C.col(i);
  const double along = motion.u.dot(v);
  const double turned = motion.c * a + sign_ * motion.s * along;
  v += (motion.c_minus_one * along - motion.s * a) * motion.u;
  const double sine = v.norm();
  const double theta = sign_ > 0 ? std::atan2(sine, turned) : std::asinh(sine);
  if (sine > 0) v *= theta / sine;
  if (sign_ > 0) {
    report.set_margin(to, pi - theta, pi);
    if (pi - theta <= indistinct) {  // a fixed direction, as the sphere's own logarithm takes one
      v.setZero();
      v[0] = pi;
      report.margin[to] = 0;
      report.status[static_cast<std::size_t>(to)] = LogStatus::cut_locus;
      return {pi, std::sin(pi)};
    }
  }
  return {theta, sine};
}

// The sine is there already, and only near 0 does the logarithm of a quotient lose digits.
double UnitCurvature::log_abs_S(const Length& length) const {
  const auto [theta, sine] = length;
  return theta < 0.1 ? jacobi_log_abs_S(sign_ * theta * theta) : std::log(sine / theta);
}

void UnitCurvature::lift(const Seen& seen, ConstMatrixRef Xi, MatrixRef V, LogReport& report,
                         VectorRef log_volume) const {
  const double across = static_cast<double>(centre_.dim() - 1);
  Motion motion;
  for (Index i = 0; i < Xi.cols(); ++i) {
    motion.to(sign_, Xi.col(i));
    log_volume[i] = across * log_abs_S(lift_one(motion, seen, i, V.col(i), report, i));
  }
}

void UnitCurvature::lift_at(const Seen& seen, ConstVectorRef xi, double radius, MatrixRef V, LogReport& report,
                            VectorRef log_volume) const {
  const double across = static_cast<double>(centre_.dim() - 1);
  Motion motion;
  motion.to(sign_, xi);
  for (Index i = 0; i < seen.a.size(); ++i) {
    const Length length = lift_one(motion, seen, i, V.col(i), report, i);
    log_volume[i] = length.theta <= radius ? across * log_abs_S(length) : 0;
  }
}

void UnitCurvature::pull_back(ConstMatrixRef Xi, ConstMatrixRef V, ConstMatrixRef dL_dV, Volume volume, MatrixRef by_Xi,
                              VectorRef by_centre) const {
  const double dimensions_across = static_cast<double>(centre_.dim() - 1);
  Vector b, w, t;
  Motion motion;
  for (Index i = 0; i < Xi.cols(); ++i) {
    motion.to(sign_, Xi.col(i));
    const auto v = V.col(i);
    b = dL_dV.col(i);
    const double theta = v.norm();
    // theta cot theta - 1 = theta (cot theta - 1 / theta).
    const double slope = sign_ > 0 ? cot_minus_inverse(theta) : coth_minus_inverse(theta);
    if (volume == Volume::subtracted && theta > 0) b -= dimensions_across * slope / theta * v;
    // w = -(C/S)(Lambda_v) b: -1 along v, -theta cot theta across.
    w = -(1 + theta * slope) * b;
    if (theta > 0) w += slope / theta * v.dot(b) * v;
    // t = R(v, b) xi
    t = sign_ * (b.dot(Xi.col(i)) * v - v.dot(Xi.col(i)) * b);
    const double S = ratio(motion.s, motion.r);
    const double w_along = motion.u.dot(w);  // t has no part along xi
    by_Xi.col(i) = S * w - motion.H * t + (1 - S) * w_along * motion.u;
    by_centre += motion.c * w - S * t - motion.c_minus_one * w_along * motion.u;
  }
}

}  // namespace wgp
