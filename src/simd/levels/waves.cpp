// Waves and their products: see simd/wave_kernels.h.
#include "simd/wave_kernels.h"

#include "simd/levels/pack_trigonometry.h"
#include "simd/levels/tables.h"
#include "simd/levels/vector.h"

namespace wgp::WGP_SIMD {
namespace {

// Packs beside each other, for each waits for its own last wave.
constexpr int beside = 2, at_once = beside * pack_size;

// Several i .. i + at_once, the last one again behind the end.
struct Several {
  Pack x[beside];

  Several(const double* from, Index count) {
    for (int p = 0; p < beside; ++p)
      for (int l = 0; l < pack_size; ++l) x[p][l] = from[least(p * pack_size + l, count - 1)];
  }
};

void store_some(const Pack (&x)[beside], Index count, double* to) {
  if (count >= at_once) {
    for (int p = 0; p < beside; ++p) store8(x[p], to + p * pack_size);
    return;
  }
  for (Index i = 0; i < count; ++i) to[i] = x[i / pack_size][i % pack_size];
}

SineCosine waves_of(const Pack& angle) {
  if (!any(!(abs(angle) <= largest_angle))) return sine_cosine(angle);
  SineCosine far;
  for (int l = 0; l < pack_size; ++l) {
    far.sine[l] = __builtin_sin(angle[l]);
    far.cosine[l] = __builtin_cos(angle[l]);
  }
  return far;
}

void fill_waves(const double* x, const double* S, Index count, double w, Index top, double* table, Index stride) {
  for (Index i = 0; i < count; ++i) table[i] = 1;
  for (Index i = 0; i < count; i += at_once) {
    const Index some = least(at_once, count - i);
    const Several at(x + i, some);
    // Damping by e^{-(m w)^2 S/2} = prod_{r < m} rho^(2r + 1), rho = e^{-w^2 S/2}.
    Pack c[beside], s[beside], cosine[beside], sine[beside], squared[beside], step[beside], damping[beside];
    for (int p = 0; p < beside; ++p) {
      const SineCosine one = waves_of(w * at.x[p]);
      cosine[p] = c[p] = one.cosine;
      sine[p] = s[p] = one.sine;
    }
    if (S != nullptr) {
      const Several variances(S + i, some);
      for (int p = 0; p < beside; ++p) {
        const Pack rho = exp((-w * w / 2) * variances.x[p]);
        squared[p] = rho * rho;
        step[p] = damping[p] = rho;
      }
    }
    for (Index m = 1; m <= top; ++m) {
      double *to_cosine = table + stride * m + i, *to_sine = table + stride * (top + m) + i;
      if (S != nullptr) {
        Pack damped[beside];
        for (int p = 0; p < beside; ++p) damped[p] = cosine[p] * damping[p];
        store_some(damped, some, to_cosine);
        for (int p = 0; p < beside; ++p) damped[p] = sine[p] * damping[p];
        store_some(damped, some, to_sine);
        for (int p = 0; p < beside; ++p) {
          step[p] *= squared[p];
          damping[p] *= step[p];
        }
      } else {
        store_some(cosine, some, to_cosine);
        store_some(sine, some, to_sine);
      }
      for (int p = 0; p < beside; ++p) {
        const Pack next = cosine[p] * c[p] - sine[p] * s[p];
        sine[p] = cosine[p] * s[p] + sine[p] * c[p];
        cosine[p] = next;
      }
    }
  }
}

void multiply_waves(const double* a, const double* b, const double* c, const double* s, double turn, Index count,
                    double* cosine, double* sine) {
  Index i = 0;
  for (; i + vec_size <= count; i += vec_size) {
    const Vec a_i = load_unaligned(a + i), b_i = load_unaligned(b + i), c_i = load_unaligned(c + i),
              s_i = turn * load_unaligned(s + i);
    store_unaligned(cosine + i, a_i * c_i - b_i * s_i);
    store_unaligned(sine + i, b_i * c_i + a_i * s_i);
  }
  for (; i < count; ++i) {
    const double a_i = a[i], b_i = b[i], s_i = turn * s[i];
    cosine[i] = a_i * c[i] - b_i * s_i;
    sine[i] = b_i * c[i] + a_i * s_i;
  }
}

void pull_back_waves(const double* x, const double* y, const double* c, const double* s, double turn, double sign,
                     Index count, double* by_a, double* by_b) {
  Index i = 0;
  for (; i + vec_size <= count; i += vec_size) {
    const Vec x_i = load_unaligned(x + i), y_i = load_unaligned(y + i), c_i = load_unaligned(c + i),
              s_i = turn * load_unaligned(s + i);
    store_unaligned(by_a + i, load_unaligned(by_a + i) + x_i * c_i + y_i * s_i);
    store_unaligned(by_b + i, load_unaligned(by_b + i) + sign * (y_i * c_i - x_i * s_i));
  }
  for (; i < count; ++i) {
    const double s_i = turn * s[i];
    by_a[i] += x[i] * c[i] + y[i] * s_i;
    by_b[i] += sign * (y[i] * c[i] - x[i] * s_i);
  }
}

}  // namespace

const WaveKernels wave_kernels = {fill_waves, multiply_waves, pull_back_waves};

}  // namespace wgp::WGP_SIMD
