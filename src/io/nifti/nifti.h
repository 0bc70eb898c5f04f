// NIfTI images as tables, and maps on the grid of an image. Images of MRtrix and NRRD are read as well
// (other_headers.h).
//
// A row is a voxel: x fastest, then y, then z. Rows are the voxels inside the mask; voxels whose numbers are all zero
// (scaled integers: up to their rounding) or NaN hold nothing and are left out, with and without a mask. Columns are
// the voxel's position i, j, k (from 0) and its channels; the channels are selected unless others are asked for. Six
// channels that are tensors stand as xx xy yy xz yz zz, the lower triangle, in whatever order the file has them; nine
// as the matrix row by row.
//
// Numbers are scaled by scl_slope and scl_inter. Tensors stay in the unit that the file has them in.
// Opening goes once through the image; memory: one bit a voxel, a slab, and what nifti_bytes.h says of packed images.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/bytes/byte_source.h"
#include "io/bytes/output_file.h"
#include "io/nifti/nifti_header.h"
#include "io/nifti/nifti_tensor.h"
#include "wgp/io.h"

namespace wgp {

struct NiftiOptions {
  enum class Content {
    automatic,  // tensors if they look like it, channels otherwise
    tensors,    // six or nine channels; anything else is an Error
    channels,   // numbers as they stand
  };
  TableOptions table;
  Content content = Content::automatic;
  TensorOrder order = TensorOrder::automatic;
  std::string mask;  // path of an image on the same grid: not zero is inside; empty: no mask
  // Whether the mask must lie where the image lies, or voxels of the same numbers i, j, k are enough.
  enum class Places { must_agree, may_differ } places = Places::must_agree;
};

class NiftiTable : public TableReader {
 public:
  virtual const NiftiGrid& grid() const = 0;
  virtual bool holds_tensors() const = 0;
  // Of the tensors that it holds, or that its maps were made from (wgp encode); nothing where there were none.
  virtual std::optional<TensorForm> tensor_form() const = 0;
  virtual const std::vector<Index>& block_voxels() const = 0;  // of the rows that read() gave last
  virtual std::vector<Index> voxels() const = 0;               // of all rows
  // What was found out or assumed, a sentence each: the order of tensors, voxels left out, a mask that lies elsewhere.
  virtual const std::vector<std::string>& notes() const = 0;
};

// Packed or not.
std::unique_ptr<NiftiTable> open_nifti(std::unique_ptr<ByteSource> source, const NiftiOptions& options = {});

// As the registry of formats opens it: content and order are found out, no mask.
std::unique_ptr<TableReader> open_nifti_table(std::unique_ptr<ByteSource> source, const TableOptions& options);

// name.hdr for name.img where there is one; else the path itself.
std::string nifti_header_path(const std::string& path);
bool has_nifti_name(const std::string& path);  // .nii or .nii.gz
// Whether a path is an image: by its name, or as a regular file by its content. Never throws.
bool is_nifti_file(const std::string& path);

// Maps of some voxels; all others are NaN, which viewers show as empty. Written by close(), float32 unless the grid's
// image has float64; packed if the name ends in .gz. Memory until then: the rows, in the type they are written in.
class NiftiMaps {
 public:
  NiftiMaps(const std::string& path, const NiftiGrid& grid, const NiftiMapInfo& info);
  void write(ConstMatrixRef rows_as_columns, const std::vector<Index>& voxels);
  void close();

 private:
  template <class T>
  void write_channels(const std::vector<T>& numbers);

  OutputFile file_;
  std::string path_;
  NiftiGrid grid_;
  NiftiMapInfo info_;
  std::vector<Index> voxels_;
  std::vector<float> singles_;
  std::vector<double> doubles_;
};

}  // namespace wgp
