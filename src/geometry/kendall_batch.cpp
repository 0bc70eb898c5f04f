#include "geometry/kendall_batch.h"

#include <algorithm>
#include <cstdint>

#ifdef __AVX__
#include <immintrin.h>
#endif

#include "linalg/lanes_trigonometry.h"

namespace wgp {
namespace {

using Complex = std::complex<double>;
using lanes::Lanes;
constexpr Index width = lanes::count;
typedef double Unaligned __attribute__((vector_size(lanes::count * sizeof(double)), aligned(8), may_alias));

// Columns that go through a loop together: as many as the registers hold accumulators for.
#ifdef __AVX512F__
constexpr int together = 4;
#else
constexpr int together = 2;
#endif
constexpr int group = lanes::count;  // columns whose angles are taken together

Lanes load_eight(const double* x) { return *reinterpret_cast<const Unaligned*>(x); }
void store_eight(const Lanes& value, double* x) { *reinterpret_cast<Unaligned*>(x) = value; }

double sum(const Lanes& x) { return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])); }
Complex pair_sum(const Lanes& x) { return {(x[0] + x[2]) + (x[4] + x[6]), (x[1] + x[3]) + (x[5] + x[7])}; }
// (even, odd, even, odd, ...)
Lanes alternate(Complex c) {
  return Lanes{c.real(), c.imag(), c.real(), c.imag(), c.real(), c.imag(), c.real(), c.imag()};
}
double component(Complex c, Index j) { return j % 2 == 0 ? c.real() : c.imag(); }

// Results that the caches cannot hold go past them: otherwise every line written is first read.
constexpr Index streamed_bytes = Index{1} << 24;
bool goes_past_caches(MatrixRef result) {
#ifdef __AVX__
  return result.size() * static_cast<Index>(sizeof(double)) > streamed_bytes &&
         reinterpret_cast<std::uintptr_t>(result.data()) % 32 == 0 && result.rows() % 4 == 0 &&
         result.outerStride() == result.rows();
#else
  (void)result;
  return false;
#endif
}
void finish_stream() {
#ifdef __AVX__
  _mm_sfence();
#endif
}

#ifdef __AVX__
void stream_four(const double* value, double* x) { _mm256_stream_pd(x, _mm256_loadu_pd(value)); }
#endif

// Eight numbers of a column, or what is left of it.
struct Whole {
#ifdef __AVX__
  void stream(const Lanes& value, double* x) const {
    stream_four(reinterpret_cast<const double*>(&value), x);
    stream_four(reinterpret_cast<const double*>(&value) + 4, x + 4);
  }
#endif
  Lanes load(const double* x) const { return load_eight(x); }
  void store(const Lanes& value, double* x) const { store_eight(value, x); }
  Lanes keep(const Lanes& value) const { return value; }
};
struct Rest {
  Index count;
#ifdef __AVX__
  // Four numbers: columns that are streamed have a multiple of four. No line may be written both ways.
  void stream(const Lanes& value, double* x) const { stream_four(reinterpret_cast<const double*>(&value), x); }
#endif
#ifdef __AVX512F__
  __mmask8 mask() const { return static_cast<__mmask8>((1u << count) - 1); }
  Lanes load(const double* x) const { return (Lanes)_mm512_maskz_loadu_pd(mask(), x); }
  void store(const Lanes& value, double* x) const { _mm512_mask_storeu_pd(x, mask(), (__m512d)value); }
  Lanes keep(const Lanes& value) const { return (Lanes)_mm512_maskz_mov_pd(mask(), (__m512d)value); }
#else
  Lanes load(const double* x) const {
    Lanes value{};
    for (Index k = 0; k < count; ++k) value[k] = x[k];
    return value;
  }
  void store(const Lanes& value, double* x) const {
    for (Index k = 0; k < count; ++k) x[k] = value[k];
  }
  Lanes keep(Lanes value) const {
    for (Index k = count; k < width; ++k) value[k] = 0;
    return value;
  }
#endif
};

