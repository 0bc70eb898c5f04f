// MATLAB's MAT-files of version 7.3 (HDF5), through libmatio where wgp was built with it.
//
// libmatio opens files by name: a pipe, or what was packed, goes into a temporary file first. Arrays are read in blocks
// of samples, so that one of any size costs a few megabytes.
#include "core/format.h"
#include "io/tables/mat_arrays.h"

#ifndef WGP_WITH_MATIO

namespace wgp {

std::unique_ptr<TableReader> open_newer_mat(std::unique_ptr<ByteSource> source, const TableOptions&) {
  throw Error(
      fmt::format("{}: a MATLAB file of version 7.3 (HDF5), which this wgp was built without (-DWGP_MATIO=ON, with "
                  "libmatio-dev); save the array with save('FILE', 'NAME', '-v7')",
                  source->name()));
}

}  // namespace wgp

#else

#include <fcntl.h>
#include <matio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>

#include "io/bytes/inflater.h"
#include "io/bytes/number.h"
#include "io/tables/npy_format.h"

namespace wgp {
namespace {

// HDF5 is built without locks of its own.
std::mutex& matio_mutex() {
  static std::mutex mutex;
  return mutex;
}

// libmatio and HDF5 print what they find wrong, and end the program for some of it, unless somebody else listens.
void say_nothing(int, char*) {}

// The bytes of a pipe, or what they unpack to, in a file (TMPDIR) that has a name until it is opened.
class NamedCopy {
 public:
  NamedCopy(const std::string& start, ByteSource& rest) {
    const char* folder = std::getenv("TMPDIR");
    file_.path = fmt::format("{}/wgp-XXXXXX", folder != nullptr && *folder != '\0' ? folder : "/tmp");
    file_.descriptor = mkostemp(file_.path.data(), O_CLOEXEC);
    if (file_.descriptor < 0) fail(rest);
    add(start, rest);
    std::string piece(std::size_t{1} << 20, '\0');
    for (std::size_t got = piece.size(); got == piece.size();) {
      got = rest.read(piece.data(), piece.size());
      add(std::string_view(piece).substr(0, got), rest);
      if (bytes_ > most_piped_bytes)
        throw Error(fmt::format("{}: more than {} MiB from a pipe, or packed; give the file itself", rest.name(),
                                most_piped_bytes >> 20));
    }
  }
  const std::string& path() const { return file_.path; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  void add(std::string_view piece, const ByteSource& source) {
    bytes_ += piece.size();
    while (!piece.empty()) {
      const ssize_t wrote = write(file_.descriptor, piece.data(), piece.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) fail(source);
      piece.remove_prefix(static_cast<std::size_t>(wrote));
    }
  }
  [[noreturn]] void fail(const ByteSource& source) const {
    throw Error(fmt::format("{}: cannot be copied to {} (TMPDIR): {}; give the file itself, unpacked", source.name(),
                            file_.path, std::strerror(errno)));
  }
  struct Temporary {
    std::string path;
    int descriptor = -1;
    Temporary() = default;
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() {
      if (descriptor < 0) return;
      close(descriptor);
      unlink(path.c_str());
    }
  } file_;
  std::uint64_t bytes_ = 0;
};

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;
constexpr std::size_t preamble_bytes = 4096;

// The chosen array as an NPY file of doubles with the samples first, whose pieces are read when they are asked for.
class Mat73Bytes final : public ByteSource {
 public:
  Mat73Bytes(std::unique_ptr<ByteSource> source, const TableOptions& options) : ByteSource(source->name()) {
    std::unique_ptr<NamedCopy> copy;
    const std::string path = path_of(*source, copy);
    const std::lock_guard lock(matio_mutex());
    Mat_LogInitFunc("wgp", say_nothing);
    file_.reset(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
    copy.reset();
    if (!file_ || Mat_GetVersion(file_.get()) != MAT_FT_MAT73)
      throw Error(fmt::format("{}: truncated or damaged: no HDF5 file after the header of MATLAB 7.3", name()));
    std::vector<MatArray> arrays;
    constexpr std::size_t most_arrays = 10000;
    while (arrays.size() < most_arrays) {
      const Variable variable(Mat_VarReadNextInfo(file_.get()));
      if (!variable) break;
      arrays.push_back(described(*variable));
    }
    if (arrays.empty()) throw Error(fmt::format("{}: holds no arrays, or is truncated or damaged (HDF5)", name()));
    const MatArray& array = arrays[chosen_array(arrays, options.array, name())];
    axis_ = sample_axis(array, options.sample_axis, name());
    variable_.reset(Mat_VarReadInfo(file_.get(), array.name.c_str()));
    if (!variable_) fail();
    lay_out(array);
  }
  ~Mat73Bytes() override {
    const std::lock_guard lock(matio_mutex());
    variable_.reset();
    file_.reset();
  }

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = read_at(position_, to, size);
    position_ += got;
    return got;
  }
  std::optional<std::uint64_t> size() const override { return preamble_.size() + bytes_; }
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) override {
    std::size_t done = 0;
    if (offset < preamble_.size()) done = preamble_.copy(to, size, offset);
    while (done < size && offset + done < preamble_.size() + bytes_) {
      const std::uint64_t at = offset + done - preamble_.size(), row_bytes = sizeof(double) * width_;
      const auto row = static_cast<Index>(at / row_bytes);
      if (row < first_ || row >= first_ + held_) read_block(row);
      const std::uint64_t in_block = at - static_cast<std::uint64_t>(first_) * row_bytes;
      const auto count = static_cast<std::size_t>(
          std::min<std::uint64_t>(size - done, static_cast<std::uint64_t>(held_) * row_bytes - in_block));
      std::memcpy(to + done, reinterpret_cast<const char*>(numbers_.data()) + in_block, count);
      done += count;
    }
    return done;
  }

