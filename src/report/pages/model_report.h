// Everything that a report shows of one model: first the data, then the page made of it.
#pragma once

#include "report/figures/calibration_figure.h"
#include "report/figures/convergence_figure.h"
#include "report/figures/decoded_figure.h"
#include "report/figures/latent_figure.h"
#include "report/figures/point_names.h"
#include "report/figures/residual_figure.h"
#include "report/pages/page.h"
#include "report/pages/provenance.h"
#include "report/svg/colouring.h"
#include "wgp/model_file.h"

namespace wgp::report {

struct ReportData {
  std::string name;  // what the model is called: its file
  std::string sentence;
  PointNames points;
  LatentData latent;
  std::vector<Colouring> further_colourings = {};  // that a reader of the live page can choose instead
  ManifoldPtr manifold;
  std::optional<DecodedLines> lines;  // where all of them have room in one picture
  DecodedData decoded;                // elsewhere
  ConvergenceData convergence;
  ResidualData residuals;
  CalibrationData calibration;
  double noise_sd = 0;
  NamedValues provenance;
  bool served = false;  // by wgp explore
};

ReportData report_data(const LoadedModel& loaded, const std::string& name, const Colouring& colouring);
// foot: what wrote the page.
Page report_page(const LoadedModel& loaded, const ReportData& data, const std::string& foot);

}  // namespace wgp::report
