// The page of a reproduction: Table 1 beside the paper's, and its figures.
#pragma once

#include <string>

#include "evaluate/reproduce.h"
#include "report/pages/page.h"
#include "report/svg/colouring.h"

namespace wgp::report {

// Of the points that the set's two models were fitted to.
Colouring portrait_colouring(const Reproduced& set);

// foot: what wrote the page.
Page reproduction_page(const Reproduction& reproduction, const ReproduceOptions& options, const std::string& foot);

}  // namespace wgp::report
