// 64 bits of anything, by Fowler, Noll and Vo (FNV-1a): whether two things are the same, against accidents and not
// against malice.
#pragma once

#include <cstdint>
#include <string>

#include "core/format.h"
#include "wgp/types.h"

namespace wgp {

class Fingerprint {
 public:
  void add(const void* bytes, std::size_t size) {
    const auto* byte = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ byte[i]) * 0x100000001b3;
  }
  // With their lengths, so that what follows one another can be told apart.
  void add(const std::string& text) {
    add(static_cast<double>(text.size()));
    add(text.data(), text.size());
  }
  void add(double number) { add(&number, sizeof number); }
  void add(ConstMatrixRef numbers) {
    add(static_cast<double>(numbers.cols()));
    for (Index j = 0; j < numbers.cols(); ++j)
      add(numbers.col(j).data(), static_cast<std::size_t>(numbers.rows()) * sizeof(double));
  }
  std::uint64_t value() const { return value_; }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace wgp
