// Planar shapes, groups of columns at a time: see simd/kendall_kernels.h.
#include "simd/kendall_kernels.h"

#include "simd/levels/column_numbers.h"
#include "simd/levels/pack_trigonometry.h"
#include "simd/levels/tables.h"
#include "simd/levels/vector.h"

namespace wgp::WGP_SIMD {
namespace {

struct Complex {
  double re, im;
};
inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
inline Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
inline Complex operator*(double a, Complex b) { return {a * b.re, a * b.im}; }
inline Complex operator*(Complex a, double b) { return b * a; }
inline Complex complex(ComplexNumber c) { return {c.re, c.im}; }
inline Complex conjugate(Complex c) { return {c.re, -c.im}; }
inline double squared_size(Complex c) { return c.re * c.re + c.im * c.im; }

// Columns that go through a loop together: as many as the registers hold accumulators for.
#ifdef __AVX512F__
constexpr int together = 4;
#else
constexpr int together = 2;
#endif
constexpr int group_size = pack_size;  // columns whose angles are taken together

double pack_sum(const Pack& x) { return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])); }
Complex pair_sum(const Pack& x) { return {(x[0] + x[2]) + (x[4] + x[6]), (x[1] + x[3]) + (x[5] + x[7])}; }
// (even, odd, even, odd, ...)
Pack alternate(Complex c) { return Pack{c.re, c.im, c.re, c.im, c.re, c.im, c.re, c.im}; }
double component(Complex c, Index j) { return j % 2 == 0 ? c.re : c.im; }

// y = c x, pairwise as complex numbers; n is even.
template <bool streamed>
void multiply_into(Complex c, const double* x, double* y, Index n) {
  const double real = c.re;
  const Pack imaginary = alternate({-c.im, c.im});
  for_numbers(n, [&](auto part, Index j) WGP_INLINE {
    const Pack value = part.load(x + j);
    put<streamed>(part, real * value + imaginary * pick<1, 0, 3, 2, 5, 4, 7, 6>(value, value), y + j);
  });
}

// The same place in the group of columns after this one.
void fetch_ahead(const double* x, Index columns_ahead) { __builtin_prefetch(x + columns_ahead); }

// <z, q> and <w2, q> of P columns.
template <int P>
void two_products(const HorizontalPlan& plan, const double* const* q, Index ahead, Complex* c, Complex* b) {
  Pack s[P][4] = {};
  for_numbers(plan.n, [&](auto part, Index j) WGP_INLINE {
    const Pack z = part.load(plan.z.w + j), iz = part.load(plan.z.iw + j), w = part.load(plan.second.w + j),
               iw = part.load(plan.second.iw + j);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      const Pack value = part.load(q[i] + j);
      fetch_ahead(q[i] + j, ahead);
      s[i][0] += z * value;
      s[i][1] += iz * value;
      s[i][2] += w * value;
      s[i][3] += iw * value;
    }
  });
#pragma GCC unroll 4
  for (int i = 0; i < P; ++i) {
    c[i] = {pack_sum(s[i][0]), pack_sum(s[i][1])};
    b[i] = {pack_sum(s[i][2]), pack_sum(s[i][3])};
  }
}

// y = x - c z - b w2 - shift beyond the first four numbers, for P columns; returns |y|^2 in squared.
template <int P>
void subtract_multiples(const HorizontalPlan& plan, const double* const* q, const Complex* c, const Complex* b,
                        const Complex* shift, double* const* y, double* squared) {
  Pack squares[P] = {}, constant[P];
  for (int i = 0; i < P; ++i) constant[i] = alternate(shift[i]);
  for_numbers(plan.n - 4, [&](auto part, Index j) WGP_INLINE {
    const Pack z = part.load(plan.z.w + 4 + j), iz = part.load(plan.z.iw + 4 + j), w = part.load(plan.second.w + 4 + j),
               iw = part.load(plan.second.iw + 4 + j);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      Pack value = part.load(q[i] + 4 + j) - c[i].re * z;
      value -= c[i].im * iz;
      value -= b[i].re * w;
      value -= b[i].im * iw;
      value -= part.keep(constant[i]);
      part.store(value, y[i] + j);
      squares[i] += value * value;
    }
  });
  for (int i = 0; i < P; ++i) squared[i] = pack_sum(squares[i]);
}

