#include "io/nifti/nifti_image.h"

#include "core/format.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "io/nifti/other_headers.h"

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
  if (const std::string start = bytes_->head(nifti2_size); is_mif(start) || is_nrrd(start)) {
    open_other(bytes_->head(longest_text_header));
    return;
  }
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

void NiftiImage::open_other(std::string_view head) {
  if (is_mif(head)) {
    header_ = parse_mif_header(head, name_);
  } else {
    NrrdData data;
    header_ = parse_nrrd_header(head, name_, data);
    if (!data.file.empty()) {
      const std::filesystem::path beside = std::filesystem::path(name_).parent_path() / data.file;
      header_.notes.push_back("its numbers are in " + beside.string());
      bytes_ = std::make_unique<NiftiBytes>(open_bytes(beside.string()));
    } else if (data.packed) {
      bytes_ = std::make_unique<NiftiBytes>(bytes_->rest(header_.header_end));
    }
    if (data.at_end) {
      const auto size = bytes_->size();
      if (!size) throw Error(fmt::format("{}: byte skip: -1 needs a file whose size is known", name_));
      if (*size < header_.data_bytes)
        throw Error(fmt::format("{}: truncated: its header promises {} bytes of numbers, there are {}", name_,
                                header_.data_bytes, *size));
      header_.data_start = *size - header_.data_bytes;
    }
  }
  if (bytes_->hold(header_.data_start + header_.data_bytes))
    header_.notes.push_back(fmt::format("more bytes than the {} that its header promises; the rest is passed over",
                                        header_.data_start + header_.data_bytes));
}

void NiftiImage::read(Index first, Index count, Matrix& numbers) {
  stored_.resize(header_.stored_channels(), count);
  if (header_.layout)
    read_laid_out(first, count);
  else
    read_channels(first, count);
  stored_ = (header_.slope * stored_.array() + header_.intercept).matrix();
  if (header_.masked) {
    constexpr double half = 0.5;
    for (Index v = 0; v < count; ++v)
      if (!(stored_(0, v) >= half)) stored_.col(v).setZero();
    stored_ = Matrix(stored_.bottomRows(header_.channels));
  }
  if (header_.mix.size() > 0)
    numbers = header_.mix * stored_;
  else
    std::swap(numbers, stored_);
}

void NiftiImage::read_channels(Index first, Index count) {
  const std::size_t item = header_.numbers.item, size = static_cast<std::size_t>(count) * item;
  const auto voxels = static_cast<std::uint64_t>(header_.grid.voxels());
  channel_.resize(count);
  raw_.resize(size);
  for (Index c = 0; c < header_.channels; ++c) {
    const std::uint64_t place = static_cast<std::uint64_t>(c) * voxels + static_cast<std::uint64_t>(first);
    bytes_->read_at(header_.data_start + place * item, raw_.data(), size);
    decode_npy(header_.numbers, raw_.data(), static_cast<std::size_t>(count), channel_.data());
    stored_.row(c) = channel_.transpose();
  }
}

// Along x, each row of voxels with what lies between its numbers, unless that is much.
void NiftiImage::read_laid_out(Index first, Index count) {
  constexpr std::int64_t much = 1 << 22;
  const NiftiLayout& layout = *header_.layout;
  const std::int64_t item = static_cast<std::int64_t>(header_.numbers.item), step = layout.step[0];
  const auto read_span = [&](std::int64_t from, std::int64_t size) {  // into channel_
    channel_.resize(size);
    if (layout.bits) {
      const std::int64_t byte = from / 8, last = (from + size - 1) / 8;
      raw_.resize(static_cast<std::size_t>(last - byte + 1));
      bytes_->read_at(header_.data_start + static_cast<std::uint64_t>(byte), raw_.data(), raw_.size());
      for (std::int64_t b = 0; b < size; ++b) {
        const std::int64_t at = from + b;
        channel_[b] = static_cast<unsigned char>(raw_[static_cast<std::size_t>(at / 8 - byte)]) >> (7 - at % 8) & 1;
      }
      return;
    }
    raw_.resize(static_cast<std::size_t>(size * item));
    bytes_->read_at(header_.data_start + static_cast<std::uint64_t>(from * item), raw_.data(), raw_.size());
    decode_npy(header_.numbers, raw_.data(), static_cast<std::size_t>(size), channel_.data());
  };
  for (Index c = 0; c < header_.stored_channels(); ++c)
    for (Index v = 0; v < count;) {
      const auto [i, j, k] = header_.grid.position(first + v);
      const Index n = std::min(header_.grid.size[0] - i, count - v);
      const std::int64_t at =
          layout.first + i * step + j * layout.step[1] + k * layout.step[2] + c * layout.channel_step;
      const std::int64_t span = (n - 1) * std::abs(step) + 1, from = step < 0 ? at - span + 1 : at;
      if (span * item <= much) {
        read_span(from, span);
        for (Index x = 0; x < n; ++x) stored_(c, v + x) = channel_[at - from + x * step];
      } else {
        for (Index x = 0; x < n; ++x) {
          read_span(at + x * step, 1);
          stored_(c, v + x) = channel_[0];
        }
      }
      v += n;
    }
}

}  // namespace wgp
