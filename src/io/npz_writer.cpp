// NPZ: the numbers as the array "points", each text column as an array of its own name. The rows go to the file as they
// come; texts are kept until the end, since NumPy gives all of them the length of the longest.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/archive.h"
#include "io/npy_format.h"
#include "io/number.h"
#include "io/writers.h"

namespace wgp {
namespace {

constexpr std::size_t preamble_bytes = 256;  // a multiple of 64, as numpy aligns its data

// The characters of UTF-8 text; what is not UTF-8 is taken byte by byte, as Latin-1.
std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(at < text.size() ? text[at] : 0); };
    const unsigned char first = byte(i);
    const std::size_t length = first < 0xc2 ? 1 : (first < 0xe0 ? 2 : (first < 0xf0 ? 3 : (first < 0xf5 ? 4 : 1)));
    char32_t code = length == 1 ? first : first & (0xff >> (length + 1));
    bool good = true;
    for (std::size_t k = 1; k < length; ++k) {
      good = good && (byte(i + k) & 0xc0) == 0x80;
      code = code << 6 | (byte(i + k) & 0x3f);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    good = good && !overlong && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
    characters += good ? code : first;
    i += good ? length : 1;
  }
  return characters;
}

class NpzWriter final : public TableWriter {
 public:
  explicit NpzWriter(const TableTarget& target) : target_(target), archive_(target.path) {}

  void write(ConstMatrixRef rows) override { write(rows, {}); }

  void write(ConstMatrixRef rows, const std::vector<std::vector<std::string>>& text) override {
    if (shape_.empty()) start(rows.rows(), text.size());
    if (rows.rows() != width_ || text.size() != texts_.size())
      throw Error(fmt::format("a table of {} numbers and {} texts a row was given {} and {}", width_, texts_.size(),
                              rows.rows(), text.size()));
    bytes_.clear();
    append_doubles(rows, bytes_);
    archive_.append_first(bytes_);
    shape_[0] += rows.cols();
    for (std::size_t j = 0; j < text.size(); ++j)
      for (const auto& field : text[j]) texts_[j].push_back(characters_of(field));
  }

  void close() override {
    if (shape_.empty()) start(static_cast<Index>(target_.names.size()), 0);
    archive_.end_first(npy_preamble(shape_, preamble_bytes));
    for (std::size_t j = 0; j < texts_.size(); ++j) archive_.add(text_name(j) + ".npy", text_array(texts_[j]));
    archive_.commit();
  }

 private:
  void start(Index width, std::size_t text_count) {
    width_ = width;
    texts_.resize(text_count);
    shape_ = row_shape_of(target_, width);
    shape_.insert(shape_.begin(), 0);
    archive_.begin_first("points.npy", npy_preamble(shape_, preamble_bytes));
  }

  // The names of text columns stand behind those of the numbers.
  std::string text_name(std::size_t j) const {
    const std::size_t first = target_.names.size() - std::min(target_.names.size(), texts_.size());
    const std::string name = first + j < target_.names.size() ? target_.names[first + j] : "";
    return name.empty() || name == "points" ? fmt::format("labels{}", j > 0 ? std::to_string(j + 1) : "") : name;
  }

  static std::string text_array(const std::vector<std::u32string>& texts) {
    std::size_t longest = 1;
    for (const auto& text : texts) longest = std::max(longest, text.size());
    std::string bytes = npy_preamble({static_cast<Index>(texts.size())}, preamble_bytes, fmt::format("<U{}", longest));
    for (const auto& text : texts)
      for (std::size_t i = 0; i < longest; ++i) {
        const char32_t code = i < text.size() ? text[i] : 0;
        for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(code >> shift & 0xff);
      }
    return bytes;
  }

  TableTarget target_;
  ArchiveWriter archive_;
  Index width_ = 0;
  std::vector<Index> shape_;
  std::vector<std::vector<std::u32string>> texts_;
  std::string bytes_;
};

}  // namespace

std::unique_ptr<TableWriter> create_npz(const TableTarget& target) { return std::make_unique<NpzWriter>(target); }

}  // namespace wgp
