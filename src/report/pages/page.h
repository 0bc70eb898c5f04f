// One HTML page that needs nothing but itself: no script, no network, no other file; it prints as it looks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/figures/figure.h"

namespace wgp::report {

struct Table {
  std::string caption;
  std::vector<std::string> header;  // empty: the first column names the rows
  std::vector<std::vector<std::string>> rows;
};

struct Section {
  std::string id, title;  // id: of letters and dashes, unique in the page
  std::optional<Figure> figure = {};
  std::optional<Table> table = {};
  std::string words = {};  // a paragraph, before both
};

struct Page {
  std::string title, summary, foot;
  std::vector<Section> sections;
};

std::string html(const Page& page);

}  // namespace wgp::report