template <bool streamed, class Part>
void put(const Part& part, const Lanes& value, double* x) {
#ifdef __AVX__
  if constexpr (streamed) return part.stream(value, x);
#endif
  part.store(value, x);
}

// body(access, j) for j = 0, 8, ... below n.
template <class Body>
[[gnu::always_inline]] inline void sweep(Index n, Body body) {
  Index j = 0;
  for (; j + width <= n; j += width) body(Whole{}, j);
  if (j < n) body(Rest{n - j}, j);
}
#define WGP_INLINE __attribute__((always_inline))

// y = c x, pairwise as complex numbers; n is even.
template <bool streamed>
void multiply_into(Complex c, const double* x, double* y, Index n) {
  const double real = c.real();
  const Lanes imaginary = alternate({-c.imag(), c.imag()});
  sweep(n, [&](auto part, Index j) WGP_INLINE {
    const Lanes value = part.load(x + j);
    put<streamed>(part, real * value + imaginary * lanes::pick<1, 0, 3, 2, 5, 4, 7, 6>(value, value), y + j);
  });
}

// The same place in the group of columns after this one.
void fetch_ahead(const double* x, Index columns_ahead) { __builtin_prefetch(x + columns_ahead); }

// <z, q> and <w2, q> of P columns.
template <int P>
void two_products(const HorizontalPlan& plan, const double* const* q, Index ahead, Complex* c, Complex* b) {
  Lanes s[P][4] = {};
  sweep(plan.n, [&](auto part, Index j) WGP_INLINE {
    const Lanes z = part.load(plan.z.w + j), iz = part.load(plan.z.iw + j), w = part.load(plan.second.w + j),
                iw = part.load(plan.second.iw + j);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      const Lanes value = part.load(q[i] + j);
      fetch_ahead(q[i] + j, ahead);
      s[i][0] += z * value;
      s[i][1] += iz * value;
      s[i][2] += w * value;
      s[i][3] += iw * value;
    }
  });
#pragma GCC unroll 4
  for (int i = 0; i < P; ++i) {
    c[i] = {sum(s[i][0]), sum(s[i][1])};
    b[i] = {sum(s[i][2]), sum(s[i][3])};
  }
}

// y = x - c z - b w2 - shift beyond the first four numbers, for P columns; returns |y|^2 in squared.
template <int P>
void subtract_multiples(const HorizontalPlan& plan, const double* const* q, const Complex* c, const Complex* b,
                        const Complex* shift, double* const* y, double* squared) {
  Lanes squares[P] = {}, constant[P];
  for (int i = 0; i < P; ++i) constant[i] = alternate(shift[i]);
  sweep(plan.n - 4, [&](auto part, Index j) WGP_INLINE {
    const Lanes z = part.load(plan.z.w + 4 + j), iz = part.load(plan.z.iw + 4 + j),
                w = part.load(plan.second.w + 4 + j), iw = part.load(plan.second.iw + 4 + j);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      Lanes value = part.load(q[i] + 4 + j) - c[i].real() * z;
      value -= c[i].imag() * iz;
      value -= b[i].real() * w;
      value -= b[i].imag() * iw;
      value -= part.keep(constant[i]);
      part.store(value, y[i] + j);
      squares[i] += value * value;
    }
  });
  for (int i = 0; i < P; ++i) squared[i] = sum(squares[i]);
}

// The horizontal parts of P columns in coordinates, unscaled. The first reflector is constant beyond its first entry,
// and sees of a centred vector that entry alone.
template <int P>
void horizontal_parts(const HorizontalPlan& plan, const double* const* q, Index ahead, Complex* c, double* const* y,
                      double* squared) {
  Complex b[P], shift[P];
  two_products<P>(plan, q, ahead, c, b);
  for (int i = 0; i < P; ++i) {
    const Complex first_entry = Complex(q[i][0], q[i][1]) - c[i] * Complex(plan.z.w[0], plan.z.w[1]);
    const Complex a = (plan.head - plan.tail) * first_entry;
    b[i] = b[i] - c[i] * plan.second_z - a * plan.second_first;
    shift[i] = a * plan.tail;
  }
  subtract_multiples<P>(plan, q, c, b, shift, y, squared);
}

