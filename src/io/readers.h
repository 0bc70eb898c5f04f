// The readers that open_table chooses from.
#pragma once

#include <memory>

#include "io/byte_source.h"
#include "wgp/io.h"

namespace wgp {

std::unique_ptr<TableReader> open_csv(std::unique_ptr<ByteSource> source, const TableOptions& options);
std::unique_ptr<TableReader> open_npy(std::unique_ptr<ByteSource> source, const TableOptions& options);

}  // namespace wgp
