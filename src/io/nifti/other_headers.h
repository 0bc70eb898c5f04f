// Headers of MRtrix images (.mif) and of NRRD (.nrrd, .nhdr), as what a NIfTI header says: grid, numbers, where they
// are.
//
// MRtrix: the six volumes of dwi2tensor are xx yy zz xy xz yz, in scanner axes. Numbers stand in the order of the
// layout, which may turn axes round. NRRD: kinds say what the axis that is not of space holds (3D-symmetric-matrix: xx
// xy xz yy yz zz; 3D-matrix: row by row; "masked" puts a confidence before them, and below one half there is nothing);
// a measurement frame M says in which axes, and tensors become M T M^T, in the axes right, anterior, superior that
// NIfTI has. References: MRtrix3's documentation of its image formats; the definition of the NRRD file format at
// teem.sourceforge.net.
#pragma once

#include <string>
#include <string_view>

#include "io/nifti/nifti_header.h"

namespace wgp {

inline constexpr std::size_t longest_text_header = std::size_t{1} << 20;

bool is_mif(std::string_view head);
bool is_nrrd(std::string_view head);

// head: the file's first longest_text_header bytes, or all that it has.
NiftiHeader parse_mif_header(std::string_view head, const std::string& file);

struct NrrdData {
  std::string file;  // of detached data, as the header names it; empty: behind the header
  bool packed = false;
  bool at_end = false;  // the last bytes of the file, however many stand before them
};
NiftiHeader parse_nrrd_header(std::string_view head, const std::string& file, NrrdData& data);

}  // namespace wgp
