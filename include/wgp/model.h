// Latent variable models of points on a manifold: fit, predict, encode, sample, score.
//
// Data p_i on a manifold M are lifted to v_i = Log_m(p_i), m = m(x_i) the base point (wgp/basepoint.h; the Frechet mean
// unless asked for otherwise); a Gaussian process with covariance k + noise maps latents x_i to v_i, and Exp_m brings
// predictions back onto M (Mallasto, Hauberg, Feragen 2019). A fit maximises
//   -(dN/2) log 2 pi - (d/2) log|K| - (1/2) tr(V K^-1 V') + log prior
// over latents, kernel parameters and noise. Baselines on the same code: the Euclidean GPLVM of the ambient
// coordinates, and the same with predictions projected onto M. With given inputs in the place of latents this is
// wrapped Gaussian process regression.
//
// A Model is an immutable value; everything it says is on the manifold (of gplvm: in the ambient space).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wgp/basepoint.h"
#include "wgp/kernel.h"
#include "wgp/manifold.h"
#include "wgp/optimise.h"

namespace wgp {

enum class ModelKind { wgplvm, gplvm, gplvmproj, regression };
// map: N(0, I) on plain latents, log-normal on length-scales of angles. none: maximum likelihood. automatic: both are
// fitted, and the one kept under which points that are left out, a fifth at a time, have the higher log density.
enum class Prior { map, none, automatic };
enum class Effort { quick, normal, thorough };
enum class Encoder { density, projection };
// mean: the Frechet mean. optimised: a constant that is fitted with the rest. geodesic, spline: m(x) = Exp_mu(C
// phi(x)), mu and C fitted with the rest. automatic: by the log densities of points that are left out, from the
// plainest on: one that bends more only if it is better by more than a standard error.
enum class BasepointKind { mean, optimised, geodesic, spline, automatic };
// Point estimates of latents take up some of the noise. What predictions do about it:
//   as_fitted      nothing
//   dof            noise times d/(d - q): each latent took q of the d residual dimensions
//   held_out       the same, and then all variances times the factor under which points are densest that are left out,
//   a
//                  fifth at a time, the rest having been fitted again without them. Without a prior: the largest factor
//                  under which they are as dense as that within a standard error, at most half an octave more
enum class VarianceRule { as_fitted, dof, held_out };

std::string to_string(ModelKind kind);
std::string to_string(Prior prior);
std::string to_string(Effort effort);
std::string to_string(Encoder encoder);
std::string to_string(VarianceRule rule);
std::string to_string(BasepointKind kind);

struct FitProgress {
  std::string phase;
  int step = 0, steps = 0;
  double best = 0;  // log posterior of the best start so far; minus infinity while there is none
};

// What a fit has finished so far: enough to go on from there and end at the same model.
struct FitCheckpoint {
  std::uint64_t fingerprint = 0;        // of the points and of all options that matter
  std::map<std::string, Vector> steps;  // each finished step, as numbers
};

struct FitOptions {
  ModelKind model = ModelKind::wgplvm;
  LatentSpace latent = LatentSpace::plain(2);
  std::string kernel = "rbf";
  LengthScales lengths = LengthScales::shared;
  Prior prior = Prior::map;
  BasepointKind basepoint = BasepointKind::mean;
  // log|det dExp| in the objective of base points that are fitted; false: the paper's objective. With the mean it is a
  // constant.
  bool volume_term = true;
  Effort effort = Effort::normal;
  std::vector<std::string> inits;  // of pga, growth, curve, tour, mds, random, given; empty: by effort
  Matrix given_latents;            // q x N, for the start "given"
  // In all, before any search: the first of inits, or random ones after them; 0: just inits.
  int starts = 0;
  std::uint64_t seed = 0;  // of random starts and of the points that are held out
  int threads = 1;
  int max_iterations = 1000;  // of a final optimisation
  VarianceRule variance = VarianceRule::held_out;
  double clip = 1e-10;           // gplvmproj on SPD: eigenvalues below this share of the largest are raised to it
  double calibration_share = 0;  // of the points, held out for conformal regions
  std::function<bool(const FitProgress&)> keep_going;  // false: stop with the best so far
  std::function<void(const FitCheckpoint&)> on_step;   // after each finished step, from one thread at a time
  std::shared_ptr<const FitCheckpoint> resume;         // its steps are not made again; Error if it is of another fit
};

// One optimum that a fit found.
struct StartReport {
  std::string kind;
  double log_posterior = 0, log_likelihood = 0;
  double leave_one_out = 0;  // mean log density of a point given the others
  int iterations = 0, evaluations = 0;
  StopReason stop = StopReason::max_iterations;
  std::string degenerate;  // "all noise", "collapsed latents", "one point per length-scale"; empty if sound
  bool chosen = false;
};

// One base point that a fit tried. Log densities are means over points, per unit of Riemannian volume.
struct BasepointReport {
  BasepointKind kind = BasepointKind::mean;
  double leave_one_out = 0;
  std::optional<double> held_out;  // where the base point was chosen by it
  bool chosen = false;
};

struct FitSummary {
  double log_likelihood = 0, log_posterior = 0;
  int iterations = 0, evaluations = 0;  // over all starts
  double seconds = 0;
  StopReason stop = StopReason::max_iterations;
  std::vector<StartReport> starts;
  std::vector<BasepointReport> basepoints;  // empty if the mean was asked for
  double jitter = 0;
  Index cut_locus_points = 0, near_cut_points = 0;
  double largest_nonprincipal_responsibility = 0;  // see windings.h; 0 where exp is injective
  // Mean log density of points left out, a fifth at a time, the rest having been fitted again without them; the latents
  // integrated out, per unit of Riemannian volume. Nothing for few points, regressions, and fits that were cut short.
  std::optional<double> held_out_log_density;
  Vector held_out_log_densities;  // of each of those points, fold after fold
  bool cancelled = false;
};

struct Prediction {
  Matrix points;     // mean prediction on the manifold
  Matrix coords;     // its tangent coordinates at the base point of the latent
  Vector variance;   // of each tangent coordinate, of the noise-free function
  double noise = 0;  // to be added for data-level predictions
};

enum class EncodeStatus : std::uint8_t { ok, outside_support, not_converged };
std::string to_string(EncodeStatus status);

struct Encoding {
  Matrix X;            // latents, one column per point
  Matrix sd;           // Laplace standard deviations of the latents
  Vector log_density;  // of the point, given its latent, with noise; with the volume term only if the base point moves
  std::vector<EncodeStatus> status;
};

struct Score {
  double intrinsic_rmse = 0, intrinsic_median = 0, euclidean_rmse = 0, log_density_mean = 0;
  Index outside_support = 0, n = 0;
  Vector intrinsic, euclidean;  // per point
};

class Coordinates;  // how points become vectors; src/model/coordinates.h
class GpPosterior;
struct GpPrediction;

class Model {
 public:
  struct Parts {
    ModelKind kind = ModelKind::wgplvm;
    ManifoldPtr manifold;
    std::string kernel = "rbf";
    LengthScales lengths = LengthScales::shared;
    LatentSpace latent = LatentSpace::plain(1);
    Prior prior = Prior::map;
    double clip = 1e-10;
    Vector base;  // mu (gplvm: the Euclidean mean in embedding coordinates)
    BasepointKind basepoint = BasepointKind::mean;
    BasisPtr basis;       // of a base point that moves with the latents; else null
    Matrix coefficients;  // of the basis
    Matrix P, X;          // training points and latents
    Vector theta;
    double noise = 0;
    double variance_scale = 1, noise_scale = 1;  // of predictive variances, see VarianceRule
    Vector calibration;                          // sorted distances of held-out points to their reconstructions
  };
  explicit Model(Parts parts);

