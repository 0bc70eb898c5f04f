// How data scatter about what a process predicts: predictive densities, draws and regions.
//
// v given x is elliptical about the mean: in coordinates w = whiten(v) where it is isotropic, its density depends on
// the squared distance |whiten(v) - whiten(mean)|^2 and on the variance s^2(x) of the function there alone. A law owns
// its parameters, and every number that leaves it is in the units of v.
//
//   normal       v ~ N(mean, (a s^2(x) + b) I): a scales the function's variance, b is the noise
//   student      v | u ~ N(mean, g(x) psi I / u), u ~ Gamma(nu/2, nu/2), g = (s^2(x) + sigma^2) / sigma^2: each point
//                has a scale of its own, so that some lie far out; sigma^2 is the noise that the process was fitted
//                with
//   structured   v | u ~ N(mean, g(x) Sigma / u), Sigma = U diag(D) U': and residuals prefer directions
//
// With Q = (v - mean)' Sigma^-1 (v - mean) / g, which has the distribution of d F_{d,nu},
//   log p = lnGamma((nu+d)/2) - lnGamma(nu/2) - (d/2) ln(nu pi) - (1/2) ln|Sigma| - (d/2) ln g
//           - ((nu+d)/2) ln(1 + Q/nu),
// a point weighs (nu+d)/(nu+Q), and whiten(v) = D^-1/2 U' v. D constant is student, nu = infinity is normal; nu must
// exceed 2, or there is no variance to speak of.
//
// To add one: derive from NoiseLaw, and a line in noise_laws() (src/noise/registry.cpp), which makes it read from files
// and tested.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "wgp/random.h"
#include "wgp/types.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

class NoiseLaw;
using NoiseLawPtr = std::shared_ptr<const NoiseLaw>;
using NoiseArrays = std::map<std::string, Matrix>;

class NoiseLaw {
 public:
  virtual ~NoiseLaw() = default;
  virtual std::string kind() const = 0;
  virtual Index dim() const = 0;

  // Of one coordinate, averaged over them: of the function as this law sees it, which is function_scale() s^2(x), and
  // of a new point about the function.
  virtual double function_scale() const = 0;
  virtual double noise_variance() const = 0;
  Vector function_variance(ConstVectorRef variance) const { return function_scale() * variance; }
  Vector total_variance(ConstVectorRef variance) const;

  virtual Matrix whiten(ConstMatrixRef V) const { return V; }
  // d(function of w) / dw to the same by v, column by column.
  virtual Matrix whiten_adjoint(ConstMatrixRef by_w) const { return by_w; }
  // log p(v | x) with its derivatives by the squared distance in whitened coordinates and by s^2(x).
  struct Density {
    double log_density, by_squared, by_variance;
  };
  virtual Density density(double squared, double variance) const = 0;
  // log p alone, entry by entry; and of many points at the same latents, a column each.
  virtual Vector log_density(ConstVectorRef squared, ConstVectorRef variance) const;
  virtual Matrix log_densities(ConstMatrixRef squared, ConstVectorRef variance) const;

  // One draw of v - mean for each s^2(x): dim() x size.
  virtual Matrix draw(ConstVectorRef variance, Random& random) const = 0;
  // Of the noise alone, about a function that is drawn already.
  virtual Matrix draw_noise(Index count, Random& random) const = 0;
  // Columns of uncorrelated coordinates to columns with this law's correlations; their average variance stays.
  virtual Matrix correlated(ConstMatrixRef V) const { return V; }
  // Radius of the ball about the mean that holds this share of the distribution.
  virtual double radius(double level, double variance) const = 0;
  // The share of the distribution that lies nearer to the mean, in whitened coordinates, than this squared distance.
  virtual double share_within(double squared, double variance) const = 0;
  // One minus this, without cancellation: small where a point does not belong to the distribution.
  virtual double p_value(double squared, double variance) const { return 1 - share_within(squared, variance); }
  // Of residuals v - mean, a column each, under the law that regions come from.
  Vector p_values(ConstMatrixRef residuals, ConstVectorRef variance) const;
  // Densities at this distance from the mean and beyond may be taken for nothing.
  virtual double reach(double variance) const;
  // How much a point counts that lies at this distance: 1 for a normal law, less in the tails of heavier ones.
  virtual double weight(double squared, double variance) const;

  // A law of many parameters may leave to an isotropic one what it does worse itself: finding the latents of points,
  // and regions (radius() and p_values() are its already).
  virtual const NoiseLaw& for_codes() const { return *this; }
  virtual const NoiseLaw& for_regions() const { return *this; }

  // The same law with all variances multiplied.
  virtual NoiseLawPtr scaled(double factor) const = 0;
  // The same law beside a process that was fitted with so many times the noise: that of the function stays.
  virtual NoiseLawPtr with_noise_times(double factor) const = 0;
  // What a file keeps; restore_noise_law() takes it back.
  virtual std::map<std::string, double> parameters() const = 0;
  virtual NoiseArrays arrays() const { return {}; }
};

// What a law is multiplied by: all variances, and that of the function once more.
struct LawScales {
  double variances = 1, function = 1;
};
NoiseLawPtr widened(const NoiseLaw& law, const LawScales& scales);

NoiseLawPtr normal_noise(Index dim, double noise_variance, double function_scale = 1);
// psi, nu and sigma^2. Error unless psi and sigma^2 are positive and nu > 2; nu may be infinite.
NoiseLawPtr student_noise(Index dim, double scale, double degrees_of_freedom, double fitted_noise);

struct StructuredNoise {
  Matrix directions;  // U, orthonormal columns
  Vector variances;   // D, positive
  double degrees_of_freedom = std::numeric_limits<double>::infinity();
  double fitted_noise = 0;  // sigma^2
  // psi and nu of the isotropic law: codes are found under it (the many directions of little noise would otherwise
  // outvote the few in which points differ), and regions come from it where residuals were too few to know D.
  double isotropic_scale = 0, isotropic_degrees_of_freedom = std::numeric_limits<double>::infinity();
  bool isotropic_regions = false;
};
// Error for parts that are impossible or of different sizes.
NoiseLawPtr structured_noise(StructuredNoise parts);

struct NoiseLawEntry {
  std::string kind, formula, use;
  // From parameters() and arrays(); Error if one is missing or impossible.
  NoiseLawPtr (*restore)(Index dim, const std::map<std::string, double>& parameters, const NoiseArrays& arrays);
  NoiseLawPtr (*example)(Index dim);  // that the tests run over
};
const std::vector<NoiseLawEntry>& noise_laws();
NoiseLawPtr restore_noise_law(const std::string& kind, Index dim, const std::map<std::string, double>& parameters,
                              const NoiseArrays& arrays = {});

}  // namespace WGP_PUBLIC
