// The paper's calibration figure: a panel for each data set and model.
#pragma once

#include <string>
#include <vector>

#include "report/figures/figure.h"
#include "wgp/evaluate.h"

namespace wgp::report {

struct CalibrationPanel {
  std::string set, model;
  Calibration calibration;
  Index d = 0, q = 0;  // of the chi-square reference
};

// Panels row by row, `columns` in each.
Figure calibration_grid(const std::vector<CalibrationPanel>& panels, int columns);

}  // namespace wgp::report
