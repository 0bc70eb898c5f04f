// An image whose numbers can be asked for slab by slab.
#pragma once

#include <memory>
#include <vector>

#include "io/nifti/nifti_bytes.h"
#include "io/nifti/nifti_header.h"

namespace wgp {

class NiftiImage {
 public:
  explicit NiftiImage(std::unique_ptr<ByteSource> source);
  const std::string& name() const { return name_; }
  const NiftiHeader& header() const { return header_; }
  const std::vector<std::string>& channel_names() const { return names_; }   // where wgp wrote the image, else empty
  const std::optional<TensorForm>& made_from() const { return made_from_; }  // of maps that wgp wrote
  const std::vector<std::string>& notes() const { return header_.notes; }
  // A good number of voxels for a slab.
  Index slab_voxels() const;
  // numbers.col(v): the channels of voxel first + v, scaled.
  void read(Index first, Index count, Matrix& numbers);

 private:
  std::unique_ptr<NiftiBytes> bytes_;  // of the data
  std::string name_;
  void open_other(std::string_view head);
  void read_channels(Index first, Index count);
  void read_laid_out(Index first, Index count);

  NiftiHeader header_;
  std::vector<std::string> names_;
  std::optional<TensorForm> made_from_;
  std::string raw_;
  Vector channel_;
  Matrix stored_;
};

}  // namespace wgp
