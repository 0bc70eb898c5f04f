// Small data for the tests that walk through what is promised to users, promise by promise.
#pragma once

#include <cmath>
#include <numbers>

#include "run_command.h"

namespace wgp::test {

class Contract : public CommandTest {
 protected:
  using Rows = std::vector<std::vector<double>>;

  static std::string csv(const Rows& rows, const std::string& header_line = "") {
    std::ostringstream text;
    text.precision(17);
    if (!header_line.empty()) text << header_line << '\n';
    for (const auto& row : rows)
      for (std::size_t j = 0; j < row.size(); ++j) text << row[j] << (j + 1 < row.size() ? ',' : '\n');
    return text.str();
  }

  // Directions on a closed path around the north pole.
  static Rows directions(int count) {
    Rows rows;
    for (int i = 0; i < count; ++i) {
      const double t = 2 * std::numbers::pi * i / count, u = 0.6 + 0.15 * std::sin(2 * t) + 0.01 * std::cos(11.0 * i);
      rows.push_back({std::sin(u) * std::cos(t), std::sin(u) * std::sin(t), std::cos(u)});
    }
    return rows;
  }

  // What a command prints as JSON; it must be one object and succeed.
  nlohmann::json object_of(const std::string& arguments) const {
    const Outcome outcome = wgp(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << '\n' << outcome.err;
    nlohmann::json object = nlohmann::json::parse(outcome.out, nullptr, false);
    EXPECT_TRUE(object.is_object()) << arguments << '\n' << outcome.out;
    return object;
  }
  static void expect_keys(const nlohmann::json& object, const std::vector<std::string>& keys,
                          const std::string& where) {
    for (const auto& key : keys) EXPECT_TRUE(object.contains(key)) << where << " has no " << key << '\n' << object;
  }
  void expect_done(const std::string& arguments) const {
    const Outcome outcome = wgp(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << '\n' << outcome.err;
  }
};

}  // namespace wgp::test