// c = <z, q> and |q - c z|^2 of P columns.
template <int P>
void residuals(const HorizontalPlan& plan, const double* const* q, Index ahead, Complex* c, double* squared) {
  Lanes s[P][2] = {};
  sweep(plan.n, [&](auto part, Index j) WGP_INLINE {
    const Lanes z = part.load(plan.z.w + j), iz = part.load(plan.z.iw + j);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      const Lanes value = part.load(q[i] + j);
      fetch_ahead(q[i] + j, ahead);
      s[i][0] += z * value;
      s[i][1] += iz * value;
    }
  });
  for (int i = 0; i < P; ++i) c[i] = {sum(s[i][0]), sum(s[i][1])};
  Lanes squares[P] = {};
  sweep(plan.n, [&](auto part, Index j) WGP_INLINE {
    const Lanes z = part.load(plan.z.w + j), iz = part.load(plan.z.iw + j);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      Lanes value = part.load(q[i] + j) - c[i].real() * z;
      value -= c[i].imag() * iz;
      squares[i] += value * value;
    }
  });
  for (int i = 0; i < P; ++i) squared[i] = sum(squares[i]);
}

// The sums over P columns of coordinates that H1 H2 needs: <w2, x>, the sum of the pairs, |x|^2.
template <int P>
void frame_sums(const HorizontalPlan& plan, const double* const* x, Index ahead, Complex* product, Complex* total,
                double* squared) {
  Lanes s[P][4] = {};
  sweep(plan.n - 4, [&](auto part, Index j) WGP_INLINE {
    const Lanes w = part.load(plan.second.w + 4 + j), iw = part.load(plan.second.iw + 4 + j);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      const Lanes value = part.load(x[i] + j);
      fetch_ahead(x[i] + j, ahead);
      s[i][0] += w * value;
      s[i][1] += iw * value;
      s[i][2] += value;
      s[i][3] += value * value;
    }
  });
#pragma GCC unroll 4
  for (int i = 0; i < P; ++i) {
    product[i] = {sum(s[i][0]), sum(s[i][1])};
    total[i] = pair_sum(s[i][2]);
    squared[i] = sum(s[i][3]);
  }
}

// y = along z + across H1 H2 (0, 0, x) for P columns, with b = <w2, x> and a the multiple of w1; returns |y|^2.
template <int P, bool streamed>
void combine(const HorizontalPlan& plan, const double* const* x, const double* along, const double* across,
             const Complex* a, const Complex* b, double* const* y, double* squared) {
  Lanes squares[P] = {}, constant[P];
  for (int i = 0; i < P; ++i) constant[i] = alternate(a[i] * plan.tail);
  sweep(plan.n - 4, [&](auto part, Index j) WGP_INLINE {
    const Lanes z = part.load(plan.z.w + 4 + j), w = part.load(plan.second.w + 4 + j),
                iw = part.load(plan.second.iw + 4 + j);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      Lanes value = part.load(x[i] + j) - b[i].real() * w;
      value -= b[i].imag() * iw;
      value = along[i] * z + across[i] * (value - part.keep(constant[i]));
      put<streamed>(part, value, y[i] + 4 + j);
      squares[i] += value * value;
    }
  });
  for (int i = 0; i < P; ++i) {
    squared[i] = sum(squares[i]);
    Lanes head{};
    for (Index k = 0; k < 4; ++k) {
      const double first = k < 2 ? plan.head : plan.tail;
      const double reflected =
          first * component(a[i], k) + b[i].real() * plan.second.w[k] + b[i].imag() * plan.second.iw[k];
      head[k] = along[i] * plan.z.w[k] - across[i] * reflected;
      squared[i] += head[k] * head[k];
    }
    put<streamed>(Rest{4}, head, y[i]);
  }
}

