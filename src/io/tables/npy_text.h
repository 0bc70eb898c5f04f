// Columns of text as NPY arrays: NumPy keeps 32 bits a character and gives all texts the length of the longest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/bytes/byte_source.h"

namespace wgp {

// Shape (n,). What is not UTF-8 is taken byte by byte, as Latin-1.
std::string npy_of_texts(const std::vector<std::string>& texts);
// The inverse; `what` names the array in errors.
std::vector<std::string> texts_of_npy(const std::string& bytes, const std::string& what);

// Text by text, as they come. The array's size must have been checked: one text is held in memory.
class TextColumn {
 public:
  explicit TextColumn(std::unique_ptr<ByteSource> source);
  std::string next();

 private:
  std::unique_ptr<ByteSource> source_;
  bool big_endian_ = false;
  std::string item_;
};

}  // namespace wgp
