// The paper's femur figure: one closed curve by three models, side by side on the sphere.
#pragma once

#include <string>
#include <vector>

#include "report/figures/figure.h"
#include "wgp/model.h"

namespace wgp::report {

struct FemurPanel {
  std::string model;
  Matrix mean;                  // 3 x steps: the prediction along the latent circle
  std::vector<Matrix> samples;  // draws of the whole curve, without the noise of data
  double off_sphere = 0;        // root mean square of |y| - 1 over draws with noise
};

struct FemurData {
  Matrix train, test;
  std::vector<FemurPanel> panels;
};

// wgplvm and gplvm are fitted to `train`; the projected model is the second one again.
FemurData femur_data(const Model& wgplvm, const Model& gplvm, ConstMatrixRef test, std::uint64_t seed);
Figure femur_figure(const FemurData& data);

}  // namespace wgp::report
