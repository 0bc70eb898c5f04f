// A fit seen from outside: draws its progress on a terminal, and ends it on Ctrl-C, SIGTERM or when time is up.
#pragma once

#include <chrono>
#include <string>

#include "cli/input/arguments.h"
#include "cli/input/interruption.h"
#include "wgp/fit.h"

namespace wgp::cli {

class FitWatch {
 public:
  explicit FitWatch(const Arguments& arguments);
  ~FitWatch() { clear(); }

  // Takes over keep_going, on_step and resume: --time-limit, --checkpoint, --resume.
  void attach(FitOptions& options);
  void clear();  // the line
  bool interrupted() const { return interruption_.requested(); }
  bool expired() const { return expired_; }
  double limit() const { return limit_; }
  // After the fit: what ended it early, if anything did, and the exit code that goes with that.
  int finish(const FitSummary& summary, const std::string& model_path, bool strict) const;

 private:
  bool keep_going(const Progress& progress);
  std::string time_left(const Progress& progress, double spent);
  void keep_checkpoints(FitOptions& options);

  const Arguments& arguments_;
  Interruption interruption_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), last_line_ = begin_;
  double limit_;
  bool quiet_, draws_, writes_lines_, drawn_ = false, expired_ = false;
  std::chrono::duration<double> between_lines_;  // where standard error is no terminal
  std::string phase_;
  double phase_begin_ = 0;
  int first_step_ = 0;
};

}  // namespace wgp::cli
