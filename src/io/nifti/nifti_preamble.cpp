// Headers of the maps that wgp writes: little-endian, and in NIfTI-2 only where the image they belong to is, or where
// an axis is too long for NIfTI-1.
#include <algorithm>
#include <bit>
#include <cstring>

#include "io/nifti/nifti_header.h"

namespace wgp {
namespace {

class Places {
 public:
  explicit Places(std::size_t size) : bytes_(size, '\0') {}

  template <class T>
  void put(std::size_t offset, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) std::reverse(raw, raw + sizeof(T));
    bytes_.replace(offset, sizeof(T), raw, sizeof(T));
  }
  // Items of type To, one behind the other.
  template <class To, class Items>
  void put_all(std::size_t offset, const Items& items) {
    for (const auto item : items) {
      put(offset, static_cast<To>(item));
      offset += sizeof(To);
    }
  }
  void put_text(std::size_t offset, std::size_t room, std::string_view text) {
    bytes_.replace(offset, std::min(room, text.size()), text.substr(0, room));
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

std::string text_extension(std::string_view mark, const std::vector<std::string>& words) {
  std::string text(mark);
  for (const auto& word : words) text += " " + word;
  text.resize((text.size() + 8) / 16 * 16 + 8);  // a zero at the end; with the eight bytes before it a multiple of 16
  Places head(8);
  head.put(0, static_cast<std::int32_t>(text.size() + 8));
  head.put(4, std::int32_t{nifti_comment_code});
  return head.take() + text;
}

// What both versions hold, to be put where each has it.
struct PreambleContent {
  std::array<Index, 8> dim;
  std::array<double, 8> pixdim;
  int intent, type, bits;
  int units;
  std::size_t start;
};

std::string version1(const NiftiGrid& grid, const NiftiMapInfo& info, const PreambleContent& content) {
  Places places(nifti1_size);
  places.put(0, static_cast<std::int32_t>(nifti1_size));
  places.put(38, 'r');  // "regular": ANALYZE programs ask for it
  places.put_all<std::int16_t>(40, content.dim);
  places.put(68, static_cast<std::int16_t>(content.intent));
  if (content.intent != 0) places.put(56, 3.0f);  // the matrices are 3 x 3
  places.put(70, static_cast<std::int16_t>(content.type));
  places.put(72, static_cast<std::int16_t>(content.bits));
  places.put_all<float>(76, content.pixdim);
  places.put(108, static_cast<float>(content.start));
  places.put(112, 1.0f);  // slope
  places.put(123, static_cast<std::uint8_t>(content.units));
  places.put_text(148, 79, info.description);
  places.put(252, static_cast<std::int16_t>(grid.qform_code));
  places.put(254, static_cast<std::int16_t>(grid.sform_code));
  places.put_all<float>(256, grid.quaternion);
  places.put_all<float>(280, grid.affine);
  places.put_text(344, 4, nifti1_magic);
  return places.take();
}

std::string version2(const NiftiGrid& grid, const NiftiMapInfo& info, const PreambleContent& content) {
  Places places(nifti2_size);
  places.put(0, static_cast<std::int32_t>(nifti2_size));
  places.put_text(4, 8, nifti2_magic);
  places.put(12, static_cast<std::int16_t>(content.type));
  places.put(14, static_cast<std::int16_t>(content.bits));
  places.put_all<std::int64_t>(16, content.dim);
  if (content.intent != 0) places.put(80, 3.0);
  places.put_all<double>(104, content.pixdim);
  places.put(168, static_cast<std::int64_t>(content.start));
  places.put(176, 1.0);
  places.put_text(240, 79, info.description);
  places.put(344, static_cast<std::int32_t>(grid.qform_code));
  places.put(348, static_cast<std::int32_t>(grid.sform_code));
  places.put_all<double>(352, grid.quaternion);
  places.put_all<double>(400, grid.affine);
  places.put(500, static_cast<std::int32_t>(content.units));
  places.put(504, static_cast<std::int32_t>(content.intent));
  return places.take();
}

}  // namespace

std::string nifti_preamble(const NiftiGrid& grid, const NiftiMapInfo& info) {
  const auto channels = static_cast<Index>(info.channels.size());
  std::string extension = text_extension(nifti_names_mark, info.channels);
  if (info.made_from) extension += text_extension(nifti_tensors_mark, {info.made_from->text()});
  const bool wide =
      grid.version2 || channels > INT16_MAX || *std::max_element(grid.size.begin(), grid.size.end()) > INT16_MAX;
  PreambleContent content{};
  content.dim = {channels > 1 ? 4 : 3, grid.size[0], grid.size[1], grid.size[2], channels, 1, 1, 1};
  if (info.tensors && info.tensors->five_axes)
    content.dim = {5, grid.size[0], grid.size[1], grid.size[2], 1, channels, 1, 1};
  content.pixdim = {grid.pixdim[0], grid.pixdim[1], grid.pixdim[2], grid.pixdim[3], 1, 1, 1, 1};
  content.intent = info.tensors && info.tensors->has_intent ? nifti_intent_symmatrix : 0;
  content.type = grid.doubles ? 64 : 16;
  content.bits = grid.doubles ? 64 : 32;
  content.units = grid.units & 7;  // of length only: the channels are no times
  content.start = (wide ? nifti2_size : nifti1_size) + 4 + extension.size();
  const std::string has_extension("\x01\0\0\0", 4);
  return (wide ? version2(grid, info, content) : version1(grid, info, content)) + has_extension + extension;
}

}  // namespace wgp
