// Reads tests/golden/vectors.json and compares numbers.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "wgp/types.h"

namespace wgp::test {

// The group with this id: {"inputs": ..., "outputs": ..., "rtol": ...}.
inline const nlohmann::json& golden(const std::string& id) {
  static const nlohmann::json file = nlohmann::json::parse(std::ifstream(WGP_GOLDEN_FILE));
  for (const auto& group : file.at("vectors"))
    if (group.at("id") == id) return group;
  throw Error("no golden group " + id);
}

// Any nested array, row-major, as one column. {"re": [...], "im": [...]} becomes re1 im1 re2 im2 ...
inline void append_numbers(const nlohmann::json& value, std::vector<double>& out) {
  if (value.is_array()) {
    for (const auto& entry : value) append_numbers(entry, out);
  } else if (value.is_object()) {
    for (std::size_t i = 0; i < value.at("re").size(); ++i) {
      out.push_back(value.at("re")[i].get<double>());
      out.push_back(value.at("im")[i].get<double>());
    }
  } else {
    out.push_back(value.get<double>());
  }
}
inline Vector column(const nlohmann::json& value) {
  std::vector<double> numbers;
  append_numbers(value, numbers);
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
}

// Rows of `width` numbers, each as a column.
inline Matrix columns(const nlohmann::json& rows, Index width) {
  const Vector numbers = column(rows);
  return numbers.reshaped(width, numbers.size() / width);
}

// |actual - expected| <= rtol * |expected| in the 2-norm, with a message that shows all three.
inline ::testing::AssertionResult close(ConstMatrixRef actual, ConstMatrixRef expected, double rtol) {
  if (actual.rows() != expected.rows() || actual.cols() != expected.cols())
    return ::testing::AssertionFailure() << "sizes differ: " << actual.rows() << "x" << actual.cols() << " and "
                                         << expected.rows() << "x" << expected.cols();
  const double difference = (actual - expected).norm(), size = expected.norm();
  if (difference <= rtol * size) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\n  actual   " << actual.transpose() << "\n  expected "
                                       << expected.transpose() << "\n  difference " << difference << ", relative "
                                       << difference / size << ", allowed " << rtol;
}
inline ::testing::AssertionResult close(double actual, double expected, double rtol) {
  return close(Vector(Vector::Constant(1, actual)), Vector(Vector::Constant(1, expected)), rtol);
}

}  // namespace wgp::test
