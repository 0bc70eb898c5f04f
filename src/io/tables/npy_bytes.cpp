#include "io/tables/npy_bytes.h"

#include "core/format.h"

#include <string_view>
#include <utility>

#include "io/tables/npy_format.h"

namespace wgp {
namespace {

constexpr std::size_t preamble_bytes = 128;  // a multiple of 64, as numpy aligns its data; enough for two axes

std::string npy_of(ConstMatrixRef X, const std::vector<Index>& shape) {
  std::string bytes = npy_preamble(shape, preamble_bytes);
  append_doubles(X, bytes);
  return bytes;
}

struct NpyArray {
  NpyHeader header;
  std::string_view data;
};

NpyArray split_npy(std::string_view bytes, const std::string& what) {
  std::size_t at = 0;
  const auto read = [&](char* to, std::size_t size) {
    const std::size_t got = bytes.copy(to, size, at);
    at += got;
    return got;
  };
  NpyPreamble preamble = read_npy_preamble(read, what);
  const std::string_view data = bytes.substr(at);
  if (preamble.data_bytes != data.size())
    throw Error(fmt::format("{}: {}: shape {} needs {} bytes after the header, there are {}", what,
                            preamble.data_bytes > data.size() ? "truncated" : "too long",
                            shape_text(preamble.header.shape), preamble.data_bytes, data.size()));
  return {std::move(preamble.header), data};
}

void check_type(const NpyHeader& header, const std::string& what) {
  const bool plain = header.kind == 'f' && header.item == 8 && !header.big_endian;
  if (!plain)
    throw Error(fmt::format("{}: elements of type '{}{}{}'; write little-endian float64, array.astype('<f8')", what,
                            header.big_endian ? '>' : '<', header.kind, header.item));
  if (header.fortran_order)
    throw Error(fmt::format("{}: an array in Fortran order; write numpy.ascontiguousarray(array)", what));
}

// rows x cols doubles in C order as a cols x rows matrix.
Matrix decoded(const NpyArray& array, Index rows, Index cols) {
  Matrix X(cols, rows);
  if (X.size() > 0) decode_npy(array.header, array.data.data(), static_cast<std::size_t>(X.size()), X.data());
  return X;
}

}  // namespace

std::string npy_of_columns(ConstMatrixRef X) { return npy_of(X, {X.cols(), X.rows()}); }

std::string npy_of_vector(ConstVectorRef x) { return npy_of(x, {x.size()}); }

Matrix columns_of_npy(const std::string& bytes, const std::string& what) {
  const NpyArray array = split_npy(bytes, what);
  check_type(array.header, what);
  const auto& shape = array.header.shape;
  if (shape.size() != 1 && shape.size() != 2)
    throw Error(fmt::format("{}: an array of shape {}; (n, k) or (n,) is expected", what, shape_text(shape)));
  return decoded(array, shape[0], shape.size() == 2 ? shape[1] : 1);
}

Vector vector_of_npy(const std::string& bytes, const std::string& what) {
  const NpyArray array = split_npy(bytes, what);
  check_type(array.header, what);
  const auto& shape = array.header.shape;
  if (shape.size() != 1)
    throw Error(fmt::format("{}: an array of shape {}; (n,) is expected", what, shape_text(shape)));
  return decoded(array, shape[0], 1).transpose();
}

}  // namespace wgp