// body.operator()<P>(i) over the columns i, i + 1, ... i + P - 1 of a group.
template <class Body>
void for_columns(int count, Body body) {
  int i = 0;
  for (; i + together <= count; i += together) body.template operator()<together>(i);
  for (; i < count; ++i) body.template operator()<1>(i);
}

// Up to eight columns of a matrix from `first` on.
struct Columns {
  int count;
  Index ahead;  // numbers to the same column of the next group; 0 at the end
  const double* at[group];

  Columns(ConstMatrixRef X, Index first)
      : count(static_cast<int>(std::min<Index>(group, X.cols() - first))),
        ahead(first + 2 * group <= X.cols() ? group * X.outerStride() : 0) {
    for (int i = 0; i < count; ++i) at[i] = X.data() + (first + i) * X.outerStride();
  }
};

// Room for eight results, in the first-level cache, each on its own lines.
class Scratch {
 public:
  explicit Scratch(Index n) : storage_((n + width - 1) / width * width, group) {
    for (int i = 0; i < group; ++i) at[i] = storage_.col(i).data();
  }
  double* at[group];

 private:
  Matrix storage_;
};

// What the numbers c and |q - c z|^2 of a group say.
struct Angles {
  Lanes cosine, sine, theta;

  Angles(const Complex* c, const double* squared, int count) : cosine(lanes::broadcast(1)), sine{} {
    for (int i = 0; i < count; ++i) {
      cosine[i] = std::norm(c[i]);
      sine[i] = squared[i];
    }
    cosine = lanes::sqrt(cosine);
    sine = lanes::sqrt(sine);
    theta = lanes::upper_angle(sine, cosine);
  }
  // (theta / sin theta) conj(c)/|c|
  Complex multiple(int i, Complex c, double indistinct) const {
    const double scale = sine[i] > 0 ? theta[i] / sine[i] : 1;
    return cosine[i] > indistinct ? std::conj(c) * (scale / cosine[i]) : Complex(scale);
  }
};

}  // namespace

namespace {

template <bool streamed>
void log_columns(const HorizontalPlan& plan, ConstMatrixRef points, double indistinct, MatrixRef coords,
                 VectorRef theta, VectorRef cosine) {
  Scratch scratch(plan.n - 4);
  for (Index first = 0; first < points.cols(); first += group) {
    const Columns q(points, first);
    Complex c[group];
    double squared[group];
    for_columns(q.count, [&]<int P>(int i) {
      horizontal_parts<P>(plan, q.at + i, q.ahead, c + i, scratch.at + i, squared + i);
    });
    const Angles angles(c, squared, q.count);
    for (int i = 0; i < q.count; ++i) {
      multiply_into<streamed>(angles.multiple(i, c[i], indistinct), scratch.at[i], coords.col(first + i).data(),
                              plan.n - 4);
      theta[first + i] = angles.theta[i];
      cosine[first + i] = angles.cosine[i];
    }
  }
}

template <bool streamed>
void exp_columns(const HorizontalPlan& plan, ConstMatrixRef coords, MatrixRef points) {
  for (Index first = 0; first < coords.cols(); first += group) {
    const Columns x(coords, first);
    Complex a[group], b[group], total[group];
    double squared[group], along[group], across[group], *y[group];
    for_columns(x.count, [&]<int P>(int i) { frame_sums<P>(plan, x.at + i, x.ahead, b + i, total + i, squared + i); });
    Lanes theta{};
    for (int i = 0; i < x.count; ++i) theta[i] = squared[i];
    theta = lanes::sqrt(theta);
    const lanes::SineCosine turn = lanes::sine_cosine(theta);
    for (int i = 0; i < x.count; ++i) {
      const bool far = !(theta[i] <= lanes::largest_angle);
      along[i] = far ? std::cos(theta[i]) : turn.cosine[i];
      across[i] = theta[i] > 0 ? (far ? std::sin(theta[i]) : turn.sine[i]) / theta[i] : 1.0;
      a[i] = plan.tail * total[i] - b[i] * std::conj(plan.second_first);
      y[i] = points.col(first + i).data();
    }
    for_columns(x.count, [&]<int P>(int i) {
      combine<P, streamed>(plan, x.at + i, along + i, across + i, a + i, b + i, y + i, squared + i);
    });
    for (int i = 0; i < x.count; ++i)
      if (std::abs(squared[i] - 1) > 1e-15) points.col(first + i) /= std::sqrt(squared[i]);
  }
}

}  // namespace

