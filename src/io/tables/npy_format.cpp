#include "io/tables/npy_format.h"

#include "core/format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <Eigen/Core>

#include "io/bytes/number.h"

namespace wgp {
namespace {

struct ForeignKind {
  std::string_view letters, meaning;
};
constexpr std::array<ForeignKind, 5> foreign_kinds = {
    {{"c", "complex"}, {"O", "Python objects"}, {"SaU", "text"}, {"Mm", "times"}, {"V", "raw bytes"}}};

// Just enough of Python's literals: strings, True, False, tuples of integers, one dictionary.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file, NpyText unicode)
      : text_(text), file_(file), unicode_(unicode) {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !descr) {
        skip_blanks();
        if (peek() == '[') fail("a structured array, not plain numbers; save one field of it");
        set_type(string(), header);
        descr = true;
      } else if (key == "fortran_order" && !order) {
        header.fortran_order = boolean();
        order = true;
      } else if (key == "shape" && !shape) {
        header.shape = tuple();
        shape = true;
      } else {
        fail(fmt::format("the key {} in the header", quote_text(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (position_ != text_.size()) fail("text after the header's dictionary");
    if (!descr || !order || !shape) fail("a header without descr, fortran_order and shape");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: not a readable NPY file: {}", file_, what));
  }
  char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') ++position_;
  }
  bool accept(char c) {
    skip_blanks();
    if (peek() != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail(fmt::format("a damaged header ({} expected at {})", c,
                       quote_text(text_.substr(std::min(position_, text_.size())))));
  }

  std::string string() {
    skip_blanks();
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a damaged header (a string was expected)");
    const auto close = text_.find(quote, position_ + 1);
    if (close == std::string_view::npos) fail("a damaged header (a string does not end)");
    const std::string content(text_.substr(position_ + 1, close - position_ - 1));
    position_ = close + 1;
    return content;
  }

  bool boolean() {
    skip_blanks();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(position_).starts_with(word)) {
        position_ += word.size();
        return value;
      }
    }
    fail("a damaged header (fortran_order is neither True nor False)");
  }

  std::vector<Index> tuple() {
    std::vector<Index> values;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      Index value = 0;
      const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
      if (error == std::errc::result_out_of_range) fail("a size beyond 2^63 in its shape");
      if (error != std::errc() || value < 0) fail("a damaged header (the shape is not a tuple of sizes)");
      position_ = static_cast<std::size_t>(end - text_.data());
      if (peek() == 'L') ++position_;  // written by Python 2
      values.push_back(value);
      if (values.size() > 32) fail("a shape of more than 32 axes");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  void set_type(const std::string& descr, NpyHeader& header) const {
    const auto reject = [&](std::string_view what) {
      throw Error(fmt::format("{}: elements of type {} ({}); save it as numbers, e.g. array.astype('float64')", file_,
                              quote_text(descr), what));
    };
    std::string_view text = descr;
    header.big_endian = std::endian::native == std::endian::big;
    if (!text.empty() && std::string_view("<>|=").find(text[0]) != std::string_view::npos) {
      if (text[0] == '<' || text[0] == '>') header.big_endian = text[0] == '>';
      text.remove_prefix(1);
    }
    if (text.empty()) reject("unknown");
    header.kind = text[0];
    const bool unicode = header.kind == 'U' && unicode_ == NpyText::allowed;
    const auto foreign = std::find_if(foreign_kinds.begin(), foreign_kinds.end(), [&](const auto& entry) {
      return entry.letters.find(header.kind) != std::string_view::npos;
    });
    if (foreign != foreign_kinds.end() && !unicode) reject(foreign->meaning);
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), header.item);
    if (error != std::errc() || end != text.data() + text.size()) reject("unknown");
    if (unicode) {
      constexpr std::size_t longest_text = std::size_t{1} << 20;
      if (header.item > longest_text) reject("too long");
      header.item *= 4;  // counted in characters of 32 bits
      return;
    }
    const auto is_one_of = [&](std::initializer_list<std::size_t> sizes) {
      return std::find(sizes.begin(), sizes.end(), header.item) != sizes.end();
    };
    const bool known = (header.kind == 'f' && is_one_of({2, 4, 8, 12, 16})) ||
                       (header.kind == 'b' && header.item == 1) ||
                       ((header.kind == 'i' || header.kind == 'u') && is_one_of({1, 2, 4, 8}));
    if (!known) reject("unknown");
  }

  std::string_view text_;
  const std::string& file_;
  NpyText unicode_;
  std::size_t position_ = 0;
};

constexpr std::size_t longest_header = std::size_t{1} << 20;

// An empty array has no data, however large its other axes are.
std::uint64_t data_bytes_of(const NpyHeader& header, const std::string& file) {
  auto bytes = static_cast<std::uint64_t>(header.item);
  if (std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end()) return 0;
  for (const Index size : header.shape)
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes) || bytes > INT64_MAX - longest_header)
      throw Error(fmt::format("{}: shape {} is too large to be read", file, shape_text(header.shape)));
  return bytes;
}

