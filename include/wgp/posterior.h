// What a fitted process says at any latent: everything that predictions, encoding and figures need to know of it.
//
// Of one tangent coordinate: f(x) has a normal distribution, the same variance for every coordinate. Noise is not in it
// (wgp/noise_law.h). A posterior is immutable and may be shared between threads.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "wgp/latent.h"
#include "wgp/types.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

struct GpPrediction {
  Matrix mean;      // outputs x m
  Vector variance;  // of one output
};

// A prediction that can be differentiated.
class TracedPrediction {
 public:
  virtual ~TracedPrediction() = default;
  const GpPrediction& prediction() const { return prediction_; }
  // Adds to d_X the derivative of a function with these derivatives by mean and variance.
  virtual void pull_back(ConstMatrixRef by_mean, ConstVectorRef by_variance, MatrixRef d_X) const = 0;

 protected:
  GpPrediction prediction_;
};

// Each training point's vector as all others predict it.
struct LeaveOneOut {
  Matrix mean;
  Vector variance;           // with the noise that was fitted
  Vector function_variance;  // without it
};

class Posterior {
 public:
  virtual ~Posterior() = default;
  virtual const LatentSpace& latent() const = 0;
  virtual Index outputs() const = 0;

  virtual GpPrediction predict(ConstMatrixRef X) const = 0;
  virtual Matrix mean(ConstMatrixRef X) const = 0;  // of predict(), cheaper
  // Between all pairs of inputs.
  virtual Matrix covariance(ConstMatrixRef X) const = 0;
  // Of the slopes of an output at x, q x q: of differences, unless a kind knows better.
  virtual Matrix slope_covariance(ConstVectorRef x) const;
  virtual Vector prior_variance(ConstMatrixRef X) const = 0;  // before any data
  enum class Traced { mean, mean_and_variance };
  // With Traced::mean the variance is empty and has no derivative.
  virtual std::unique_ptr<const TracedPrediction> trace(ConstMatrixRef X, Traced what) const = 0;

  // Latents that the data came from, and the prediction there.
  virtual const Matrix& training_latents() const = 0;
  virtual GpPrediction at_training_latents() const { return predict(training_latents()); }
  // Where there is a formula.
  virtual std::optional<LeaveOneOut> leave_one_out() const { return std::nullopt; }
  // The largest variance within the support: that of the loneliest training latent among the others.
  virtual double support_limit() const = 0;

  // How fast predictions change: the least length-scale over plain coordinates and over angles; infinite if there is
  // none. And what they are rounded to: for each output, then for the variance, an absolute error.
  struct Grain {
    double plain, angle;
    Vector rounding;
  };
  virtual Grain grain() const = 0;

  // What it is made of, as a file says it: "dense", "lattice", "inducing".
  virtual std::string kind() const = 0;
  // The arrays that a file keeps, under the names they have there.
  virtual std::map<std::string, Matrix> arrays() const = 0;
};
using PosteriorPtr = std::shared_ptr<const Posterior>;

}  // namespace WGP_PUBLIC
