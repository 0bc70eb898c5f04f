#include "geometry/ode.h"

#include <boost/numeric/odeint/stepper/bulirsch_stoer.hpp>
#include <cmath>
#include <vector>

namespace wgp {

bool integrate(const OdeField& field, VectorRef x, double tolerance) {
  using State = std::vector<double>;
  constexpr double smallest_step = 1e-10;
  constexpr int most_steps = 20000;
  const auto size = x.size();
  bool defined = true;
  // odeint copies its system at every call; the reference keeps that cheap.
  const auto system = [&](const State& state, State& derivative, double t) {
    Eigen::Map<Vector> out(derivative.data(), size);
    if (!defined || !field(Eigen::Map<const Vector>(state.data(), size), t, out) || !out.allFinite()) {
      defined = false;
      out.setZero();
    }
  };
  boost::numeric::odeint::bulirsch_stoer<State> stepper(tolerance, tolerance);
  State state(x.data(), x.data() + size);
  double t = 0, step = 0.25;
  bool arrived = false;
  for (int count = 0; count < most_steps && !arrived && step > smallest_step; ++count) {
    const bool last = t + step >= 1 - smallest_step;
    if (last) step = 1 - t;
    const double tried = step, before = t;
    const State saved = state;
    defined = true;
    const auto outcome = stepper.try_step(std::cref(system), state, t, step);
    if (!defined) {  // the step reached beyond the domain: approach its boundary in smaller steps
      state = saved;
      t = before;
      step = tried / 4;
      stepper.reset();
    } else if (outcome == boost::numeric::odeint::success) {
      arrived = last;
    }
  }
  x = Eigen::Map<const Vector>(state.data(), size);
  return arrived;
}

}  // namespace wgp