  const Parts& parts() const { return *parts_; }
  const Manifold& manifold() const { return *parts_->manifold; }
  Index latent_dim() const { return parts_->latent.dim(); }
  const Matrix& V() const { return V_; }
  const GpPosterior& posterior() const { return *posterior_; }
  bool on_manifold() const { return parts_->kind != ModelKind::gplvm; }

  // Of one tangent coordinate of a new point about the function.
  double predictive_noise() const { return parts_->variance_scale * parts_->noise_scale * parts_->noise; }

  Prediction predict(ConstMatrixRef X) const;
  Prediction predicted(ConstMatrixRef X, GpPrediction of_process) const;  // what predict() makes of the process's
  bool base_moves() const { return basepoint_ != nullptr; }
  const Basepoint* moving_base() const { return basepoint_.get(); }  // null if it does not move
  // The vectors that the process models, point i at latent i, and back. Without latents: the base must not move.
  Matrix to_coords(ConstMatrixRef points) const;
  Matrix to_coords(ConstMatrixRef X, ConstMatrixRef points) const;
  Matrix to_points(ConstMatrixRef X, ConstMatrixRef coords) const;
  Matrix mean_points(ConstMatrixRef X) const;  // the points of predict(), without the variances
  Encoding encode(ConstMatrixRef points, Encoder encoder = Encoder::density) const;
  // Draws at each latent: column s * X.cols() + i is draw s at latent i. joint: over all latents together.
  Matrix sample(ConstMatrixRef X, Index count, Random& random, bool with_noise = true, bool joint = false) const;
  // log p(point | latent), column by column. With the volume term: a density on the manifold; without: the paper's.
  Vector log_density(ConstMatrixRef X, ConstMatrixRef points, bool volume_corrected) const;
  // That term: log|det dExp| between the tangent space at the base point of each latent and the point.
  Vector log_volume(ConstMatrixRef X, ConstMatrixRef points) const;
  Score score(ConstMatrixRef points, Encoder encoder = Encoder::density) const;
  // Radius about a predicted point that holds this share of new points, by split conformal calibration; infinite where
  // the calibration set is too small for the level, nothing without one.
  std::optional<double> conformal_radius(double level) const;
  // Radius of the tangent ball about the mean prediction at each latent that holds this share of the predictive
  // distribution: sqrt(variance chi^2_d(level)). Its image under exp has at least that mass.
  Vector confidence_radius(ConstMatrixRef X, double level) const;
  // Expected pull-back metric at a latent (spec: plug-in form), q x q.
  Matrix latent_metric(ConstVectorRef x) const;