// The horizontal parts of P columns in coordinates, unscaled. The first reflector is constant beyond its first entry,
// and sees of a centred vector that entry alone.
template <int P>
void horizontal_parts(const HorizontalPlan& plan, const double* const* q, Index ahead, Complex* c, double* const* y,
                      double* squared) {
  Complex b[P], shift[P];
  two_products<P>(plan, q, ahead, c, b);
  for (int i = 0; i < P; ++i) {
    const Complex first_entry = Complex{q[i][0], q[i][1]} - c[i] * Complex{plan.z.w[0], plan.z.w[1]};
    const Complex a = (plan.head - plan.tail) * first_entry;
    b[i] = b[i] - c[i] * complex(plan.second_z) - a * complex(plan.second_first);
    shift[i] = a * plan.tail;
  }
  subtract_multiples<P>(plan, q, c, b, shift, y, squared);
}

// c = <z, q> and |q - c z|^2 of P columns.
template <int P>
void residuals(const HorizontalPlan& plan, const double* const* q, Index ahead, Complex* c, double* squared) {
  Pack s[P][2] = {};
  for_numbers(plan.n, [&](auto part, Index j) WGP_INLINE {
    const Pack z = part.load(plan.z.w + j), iz = part.load(plan.z.iw + j);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      const Pack value = part.load(q[i] + j);
      fetch_ahead(q[i] + j, ahead);
      s[i][0] += z * value;
      s[i][1] += iz * value;
    }
  });
  for (int i = 0; i < P; ++i) c[i] = {pack_sum(s[i][0]), pack_sum(s[i][1])};
  Pack squares[P] = {};
  for_numbers(plan.n, [&](auto part, Index j) WGP_INLINE {
    const Pack z = part.load(plan.z.w + j), iz = part.load(plan.z.iw + j);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      Pack value = part.load(q[i] + j) - c[i].re * z;
      value -= c[i].im * iz;
      squares[i] += value * value;
    }
  });
  for (int i = 0; i < P; ++i) squared[i] = pack_sum(squares[i]);
}

// The sums over P columns of coordinates that H1 H2 needs: <w2, x>, the sum of the pairs, |x|^2.
template <int P>
void frame_sums(const HorizontalPlan& plan, const double* const* x, Index ahead, Complex* product, Complex* total,
                double* squared) {
  Pack s[P][4] = {};
  for_numbers(plan.n - 4, [&](auto part, Index j) WGP_INLINE {
    const Pack w = part.load(plan.second.w + 4 + j), iw = part.load(plan.second.iw + 4 + j);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      const Pack value = part.load(x[i] + j);
      fetch_ahead(x[i] + j, ahead);
      s[i][0] += w * value;
      s[i][1] += iw * value;
      s[i][2] += value;
      s[i][3] += value * value;
    }
  });
#pragma GCC unroll 4
  for (int i = 0; i < P; ++i) {
    product[i] = {pack_sum(s[i][0]), pack_sum(s[i][1])};
    total[i] = pair_sum(s[i][2]);
    squared[i] = pack_sum(s[i][3]);
  }
}

