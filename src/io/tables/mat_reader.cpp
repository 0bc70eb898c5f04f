// MATLAB's MAT-files of version 5 (which "save -v6" and "-v7" write): one of their arrays of numbers as a table.
//
// A file is a header of 128 bytes, then data elements: tag (type, bytes), content, padding to eight bytes. An array is
// an element of elements: flags, dimensions, name, numbers, which may be stored in a smaller type than their class; it
// may be packed by zlib as a whole. Arrays stand with the first axis fastest. Reference: "MAT-File Format", The
// MathWorks.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/format.h"
#include "io/bytes/inflater.h"
#include "io/bytes/number.h"
#include "io/tables/mat_arrays.h"
#include "io/tables/npy_format.h"
#include "io/tables/readers.h"

namespace wgp {
namespace {

constexpr std::size_t mat_header_bytes = 128;
constexpr std::uint32_t mi_uint32 = 6, mi_int32 = 5, mi_int8 = 1, mi_matrix = 14, mi_compressed = 15;
constexpr std::size_t most_mat_axes = 32;

struct StoredType {
  std::uint32_t code;
  char kind;
  std::size_t bytes;
};
constexpr std::array<StoredType, 10> stored_types = {{{1, 'i', 1},
                                                      {2, 'u', 1},
                                                      {3, 'i', 2},
                                                      {4, 'u', 2},
                                                      {5, 'i', 4},
                                                      {6, 'u', 4},
                                                      {7, 'f', 4},
                                                      {9, 'f', 8},
                                                      {12, 'i', 8},
                                                      {13, 'u', 8}}};
constexpr std::array<const char*, 16> class_names = {
    "an unknown thing", "a cell array", "a structure", "an object", "text",    "sparse",  "numbers", "numbers",
    "numbers",          "numbers",      "numbers",     "numbers",   "numbers", "numbers", "numbers", "numbers"};
constexpr std::uint32_t first_number_class = 6, last_number_class = 15;

// Elements one behind the other.
class Elements {
 public:
  Elements(std::string_view bytes, bool swapped, const std::string& file)
      : bytes_(bytes), swapped_(swapped), file_(file) {}
  bool at_end() const { return at_ >= bytes_.size(); }

  // whole: an Error where the content is not all there; else as much as there is.
  enum class Need { whole, beginning };
  std::string_view next(std::uint32_t& type, Need need = Need::whole) {
    if (bytes_.size() - at_ < 8) throw Error(fmt::format("{}: truncated in the tag of an element", file_));
    const std::uint32_t first = number(at_), second = number(at_ + 4);
    std::size_t start = at_ + 8, size = second;
    type = first;
    const bool small = (first >> 16) != 0;
    if (small) {  // up to four bytes within the tag
      type = first & 0xffff;
      size = first >> 16;
      start = at_ + 4;
      if (size > 4) throw Error(fmt::format("{}: damaged: a small element of {} bytes", file_, size));
    }
    const std::size_t there = bytes_.size() - std::min(start, bytes_.size());
    if (size > there && need == Need::whole)
      throw Error(fmt::format("{}: truncated: an element of {} bytes, of which {} are there", file_, size, there));
    at_ = small ? at_ + 8 : start + (type == mi_compressed ? size : (size + 7) / 8 * 8);
    at_ = std::min(at_, bytes_.size());
    return bytes_.substr(start, std::min(size, there));
  }
  std::uint32_t number(std::size_t at) const { return number_in(bytes_, at, swapped_); }
  static std::uint32_t number_in(std::string_view bytes, std::size_t at, bool swapped) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return swapped ? __builtin_bswap32(value) : value;
  }

 private:
  std::string_view bytes_;
  bool swapped_;
  const std::string& file_;
  std::size_t at_ = 0;
};

struct Content {
  std::string_view bytes;
  bool packed;
};

class MatFile {
 public:
  MatFile(std::string bytes, std::string file) : bytes_(std::move(bytes)), file_(std::move(file)) {
    const bool little = bytes_.compare(126, 2, "IM") == 0;
    swapped_ = little != (std::endian::native == std::endian::little);
    big_endian_ = !little;
    Elements elements(std::string_view(bytes_).substr(mat_header_bytes), swapped_, file_);
    while (!elements.at_end()) {
      std::uint32_t type = 0;
      const std::string_view content = elements.next(type);
      if (type == mi_compressed)
        add(unpacked(content, longest_head), content, true);
      else if (type == mi_matrix)
        add(std::string(content.substr(0, longest_head)), content, false);
    }
  }

