// Images in memory, as what their reader makes of them.
#pragma once

#include <memory>
#include <string>

#include "io/nifti/nifti.h"

namespace wgp::test {

inline std::unique_ptr<NiftiTable> open_image(const std::string& bytes, const NiftiOptions& options = {}) {
  return open_nifti(memory_bytes(bytes, "t.nii"), options);
}
// A row for each voxel.
inline Matrix image_values(const std::string& bytes, const NiftiOptions& options = {}) {
  return read_rest(*open_image(bytes, options)).values.transpose();
}
inline std::string image_error(const std::string& bytes, const NiftiOptions& options = {}) {
  try {
    image_values(bytes, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace wgp::test