 private:
  struct CloseFile {
    void operator()(mat_t* file) const { Mat_Close(file); }
  };
  struct FreeVariable {
    void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
  };
  using Variable = std::unique_ptr<matvar_t, FreeVariable>;

  [[noreturn]] void fail() const {
    throw Error(fmt::format("{}: truncated or damaged: an array cannot be read (HDF5)", name()));
  }

  // A regular file is opened where it is; what it is called must still be the one that was opened.
  std::string path_of(ByteSource& source, std::unique_ptr<NamedCopy>& copy) {
    struct stat information {};
    const auto size = source.size();
    const bool is_file = size && stat(name().c_str(), &information) == 0 && S_ISREG(information.st_mode) &&
                         static_cast<std::uint64_t>(information.st_size) == *size;
    file_bytes_ = size.value_or(0);
    if (is_file) return name();
    // What was read of it, to see what it is, is wanted again.
    copy = std::make_unique<NamedCopy>(std::string(newer_mat), source);
    file_bytes_ = copy->bytes();
    return copy->path();
  }

  static MatArray described(const matvar_t& variable) {
    MatArray array;
    array.name = variable.name != nullptr ? variable.name : "";
    for (int j = 0; j < variable.rank && variable.dims != nullptr; ++j)
      array.shape.push_back(static_cast<Index>(std::min<std::size_t>(variable.dims[j], most_bytes)));
    const bool is_empty = std::any_of(array.shape.begin(), array.shape.end(), [](Index size) { return size < 1; });
    switch (variable.class_type) {
      case MAT_C_DOUBLE:
      case MAT_C_SINGLE:
      case MAT_C_INT8:
      case MAT_C_UINT8:
      case MAT_C_INT16:
      case MAT_C_UINT16:
      case MAT_C_INT32:
      case MAT_C_UINT32:
      case MAT_C_INT64:
      case MAT_C_UINT64:
        array.defect = variable.isComplex != 0 ? "complex numbers" : is_empty || array.shape.empty() ? "empty" : "";
        break;
      case MAT_C_CELL:
        array.defect = "a cell array";
        break;
      case MAT_C_STRUCT:
        array.defect = "a structure";
        break;
      case MAT_C_CHAR:
        array.defect = "text";
        break;
      case MAT_C_SPARSE:
        array.defect = "sparse";
        break;
      default:
        array.defect = is_empty ? "empty" : "not an array of MATLAB's numbers";
    }
    constexpr Index most = std::numeric_limits<int>::max();
    if (array.defect.empty() && std::any_of(array.shape.begin(), array.shape.end(), [](Index n) { return n > most; }))
      array.defect = "too large";
    if (array.shape.size() < 2 && array.defect.empty()) array.defect = "not a matrix";
    return array;
  }

