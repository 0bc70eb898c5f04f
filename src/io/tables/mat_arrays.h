// What MAT-files of all versions share: which of their arrays is meant, which of its axes counts the samples, and how
// both become a table.
//
// A row has the numbers of one sample, the last of its axes fastest, as in an NPY array whose first axis counts them:
// the array is handed to the reader of those.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/bytes/byte_source.h"
#include "wgp/io.h"

namespace wgp {

struct MatArray {
  std::string name;
  std::vector<Index> shape;
  std::string defect;  // why it is no table, if so: "text", "empty"
};

// The place of the array of this name, or of the only one of numbers. An Error that lists what there is.
std::size_t chosen_array(const std::vector<MatArray>& arrays, const std::string& name, const std::string& file);
// 0-based. given: from 1 on, or 0: the first of two, or the one beside square matrices.
std::size_t sample_axis(const MatArray& array, Index given, const std::string& file);
std::string shape_words(const std::vector<Index>& shape);

// npy: the array with its samples first.
std::unique_ptr<TableReader> open_mat_array(std::unique_ptr<ByteSource> npy, const TableOptions& options);

// Files of version 7.3, which are HDF5. An Error that says what to do where wgp was built without libmatio.
inline constexpr std::string_view newer_mat = "MATLAB 7.3";
std::unique_ptr<TableReader> open_newer_mat(std::unique_ptr<ByteSource> source, const TableOptions& options);

}  // namespace wgp
