#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "wgp/optimise.h"
#include "wgp/progress.h"

namespace wgp {
namespace {

constexpr double armijo = 1e-4, curvature = 0.9;

struct Place {
  Vector x, g;
  double f = 0;
};

// The two-loop recursion on pairs (s, y), newest last.
class InverseHessian {
 public:
  explicit InverseHessian(int memory) : memory_(static_cast<std::size_t>(memory)) {}

  void add(const Vector& s, const Vector& y) {
    const double sy = s.dot(y);
    if (!(sy > 1e-12 * s.norm() * y.norm())) return;  // keeps the approximation positive definite
    if (pairs_.size() == memory_) pairs_.pop_front();
    pairs_.push_back({s, y, 1 / sy});
  }
  Vector apply(const Vector& g) const {
    Vector q = g;
    std::vector<double> alpha(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      alpha[i] = pairs_[i].rho * pairs_[i].s.dot(q);
      q -= alpha[i] * pairs_[i].y;
    }
    if (!pairs_.empty()) q /= pairs_.back().rho * pairs_.back().y.squaredNorm();
    for (std::size_t i = 0; i < pairs_.size(); ++i) q += (alpha[i] - pairs_[i].rho * pairs_[i].y.dot(q)) * pairs_[i].s;
    return q;
  }
  bool empty() const { return pairs_.empty(); }
  void clear() { pairs_.clear(); }

 private:
  struct Pair {
    Vector s, y;
    double rho;
  };
  std::size_t memory_;
  std::deque<Pair> pairs_;
};

// A point of the line: step length, value, and slope where it was asked for.
struct Trial {
  double step = 0, f = 0, slope = 0;
};

// The minimiser of the cubic through two points with slopes; the middle where it has none inside.
double cubic_step(const Trial& a, const Trial& b) {
  const double d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.step - b.step);
  const double inside = d1 * d1 - a.slope * b.slope;
  const double middle = (a.step + b.step) / 2;
  if (!(inside >= 0)) return middle;
  const double d2 = std::copysign(std::sqrt(inside), b.step - a.step);
  const double step = b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
  const double low = std::min(a.step, b.step), high = std::max(a.step, b.step), edge = 0.1 * (high - low);
  return std::isfinite(step) ? std::clamp(step, low + edge, high - edge) : middle;
}
// The same from f(a), f'(a) and f(b).
double quadratic_step(const Trial& a, const Trial& b) {
  const double h = b.step - a.step, curvature_term = b.f - a.f - a.slope * h;
  const double step = a.step - a.slope * h * h / (2 * curvature_term);
  const double low = std::min(a.step, b.step), high = std::max(a.step, b.step), edge = 0.1 * (high - low);
  return std::isfinite(step) && curvature_term > 0 ? std::clamp(step, low + edge, high - edge) : (a.step + b.step) / 2;
}

class LineSearch {
 public:
  LineSearch(Objective& objective, OptimiseResult& counts) : objective_(objective), counts_(counts) {}

  // A step along p from `from` that satisfies the strong Wolfe conditions, or at least lowers f; nothing if none does.
  std::optional<Place> run(const Place& from, const Vector& p, double first_step) {
    const Trial start{0, from.f, from.g.dot(p)};
    Trial low = start;
    std::optional<Trial> high;
    std::optional<Place> best;
    double step = first_step;
    for (int round = 0; round < 30; ++round) {
      Place place{from.x + step * p, {}, 0};
      place.f = value(place.x);
      Trial trial{step, place.f, 0};
      // Rounding: near the minimum f no longer tells, and the slope decides.
      const double slack = 1e-14 * std::abs(from.f);
      if (!std::isfinite(place.f)) {
        high = Trial{step, 1e300, 0};
        infinite_ = true;
        step = low.step + 0.2 * (step - low.step);
        continue;
      }
      if (place.f > from.f + armijo * step * start.slope + slack || (low.step > 0 && place.f >= low.f + slack)) {
        high = trial;
        high_has_slope_ = false;
        infinite_ = false;
        step = quadratic_step(low, *high);
        if (std::abs(high->step - low.step) < 1e-12 * std::max(1.0, low.step)) break;
        continue;
      }
      place.g.resize(place.x.size());
      objective_.gradient(place.g);
      ++counts_.gradients;
      trial.slope = place.g.dot(p);
      if (!std::isfinite(trial.slope)) {
        high = Trial{step, 1e300, 0};
        infinite_ = true;
        step = low.step + 0.2 * (step - low.step);
        continue;
      }
      if (!best || place.f <= best->f) best = place;
      if (std::abs(trial.slope) <= -curvature * start.slope) return place;
      const Trial before = low;
      if (trial.slope >= 0) {
        high = trial;
        high_has_slope_ = true;
        infinite_ = false;
        step = cubic_step(before, trial);
        continue;
      }
      low = trial;
      if (high)
        step = infinite_         ? low.step + 0.2 * (high->step - low.step)
               : high_has_slope_ ? cubic_step(low, *high)
                                 : quadratic_step(low, *high);
      else
        step = std::min(4 * step, std::max(2 * step, 2 * step - before.step));
      if (high && std::abs(high->step - low.step) < 1e-12 * std::max(1.0, low.step)) break;
    }
    return best;
  }