 private:
  std::shared_ptr<const Parts> parts_;
  std::shared_ptr<const Coordinates> coordinates_;  // at a base point that stays
  std::shared_ptr<const Basepoint> basepoint_;      // one that moves
  std::shared_ptr<const GpPosterior> posterior_;
  Matrix V_;
};

// A path of nodes (q x nodes) between two latents that is shortest under the expected pull-back metric: it stays where
// the model has seen data, because the metric grows with the uncertainty. length: in the metric, of the path and of the
// straight line.
struct LatentGeodesic {
  Matrix nodes;
  double length = 0, straight_length = 0;
  bool converged = false;
};
LatentGeodesic latent_geodesic(const Model& model, ConstVectorRef from, ConstVectorRef to, Index nodes = 20);

// Log density of points under the model, per unit of Riemannian volume: a mixture over draws from a kernel density of
// the training latents, whose width is chosen by leaving latents out.
Vector mixture_log_density(const Model& model, ConstMatrixRef points, std::uint64_t seed = 0);

struct FitResult {
  Model model;
  FitSummary summary;
};
// Columns of P are points of the manifold (see Manifold::project). Throws Error where no model exists: fewer than two
// points, more latent dimensions than points, all points equal.
FitResult fit(ManifoldPtr manifold, ConstMatrixRef P, const FitOptions& options = {});

// Wrapped Gaussian process regression of points P on inputs X: kernel parameters and noise are fitted, X is given.
FitResult regress(ManifoldPtr manifold, ConstMatrixRef X, ConstMatrixRef P, const FitOptions& options = {});

}  // namespace wgp
