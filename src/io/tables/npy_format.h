// The NPY format: header and element types. Reference: numpy.lib.format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wgp/types.h"

namespace wgp {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

struct NpyHeader {
  char kind = 'f';       // 'f', 'i', 'u', 'b'; 'U' for text, where it is allowed
  std::size_t item = 8;  // bytes per element
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<Index> shape;
};

enum class NpyText { refused, allowed };  // Unicode arrays ('<U12'), beside numbers

// What stands before the data.
struct NpyPreamble {
  NpyHeader header;
  std::uint64_t size = 0;        // of magic, version and dictionary: the data start there
  std::uint64_t data_bytes = 0;  // that the shape asks for; 0 for an array without elements
};

// read fills up to size bytes, fewer only at the end. Throws Error (file stands in front) for what is malformed, not
// numbers, or of sizes beyond 63 bits.
using ReadBytes = std::function<std::size_t(char* to, std::size_t size)>;
NpyPreamble read_npy_preamble(const ReadBytes& read, const std::string& file, NpyText text = NpyText::refused);
// (100, 3), as Python writes it.
std::string shape_text(const std::vector<Index>& shape);
// Magic, version 1.0 and dictionary for an array in C order, by default of little-endian doubles, padded to exactly
// `size` bytes.
std::string npy_preamble(const std::vector<Index>& shape, std::size_t size, std::string_view descr = "<f8");
// The columns one after the other as little-endian doubles: the rows of the transpose.
void append_doubles(ConstMatrixRef columns, std::string& bytes);

// count elements of numbers from raw bytes.
void decode_npy(const NpyHeader& header, const char* bytes, std::size_t count, double* to);

}  // namespace wgp