 private:
  double value(const Vector& x) {
    ++counts_.evaluations;
    return objective_.value_before_gradient(x);  // nearly every trial is accepted
  }
  Objective& objective_;
  OptimiseResult& counts_;
  bool high_has_slope_ = false, infinite_ = false;
};

}  // namespace

std::string to_string(StopReason reason) {
  switch (reason) {
    case StopReason::gradient_small:
      return "gradient_small";
    case StopReason::progress_small:
      return "progress_small";
    case StopReason::max_iterations:
      return "max_iterations";
    case StopReason::cancelled:
      return "cancelled";
    case StopReason::line_search_failed:
      return "line_search_failed";
  }
  return "unknown";
}

OptimiseResult minimise(Objective& objective, ConstVectorRef start, const OptimiseOptions& options) {
  OptimiseResult result;
  result.x = start;
  result.value = std::numeric_limits<double>::infinity();
  Place here{start, Vector::Zero(start.size()), 0};
  const auto keep = [&] {
    result.x = here.x;
    result.value = here.f;
    result.gradient_norm = here.g.size() > 0 ? here.g.cwiseAbs().maxCoeff() : 0;
  };
  try {
    here.f = objective.value_before_gradient(here.x);
    ++result.evaluations;
    result.value = here.f;
    if (!std::isfinite(here.f)) {
      result.stop = StopReason::line_search_failed;
      return result;
    }
    objective.gradient(here.g);
    ++result.gradients;
    InverseHessian hessian(options.memory);
    int slow = 0;
    result.stop = StopReason::max_iterations;
    while (result.iterations < options.max_iterations) {
      keep();
      if (result.gradient_norm <= options.gradient_tolerance) {
        result.stop = StopReason::gradient_small;
        break;
      }
      Vector p = -hessian.apply(here.g);
      if (!(p.dot(here.g) < 0) || !p.allFinite()) {
        hessian.clear();
        p = -here.g;
      }
      const double first = hessian.empty() ? std::min(1.0, 1 / here.g.cwiseAbs().sum()) : 1.0;
      std::optional<Place> next = LineSearch(objective, result).run(here, p, first);
      if (!next && !hessian.empty()) {  // once more along the gradient
        hessian.clear();
        p = -here.g;
        next = LineSearch(objective, result).run(here, p, std::min(1.0, 1 / here.g.cwiseAbs().sum()));
      }
      if (!next) {
        result.stop = StopReason::line_search_failed;
        break;
      }
      ++result.iterations;
      const double decrease = here.f - next->f;
      hessian.add(next->x - here.x, next->g - here.g);
      here = std::move(*next);
      slow = decrease <= options.progress_tolerance * std::max(1.0, std::abs(here.f)) ? slow + 1 : 0;
      if (options.keep_going && !options.keep_going(result.iterations, here.f)) {
        result.stop = StopReason::cancelled;
        break;
      }
      if (slow >= 10) {
        result.stop = StopReason::progress_small;
        break;
      }
    }
    keep();
  } catch (const Stopped&) {  // within an evaluation: the best point is the one before it
    result.stop = StopReason::cancelled;
  }
  return result;
}

}  // namespace wgp