// y = along z + across H1 H2 (0, 0, x) for P columns, with b = <w2, x> and a the multiple of w1; returns |y|^2.
template <int P, bool streamed>
void combine(const HorizontalPlan& plan, const double* const* x, const double* along, const double* across,
             const Complex* a, const Complex* b, double* const* y, double* squared) {
  Pack squares[P] = {}, constant[P];
  for (int i = 0; i < P; ++i) constant[i] = alternate(a[i] * plan.tail);
  for_numbers(plan.n - 4, [&](auto part, Index j) WGP_INLINE {
    const Pack z = part.load(plan.z.w + 4 + j), w = part.load(plan.second.w + 4 + j),
               iw = part.load(plan.second.iw + 4 + j);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
      Pack value = part.load(x[i] + j) - b[i].re * w;
      value -= b[i].im * iw;
      value = along[i] * z + across[i] * (value - part.keep(constant[i]));
      put<streamed>(part, value, y[i] + 4 + j);
      squares[i] += value * value;
    }
  });
  for (int i = 0; i < P; ++i) {
    squared[i] = pack_sum(squares[i]);
    Pack head{};
    for (Index k = 0; k < 4; ++k) {
      const double first = k < 2 ? plan.head : plan.tail;
      const double reflected = first * component(a[i], k) + b[i].re * plan.second.w[k] + b[i].im * plan.second.iw[k];
      head[k] = along[i] * plan.z.w[k] - across[i] * reflected;
      squared[i] += head[k] * head[k];
    }
    put<streamed>(FewNumbers{4}, head, y[i]);
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
struct ColumnGroup {
  int count;
  Index ahead;  // numbers to the same column of the next group; 0 at the end
  const double* at[group_size];

  ColumnGroup(const ConstColumns& X, Index first)
      : count(static_cast<int>(least(group_size, X.cols - first))),
        ahead(first + 2 * group_size <= X.cols ? group_size * X.stride : 0) {
    for (int i = 0; i < count; ++i) at[i] = X.data + (first + i) * X.stride;
  }
};

// Room for eight results, in the first-level cache, each on its own lines.
struct Scratch {
  double* at[group_size];
  Scratch(double* room, Index n) {
    const Index padded = (n + width - 1) / width * width;
    for (int i = 0; i < group_size; ++i) at[i] = room + i * padded;
  }
};

// What the numbers c and |q - c z|^2 of a group say.
struct Angles {
  Pack cosine, sine, theta;

  Angles(const Complex* c, const double* squared, int count) : cosine(broadcast8(1)), sine{} {
    for (int i = 0; i < count; ++i) {
      cosine[i] = squared_size(c[i]);
      sine[i] = squared[i];
    }
    cosine = sqrt(cosine);
    sine = sqrt(sine);
    theta = upper_angle(sine, cosine);
  }
  // (theta / sin theta) conj(c)/|c|
  Complex multiple(int i, Complex c, double indistinct) const {
    const double scale = sine[i] > 0 ? theta[i] / sine[i] : 1;
    return cosine[i] > indistinct ? conjugate(c) * (scale / cosine[i]) : Complex{scale, 0};
  }
};

template <bool streamed>
void log_columns(const HorizontalPlan& plan, const ConstColumns& points, double indistinct, const Columns& coords,
                 double* theta, double* cosine, double* room) {
  const Scratch scratch(room, plan.n - 4);
  for (Index first = 0; first < points.cols; first += group_size) {
    const ColumnGroup q(points, first);
    Complex c[group_size];
    double squared[group_size];
    for_columns(q.count, [&]<int P>(int i) {
      horizontal_parts<P>(plan, q.at + i, q.ahead, c + i, scratch.at + i, squared + i);
    });
    const Angles angles(c, squared, q.count);
    for (int i = 0; i < q.count; ++i) {
      multiply_into<streamed>(angles.multiple(i, c[i], indistinct), scratch.at[i],
                              coords.data + (first + i) * coords.stride, plan.n - 4);
      theta[first + i] = angles.theta[i];
      cosine[first + i] = angles.cosine[i];
    }
  }
}

template <bool streamed>
void exp_columns(const HorizontalPlan& plan, const ConstColumns& coords, const Columns& points) {
  for (Index first = 0; first < coords.cols; first += group_size) {
    const ColumnGroup x(coords, first);
    Complex a[group_size], b[group_size], total[group_size];
    double squared[group_size], along[group_size], across[group_size], *y[group_size];
    for_columns(x.count, [&]<int P>(int i) { frame_sums<P>(plan, x.at + i, x.ahead, b + i, total + i, squared + i); });
    Pack theta{};
    for (int i = 0; i < x.count; ++i) theta[i] = squared[i];
    theta = sqrt(theta);
    const SineCosine turn = sine_cosine(theta);
    for (int i = 0; i < x.count; ++i) {
      const bool far = !(theta[i] <= largest_angle);
      along[i] = far ? std::cos(theta[i]) : turn.cosine[i];
      across[i] = theta[i] > 0 ? (far ? std::sin(theta[i]) : turn.sine[i]) / theta[i] : 1.0;
      a[i] = plan.tail * total[i] - b[i] * conjugate(complex(plan.second_first));
      y[i] = points.data + (first + i) * points.stride;
    }
    for_columns(x.count, [&]<int P>(int i) {
      combine<P, streamed>(plan, x.at + i, along + i, across + i, a + i, b + i, y + i, squared + i);
    });
    for (int i = 0; i < x.count; ++i)
      if (abs(squared[i] - 1) > 1e-15) {
        const double length = sqrt(squared[i]);
        for (Index j = 0; j < plan.n; ++j) y[i][j] /= length;
      }
  }
}

void kendall_log(const HorizontalPlan& plan, const ConstColumns& points, double indistinct, const Columns& coords,
                 double* theta, double* cosine, double* room) {
  if (!goes_past_caches(coords)) return log_columns<false>(plan, points, indistinct, coords, theta, cosine, room);
  log_columns<true>(plan, points, indistinct, coords, theta, cosine, room);
  finish_stream();
}

void kendall_exp(const HorizontalPlan& plan, const ConstColumns& coords, const Columns& points) {
  if (!goes_past_caches(points)) return exp_columns<false>(plan, coords, points);
  exp_columns<true>(plan, coords, points);
  finish_stream();
}

void kendall_angles(const HorizontalPlan& plan, const ConstColumns& points, double* theta) {
  for (Index first = 0; first < points.cols; first += group_size) {
    const ColumnGroup q(points, first);
    Complex c[group_size];
    double squared[group_size];
    for_columns(q.count, [&]<int P>(int i) { residuals<P>(plan, q.at + i, q.ahead, c + i, squared + i); });
    const Angles angles(c, squared, q.count);
    for (int i = 0; i < q.count; ++i) theta[first + i] = angles.theta[i];
  }
}

void kendall_log_sum(const HorizontalPlan& plan, const ConstColumns& points, const double* weights, double indistinct,
                     double* sum, double* theta, double* cosine, double* room) {
  // m (q - c z) with a complex multiple m: its real and imaginary parts weigh the columns apart, and are put together
  // once, at the end.
  double *real = room, *imaginary = room + plan.n;
  fill(room, room + 2 * plan.n, 0);
  for (Index first = 0; first < points.cols; first += group_size) {
    const ColumnGroup q(points, first);
    Complex c[group_size] = {}, multiple[group_size] = {};
    double squared[group_size];
    for_columns(q.count, [&]<int P>(int i) { residuals<P>(plan, q.at + i, q.ahead, c + i, squared + i); });
    const Angles angles(c, squared, q.count);
    for (int i = 0; i < q.count; ++i) {
      multiple[i] = weights[first + i] * angles.multiple(i, c[i], indistinct);
      theta[first + i] = angles.theta[i];
      cosine[first + i] = angles.cosine[i];
    }
    const double* at[group_size];
    for (int i = 0; i < group_size; ++i) at[i] = q.at[(i < q.count ? i : q.count - 1)];
    for_numbers(plan.n, [&](auto part, Index j) WGP_INLINE {
      const Pack z = part.load(plan.z.w + j), iz = part.load(plan.z.iw + j);
      Pack re = part.load(real + j), im = part.load(imaginary + j);
#pragma GCC unroll 8
      for (int i = 0; i < group_size; ++i) {
        Pack value = part.load(at[i] + j) - c[i].re * z;
        value -= c[i].im * iz;
        re += multiple[i].re * value;
        im += multiple[i].im * value;
      }
      part.store(re, real + j);
      part.store(im, imaginary + j);
    });
  }
  for (Index j = 0; j < plan.n; j += 2) {
    sum[j] = real[j] - imaginary[j + 1];
    sum[j + 1] = real[j + 1] + imaginary[j];
  }
}

// Sixteen numbers at a time: one chain of additions would wait for itself.
Complex two_dots(const ComplexPair& direction, const double* x, Index n) {
  Pack s[4] = {};
  Index j = 0;
  for (; j + 2 * width <= n; j += 2 * width) {
    const Pack low = load8(x + j), high = load8(x + j + width);
    s[0] += load8(direction.w + j) * low;
    s[1] += load8(direction.iw + j) * low;
    s[2] += load8(direction.w + j + width) * high;
    s[3] += load8(direction.iw + j + width) * high;
  }
  for_numbers(n - j, [&](auto part, Index more) WGP_INLINE {
    const Pack value = part.load(x + j + more);
    s[0] += part.load(direction.w + j + more) * value;
    s[1] += part.load(direction.iw + j + more) * value;
  });
  return {pack_sum(s[0] + s[2]), pack_sum(s[1] + s[3])};
}

void kendall_add_along_direction(const ComplexPair& direction, double across, double along, double turned,
                                 const ConstColumns& x, const Columns& y) {
  for (Index i = 0; i < x.cols; ++i) {
    const double* from = x.data + i * x.stride;
    double* to = y.data + i * y.stride;
    const Complex c = two_dots(direction, from, x.rows);
    const double a = along * c.re, b = turned * c.im;
    for_numbers(x.rows, [&](auto part, Index j) WGP_INLINE {
      Pack value = part.load(to + j);
      value += across * part.load(from + j);
      value += a * part.load(direction.w + j);
      value += b * part.load(direction.iw + j);
      part.store(value, to + j);
    });
  }
}

Index kendall_exact(const ConstColumns& points, double rounding) {
  Index i = 0;
  for (; i < points.cols; ++i) {
    const double* x = points.data + i * points.stride;
    Pack sum{}, squares{};
    for_numbers(points.rows, [&](auto part, Index j) WGP_INLINE {
      const Pack value = part.load(x + j);
      sum += value;
      squares += value * value;
    });
    const Complex centre = pair_sum(sum);
    if (!(abs(centre.re) <= rounding && abs(centre.im) <= rounding && abs(pack_sum(squares) - 1) <= rounding)) break;
  }
  return i;
}

void kendall_add_direction_matrix(const ComplexPair& direction, double across, double along, double turned,
                                  const Columns& y) {
  for (Index i = 0; i < y.cols; ++i) {
    double* to = y.data + i * y.stride;
    const double a = along * direction.w[i], b = turned * direction.iw[i];
    for_numbers(y.rows, [&](auto part, Index j) WGP_INLINE {
      Pack value = part.load(to + j);
      value += a * part.load(direction.w + j);
      value += b * part.load(direction.iw + j);
      part.store(value, to + j);
    });
    to[i] += across;
  }
}

}  // namespace

const KendallKernels kendall_kernels = {kendall_log,
                                        kendall_exp,
                                        kendall_angles,
                                        kendall_log_sum,
                                        kendall_exact,
                                        kendall_add_along_direction,
                                        kendall_add_direction_matrix};

}  // namespace wgp::WGP_SIMD
