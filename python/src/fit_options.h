// The command's options, by their names, as FitOptions.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>

#include "wgp/fit.h"

namespace wgp::python {

// Keys are the command's flags with underscores; None is as if the key was not there. ValueError says what would be
// right.
FitOptions fit_options_from(const nanobind::dict& named, const Manifold& manifold);

// Ends a fit when its time is over, when the user interrupts it, or when the callback says False; what the callback
// raises ends it too, and reaches the caller.
class FitWatch {
 public:
  FitWatch(nanobind::object callback, double time_limit);
  void attach(FitOptions& options);
  // Does the work without the interpreter's lock. Where this is Python's main thread, which alone hears of signals, the
  // work has another one, and this one looks for them meanwhile.
  void run(const std::function<void()>& work);
  bool interrupted() const { return interrupted_; }

 private:
  bool keep_going(const Progress& progress);
  void look_for_signals();

  nanobind::object callback_;
  double time_limit_;
  std::atomic<bool> interrupted_ = false;
  std::exception_ptr of_signal_;  // what a handler of another signal raised
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace wgp::python
