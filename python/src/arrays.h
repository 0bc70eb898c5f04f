// NumPy arrays, one point a row, as the library's matrices, one point a column: the same bytes, so nothing is copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <cstdint>

#include "wgp/types.h"

namespace nb = nanobind;

namespace wgp::python {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using RowsToFill = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Columns = Eigen::Map<const Matrix>;

inline Columns columns(const Rows& rows) {
  return {rows.data(), static_cast<Index>(rows.shape(1)), static_cast<Index>(rows.shape(0))};
}
inline Eigen::Map<const Vector> vector(const Numbers& numbers) {
  return {numbers.data(), static_cast<Index>(numbers.shape(0))};
}

// A matrix to be filled. Large ones ask for large pages, as NumPy's arrays do: the system hands out memory page by
// page, and for small pages that takes longer than many a result.
inline Matrix room(Index rows, Index columns) {
  Matrix matrix(rows, columns);
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = 1 << 21;
  const auto begin = reinterpret_cast<std::uintptr_t>(matrix.data());
  const auto first = (begin + page - 1) & ~(page - 1);
  const auto last = (begin + static_cast<std::size_t>(matrix.size()) * sizeof(double)) & ~(page - 1);
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
  return matrix;
}

// The matrix becomes the array's memory.
inline nb::object rows_of(Matrix columns) {
  auto* kept = new Matrix(std::move(columns));
  const nb::capsule owner(kept, [](void* matrix) noexcept { delete static_cast<Matrix*>(matrix); });
  const std::size_t shape[] = {static_cast<std::size_t>(kept->cols()), static_cast<std::size_t>(kept->rows())};
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(kept->data(), 2, shape, owner));
}
inline nb::object numbers_of(Vector numbers) {
  auto* kept = new Vector(std::move(numbers));
  const nb::capsule owner(kept, [](void* vector) noexcept { delete static_cast<Vector*>(vector); });
  const std::size_t shape[] = {static_cast<std::size_t>(kept->size())};
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(kept->data(), 1, shape, owner));
}
// A symmetric or other matrix that is not a list of points: row i of the array is row i of the matrix.
inline nb::object matrix_of(const Matrix& matrix) { return rows_of(matrix.transpose()); }

// What a user's own function returned, as columns; Error if the shape is another one.
Matrix columns_from(nb::handle array, Index rows, Index columns, const char* what);

template <class Values, class Word>
nb::list words_of(const Values& values, Word word) {
  nb::list words;
  for (const auto& value : values) words.append(word(value));
  return words;
}

}  // namespace wgp::python
