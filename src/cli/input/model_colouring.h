// How the points of a page are coloured, and the points themselves where the model does not hold them.
#pragma once

#include "cli/output/messages.h"
#include "report/svg/colouring.h"
#include "wgp/model_file.h"

namespace wgp::cli {

// Wrong usage where flags say how --data is read, and there is none.
void check_data_flags(const Arguments& arguments);

// --labels COL --data FILE: one label for each training point; otherwise those that the fit was given. A model that
// holds no points gets those of the table.
report::Colouring colouring_of(const Arguments& arguments, LoadedModel& loaded, const Messages& messages);
// What the points can be coloured by besides: the other columns of --labels A,B,C, and what the fit was given.
std::vector<report::Colouring> further_colourings(const Arguments& arguments, const LoadedModel& loaded);

}  // namespace wgp::cli