  // The array of this name, or the only one of numbers, as an NPY file with the samples first.
  std::string npy(const std::string& name, Index axis) const {
    const std::size_t chosen = chosen_array(arrays_, name, file_);
    const MatArray& array = arrays_[chosen];
    std::string whole;
    std::string_view content = contents_[chosen].bytes;
    if (contents_[chosen].packed) {
      whole = unpacked(content, std::string::npos);
      content = matrix_in(whole);
    }
    Elements parts(content, swapped_, file_);
    std::uint32_t type = 0;
    for (int passed = 0; passed < 3; ++passed) parts.next(type);
    const std::string_view numbers = parts.next(type);
    const auto* stored =
        std::find_if(stored_types.begin(), stored_types.end(), [&](const StoredType& one) { return one.code == type; });
    if (stored == stored_types.end())
      throw Error(fmt::format("{}: damaged: numbers of the type {} in {}", file_, type, array.name));
    std::uint64_t bytes = stored->bytes;
    for (const Index size : array.shape)
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) bytes = UINT64_MAX;
    if (bytes != numbers.size())
      throw Error(fmt::format("{}: damaged: {} of {} needs {} bytes, it has {}", file_, array.name,
                              shape_words(array.shape), bytes, numbers.size()));
    return with_samples_first(array, numbers, *stored, sample_axis(array, axis, file_));
  }

 private:
  static constexpr std::size_t longest_head = 4096;

  // The first bytes of what is packed, or all of it.
  std::string unpacked(std::string_view packed, std::size_t most) const {
    constexpr std::size_t piece = std::size_t{1} << 16;
    Inflater inflater(Inflater::Wrapping::zlib);
    std::string out;
    std::size_t used = 0;
    for (auto status = Inflater::Status::more; status != Inflater::Status::ended && out.size() < most;) {
      const std::size_t before = out.size();
      out.resize(before + std::min(piece, most - before));
      const auto progress =
          inflater.run(packed.data() + used, packed.size() - used, out.data() + before, out.size() - before);
      status = progress.status;
      used += progress.read;
      out.resize(before + progress.written);
      if (status == Inflater::Status::broken)
        throw Error(fmt::format("{}: damaged: an array cannot be unpacked", file_));
      if (status == Inflater::Status::more && progress.written == 0 && used == packed.size())
        throw Error(fmt::format("{}: truncated: a packed array ends too early", file_));
      if (is_bomb(out.size(), packed.size()))
        throw Error(fmt::format("{}: {} bytes unpack to more than {}; no measured data does", file_, packed.size(),
                                out.size()));
    }
    return out;
  }

  // The content of the element that unpacked bytes are.
  std::string_view matrix_in(std::string_view element) const {
    std::uint32_t type = 0;
    const std::string_view content = Elements(element, swapped_, file_).next(type);
    if (type != mi_matrix) throw Error(fmt::format("{}: damaged: a packed element of the type {}", file_, type));
    return content;
  }

