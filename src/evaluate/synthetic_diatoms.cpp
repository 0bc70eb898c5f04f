// Closed outlines: superellipses that are bent and tapered, all smooth functions of two latents. 37 species are small
// clouds in the latent plane, 19 to 24 specimens each. A third of the species is digitised from the other end. Noise is
// smooth along the outline; position, size and direction on the slide are random.
#include "core/format.h"
#include "core/random_streams.h"

#include <cmath>
#include <complex>
#include <numbers>

#include "evaluate/synthetic.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using Complex = std::complex<double>;

constexpr Index specimens = 780, species = 37, landmarks = 90;
constexpr double outline_noise = 0.012;  // of the half length

// The landmark at angle t of the outline with latents (a, b), half length 1.
Complex outline(double t, double a, double b) {
  const double width = 0.36 + 0.24 * std::tanh(a), squareness = 2.3 + 0.9 * std::tanh(b);
  const double bend = 0.16 * std::sin(1.3 * b - 0.4), taper = 0.25 * std::tanh(0.8 * a - 0.5 * b);
  const auto power = [&](double x) { return std::copysign(std::pow(std::abs(x), 2 / squareness), x); };
  const double x = power(std::cos(t)), y = width * power(std::sin(t)) * (1 + taper * x);
  return {x, y + bend * (x * x - 0.5)};
}

}  // namespace

SyntheticSet synthetic_diatoms(std::uint64_t seed) {
  SyntheticSet set{"kendall:90",
                   2,
                   "rbf",
                   Matrix(2 * landmarks, specimens),
                   Matrix(2 * landmarks, specimens),
                   Matrix(2, specimens),
                   {},
                   {"t1", "t2"},
                   {}};
  for (Index k = 1; k <= landmarks; ++k) {
    set.point_names.push_back(fmt::format("x{}", k));
    set.point_names.push_back(fmt::format("y{}", k));
  }
  Random random(seed, stream::synthetic_diatoms);
  const Matrix centres = 1.1 * random.normals(2, species);
  constexpr double turn = 2 * std::numbers::pi;
  for (Index i = 0; i < specimens; ++i) {
    const Index group = i * species / specimens;
    const Eigen::Vector2d latent = centres.col(group) + 0.12 * random.normals(2);
    const double start = group % 3 == 2 ? turn / 2 : 0;
    // Smooth noise: eight harmonics of falling amplitude.
    Complex harmonics[8];
    for (int h = 0; h < 8; ++h) harmonics[h] = outline_noise / (1 + h) * Complex(random.normal(), random.normal());
    const Complex size = std::polar(15 * std::exp(0.15 * random.normal()), turn * random.uniform());
    const Complex place(60 + 8 * random.normal(), 60 + 8 * random.normal());
    for (Index k = 0; k < landmarks; ++k) {
      const double t = start + turn * static_cast<double>(k) / static_cast<double>(landmarks);
      const Complex clean = outline(t, latent[0], latent[1]);
      Complex seen = clean;
      for (int h = 0; h < 8; ++h) seen += harmonics[h] * std::polar(1.0, (h % 2 == 0 ? 1 : -1) * (h / 2 + 2) * t);
      seen = place + size * seen;
      set.points(2 * k, i) = seen.real();
      set.points(2 * k + 1, i) = seen.imag();
      set.truth(2 * k, i) = clean.real();
      set.truth(2 * k + 1, i) = clean.imag();
    }
    set.latents.col(i) = latent;
    set.labels.push_back(fmt::format("species{:02}", group + 1));
  }
  return set;
}

}  // namespace wgp
