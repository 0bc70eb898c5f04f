// Matrices that are points stand in a column in row-major order; these see such a column as a matrix, without a copy.
#pragma once

#include "wgp/types.h"

namespace wgp {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The column must be contiguous: a Vector, or a column of a Matrix or of a reference to one.
template <class Column>
Eigen::Map<const RowMajorMatrix> as_matrix(const Column& column, Index rows, Index cols) {
  return {column.data(), rows, cols};
}
template <class Column>
Eigen::Map<RowMajorMatrix> as_mutable_matrix(Column&& column, Index rows, Index cols) {
  return {column.data(), rows, cols};
}

}  // namespace wgp