  // Where the numbers of a row stand among those of a block of samples, in which the first axis is the fastest: before
  // + after * (samples in the block).
  void lay_out(const MatArray& array) {
    shape_ = array.shape;
    std::vector<Index> of_npy{shape_[axis_]};
    std::uint64_t all = sizeof(double);
    bool fits = true;
    for (std::size_t j = 0; j < shape_.size(); ++j) {
      fits = fits && !__builtin_mul_overflow(all, static_cast<std::uint64_t>(shape_[j]), &all);
      if (j != axis_) of_npy.push_back(shape_[j]);
    }
    if (!fits || all > most_bytes || is_bomb(all, file_bytes_))
      throw Error(fmt::format("{}: {} of {} would be far larger than the file ({} bytes); no measured data is", name(),
                              array.name, shape_words(shape_), file_bytes_));
    bytes_ = all;
    width_ = static_cast<std::size_t>(all / sizeof(double)) / static_cast<std::size_t>(shape_[axis_]);
    for (std::size_t j = 0; j < axis_; ++j) sample_step_ *= static_cast<std::size_t>(shape_[j]);
    preamble_ = npy_preamble(of_npy, preamble_bytes, std::endian::native == std::endian::little ? "<f8" : ">f8");
    before_.resize(width_);
    after_.resize(width_);
    std::vector<Index> at(shape_.size());
    for (std::size_t entry = 0; entry < width_; ++entry) {
      std::size_t step = 1;
      for (std::size_t j = 0; j < shape_.size(); ++j) {
        (j < axis_ ? before_ : after_)[entry] += step * static_cast<std::size_t>(at[j]);
        if (j != axis_) step *= static_cast<std::size_t>(shape_[j]);
      }
      for (std::size_t j = shape_.size(); j-- > 0;) {
        if (j == axis_) continue;
        if (++at[j] < shape_[j]) break;
        at[j] = 0;
      }
    }
  }

  template <class T>
  void take(Index count) {
    std::vector<T> raw(width_ * static_cast<std::size_t>(count));
    std::vector<int> start(shape_.size()), stride(shape_.size(), 1), edge;
    for (const Index size : shape_) edge.push_back(static_cast<int>(size));
    start[axis_] = static_cast<int>(first_);
    edge[axis_] = static_cast<int>(count);
    if (Mat_VarReadData(file_.get(), variable_.get(), raw.data(), start.data(), stride.data(), edge.data()) != 0)
      fail();
    numbers_.resize(raw.size());
    const auto samples = static_cast<std::size_t>(count);
    for (std::size_t s = 0, k = 0; s < samples; ++s)
      for (std::size_t entry = 0; entry < width_; ++entry, ++k)
        numbers_[k] = static_cast<double>(raw[before_[entry] + s * sample_step_ + after_[entry] * samples]);
    held_ = count;
  }

  // The block of samples that begins with this one.
  void read_block(Index row) {
    constexpr std::size_t numbers_at_once = std::size_t{1} << 18;
    const auto at_once = static_cast<Index>(std::max<std::size_t>(1, numbers_at_once / width_));
    first_ = row;
    held_ = 0;
    const Index count = std::min(at_once, shape_[axis_] - row);
    const std::lock_guard lock(matio_mutex());
    switch (variable_->class_type) {
      case MAT_C_DOUBLE:
        return take<double>(count);
      case MAT_C_SINGLE:
        return take<float>(count);
      case MAT_C_INT8:
        return take<std::int8_t>(count);
      case MAT_C_UINT8:
        return take<std::uint8_t>(count);
      case MAT_C_INT16:
        return take<std::int16_t>(count);
      case MAT_C_UINT16:
        return take<std::uint16_t>(count);
      case MAT_C_INT32:
        return take<std::int32_t>(count);
      case MAT_C_UINT32:
        return take<std::uint32_t>(count);
      case MAT_C_INT64:
        return take<std::int64_t>(count);
      case MAT_C_UINT64:
        return take<std::uint64_t>(count);
      default:
        fail();
    }
  }

  std::uint64_t file_bytes_ = 0;
  std::unique_ptr<mat_t, CloseFile> file_;
  Variable variable_;
  std::vector<Index> shape_;
  std::size_t axis_ = 0, width_ = 0, sample_step_ = 1;
  std::vector<std::size_t> before_, after_;
  std::string preamble_;
  std::uint64_t bytes_ = 0, position_ = 0;
  Index first_ = 0, held_ = 0;  // rows in numbers_
  std::vector<double> numbers_;
};

}  // namespace

std::unique_ptr<TableReader> open_newer_mat(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  return open_mat_array(std::make_unique<Mat73Bytes>(std::move(source), options), options);
}

}  // namespace wgp

#endif
