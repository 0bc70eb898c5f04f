// Points in other units than those that a model was fitted to: tensors in mm^2/s and in um^2/ms, lengths in mm and in
// m.
#pragma once

#include <string>

#include "wgp/model.h"

namespace wgp::cli {

// How much larger points outside a model's support are than what it predicts for them.
struct UnitRatio {
  double log_ratios = 0;  // summed
  Index outside = 0, all = 0;

  void add(const Model& model, ConstMatrixRef points, const Encoding& encoding);
  void add(const UnitRatio& more);
  // Empty unless most points are outside and all of one size: a sentence.
  std::string hint() const;
};

}  // namespace wgp::cli
