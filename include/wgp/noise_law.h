// How data scatter about what a process predicts: predictive densities, draws and regions.
//
// v given x is elliptical about the mean: in coordinates w = whiten(v) where it is isotropic, its density depends on
// the squared distance |whiten(v) - whiten(mean)|^2 and on the variance s^2(x) of the function there alone. A law owns
// its parameters, and every number that leaves it is in the units of v.
//
//   normal    v ~ N(mean, (a s^2(x) + b) I): a scales the function's variance, b is the noise
//
// To add one: derive from NoiseLaw, and a line in noise_laws() (src/noise/registry.cpp), which makes it read from files
// and tested.
#pragma once

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
  // Radius of the ball about the mean that holds this share of the distribution.
  virtual double radius(double level, double variance) const = 0;
  // The share of the distribution that lies nearer to the mean, in whitened coordinates, than this squared distance.
  virtual double share_within(double squared, double variance) const = 0;
  // How much a point counts that lies at this distance: 1 for a normal law, less in the tails of heavier ones.
  virtual double weight(double squared, double variance) const;

  // The same law with all variances multiplied.
  virtual NoiseLawPtr scaled(double factor) const = 0;
  // What a file keeps; restore_noise_law() takes it back.
  virtual std::map<std::string, double> parameters() const = 0;
};

NoiseLawPtr normal_noise(Index dim, double noise_variance, double function_scale = 1);

struct NoiseLawEntry {
  std::string kind, formula, use;
  // From parameters(); Error if one is missing or impossible.
  NoiseLawPtr (*restore)(Index dim, const std::map<std::string, double>& parameters);
  NoiseLawPtr (*example)(Index dim);  // that the tests run over
};
const std::vector<NoiseLawEntry>& noise_laws();
NoiseLawPtr restore_noise_law(const std::string& kind, Index dim, const std::map<std::string, double>& parameters);

}  // namespace WGP_PUBLIC
