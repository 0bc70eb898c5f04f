#include "io/npy_bytes.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "io/npy_format.h"
#include "io/number.h"

namespace wgp {
namespace {

constexpr std::size_t preamble_bytes = 128;  // a multiple of 64, as numpy aligns its data; enough for two axes

std::string shape_text(const std::vector<Index>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += fmt::format("{}{}", i > 0 ? ", " : "", shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// The columns of X one after the other are the rows of its transpose.
std::string npy_of(ConstMatrixRef X, const std::vector<Index>& shape) {
  std::string bytes = npy_preamble(shape, preamble_bytes);
  std::size_t at = bytes.size();
  bytes.resize(at + 8 * static_cast<std::size_t>(X.size()));
  for (Index i = 0; i < X.cols(); ++i)
    for (Index j = 0; j < X.rows(); ++j) {
      auto bits = std::bit_cast<std::uint64_t>(X(j, i));
      if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap64(bits);
      std::memcpy(bytes.data() + at, &bits, 8);
      at += 8;
    }
  return bytes;
}

struct NpyArray {
  NpyHeader header;
  std::string_view data;
};

NpyArray split_npy(std::string_view bytes, const std::string& what) {
  const std::size_t magic = npy_magic.size();
  if (!bytes.starts_with(npy_magic))
    throw Error(fmt::format("{}: not an NPY array: it starts with {}", what, quote_text(bytes.substr(0, magic))));
  const auto truncated = [&] { return Error(fmt::format("{}: truncated in the NPY header", what)); };
  if (bytes.size() < magic + 2) throw truncated();
  const int major = static_cast<unsigned char>(bytes[magic]);
  if (major < 1 || major > 3) throw Error(fmt::format("{}: NPY version {}; versions 1 to 3 can be read", what, major));
  const std::size_t length_bytes = major == 1 ? 2 : 4, start = magic + 2 + length_bytes;
  if (bytes.size() < start) throw truncated();
  std::size_t length = 0;
  for (std::size_t i = start; i-- > magic + 2;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  if (bytes.size() - start < length) throw truncated();
  return {parse_npy_header(bytes.substr(start, length), what), bytes.substr(start + length)};
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
Matrix decoded(const NpyArray& array, Index rows, Index cols, const std::string& what) {
  Index items = 0, bytes = 0;
  if (__builtin_mul_overflow(rows, cols, &items) || __builtin_mul_overflow(items, Index{8}, &bytes))
    throw Error(fmt::format("{}: shape {} is too large to be read", what, shape_text(array.header.shape)));
  if (static_cast<std::size_t>(bytes) != array.data.size())
    throw Error(fmt::format("{}: {}: shape {} needs {} bytes after the header, there are {}", what,
                            static_cast<std::size_t>(bytes) > array.data.size() ? "truncated" : "too long",
                            shape_text(array.header.shape), bytes, array.data.size()));
  Matrix X(cols, rows);
  if (items > 0) decode_npy(array.header, array.data.data(), static_cast<std::size_t>(items), X.data());
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
  return decoded(array, shape[0], shape.size() == 2 ? shape[1] : 1, what);
}

Vector vector_of_npy(const std::string& bytes, const std::string& what) {
  const NpyArray array = split_npy(bytes, what);
  check_type(array.header, what);
  const auto& shape = array.header.shape;
  if (shape.size() != 1)
    throw Error(fmt::format("{}: an array of shape {}; (n,) is expected", what, shape_text(shape)));
  return decoded(array, shape[0], 1, what).transpose();
}

}  // namespace wgp
