// Chebyshev series at eight places at a time; see gp/prediction_table.cpp.
#pragma once

#include <cstddef>

namespace wgp {

using Index = std::ptrdiff_t;

inline constexpr int series_terms = 20, series_at_once = 8;

// Series of `outputs` functions, one after the other: of one variable `terms` coefficients each; of two, for each term
// along the first variable the coefficients along the second.
struct SeriesView {
  const double* coefficients;
  Index outputs;
  int variables;
};

struct SeriesKernels {
  // place[8 v + l]: variable v of input l, in [-1, 1]. value[8 o + l]; slope[8 (outputs v + o) + l] by the place,
  // unless null.
  void (*evaluate)(const SeriesView& series, const double* place, double* value, double* slope);
};

}  // namespace wgp
