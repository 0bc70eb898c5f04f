// What the live part of a page is told besides the model: names, colours, residuals, words, as JSON.
#pragma once

#include <string>

#include "report/pages/model_report.h"

namespace wgp::report {

// Safe inside of a <script> element, whatever labels contain.
std::string live_data_json(const LoadedModel& loaded, const ReportData& data);

}  // namespace wgp::report
