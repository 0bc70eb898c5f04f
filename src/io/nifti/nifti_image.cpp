#include "io/nifti/nifti_image.h"

#include "core/format.h"

#include <algorithm>

namespace wgp {

NiftiImage::NiftiImage(std::unique_ptr<ByteSource> source) : bytes_(std::move(source)) {
  header_ = parse_nifti_header(bytes_.head(nifti2_size), name());
  bytes_.hold(header_.data_start + header_.data_bytes);
  constexpr std::uint64_t longest_extensions = std::uint64_t{1} << 20;
  const std::uint64_t begin = header_.grid.version2 ? nifti2_size : nifti1_size;
  std::string extensions(static_cast<std::size_t>(std::min(longest_extensions, header_.data_start - begin)), '\0');
  bytes_.read_at(begin, extensions.data(), extensions.size());
  const auto kept = [&](std::string_view mark) {
    return nifti_kept_words(extensions, mark, header_.numbers.big_endian);
  };
  names_ = kept(nifti_names_mark);
  if (static_cast<Index>(names_.size()) != header_.channels) names_.clear();
  made_from_ = TensorForm::from_text(fmt::format("{}", fmt::join(kept(nifti_tensors_mark), " ")));
}

Index NiftiImage::slab_voxels() const {
  constexpr Index numbers = Index{1} << 18;
  return std::clamp<Index>(numbers / header_.channels, 1, std::max<Index>(header_.grid.voxels(), 1));
}

void NiftiImage::read(Index first, Index count, Matrix& numbers) {
  const std::size_t item = header_.numbers.item, size = static_cast<std::size_t>(count) * item;
  const auto voxels = static_cast<std::uint64_t>(header_.grid.voxels());
  numbers.resize(header_.channels, count);
  channel_.resize(count);
  raw_.resize(size);
  for (Index c = 0; c < header_.channels; ++c) {
    const std::uint64_t place = static_cast<std::uint64_t>(c) * voxels + static_cast<std::uint64_t>(first);
    bytes_.read_at(header_.data_start + place * item, raw_.data(), size);
    decode_npy(header_.numbers, raw_.data(), static_cast<std::size_t>(count), channel_.data());
    numbers.row(c) = (header_.slope * channel_.array() + header_.intercept).matrix().transpose();
  }
}

}  // namespace wgp
