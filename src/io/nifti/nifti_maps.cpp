// Writing of maps: channel after channel, packed on the way if asked for.
#include <zlib.h>
#include "core/format.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "io/nifti/nifti.h"

namespace wgp {
namespace {

constexpr std::size_t written_at_once = std::size_t{1} << 18;

// Passes bytes on to a file, through gzip if asked for. The gzip header holds no time: the same maps give the same
// bytes.
class Packer {
 public:
  enum class Form { plain, packed };
  Packer(OutputFile& file, Form form) : file_(file), packed_(form == Form::packed) {
    constexpr int gzip_window = 15 + 16, usual_memory = 8;
    if (packed_ && deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, usual_memory,
                                Z_DEFAULT_STRATEGY) != Z_OK)
      throw Error("no memory to pack the maps");
  }
  ~Packer() {
    if (packed_) deflateEnd(&stream_);
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void write(std::string_view bytes) {
    if (!packed_) {
      file_.write(bytes);
      return;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    run(Z_NO_FLUSH);
  }
  void finish() {
    if (packed_) run(Z_FINISH);
  }

 private:
  void run(int flush) {
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      deflate(&stream_, flush);
      file_.write({out_.data(), out_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  OutputFile& file_;
  bool packed_;
  z_stream stream_{};
  std::string out_ = std::string(written_at_once, '\0');
};

}  // namespace

NiftiMaps::NiftiMaps(const std::string& path, const NiftiGrid& grid, const NiftiMapInfo& info)
    : file_(path), path_(path), grid_(grid), info_(info) {
  if (info.channels.empty() || (info.tensors && info.channels != info.tensors->channel_names()))
    throw Error(fmt::format("{}: {} channels cannot be written as {}", path, info.channels.size(),
                            info.tensors ? "tensors" : "maps"));
}

void NiftiMaps::write(ConstMatrixRef rows, const std::vector<Index>& voxels) {
  if (rows.rows() != static_cast<Index>(info_.channels.size()) || rows.cols() != static_cast<Index>(voxels.size()))
    throw Error(fmt::format("{}: {} maps of {} voxels were given {} x {} numbers", path_, info_.channels.size(),
                            voxels.size(), rows.rows(), rows.cols()));
  for (const Index voxel : voxels)
    if (voxel < 0 || voxel >= grid_.voxels())
      throw Error(fmt::format("{}: no voxel {} on a grid of {}", path_, voxel, grid_.voxels()));
  voxels_.insert(voxels_.end(), voxels.begin(), voxels.end());
  for (Index i = 0; i < rows.cols(); ++i)
    for (Index c = 0; c < rows.rows(); ++c) {
      if (grid_.doubles)
        doubles_.push_back(rows(c, i));
      else
        singles_.push_back(static_cast<float>(rows(c, i)));
    }
}

void NiftiMaps::close() {
  if (grid_.doubles)
    write_channels(doubles_);
  else
    write_channels(singles_);
  file_.commit();
}

template <class T>
void NiftiMaps::write_channels(const std::vector<T>& numbers) {
  Packer packer(file_, path_.ends_with(".gz") ? Packer::Form::packed : Packer::Form::plain);
  packer.write(nifti_preamble(grid_, info_));
  const std::size_t channels = info_.channels.size();
  std::vector<T> map(static_cast<std::size_t>(grid_.voxels()));
  std::string bytes;
  for (std::size_t c = 0; c < channels; ++c) {
    std::fill(map.begin(), map.end(), std::numeric_limits<T>::quiet_NaN());
    for (std::size_t i = 0; i < voxels_.size(); ++i)
      map[static_cast<std::size_t>(voxels_[i])] = numbers[i * channels + c];
    for (std::size_t first = 0; first < map.size(); first += written_at_once / sizeof(T)) {
      const std::size_t count = std::min(written_at_once / sizeof(T), map.size() - first);
      bytes.resize(count * sizeof(T));
      std::memcpy(bytes.data(), map.data() + first, bytes.size());
      if constexpr (std::endian::native == std::endian::big)
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(T))
          std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                       bytes.begin() + static_cast<std::ptrdiff_t>(at + sizeof(T)));
      packer.write(bytes);
    }
  }
  packer.finish();
}

}  // namespace wgp
