#include "io/tables/npy_text.h"

#include "core/format.h"

#include <algorithm>
#include <string_view>

#include "io/tables/npy_format.h"

namespace wgp {
namespace {

constexpr std::size_t text_preamble_bytes = 256;  // a multiple of 64, as numpy aligns its data

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

void append_utf8(std::uint32_t code, std::string& text) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

}  // namespace

std::string npy_of_texts(const std::vector<std::string>& texts) {
  std::vector<std::u32string> all;
  std::size_t longest = 1;
  for (const auto& text : texts) longest = std::max(longest, all.emplace_back(characters_of(text)).size());
  std::string bytes =
      npy_preamble({static_cast<Index>(texts.size())}, text_preamble_bytes, fmt::format("<U{}", longest));
  for (const auto& text : all)
    for (std::size_t i = 0; i < longest; ++i) {
      const char32_t code = i < text.size() ? text[i] : 0;
      for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(code >> shift & 0xff);
    }
  return bytes;
}

std::vector<std::string> texts_of_npy(const std::string& bytes, const std::string& what) {
  std::size_t at = 0;
  const NpyPreamble preamble = read_npy_preamble(
      [&](char* to, std::size_t size) {
        const std::size_t got = bytes.copy(to, size, std::min(at, bytes.size()));
        at += got;
        return got;
      },
      what, NpyText::allowed);
  const auto& shape = preamble.header.shape;
  if (preamble.header.kind != 'U' || shape.size() != 1 || preamble.size + preamble.data_bytes != bytes.size())
    throw Error(fmt::format("{}: not a column of texts", what));
  TextColumn column(memory_bytes(bytes, what));
  std::vector<std::string> texts(static_cast<std::size_t>(shape[0]));
  for (auto& text : texts) text = column.next();
  return texts;
}

TextColumn::TextColumn(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
  const NpyPreamble preamble = read_npy_preamble([this](char* to, std::size_t size) { return source_->read(to, size); },
                                                 source_->name(), NpyText::allowed);
  big_endian_ = preamble.header.big_endian;
  item_.resize(preamble.header.item);
}

std::string TextColumn::next() {
  if (source_->read(item_.data(), item_.size()) < item_.size())
    throw Error(fmt::format("{}: truncated", source_->name()));
  std::string text;
  for (std::size_t at = 0; at < item_.size(); at += 4) {
    std::uint32_t code = 0;
    for (std::size_t i = 0; i < 4; ++i)
      code = code << 8 | static_cast<unsigned char>(item_[big_endian_ ? at + i : at + 3 - i]);
    if (code > 0x10ffff) throw Error(fmt::format("{}: not text: a character {:#x}", source_->name(), code));
    if (code == 0) break;
    append_utf8(code, text);
  }
  return text;
}

}  // namespace wgp
