// A finished step of a fit as a list of numbers, and back: whatever comes from a file is looked at before it is used.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/format.h"
#include "wgp/types.h"

namespace wgp {

class StepWriter {
 public:
  void add(double number) { numbers_.push_back(number); }
  void add(const std::string& text) {
    add(static_cast<double>(text.size()));
    for (const char c : text) add(static_cast<double>(c));
  }
  void add(ConstMatrixRef numbers) {
    add(static_cast<double>(numbers.rows()));
    add(static_cast<double>(numbers.cols()));
    for (Index j = 0; j < numbers.cols(); ++j)
      for (Index i = 0; i < numbers.rows(); ++i) add(numbers(i, j));
  }
  Vector packed() const { return Eigen::Map<const Vector>(numbers_.data(), static_cast<Index>(numbers_.size())); }

 private:
  std::vector<double> numbers_;
};

class StepReader {
 public:
  explicit StepReader(ConstVectorRef numbers) : numbers_(numbers) {}
  double number() {
    if (next_ >= numbers_.size()) throw Error("the checkpoint is damaged: a step ends too early");
    return numbers_[next_++];
  }
  Index count(Index largest) {
    const double value = number();
    if (!(value >= 0 && value <= static_cast<double>(largest)) || value != std::floor(value))
      throw Error("the checkpoint is damaged: a size in a step is impossible");
    return static_cast<Index>(value);
  }
  std::string text() {
    std::string result(static_cast<std::size_t>(count(1000)), ' ');
    for (char& c : result) c = static_cast<char>(count(127));
    return result;
  }
  // Of these sizes, with finite numbers.
  Matrix matrix(Index rows, Index cols) {
    const Matrix found = matrix();
    if (found.rows() != rows || found.cols() != cols)
      throw Error(fmt::format("the checkpoint is damaged: a step has {} x {} numbers where the fit has {} x {}",
                              found.rows(), found.cols(), rows, cols));
    if (!found.allFinite()) throw Error("the checkpoint is damaged: a number in a step is not finite");
    return found;
  }
  Matrix matrix() {
    const Index rows = count(numbers_.size()), cols = count(numbers_.size());
    if (cols > 0 && rows > (numbers_.size() - next_) / cols)
      throw Error("the checkpoint is damaged: a matrix in a step is larger than the step");
    Matrix result(rows, cols);
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) result(i, j) = number();
    return result;
  }
  void end() const {
    if (next_ != numbers_.size()) throw Error("the checkpoint is damaged: a step goes on after its end");
  }

 private:
  Vector numbers_;
  Index next_ = 0;
};

}  // namespace wgp
