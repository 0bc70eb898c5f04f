#include "gp/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "wgp/manifold.h"

namespace wgp {
namespace {

// std::lgamma writes a global sign, from whichever thread.
double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

// log a_k and its derivative by log l, for k = 0..largest.
struct LineSpectrum {
  Vector log_a, by_log_length;
};

// I_k(c) e^-c by Miller's backward recurrence, which is stable; beyond what doubles hold by its leading term.
LineSpectrum periodic_line(double log_length, int largest) {
  const double c = std::exp(-2 * log_length);
  LineSpectrum line{Vector(largest + 1), Vector(largest + 1)};
  // Start where I_k is negligible against I_largest.
  const int start = largest + 30 + static_cast<int>(std::ceil(10 * std::sqrt(std::max(1.0, c) + largest)));
  std::vector<double> value(static_cast<std::size_t>(largest) + 2, 0.0);
  std::vector<int> exponent(value.size(), 0);
  double above = 0, here = 1e-250, sum = 0;
  int scale = 0;  // numbers are value * 10^(200 scale)
  for (int k = start; k >= 0; --k) {
    if (k < static_cast<int>(value.size())) {
      value[static_cast<std::size_t>(k)] = here;
      exponent[static_cast<std::size_t>(k)] = scale;
    }
    sum += (k == 0 ? 1 : 2) * here;
    const double below = 2 * k / c * here + above;  // I_{k-1} = (2k/c) I_k + I_{k+1}
    above = here;
    here = below;
    if (here > 1e100) {
      above *= 1e-200;
      here *= 1e-200;
      sum *= 1e-200;
      ++scale;
    }
  }
  // e^c = I_0 + 2 sum I_k.
  for (int k = 0; k <= largest; ++k) {
    const auto log_of = [&](int m) {
      const auto at = static_cast<std::size_t>(m);
      return std::log(value[at] / sum) + (exponent[at] - scale) * 200 * std::numbers::ln10;
    };
    line.log_a[k] = log_of(k);
    const double before = std::exp(log_of(std::abs(k - 1)) - line.log_a[k]),
                 after = std::exp(log_of(k + 1) - line.log_a[k]);
    const double slope = (before + after) / 2 - 1;
    line.by_log_length[k] = std::isfinite(slope) ? -2 * c * slope : -2 * (k - c);
  }
  return line;
}

LineSpectrum rbf_line(double log_length, double period, int largest) {
  const double w = 2 * std::numbers::pi / period, u = std::exp(2 * log_length) * w * w;
  double sum = 1, squares = 0;
  for (int m = 1; m <= 100000; ++m) {
    const double power = u * m * m, term = 2 * std::exp(-power / 2);
    sum += term;
    squares += term * power;
    if (power > 80) break;
  }
  LineSpectrum line{Vector(largest + 1), Vector(largest + 1)};
  for (int k = 0; k <= largest; ++k) {
    const double power = u * k * k;
    line.log_a[k] = -power / 2 - std::log(sum);
    line.by_log_length[k] = -power + squares / sum;
  }
  return line;
}

// Z of the Matern spectra: the kernel's own images at whole periods; with its derivatives by log l_j.
struct MaternImages {
  double sum = 0;
  Vector by_log_length;
};
MaternImages matern_images(SpectralShape shape, const Vector& length, const Vector& period) {
  const Index p = length.size();
  MaternImages images{0, Vector::Zero(p)};
  const double root = shape == SpectralShape::matern32 ? std::sqrt(3.0) : std::sqrt(5.0);
  std::vector<int> reach(static_cast<std::size_t>(p)), m(static_cast<std::size_t>(p));
  for (Index j = 0; j < p; ++j) {
    reach[static_cast<std::size_t>(j)] =
        static_cast<int>(std::min(400.0 / static_cast<double>(p * p), std::ceil(45 * length[j] / (root * period[j]))));
    m[static_cast<std::size_t>(j)] = -reach[static_cast<std::size_t>(j)];
  }
  for (bool more = true; more;) {
    Vector squared(p);
    for (Index j = 0; j < p; ++j) {
      const double far = m[static_cast<std::size_t>(j)] * period[j] / length[j];
      squared[j] = far * far;
    }
    const double r = std::sqrt(squared.sum()), decay = std::exp(-root * r);
    if (shape == SpectralShape::matern32) {
      images.sum += (1 + root * r) * decay;
      images.by_log_length += 3 * decay * squared;
    } else {
      images.sum += (1 + root * r + 5 * r * r / 3) * decay;
      images.by_log_length += 5.0 / 3 * (1 + root * r) * decay * squared;
    }
    more = false;
    for (std::size_t j = 0; j < m.size() && !more; ++j) {
      if (++m[j] <= reach[j])
        more = true;
      else
        m[j] = -reach[j];
    }
  }
  return images;
}

bool is_matern(SpectralShape shape) { return shape == SpectralShape::matern32 || shape == SpectralShape::matern52; }

}  // namespace

bool KernelSpectrum::has_matern() const {
  return std::any_of(terms_.begin(), terms_.end(), [](const SpectralTerm& term) { return is_matern(term.shape); });
}

double KernelSpectrum::variance(ConstVectorRef theta) const {
  double sum = 0;
  for (const SpectralTerm& term : terms_) sum += std::exp(theta[term.log_variance]);
  return sum;
}

Vector KernelSpectrum::variance_by_theta(ConstVectorRef theta) const {
  Vector by = Vector::Zero(parameters_);
  for (const SpectralTerm& term : terms_) by[term.log_variance] += std::exp(theta[term.log_variance]);
  return by;
}

double KernelSpectrum::length(ConstVectorRef theta, Index coordinate) const {
  double least = infinity;
  for (const SpectralTerm& term : terms_)
    if (term.shape != SpectralShape::constant)
      least = std::min(least, std::exp(theta[term.log_length[static_cast<std::size_t>(coordinate)]]));
  return least;
}

Vector KernelSpectrum::amplitudes(ConstVectorRef theta, ConstVectorRef periods, const Modes& modes,
                                  Matrix* by_theta) const {
  const Index q = latent_.dim(), count = modes.cols(), angles = latent_.angles(), plain = latent_.plain_count();
  std::vector<Vector> log_terms;
  std::vector<Matrix> by_terms;
  for (const SpectralTerm& term : terms_) {
    Vector log_a = Vector::Constant(count, theta[term.log_variance]);
    Matrix by = Matrix::Zero(by_theta ? count : 0, parameters_);
    if (by_theta) by.col(term.log_variance).setOnes();
    if (term.shape == SpectralShape::constant) {
      for (Index k = 0; k < count; ++k)
        if ((modes.col(k).array() != 0).any()) log_a[k] = -infinity;
      log_terms.push_back(std::move(log_a));
      by_terms.push_back(std::move(by));
      continue;
    }
    const auto parameter = [&](Index j) { return term.log_length[static_cast<std::size_t>(j)]; };
    for (Index j = 0; j < q; ++j) {
      if (j >= angles && is_matern(term.shape)) continue;
      const int largest = count > 0 ? modes.row(j).cwiseAbs().maxCoeff() : 0;
      const LineSpectrum line =
          j < angles ? periodic_line(theta[parameter(j)], largest) : rbf_line(theta[parameter(j)], periods[j], largest);
      for (Index k = 0; k < count; ++k) {
        const int m = std::abs(modes(j, k));
        log_a[k] += line.log_a[m];
        if (by_theta) by(k, parameter(j)) += line.by_log_length[m];
      }
    }
    if (is_matern(term.shape) && plain > 0) {
      Vector length(plain), period = periods.tail(plain);
      for (Index j = 0; j < plain; ++j) length[j] = std::exp(theta[parameter(angles + j)]);
      const double nu = term.shape == SpectralShape::matern32 ? 1.5 : 2.5, p = static_cast<double>(plain);
      const MaternImages images = matern_images(term.shape, length, period);
      const double constant = (length.array() / period.array()).log().sum() + p * std::numbers::ln2 +
                              p / 2 * std::log(std::numbers::pi) + log_gamma(nu + p / 2) - log_gamma(nu) +
                              nu * std::log(2 * nu) - std::log(images.sum);
      for (Index k = 0; k < count; ++k) {
        Vector squared(plain);
        for (Index j = 0; j < plain; ++j) {
          const double phase = length[j] * 2 * std::numbers::pi / period[j] * modes(angles + j, k);
          squared[j] = phase * phase;
        }
        const double base = 2 * nu + squared.sum();
        log_a[k] += constant - (nu + p / 2) * std::log(base);
        if (by_theta)
          for (Index j = 0; j < plain; ++j)
            by(k, parameter(angles + j)) += 1 - (2 * nu + p) * squared[j] / base - images.by_log_length[j] / images.sum;
      }
    }
    log_terms.push_back(std::move(log_a));
    by_terms.push_back(std::move(by));
  }
  if (log_terms.size() == 1) {
    if (by_theta) *by_theta = std::move(by_terms[0]);
    return log_terms[0].array().exp();
  }
  // d log sum = sum of shares times d log of each; shares where all underflow are of no consequence.
  Vector sum = Vector::Zero(count);
  for (const Vector& log_a : log_terms) sum += log_a.array().exp().matrix();
  if (by_theta) {
    by_theta->setZero(count, parameters_);
    for (std::size_t t = 0; t < log_terms.size(); ++t)
      for (Index k = 0; k < count; ++k)
        if (sum[k] > 0) by_theta->row(k) += std::exp(log_terms[t][k]) / sum[k] * by_terms[t].row(k);
  }
  return sum;
}

}  // namespace wgp
