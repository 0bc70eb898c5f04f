// The NPY format: header and element types. Reference: numpy.lib.format.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "wgp/types.h"

namespace wgp {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

struct NpyHeader {
  char kind = 'f';       // 'f', 'i', 'u', 'b'
  std::size_t item = 8;  // bytes per element
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<Index> shape;
};

// The Python dictionary of the header: {'descr': '<f8', 'fortran_order': False, 'shape': (100, 3), }. Throws Error
// (with the file's name) for what is malformed or not a number.
NpyHeader parse_npy_header(std::string_view dictionary, const std::string& file);
// Magic, version 1.0 and dictionary for little-endian doubles in C order, padded to exactly `size` bytes.
std::string npy_preamble(const std::vector<Index>& shape, std::size_t size);

// count elements from raw bytes.
void decode_npy(const NpyHeader& header, const char* bytes, std::size_t count, double* to);

}  // namespace wgp
