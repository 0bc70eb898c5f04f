// wgp manifolds
#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/output/messages.h"
#include "wgp/io.h"

namespace wgp::cli {

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
                      {"examples", entry.examples}});
    print_json({{"manifolds", list}});
    return exit_done;
  }
  // Aligned columns with headings; the last one is not padded.
  std::vector<std::vector<std::string>> lines = {{"SPEC", "DIMENSION", "INJECTIVITY RADIUS", "METHOD", "DATA"}};
  for (const auto& entry : entries)
    lines.push_back({entry.syntax, entry.dimension, entry.injectivity_radius, entry.method, entry.data});
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines)
    for (std::size_t j = 0; j < line.size(); ++j) widths[j] = std::max(widths[j], line[j].size());
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t j = 0; j + 1 < line.size(); ++j) text += fmt::format("{:<{}}  ", line[j], widths[j]);
    text += line.back() + "\n";
  }
  write_file("-", text);
  return exit_done;
}

}  // namespace wgp::cli