// The low `bytes` bytes as an unsigned integer.
std::uint64_t unsigned_value(const unsigned char* little_endian, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | little_endian[i];
  return value;
}

double decode_half(std::uint64_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 0x1f);
  const auto fraction = static_cast<double>(bits & 0x3ff);
  if (exponent == 31) return fraction > 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

// The x87 extended format that numpy calls float96 or float128: 64 bits of significand, sign and exponent, padding.
double decode_extended(const unsigned char* little_endian) {
  const std::uint64_t significand = unsigned_value(little_endian, 8), top = unsigned_value(little_endian + 8, 2);
  const double sign = (top & 0x8000) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(top & 0x7fff);
  if (exponent == 0x7fff) return (significand << 1) != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  return sign * std::ldexp(static_cast<double>(significand), exponent - 16383 - 63);
}

double decode_item(char kind, std::size_t item, const unsigned char* little_endian) {
  if (kind == 'f' && item > 8) return decode_extended(little_endian);
  const std::uint64_t bits = unsigned_value(little_endian, item);
  switch (kind) {
    case 'b':
      return bits != 0 ? 1 : 0;
    case 'u':
      return static_cast<double>(bits);
    case 'i': {
      const auto shift = static_cast<unsigned>(64 - 8 * item);
      return static_cast<double>(static_cast<std::int64_t>(bits << shift) >> shift);
    }
    default:
      break;
  }
  if (item == 2) return decode_half(bits);
  if (item == 4) return static_cast<double>(Eigen::numext::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return Eigen::numext::bit_cast<double>(bits);
}

}  // namespace

NpyPreamble read_npy_preamble(const ReadBytes& read, const std::string& file, NpyText text) {
  const auto need = [&](char* to, std::size_t size) {
    if (read(to, size) < size) throw Error(fmt::format("{}: truncated in the NPY header", file));
  };
  std::string magic(npy_magic.size(), '\0');
  magic.resize(read(magic.data(), magic.size()));
  if (magic != npy_magic) throw Error(fmt::format("{}: not an NPY array: it starts with {}", file, quote_text(magic)));
  unsigned char version[2], field[4];
  need(reinterpret_cast<char*>(version), sizeof version);
  if (version[0] < 1 || version[0] > 3)
    throw Error(fmt::format("{}: NPY version {}; versions 1 to 3 can be read", file, version[0]));
  const std::size_t field_bytes = version[0] == 1 ? 2 : 4;
  need(reinterpret_cast<char*>(field), field_bytes);
  const auto length = static_cast<std::size_t>(unsigned_value(field, field_bytes));
  if (length > longest_header)
    throw Error(fmt::format("{}: not a readable NPY file: a header of {} bytes", file, length));
  std::string dictionary(length, '\0');
  need(dictionary.data(), length);
  NpyPreamble preamble;
  preamble.header = HeaderParser(dictionary, file, text).parse();
  preamble.size = npy_magic.size() + sizeof version + field_bytes + length;
  preamble.data_bytes = data_bytes_of(preamble.header, file);
  return preamble;
}

std::string shape_text(const std::vector<Index>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string npy_preamble(const std::vector<Index>& shape, std::size_t size, std::string_view descr) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape_text(shape));
  const std::size_t fixed = npy_magic.size() + 4;
  if (fixed + text.size() + 1 > size) throw Error("NPY: a shape with too many axes");
  text.append(size - fixed - text.size() - 1, ' ');
  text += '\n';
  std::string preamble(npy_magic);
  preamble += {'\x01', '\x00'};
  preamble += static_cast<char>(text.size() & 0xff);
  preamble += static_cast<char>(text.size() >> 8 & 0xff);
  return preamble + text;
}

void append_doubles(ConstMatrixRef columns, std::string& bytes) {
  std::size_t at = bytes.size();
  bytes.resize(at + 8 * static_cast<std::size_t>(columns.size()));
  for (Index i = 0; i < columns.cols(); ++i)
    for (Index j = 0; j < columns.rows(); ++j) {
      auto bits = Eigen::numext::bit_cast<std::uint64_t>(columns(j, i));
      if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap64(bits);
      std::memcpy(bytes.data() + at, &bits, 8);
      at += 8;
    }
}

void decode_npy(const NpyHeader& header, const char* bytes, std::size_t count, double* to) {
  if (header.kind == 'f' && header.item == 8 && header.big_endian == (std::endian::native == std::endian::big)) {
    std::memcpy(to, bytes, 8 * count);
    return;
  }
  unsigned char item[16];
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(item, bytes + i * header.item, header.item);
    if (header.big_endian) std::reverse(item, item + header.item);
    to[i] = decode_item(header.kind, header.item, item);
  }
}

}  // namespace wgp
