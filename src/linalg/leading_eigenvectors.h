// A few eigenvectors of a large symmetric matrix.
#pragma once

#include "core/run_control.h"
#include "wgp/types.h"

namespace wgp {

// Of the `count` largest eigenvalues (the most positive ones), as columns, the largest first; read from both triangles.
// By the whole decomposition while the matrix is small, else by block Lanczos with full reorthogonalisation, to a
// residual of 1e-10 of the matrix: O(n^2) a step instead of O(n^3). A control is asked at every step; throws Stopped.
Matrix leading_eigenvectors(const Matrix& A, Index count, RunControl* control = nullptr);

// One of the largest eigenvalue of a positive semidefinite matrix, by Lanczos' method from a start that is not
// orthogonal to all of them, to the same residual. Where that eigenvalue is not simple, which of its vectors it is
// depends on the start. Of a matrix whose largest eigenvalues are nearly equal, some vector near their space.
Vector leading_eigenvector(const Matrix& A, ConstVectorRef start);

}  // namespace wgp
