// One HTML page that needs nothing but itself: no network, no other file. Its security policy allows nothing but the
// style sheet and, where it is alive, the program that came with it.
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
  std::string words = {};      // a paragraph, before both
  bool replaced_live = false;  // where the page is alive, it is for print and for browsers without scripts
};

// What makes a page of a model live: its reader points at a latent, and it shows the point there.
struct LivePart {
  std::string data;     // JSON, see live_data.h
  std::string model;    // the bytes of its file
  bool served = false;  // by a server that the page may ask
};

struct Page {
  std::string title, summary, foot;
  std::vector<Section> sections;
  std::optional<LivePart> live = {};
};

std::string html(const Page& page);
// What the page is allowed, as its own element says it.
std::string security_policy(const Page& page);

}  // namespace wgp::report
