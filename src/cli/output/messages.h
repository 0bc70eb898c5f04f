// What the commands say on standard error, and small pieces of JSON they share.
#pragma once

#include "core/format.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/input/arguments.h"
#include "cli/output/standard_error.h"
#include "wgp/manifold.h"

namespace wgp::cli {

class Messages {
 public:
  explicit Messages(const Arguments& arguments) : quiet_(arguments.has("quiet")) {}
  // For somebody who does not see standard error.
  explicit Messages(std::vector<std::string>& kept) : kept_(&kept) {}
  template <class... T>
  void say(fmt::format_string<T...> format, T&&... values) const {
    if (kept_)
      kept_->push_back(fmt::format(format, std::forward<T>(values)...));
    else if (!quiet_)
      write_to_standard_error(fmt::format(format, std::forward<T>(values)...) + "\n");
  }

 private:
  bool quiet_ = false;
  std::vector<std::string>* kept_ = nullptr;
};

inline std::string plural(Index count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// Rows by number: "row 3", "rows 3, 5, 9, ... (17 in all)".
std::string row_list(const std::vector<Index>& zero_based);

// How many rows had a status, and the first of them: a million odd rows must not fill the memory.
struct OddRows {
  Index count = 0;
  std::vector<Index> first;
  void add(Index row) {
    if (++count <= 10) first.push_back(row);
  }
};

using Json = nlohmann::ordered_json;
Json to_json(ConstVectorRef values);
Json columns_to_json(ConstMatrixRef values);  // one array per column
void print_json(const Json& object);          // one line on standard output

}  // namespace wgp::cli
