// Collects what failed, with input, expected, actual and difference.
#pragma once

#include <functional>

#include "wgp/testing.h"

namespace wgp {

class Checker {
 public:
  // |actual - expected| <= tolerance * max(scale, |expected|); NaN fails.
  void close(const std::string& property, ConstMatrixRef actual, ConstMatrixRef expected, double tolerance,
             double scale = 1);
  void close(const std::string& property, double actual, double expected, double tolerance, double scale = 1);
  void that(const std::string& property, bool holds, const std::string& message);
  // Runs the body; an exception becomes a failure of the property.
  void guard(const std::string& property, const std::function<void()>& body);

  // Shown with each later failure: which points were drawn.
  void set_context(std::string context) { context_ = std::move(context); }
  std::vector<CheckFailure> take() { return std::move(failures_); }

 private:
  void fail(const std::string& property, const std::string& message);

  std::string context_;
  std::vector<CheckFailure> failures_;
};

}  // namespace wgp
