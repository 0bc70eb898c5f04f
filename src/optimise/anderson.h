// Anderson mixing: a fixed point x = g(x) from few applications of g. Of the last of them, the combination whose
// residuals g(x) - x cancel best is where the next begins. It costs memory of a few x and no gradient.
#pragma once

#include <vector>

#include "wgp/types.h"

namespace wgp {

class AndersonMixing {
 public:
  explicit AndersonMixing(std::size_t memory) : memory_(memory) {}
  // Where to go on after g(x).
  Vector next(ConstVectorRef x, ConstVectorRef g);
  // What was seen belongs to another g, or led astray.
  void forget();

 private:
  std::size_t memory_;
  std::vector<Vector> residual_steps_, value_steps_;
  Vector last_residual_, last_value_;
};

}  // namespace wgp
