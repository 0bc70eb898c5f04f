#include "geometry/kendall_batch.h"

#include "linalg/lanes.h"

namespace wgp {
namespace {

using lanes::Lanes;
constexpr Index width = lanes::count;
typedef double Unaligned __attribute__((vector_size(lanes::count * sizeof(double)), aligned(8), may_alias));

Lanes load(const double* x) { return *reinterpret_cast<const Unaligned*>(x); }
void store(const Lanes& value, double* x) { *reinterpret_cast<Unaligned*>(x) = value; }

double sum(const Lanes& x) { return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])); }
// (even, odd, even, odd, ...)
Lanes alternate(double even, double odd) { return Lanes{even, odd, even, odd, even, odd, even, odd}; }

}  // namespace

TwoProducts two_products(const ComplexPair& a, const ComplexPair& b, const double* x, Index n) {
  Lanes s0{}, s1{}, s2{}, s3{};
  Index j = 0;
  for (; j + width <= n; j += width) {
    const Lanes value = load(x + j);
    s0 += load(a.w + j) * value;
    s1 += load(a.iw + j) * value;
    s2 += load(b.w + j) * value;
    s3 += load(b.iw + j) * value;
  }
  double t0 = sum(s0), t1 = sum(s1), t2 = sum(s2), t3 = sum(s3);
  for (; j < n; ++j) {
    t0 += a.w[j] * x[j];
    t1 += a.iw[j] * x[j];
    t2 += b.w[j] * x[j];
    t3 += b.iw[j] * x[j];
  }
  return {{t0, t1}, {t2, t3}};
}

double subtract_multiples(const double* x, std::complex<double> ca, const ComplexPair& a, std::complex<double> cb,
                          const ComplexPair& b, std::complex<double> constant, double* y, Index n) {
  const Lanes shift = alternate(constant.real(), constant.imag());
  Lanes squares{};
  Index j = 0;
  for (; j + width <= n; j += width) {
    Lanes value = load(x + j) - ca.real() * load(a.w + j);
    value -= ca.imag() * load(a.iw + j);
    value -= cb.real() * load(b.w + j);
    value -= cb.imag() * load(b.iw + j);
    value -= shift;
    store(value, y + j);
    squares += value * value;
  }
  double squared = sum(squares);
  for (; j < n; ++j) {
    y[j] = x[j] - ca.real() * a.w[j] - ca.imag() * a.iw[j] - cb.real() * b.w[j] - cb.imag() * b.iw[j] -
           (j % 2 == 0 ? constant.real() : constant.imag());
    squared += y[j] * y[j];
  }
  return squared;
}

void multiply_pairs(std::complex<double> c, double* y, Index n) {
  const Lanes imaginary = alternate(-c.imag(), c.imag());
  const lanes::Mask swap = {1, 0, 3, 2, 5, 4, 7, 6};
  Index j = 0;
  for (; j + width <= n; j += width) {
    const Lanes value = load(y + j);
    store(c.real() * value + imaginary * __builtin_shuffle(value, swap), y + j);
  }
  for (; j < n; j += 2) {
    const double re = y[j], im = y[j + 1];
    y[j] = c.real() * re - c.imag() * im;
    y[j + 1] = c.real() * im + c.imag() * re;
  }
}

FrameSums frame_sums(const ComplexPair& a, const double* x, Index n) {
  Lanes s0{}, s1{}, pairs{}, squares{};
  Index j = 0;
  for (; j + width <= n; j += width) {
    const Lanes value = load(x + j);
    s0 += load(a.w + j) * value;
    s1 += load(a.iw + j) * value;
    pairs += value;
    squares += value * value;
  }
  double t0 = sum(s0), t1 = sum(s1), squared = sum(squares);
  double even = (pairs[0] + pairs[2]) + (pairs[4] + pairs[6]), odd = (pairs[1] + pairs[3]) + (pairs[5] + pairs[7]);
  for (; j < n; ++j) {
    t0 += a.w[j] * x[j];
    t1 += a.iw[j] * x[j];
    (j % 2 == 0 ? even : odd) += x[j];
    squared += x[j] * x[j];
  }
  return {{t0, t1}, {even, odd}, squared};
}

double combine(double alpha, const double* z, double beta, const double* x, std::complex<double> c,
               const ComplexPair& a, std::complex<double> constant, double* y, Index n) {
  const Lanes shift = alternate(constant.real(), constant.imag());
  Lanes squares{};
  Index j = 0;
  for (; j + width <= n; j += width) {
    Lanes value = load(x + j) - c.real() * load(a.w + j);
    value -= c.imag() * load(a.iw + j);
    value = alpha * load(z + j) + beta * (value - shift);
    store(value, y + j);
    squares += value * value;
  }
  double squared = sum(squares);
  for (; j < n; ++j) {
    y[j] = alpha * z[j] +
           beta * (x[j] - c.real() * a.w[j] - c.imag() * a.iw[j] - (j % 2 == 0 ? constant.real() : constant.imag()));
    squared += y[j] * y[j];
  }
  return squared;
}

}  // namespace wgp
