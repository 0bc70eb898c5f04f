// A model as a page that explains itself, and its latent space as a picture.
#pragma once

#include <string>
#include <vector>

#include "wgp/model_file.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

struct ReportOptions {
  std::string name = "model";  // what the page calls it
  std::string foot = {};       // what wrote the page; empty: nothing is said
  // What points are coloured by, a text for each that the model holds; empty: the labels that the model keeps.
  std::string label_column = {};
  std::vector<std::string> labels = {};
};

// One HTML page that needs nothing but itself: that of `wgp report`.
std::string report_html(const LoadedModel& loaded, const ReportOptions& options = {});
// Its first figure alone, as an SVG file.
std::string latent_svg(const LoadedModel& loaded, const ReportOptions& options = {});

}  // namespace WGP_PUBLIC
