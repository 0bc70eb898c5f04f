// A figure with its words: what a page shows and what a file of its own holds.
#pragma once

#include <string>

#include "report/svg/svg.h"
#include "wgp/types.h"

namespace wgp::report {

// Of many points every so many-th is drawn: more would be a blot, and a page of many megabytes.
Index drawn_every(Index points);
// The sentence that says so, after a blank; empty where all are drawn.
std::string drawn_words(Index points);

struct Figure {
  std::string title;
  std::string caption;  // plain text: what one sees and how to read it
  Svg svg;              // its name is the stem of the file's
};

}  // namespace wgp::report
