// Everything that a report shows of one model: first the data, then the page made of it.
#pragma once

#include "report/calibration_figure.h"
#include "report/colouring.h"
#include "report/convergence_figure.h"
#include "report/decoded_figure.h"
#include "report/latent_figure.h"
#include "report/page.h"
#include "report/provenance.h"
#include "report/residual_figure.h"
#include "wgp/model_file.h"

namespace wgp::report {

struct ReportData {
  std::string name;  // what the model is called: its file
  std::string sentence;
  LatentData latent;
  DecodedData decoded;  // empty where the sphere holds it
  std::optional<SphereData> sphere;
  ConvergenceData convergence;
  ResidualData residuals;
  CalibrationData calibration;
  NamedValues provenance;
};

ReportData report_data(const LoadedModel& loaded, const std::string& name, const Colouring& colouring);
// foot: what wrote the page.
Page report_page(const ReportData& data, const std::string& foot);

}  // namespace wgp::report
