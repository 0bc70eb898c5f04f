// The writers that the registry of formats chooses from.
#pragma once

#include <memory>

#include "wgp/io.h"

namespace wgp {

// What create_table was asked for.
struct TableTarget {
  std::string path;
  std::vector<std::string> names;  // of the numbers, then of the text columns
  std::vector<Index> row_shape;    // empty: plain rows
};

// The trailing shape of an array of such rows; Error if the shape asked for does not have that many numbers.
std::vector<Index> row_shape_of(const TableTarget& target, Index width);

std::unique_ptr<TableWriter> create_csv(const TableTarget& target);
std::unique_ptr<TableWriter> create_tsv(const TableTarget& target);
std::unique_ptr<TableWriter> create_npy(const TableTarget& target);
std::unique_ptr<TableWriter> create_npz(const TableTarget& target);
std::unique_ptr<TableWriter> create_tps(const TableTarget& target);

}  // namespace wgp
