#include "gp/likelihood.h"

#include <algorithm>
#include <cmath>

#include "linalg/cholesky.h"
#include "linalg/decompositions.h"

namespace wgp {

Matrix compress_rows(ConstMatrixRef V) {
  if (V.rows() == 0 || V.cols() == 0) return V;
  Matrix tall = V;
  if (V.rows() > V.cols()) tall = Qr(V).R();
  const Svd svd = divided_svd(tall, SvdParts::left);
  const Vector& s = svd.s;
  Index rank = 1;
  while (rank < s.size() && s[rank] > 1e-13 * s[0]) ++rank;
  if (rank == V.rows()) return V;  // nothing to gain, and no rounding
  return svd.U.leftCols(rank).transpose() * tall;
}

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

double factor_with_jitter(MatrixRef K, double first_jitter) {
  const Vector diagonal = K.diagonal();
  const double scale = diagonal.mean();
  if (!(scale > 0 && std::isfinite(scale))) return -1;
  mirror(K, Triangle::lower);  // the factorisation overwrites the lower triangle
  for (double jitter = first_jitter;; jitter = jitter == 0 ? 1e-10 * scale : 10 * jitter) {
    if (jitter > 2e-5 * scale) return -1;
    K.diagonal() = diagonal.array() + jitter;
    if (cholesky_lower(K)) return jitter;
    mirror(K, Triangle::upper);
  }
}

double GpEngine::value_and_gradient(ConstMatrixRef X, ConstVectorRef theta, double noise, GpGradient& out) {
  const double likelihood = value(X, theta, noise);
  if (std::isfinite(likelihood)) out = gradient();
  return likelihood;
}

std::unique_ptr<GpEngine> make_engine(const KernelPtr& kernel, const LatentSpace& latent, Matrix Z, Index d,
                                      int threads) {
  if (auto engine = fourier_engine(kernel, latent, Z, d)) return engine;
  return dense_engine(kernel, std::move(Z), d, DensePath::automatic, threads);
}

}  // namespace wgp