  // head: the first bytes of the array's content, or if it was packed of its element.
  void add(const std::string& head, std::string_view content, bool packed) {
    std::uint32_t type = 0;
    std::string_view start = head;
    if (packed) {
      start = Elements(head, swapped_, file_).next(type, Elements::Need::beginning);
      if (type != mi_matrix) return;
    }
    if (start.empty()) return;
    Elements parts(start, swapped_, file_);
    const std::string_view flags = parts.next(type);
    if (type != mi_uint32 || flags.size() != 8) throw Error(fmt::format("{}: damaged: an array without flags", file_));
    const std::uint32_t word = Elements::number_in(flags, 0, swapped_), kind = word & 0xff;
    if (kind > last_number_class) return;  // what MATLAB keeps for itself
    MatArray array;
    const std::string_view sizes = parts.next(type);
    if (type != mi_int32 || sizes.size() % 4 != 0 || sizes.size() / 4 > most_mat_axes)
      throw Error(fmt::format("{}: damaged: an array without dimensions", file_));
    for (std::size_t at = 0; at < sizes.size(); at += 4)
      array.shape.push_back(static_cast<std::int32_t>(Elements::number_in(sizes, at, swapped_)));
    const std::string_view name = parts.next(type);
    if (type != mi_int8) throw Error(fmt::format("{}: damaged: an array without a name", file_));
    array.name = name;
    if (array.name.empty() || array.name.starts_with("__")) return;
    constexpr std::uint32_t complex_numbers = 0x800;
    if (kind < first_number_class)
      array.defect = class_names[kind];
    else if ((word & complex_numbers) != 0)
      array.defect = "complex numbers";
    else if (std::any_of(array.shape.begin(), array.shape.end(), [](Index size) { return size < 1; }))
      array.defect = "empty";
    arrays_.push_back(std::move(array));
    contents_.push_back({content, packed});
  }

  std::string with_samples_first(const MatArray& array, std::string_view numbers, const StoredType& stored,
                                 std::size_t axis) const {
    std::vector<Index> shape{array.shape[axis]};
    std::vector<std::size_t> steps{1};  // between neighbours, in numbers, of each axis of the result
    for (std::size_t j = 0; j < axis; ++j) steps[0] *= static_cast<std::size_t>(array.shape[j]);
    std::size_t step = 1;
    for (std::size_t j = 0; j < array.shape.size(); ++j) {
      if (j != axis) {
        shape.push_back(array.shape[j]);
        steps.push_back(step);
      }
      step *= static_cast<std::size_t>(array.shape[j]);
    }
    constexpr std::size_t preamble_bytes = 1024;
    const std::string type = fmt::format("{}{}{}",
                                         stored.bytes == 1 ? '|'
                                         : big_endian_     ? '>'
                                                           : '<',
                                         stored.kind, stored.bytes);
    std::string npy = npy_preamble(shape, preamble_bytes, type);
    npy.reserve(npy.size() + numbers.size());
    std::vector<Index> at(shape.size());
    for (std::size_t place = 0;;) {
      npy.append(numbers.substr(place * stored.bytes, stored.bytes));
      std::size_t j = shape.size();
      while (j-- > 0) {
        place += steps[j];
        if (++at[j] < shape[j]) break;
        place -= steps[j] * static_cast<std::size_t>(shape[j]);
        at[j] = 0;
      }
      if (j == std::string::npos) return npy;
    }
  }

  std::string bytes_, file_;
  bool swapped_ = false, big_endian_ = false;
  std::vector<MatArray> arrays_;
  std::vector<Content> contents_;  // of these
};

std::string all_bytes(ByteSource& source) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::string bytes;
  while (true) {
    const std::size_t before = bytes.size();
    if (before > most_piped_bytes)
      throw Error(fmt::format("{}: more than {} MiB; save the array in a file of its own", source.name(),
                              most_piped_bytes >> 20));
    bytes.resize(before + piece);
    const std::size_t got = source.read(bytes.data() + before, piece);
    bytes.resize(before + got);
    if (got < piece) return bytes;
  }
}

}  // namespace

bool is_mat(std::string_view head) {
  if (head.starts_with(newer_mat)) return true;
  if (head.size() < mat_header_bytes || !head.starts_with("MATLAB 5.0")) return false;
  const std::string_view mark = head.substr(124, 4);
  return mark == std::string_view("\0\1IM", 4) || mark == std::string_view("\1\0MI", 4);
}

std::unique_ptr<TableReader> open_mat(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  const std::string file = source->name();
  std::string start(newer_mat.size(), '\0');
  start.resize(source->read(start.data(), start.size()));
  if (start == newer_mat) return open_newer_mat(std::move(source), options);
  std::string bytes = start + all_bytes(*source);
  if (!is_mat(bytes)) throw Error(fmt::format("{}: truncated: {} bytes, no MAT-file's header", file, bytes.size()));
  std::string npy = MatFile(std::move(bytes), file).npy(options.array, options.sample_axis);
  return open_mat_array(memory_bytes(std::move(npy), file), options);
}

}  // namespace wgp
