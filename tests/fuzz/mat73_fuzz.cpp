// Any bytes as a MATLAB file of version 7.3, where wgp is built with libmatio: an Error or rows, never anything else.
#include <cstdint>
#include <stdexcept>
#include <string>

#include "io/tables/mat_arrays.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wgp;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.starts_with(newer_mat)) return 0;
  for (const Index axis : {0, 1, 2, 3}) {
    TableOptions options;
    options.non_finite = TableOptions::NonFinite::keep;
    options.sample_axis = axis;
    try {
      auto source = memory_bytes(bytes, "fuzz.mat");
      std::string start(newer_mat.size(), '\0');  // as whoever recognises it has read it
      source->read(start.data(), start.size());
      const auto table = open_newer_mat(std::move(source), options);
      TableBlock block;
      Index rows = 0;
      while (table->read(64, block)) rows += block.values.cols();
      if (rows != *table->rows()) throw std::logic_error("not as many rows as promised");
    } catch (const Error&) {
    }
  }
  return 0;
}
