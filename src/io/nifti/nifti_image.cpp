#include "io/nifti/nifti_image.h"

#include "core/format.h"

#include <algorithm>
#include <filesystem>

namespace wgp {

namespace {

// The file beside a header of a pair: name.img of name.hdr, packed or not.
std::string data_beside(const std::string& header) {
  std::string stem = header;
  if (stem.ends_with(".gz")) stem.resize(stem.size() - 3);
  if (!stem.ends_with(".hdr"))
    throw Error(
        fmt::format("{}: the header of a pair of files; it is found by its ending .hdr, its data by .img", header));
  stem.resize(stem.size() - 4);
  for (const char* ending : {".img", ".img.gz"})
    if (std::error_code ignored; std::filesystem::is_regular_file(stem + ending, ignored)) return stem + ending;
  throw Error(fmt::format("{}: the header of a pair of files, but there is no {}.img", header, stem));
}

}  // namespace

NiftiImage::NiftiImage(std::unique_ptr<ByteSource> source)
    : bytes_(std::make_unique<NiftiBytes>(std::move(source))), name_(bytes_->name()) {
  header_ = parse_nifti_header(bytes_->head(nifti2_size), name_);
  if (header_.data == NiftiHeader::Data::beside) {
    const std::string path = data_beside(name_);
    bytes_ = std::make_unique<NiftiBytes>(open_bytes(path));
    header_.notes.push_back("its numbers are in " + path);
  }
  if (bytes_->hold(header_.data_start + header_.data_bytes)) {
    if (header_.data == NiftiHeader::Data::usual)
      throw Error(
          fmt::format("{}: its header does not say where data start, and it has more than {} bytes, which header "
                      "and data would be",
                      name_, header_.data_start + header_.data_bytes));
    header_.notes.push_back(fmt::format("more bytes than the {} that its header promises; the rest is passed over",
                                        header_.data_start + header_.data_bytes));
  }
  if (header_.data == NiftiHeader::Data::beside) return;
  constexpr std::uint64_t longest_extensions = std::uint64_t{1} << 20;
  const std::uint64_t begin = header_.grid.version2 ? nifti2_size : nifti1_size;
  std::string extensions(static_cast<std::size_t>(std::min(longest_extensions, header_.data_start - begin)), '\0');
  bytes_->read_at(begin, extensions.data(), extensions.size());
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
    bytes_->read_at(header_.data_start + place * item, raw_.data(), size);
    decode_npy(header_.numbers, raw_.data(), static_cast<std::size_t>(count), channel_.data());
    numbers.row(c) = (header_.slope * channel_.array() + header_.intercept).matrix().transpose();
  }
}

}  // namespace wgp
