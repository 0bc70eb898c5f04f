// The writers that create_table chooses from.
#pragma once

#include <memory>

#include "wgp/io.h"

namespace wgp {

std::unique_ptr<TableWriter> create_csv(const std::string& path, const std::vector<std::string>& names, char delimiter);
std::unique_ptr<TableWriter> create_npy(const std::string& path, Index width, const std::vector<Index>& row_shape);

}  // namespace wgp
