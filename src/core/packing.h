// Numbers and matrices as bytes, for processes of one kind. A type says once what it consists of:
//
//   struct Part {
//     Matrix sums;
//     double count = 0;
//     void each_part(auto&& visitor) { visitor(sums, count); }
//   };
#pragma once

#include <concepts>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "core/format.h"
#include "wgp/types.h"

namespace wgp {

class Packer {
 public:
  void operator()(auto&&... parts) { (add(parts), ...); }
  std::string take() { return std::move(bytes_); }

 private:
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void add(const Number& number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(const std::string& text) {
    add(text.size());
    bytes_ += text;
  }
  template <int Rows, int Columns>
  void add(const Eigen::Matrix<double, Rows, Columns>& matrix) {
    add(matrix.rows());
    add(matrix.cols());
    bytes_.append(reinterpret_cast<const char*>(matrix.data()),
                  static_cast<std::size_t>(matrix.size()) * sizeof(double));
  }
  template <class Part>
  void add(std::vector<Part>& parts) {
    add(parts.size());
    for (Part& part : parts) add(part);
  }
  template <class Part>
  requires requires(Part part, Packer packer) { part.each_part(packer); }
  void add(Part& part) { part.each_part(*this); }

  std::string bytes_;
};

// Error where the bytes are of something else.
class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : bytes_(bytes) {}
  void operator()(auto&&... parts) { (take(parts), ...); }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  void copy(void* to, std::size_t size) {
    if (size > bytes_.size() - at_) throw Error("a message between processes is cut short: do all run the same wgp?");
    std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }
  std::size_t length(std::size_t of_each) {
    std::size_t count = 0;
    take(count);
    if (count > (bytes_.size() - at_) / of_each)
      throw Error("a message between processes is cut short: do all run the same wgp?");
    return count;
  }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void take(Number& number) { copy(&number, sizeof number); }
  void take(std::string& text) {
    text.resize(length(1));
    copy(text.data(), text.size());
  }
  template <int Rows, int Columns>
  void take(Eigen::Matrix<double, Rows, Columns>& matrix) {
    Index rows = 0, cols = 0;
    take(rows);
    take(cols);
    const auto left = static_cast<Index>((bytes_.size() - at_) / sizeof(double));
    if (rows < 0 || cols < 0 || (cols > 0 && rows > left / cols))
      throw Error("a message between processes is cut short: do all run the same wgp?");
    matrix.resize(rows, cols);
    copy(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(double));
  }
  template <class Part>
  void take(std::vector<Part>& parts) {
    parts.resize(length(1));
    for (Part& part : parts) take(part);
  }
  template <class Part>
  requires requires(Part part, Unpacker unpacker) { part.each_part(unpacker); }
  void take(Part& part) { part.each_part(*this); }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

template <class T>
std::string packed(T& value) {
  Packer packer;
  packer(value);
  return packer.take();
}

template <class T>
T unpacked(const std::string& bytes) {
  T value{};
  Unpacker unpacker(bytes);
  unpacker(value);
  if (!unpacker.at_end()) throw Error("a message between processes is too long: do all run the same wgp?");
  return value;
}

}  // namespace wgp
