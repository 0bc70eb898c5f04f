#include "cli/output/messages.h"

#include <algorithm>

#include "wgp/io.h"

namespace wgp::cli {

std::string row_list(const std::vector<Index>& zero_based) {
  constexpr std::size_t shown = 5;
  std::string text = zero_based.size() == 1 ? "row " : "rows ";
  for (std::size_t i = 0; i < std::min(shown, zero_based.size()); ++i)
    text += fmt::format("{}{}", i > 0 ? ", " : "", zero_based[i] + 1);
  if (zero_based.size() > shown) text += ", ...";
  return text;
}

Json to_json(ConstVectorRef values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(value);
  return array;
}

Json columns_to_json(ConstMatrixRef values) {
  Json array = Json::array();
  for (Index i = 0; i < values.cols(); ++i) array.push_back(to_json(values.col(i)));
  return array;
}

void print_json(const Json& object) {
  // Labels and column names may hold any bytes; JSON must be UTF-8.
  write_file("-", object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace wgp::cli
