// Arrays of float64 as NPY files in memory, for the entries of an archive. Unlike tables (wgp/io.h) they may be empty
// and hold NaN and infinities, and every bit is kept.
#pragma once

#include <string>

#include "wgp/types.h"

namespace wgp {

// A float64 C-order .npy (version 1.0) of the matrix's transpose: one column of X per row of the array, as files and
// Python have one point per row. The bytes are those of numpy.save.
std::string npy_of_columns(ConstMatrixRef X);  // shape (X.cols(), X.rows())
std::string npy_of_vector(ConstVectorRef x);   // shape (n,)

// The inverses. Little-endian float64 in C order only; anything else is an Error, in which `what` names the array.
Matrix columns_of_npy(const std::string& bytes, const std::string& what);  // (n, k): k x n; (n,): 1 x n
Vector vector_of_npy(const std::string& bytes, const std::string& what);   // (n,)

}  // namespace wgp
