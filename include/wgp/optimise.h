// Smooth minimisation: limited-memory BFGS with a strong Wolfe line search. Knows only vectors and functions, always
// returns the best point seen, and never throws for numerical trouble. An objective may throw Stopped (wgp/progress.h)
// to end it; whatever else it throws reaches the caller.
#pragma once

#include <functional>
#include <string>

#include "wgp/types.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

// f and its gradient. The line search asks for values first, and for gradients only where the value is good enough:
// an objective whose gradient reuses the value's work pays for neither twice.
class Objective {
 public:
  virtual ~Objective() = default;
  virtual double value(ConstVectorRef x) = 0;     // not finite: x is not admissible
  virtual void gradient(VectorRef gradient) = 0;  // at the x of the last value(), which was finite
  // value(), where the gradient will most likely be asked for as well: an objective that gets both in one go does.
  virtual double value_before_gradient(ConstVectorRef x) { return value(x); }
};

enum class StopReason { gradient_small, progress_small, max_iterations, cancelled, line_search_failed };
std::string to_string(StopReason reason);

struct OptimiseOptions {
  int max_iterations = 1000;
  int memory = 20;
  double gradient_tolerance = 1e-5;  // on the largest component
  double progress_tolerance = 1e-9;  // relative decrease, ten iterations in a row
  // Called after every iteration with its number and the value; false cancels.
  std::function<bool(int, double)> keep_going;
};

struct OptimiseResult {
  Vector x;
  double value = 0, gradient_norm = 0;
  int iterations = 0, evaluations = 0, gradients = 0;
  StopReason stop = StopReason::max_iterations;
};
OptimiseResult minimise(Objective& objective, ConstVectorRef start, const OptimiseOptions& options = {});

}  // namespace WGP_PUBLIC
