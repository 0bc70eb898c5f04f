#include "linalg/leading_eigenvectors.h"

#include <algorithm>
#include <cmath>

#include "linalg/decompositions.h"
#include "linalg/products.h"
#include "wgp/random.h"

namespace wgp {
namespace {

constexpr Index small = 600;         // the whole decomposition takes no time worth saving
constexpr Index most_vectors = 400;  // of the Krylov space; then the Ritz vectors so far begin anew
constexpr Index most_vectors_of_one = 40;
constexpr int most_restarts = 20;
constexpr double tolerance = 1e-10;

// An orthonormal basis of what X has beside Q, its columns scaled by nothing; columns that vanish are left out.
Matrix new_directions(const Matrix& Q, Matrix X) {
  for (int twice = 0; twice < 2; ++twice)
    if (Q.cols() > 0) add_product(X, Q, product_tn(Q, X), -1);
  const Svd svd = jacobi_svd(X);
  Index rank = 0;
  while (rank < svd.s.size() && svd.s[rank] > 1e-12 * std::max(1e-300, svd.s[0])) ++rank;
  Matrix directions = svd.U.leftCols(rank);
  if (Q.cols() > 0) add_product(directions, Q, product_tn(Q, directions), -1);
  for (Index j = 0; j < rank; ++j) directions.col(j).normalize();
  return directions;
}

}  // namespace

Matrix leading_eigenvectors(const Matrix& A, Index count, RunControl* control) {
  const Index n = A.rows();
  if (n <= small) return symmetric_spectrum(A).vectors.rowwise().reverse().leftCols(count);
  // Equal eigenvalues need as many directions at once; two more make the gap.
  const Index width = count + 2;
  Random random(0);
  Matrix start = random.normals(n, width);
  Matrix found;
  for (int restart = 0; restart < most_restarts; ++restart) {
    Matrix Q = new_directions(Matrix(n, 0), start), block = Q, AQ(n, 0);
    while (block.cols() > 0 && Q.cols() <= most_vectors) {
      if (control) control->check();
      const Matrix image = product(A, block);
      AQ.conservativeResize(n, AQ.cols() + image.cols());
      AQ.rightCols(image.cols()) = image;
      const Matrix T = product_tn(Q, AQ);
      const Spectrum ritz = symmetric_spectrum((T + T.transpose()) / 2);
      const Matrix S = ritz.vectors.rowwise().reverse().leftCols(std::min(width, T.cols()));
      found = product(Q, S);
      const Index wanted = std::min(count, S.cols());
      const Vector values = ritz.values.reverse().head(wanted);
      const Matrix residual = product(AQ, S.leftCols(wanted)) - found.leftCols(wanted) * values.asDiagonal();
      const double size = ritz.values.cwiseAbs().maxCoeff();
      if (S.cols() >= count && residual.colwise().norm().maxCoeff() <= tolerance * size) return found.leftCols(count);
      block = new_directions(Q, image);
      if (block.cols() == 0) break;
      Q.conservativeResize(n, Q.cols() + block.cols());
      Q.rightCols(block.cols()) = block;
    }
    if (block.cols() == 0) break;  // the space is invariant: what was found is exact
    start = found;
  }
  if (found.cols() < count) {  // fewer directions than asked for have any eigenvalue but zero
    Matrix more = random.normals(n, count - found.cols());
    more = new_directions(found, more);
    Matrix all(n, count);
    all << found, more;
    return all;
  }
  return found.leftCols(count);
}

// With T = Q'AQ and its Ritz vector s, the residual |A Q s - value Q s| is the last entry of s times the length of what
// A adds to the space.
Vector leading_eigenvector(const Matrix& A, ConstVectorRef start) {
  const Index most = std::min(A.rows(), most_vectors_of_one);
  Matrix found = start / start.norm();
  for (int restart = 0; restart < most_restarts; ++restart) {
    Matrix Q(A.rows(), most), T = Matrix::Zero(most, most);
    Q.col(0) = found;
    for (Index k = 0; k < most; ++k) {
      const auto known = Q.leftCols(k + 1);
      Matrix next = product(A, Q.col(k));
      T(k, k) = Q.col(k).dot(next.col(0));
      for (int twice = 0; twice < 2; ++twice) add_product(next, known, product_tn(known, next), -1);
      const double added = next.norm();
      const Spectrum ritz = symmetric_spectrum(T.topLeftCorner(k + 1, k + 1));
      const Vector s = ritz.vectors.col(k);
      const bool done = !(added * std::abs(s[k]) > tolerance * ritz.values[k]);
      if (done || k + 1 == most) {
        found = product(known, s);
        found /= found.norm();
        if (done) return found;
        break;
      }
      T(k + 1, k) = added;
      Q.col(k + 1) = next / added;
    }
  }
  return found;
}

}  // namespace wgp
