// What wgp reproduce found, as JSON and as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "evaluate/reproduce.h"
#include "report/pages/page.h"

namespace wgp::cli {

// One object per data set, in it one per model, as wgp evaluate gives them.
nlohmann::ordered_json reproduction_json(const Reproduction& reproduction);
// Table 1 and the tables that belong to it.
std::string reproduction_text(const Reproduction& reproduction);

// In columns of equal width, the caption above.
std::string plain_text(const report::Table& table);

}  // namespace wgp::cli
