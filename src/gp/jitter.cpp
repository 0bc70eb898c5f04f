#include "gp/jitter.h"

#include <algorithm>
#include <cmath>

#include "linalg/cholesky.h"

namespace wgp {
namespace {

// One strict triangle over the other, in squares that the cache holds: both would stride otherwise.
enum class Triangle { lower, upper };
void mirror(MatrixRef K, Triangle from) {
  constexpr Index width = 32;
  const Index N = K.rows();
  for (Index j = 0; j < N; j += width)
    for (Index i = j; i < N; i += width)
      for (Index b = j; b < std::min(j + width, N); ++b)
        for (Index a = std::max(i, b + 1); a < std::min(i + width, N); ++a)
          if (from == Triangle::lower)
            K(b, a) = K(a, b);
          else
            K(a, b) = K(b, a);
}

}  // namespace

double factor_with_jitter(MatrixRef K, double first_jitter, RunControl* control) {
  const Vector diagonal = K.diagonal();
  const double scale = diagonal.mean();
  if (!(scale > 0 && std::isfinite(scale))) return -1;
  mirror(K, Triangle::lower);  // the factorisation overwrites the lower triangle
  for (double jitter = first_jitter;; jitter = jitter == 0 ? 1e-10 * scale : 10 * jitter) {
    if (jitter > 2e-5 * scale) return -1;
    K.diagonal() = diagonal.array() + jitter;
    if (cholesky_lower(K, control)) return jitter;
    mirror(K, Triangle::upper);
  }
}

}  // namespace wgp
