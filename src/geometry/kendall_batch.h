// The inner loops of planar shapes: each column is read twice and written once, eight numbers at a time.
//
// Directions come as a complex vector w with i w beside it (interleaved storage), so that <w, x> = (w.x, iw.x) and
// c w = re(c) w + im(c) iw are real vector operations.
#pragma once

#include <complex>

#include "wgp/types.h"

namespace wgp {

struct ComplexPair {
  const double* w;
  const double* iw;
};

// <a, x> and <b, x> in one pass over n numbers.
struct TwoProducts {
  std::complex<double> a, b;
};
TwoProducts two_products(const ComplexPair& a, const ComplexPair& b, const double* x, Index n);

// y = x - ca a - cb b - constant (the same complex number for every pair); returns |y|^2. n is even.
double subtract_multiples(const double* x, std::complex<double> ca, const ComplexPair& a, std::complex<double> cb,
                          const ComplexPair& b, std::complex<double> constant, double* y, Index n);

// y *= c, pairwise.
void multiply_pairs(std::complex<double> c, double* y, Index n);

// <a, x>, the sum of the pairs of x, and |x|^2, in one pass.
struct FrameSums {
  std::complex<double> product, sum;
  double squared_norm;
};
FrameSums frame_sums(const ComplexPair& a, const double* x, Index n);

// y = alpha z + beta (x - c a - constant); returns |y|^2.
double combine(double alpha, const double* z, double beta, const double* x, std::complex<double> c,
               const ComplexPair& a, std::complex<double> constant, double* y, Index n);

}  // namespace wgp
