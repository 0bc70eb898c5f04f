// Any bytes as a NIfTI image: an Error or rows, never anything else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "io/nifti/nifti.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wgp;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const auto content :
       {NiftiOptions::Content::automatic, NiftiOptions::Content::tensors, NiftiOptions::Content::channels}) {
    NiftiOptions options;
    options.content = content;
    options.table.non_finite = TableOptions::NonFinite::keep;
    try {
      const auto table = open_nifti(memory_bytes(bytes, "fuzz.nii"), options);
      TableBlock block;
      Index rows = 0;
      while (table->read(64, block)) rows += block.values.cols();
      if (rows != *table->rows() || rows != static_cast<Index>(table->voxels().size())) __builtin_trap();
    } catch (const Error&) {
    }
  }
  return 0;
}
