// A figure with its words: what a page shows and what a file of its own holds.
#pragma once

#include <string>

#include "report/svg/svg.h"

namespace wgp::report {

struct Figure {
  std::string title;
  std::string caption;  // plain text: what one sees and how to read it
  Svg svg;              // its name is the stem of the file's
};

}  // namespace wgp::report
