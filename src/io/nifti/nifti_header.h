// The header of a NIfTI-1 or NIfTI-2 image: what is on the grid, how numbers are stored, where space is.
//
// It is parsed here, field by field, and not by libnifti2: that library reads named files only, keeps global options
// and reports trouble on standard error, while readers here take any source of bytes and say what is wrong in an Error.
// Reference: nifti1.h and nifti2.h of the NIfTI data format working group.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/nifti/nifti_tensor.h"
#include "io/tables/npy_format.h"
#include "wgp/types.h"

namespace wgp {

inline constexpr int nifti_intent_symmatrix = 1005;

// The voxel grid and its place in space; maps made from an image get a copy of it.
struct NiftiGrid {
  std::array<Index, 3> size{1, 1, 1};
  std::array<double, 4> pixdim{1, 1, 1, 1};  // the sign of the qform's third axis, then the voxel's edges
  int units = 0;                             // xyzt_units: codes of length (bits 0-2) and time (bits 3-5)
  int qform_code = 0, sform_code = 0;
  std::array<double, 6> quaternion{};  // b, c, d, then the offset
  std::array<double, 12> affine{};     // the rows of the sform
  bool version2 = false;               // maps are written in the version of their image
  bool doubles = false;                // the image holds float64, so that maps do as well

  // Where voxels lie, as the rows of a 3 x 4 matrix: by the sform, else by the qform; nothing if neither is set.
  std::optional<std::array<double, 12>> place() const;

  Index voxels() const { return size[0] * size[1] * size[2]; }
  std::array<Index, 3> position(Index voxel) const {
    return {voxel % size[0], voxel / size[0] % size[1], voxel / (size[0] * size[1])};
  }
};

// Whether all voxels of two grids of one size lie within a tenth of a voxel of each other. True where one of them does
// not say where it lies.
bool lies_at_same_place(const NiftiGrid& a, const NiftiGrid& b);

// The same voxels, numbered along axes in another order or direction: axis n of a grid is axis `axis[n]` of the other
// one, from its end where `back[n]`.
struct NiftiTurn {
  std::array<std::size_t, 3> axis{0, 1, 2};
  std::array<bool, 3> back{};

  // The voxel of the other grid, which has this size.
  Index voxel(const std::array<Index, 3>& position, const std::array<Index, 3>& size) const;
};
// How the voxels of b are numbered in a, where both have the same voxels at the same places: MRtrix numbers those of a
// NIfTI image along axes that are nearest to right, anterior and superior. As they stand where that is right, and where
// one of the grids does not say where it lies; nothing if their voxels are others.
std::optional<NiftiTurn> turn_between(const NiftiGrid& a, const NiftiGrid& b);

// Where numbers stand, in numbers from the first one on: NIfTI has x fastest, then y, z, and the channels.
struct NiftiLayout {
  std::array<std::int64_t, 3> step{1, 1, 1};
  std::int64_t channel_step = 0, first = 0;
  bool bits = false;  // eight to a byte, the highest first
};

struct NiftiHeader {
  NiftiGrid grid;
  Index channels = 1;             // the product of the axes after the third
  std::vector<Index> dimensions;  // all axes
  NpyHeader numbers;              // kind, size and byte order of one
  double slope = 1, intercept = 0;
  int intent = 0;
  std::uint64_t data_start = 0, data_bytes = 0;
  enum class Data {
    stated,  // where the header says
    usual,   // behind the header, which says 0: then nothing else may be in the file
    beside,  // in a file of their own (.img)
  } data = Data::stated;
  std::vector<std::string> notes;  // what the header leaves open, and how it was taken

  // ---- of other formats (other_headers.h)
  std::string format = "nifti";
  std::uint64_t header_end = 0;  // where it is not data_start
  std::optional<NiftiLayout> layout;
  TensorOrder stated_order = TensorOrder::automatic;
  std::string stated_by;
  bool masked = false;  // a confidence stands before the channels
  Matrix mix;           // what the channels are multiplied with; empty: nothing
  Index stored_channels() const { return channels + (masked ? 1 : 0); }
};

inline constexpr std::size_t nifti1_size = 348, nifti2_size = 540;
inline constexpr std::string_view nifti1_magic{"n+1\0", 4}, nifti2_magic{"n+2\0\r\n\032\n", 8};
// wgp keeps the channels' names in a header extension of plain text that starts so.
inline constexpr int nifti_comment_code = 6;
inline constexpr std::string_view nifti_names_mark = "wgp channels:";
// And in another one the form of the tensors that maps were made from.
inline constexpr std::string_view nifti_tensors_mark = "wgp tensors:";

// Whether a file (unpacked) that starts so is a NIfTI image or the header of one.
bool is_nifti(std::string_view head);
// head: the file's first nifti2_size, or all that it has.
NiftiHeader parse_nifti_header(std::string_view head, const std::string& file);

// What wgp keeps after a mark, empty if nothing. extensions: the bytes from the end of the header to the data.
std::vector<std::string> nifti_kept_words(std::string_view extensions, std::string_view mark, bool big_endian);

struct NiftiMapInfo {
  std::vector<std::string> channels;
  std::string description;
  std::optional<TensorForm> tensors = {};    // the channels are tensors of this form
  std::optional<TensorForm> made_from = {};  // the channels are maps of tensors of this form
};
// Header and extension of float32 (or float64) maps on a grid, little-endian; the data follow at once.
std::string nifti_preamble(const NiftiGrid& grid, const NiftiMapInfo& info);

// Takes the sizes of all axes over: grid, channels and data_bytes; Error where they are none or too large.
void check_image_size(const std::vector<Index>& sizes, NiftiHeader& header, const std::string& file);

std::string nifti_size_text(const std::vector<Index>& dimensions);  // "64 x 4 x 40 x 6"
std::string nifti_units_text(int units);                            // "mm", "mm, s", "no unit"

}  // namespace wgp