void kendall_log(const HorizontalPlan& plan, ConstMatrixRef points, double indistinct, MatrixRef coords,
                 VectorRef theta, VectorRef cosine) {
  if (!goes_past_caches(coords)) return log_columns<false>(plan, points, indistinct, coords, theta, cosine);
  log_columns<true>(plan, points, indistinct, coords, theta, cosine);
  finish_stream();
}

void kendall_exp(const HorizontalPlan& plan, ConstMatrixRef coords, MatrixRef points) {
  if (!goes_past_caches(points)) return exp_columns<false>(plan, coords, points);
  exp_columns<true>(plan, coords, points);
  finish_stream();
}

void kendall_angles(const HorizontalPlan& plan, ConstMatrixRef points, VectorRef theta) {
  for (Index first = 0; first < points.cols(); first += group) {
    const Columns q(points, first);
    Complex c[group];
    double squared[group];
    for_columns(q.count, [&]<int P>(int i) { residuals<P>(plan, q.at + i, q.ahead, c + i, squared + i); });
    const Angles angles(c, squared, q.count);
    for (int i = 0; i < q.count; ++i) theta[first + i] = angles.theta[i];
  }
}

void kendall_log_sum(const HorizontalPlan& plan, ConstMatrixRef points, ConstVectorRef weights, double indistinct,
                     VectorRef sum, VectorRef theta, VectorRef cosine) {
  // m (q - c z) with a complex multiple m: its real and imaginary parts weigh the columns apart, and are put together
  // once, at the end.
  Vector real = Vector::Zero(plan.n), imaginary = Vector::Zero(plan.n);
  for (Index first = 0; first < points.cols(); first += group) {
    const Columns q(points, first);
    Complex c[group] = {}, multiple[group] = {};
    double squared[group];
    for_columns(q.count, [&]<int P>(int i) { residuals<P>(plan, q.at + i, q.ahead, c + i, squared + i); });
    const Angles angles(c, squared, q.count);
    for (int i = 0; i < q.count; ++i) {
      multiple[i] = weights[first + i] * angles.multiple(i, c[i], indistinct);
      theta[first + i] = angles.theta[i];
      cosine[first + i] = angles.cosine[i];
    }
    const double* at[group];
    for (int i = 0; i < group; ++i) at[i] = q.at[std::min(i, q.count - 1)];
    sweep(plan.n, [&](auto part, Index j) WGP_INLINE {
      const Lanes z = part.load(plan.z.w + j), iz = part.load(plan.z.iw + j);
      Lanes re = part.load(real.data() + j), im = part.load(imaginary.data() + j);
#pragma GCC unroll 8
      for (int i = 0; i < group; ++i) {
        Lanes value = part.load(at[i] + j) - c[i].real() * z;
        value -= c[i].imag() * iz;
        re += multiple[i].real() * value;
        im += multiple[i].imag() * value;
      }
      part.store(re, real.data() + j);
      part.store(im, imaginary.data() + j);
    });
  }
  for (Index j = 0; j < plan.n; j += 2) {
    sum[j] = real[j] - imaginary[j + 1];
    sum[j + 1] = real[j + 1] + imaginary[j];
  }
}

}  // namespace wgp
