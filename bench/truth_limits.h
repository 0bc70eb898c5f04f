// What fits with default flags are held to, by bench_truth: limits of the means over seeds, and how many of them must
// have the right shape.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "evaluate/truth_measures.h"

namespace bench {

struct TruthFit {
  wgp::TruthMeasures measures;
  wgp::OutlierShares outliers{};
  double seconds = 0;  // of one thread's processor time
};

struct TruthTask {
  std::string name, source;
  wgp::Index count;
  enum class Kind { curve, circle, sheet, hard, gap, outliers } kind;
  int right_of_ten;  // hard curves: how many seeds of ten must be right
};

inline const std::vector<TruthTask>& truth_tasks() {
  using Kind = TruthTask::Kind;
  static const std::vector<TruthTask> tasks = {
      {"circle", "circle", 200, Kind::circle, 0},
      {"loop", "loop", 200, Kind::curve, 0},
      {"turn", "turn", 200, Kind::curve, 0},
      {"arc", "arc", 200, Kind::curve, 0},
      {"sheet", "sheet", 200, Kind::sheet, 0},
      {"circle50", "circle", 50, Kind::hard, 8},
      {"circle1000", "circle", 1000, Kind::hard, 9},
      {"uneven", "uneven", 200, Kind::hard, 9},
      {"gap", "gap", 200, Kind::gap, 9},
      {"peanut", "peanut", 200, Kind::hard, 9},
      {"horseshoe", "horseshoe", 200, Kind::hard, 8},
      {"eight", "eight", 200, Kind::hard, 9},
      {"trefoil", "trefoil", 200, Kind::hard, 8},
      {"trefoil20", "trefoil20", 200, Kind::hard, 8},
      {"spiral", "spiral", 200, Kind::hard, 7},
      {"circle20", "circle20", 200, Kind::hard, 9},
      {"ellipse", "ellipse", 200, Kind::hard, 9},
      {"outliers", "outliers", 200, Kind::outliers, 9},
  };
  return tasks;
}

inline bool is_of_the_five(const TruthTask& task) { return task.right_of_ten == 0; }

// Whether one fit is right, as the hard curves count it.
inline bool is_right(const TruthTask& task, const TruthFit& fit) {
  constexpr double gap_error = 0.45;
  if (task.kind == TruthTask::Kind::gap)
    return fit.measures.outside_learned_to_true <= gap_error && fit.measures.outside_true_to_learned <= gap_error;
  return fit.measures.right_shape;
}

// What is missed, in words; empty if nothing is.
class TruthVerdict {
 public:
  TruthVerdict(const TruthTask& task, wgp::Index count, const std::vector<TruthFit>& fits) : fits_(fits) {
    using Kind = TruthTask::Kind;
    if (!is_of_the_five(task)) {
      int right = 0;
      for (const TruthFit& fit : fits) right += is_right(task, fit);
      if (10 * right < task.right_of_ten * static_cast<int>(fits.size())) miss("right " + std::to_string(right));
      if (task.kind == Kind::outliers) {
        within(
            "noise", [](const TruthFit& f) { return f.measures.noise; }, 0.9, 1.15);
        within(
            "named", [](const TruthFit& f) { return f.outliers.found; }, 0.95, 1);
        within(
            "false", [](const TruthFit& f) { return f.outliers.false_alarms; }, 0, 0.01);
      }
      return;
    }
    const auto noise = [](const TruthFit& f) { return f.measures.noise; };
    if (count != 200) {  // no tangle, no collapse to noise
      int wrong = 0, far = 0;
      for (const TruthFit& fit : fits) {
        if (task.kind != Kind::sheet && !fit.measures.right_shape) ++wrong;
        if (!(fit.measures.noise >= 0.5 && fit.measures.noise <= 1.5)) ++far;
      }
      if (wrong > 0) miss("shape of " + std::to_string(wrong));
      if (far > 0) miss("noise of " + std::to_string(far));
      return;
    }
    near_one("noise", noise, 0.1, 0.15);
    const auto learned = [](const TruthFit& f) { return f.measures.learned_to_true; };
    const auto density = [](const TruthFit& f) { return f.measures.log_density; };
    const auto seconds = [](const TruthFit& f) { return f.seconds; };
    if (task.kind == Kind::sheet) {
      at_most("learned", learned, 3);
      at_most(
          "density", [&](const TruthFit& f) { return -density(f); }, 1.4);
      at_most("seconds", seconds, 10);
      return;
    }
    at_most("learned", learned, 0.35);
    at_most(
        "true", [](const TruthFit& f) { return f.measures.true_to_learned; }, 0.4);
    near_one(
        "length", [](const TruthFit& f) { return f.measures.length; }, 0.05, 0.05);
    if (task.kind == Kind::circle)
      at_most(
          "density", [](const TruthFit& f) { return f.measures.true_log_density - f.measures.log_density; }, 0.06);
    at_most("seconds", seconds, 3);
  }

  const std::string& missed() const { return missed_; }

 private:
  static constexpr double worst_share = 1.5;  // no seed beyond so many times a limit

  void miss(const std::string& what) { missed_ += (missed_.empty() ? "" : ", ") + what; }
  template <class Value>
  double mean(const Value& value) const {
    double sum = 0;
    for (const TruthFit& fit : fits_) sum += value(fit);
    return sum / static_cast<double>(fits_.size());
  }
  // Comparisons are written so that what is not a number misses.
  template <class Value>
  void within(const std::string& what, const Value& value, double least, double most) {
    if (!(mean(value) >= least && mean(value) <= most)) miss(what);
  }
  template <class Value>
  void at_most(const std::string& what, const Value& value, double limit) {
    bool good = mean(value) <= limit;
    for (const TruthFit& fit : fits_) good = good && value(fit) <= worst_share * limit;
    if (!good) miss(what);
  }
  template <class Value>
  void near_one(const std::string& what, const Value& value, double below, double above) {
    const double found = mean(value);
    bool good = found >= 1 - below && found <= 1 + above;
    for (const TruthFit& fit : fits_)
      good = good && value(fit) >= 1 - worst_share * below && value(fit) <= 1 + worst_share * above;
    if (!good) miss(what);
  }

  const std::vector<TruthFit>& fits_;
  std::string missed_;
};

// The limits of a set in one line.
inline std::string limits_of(const TruthTask& task, wgp::Index count) {
  using Kind = TruthTask::Kind;
  if (!is_of_the_five(task)) {
    std::string text = "right: " + std::to_string(task.right_of_ten) + " of 10";
    if (task.kind == Kind::gap) text += ", error outside the gap <= .45";
    if (task.kind == Kind::outliers) text += ", noise .9-1.15, named >= .95, false <= .01";
    return text;
  }
  if (count != 200) return task.kind == Kind::sheet ? "every noise .5-1.5" : "every shape right, every noise .5-1.5";
  if (task.kind == Kind::sheet) return "noise .9-1.15, learned <= 3, density >= -1.4, 10 s";
  return std::string("noise .9-1.15, learned <= .35, true <= .4, length .95-1.05, ") +
         (task.kind == Kind::circle ? "density >= truth - .06, " : "") + "3 s";
}

}  // namespace bench
