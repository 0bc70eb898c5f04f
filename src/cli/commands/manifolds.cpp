// wgp manifolds
#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/output/messages.h"
#include "wgp/io.h"

namespace wgp::cli {
namespace {

// With headings; the last column is not padded.
std::string aligned_columns(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines)
    for (std::size_t j = 0; j < line.size(); ++j) widths[j] = std::max(widths[j], line[j].size());
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t j = 0; j + 1 < line.size(); ++j) text += fmt::format("{:<{}}  ", line[j], widths[j]);
    text += line.back() + "\n";
  }
  return text;
}

std::string or_none(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

int run_manifolds(const Arguments& arguments) {
  const auto& entries = registered_manifolds();
  if (arguments.has("json")) {
    Json list = Json::array();
    for (const auto& entry : entries)
      list.push_back({{"name", entry.name},
                      {"spec", entry.syntax},
                      {"dimension", entry.dimension},
                      {"injectivity_radius", entry.injectivity_radius},
                      {"method", entry.method},
                      {"data", entry.data},
                      {"metric", entry.metric},
                      {"geomstats", entry.geomstats},
                      {"pymanopt", entry.pymanopt},
                      {"examples", entry.examples}});
    print_json({{"manifolds", list}});
    return exit_done;
  }
  std::vector<std::vector<std::string>> spaces = {{"SPEC", "DIMENSION", "INJECTIVITY RADIUS", "METHOD", "DATA"}};
  std::vector<std::vector<std::string>> metrics = {{"SPEC", "SQUARED LENGTH OF V", "GEOMSTATS", "PYMANOPT"}};
  for (const auto& entry : entries) {
    spaces.push_back({entry.syntax, entry.dimension, entry.injectivity_radius, entry.method, entry.data});
    metrics.push_back({entry.syntax, entry.metric, or_none(entry.geomstats), or_none(entry.pymanopt)});
  }
  write_file("-", aligned_columns(spaces) +
                      "\nTheir metrics, and what distances of other libraries are to be multiplied by:\n" +
                      aligned_columns(metrics));
  return exit_done;
}

}  // namespace wgp::cli
