// Latent variable models of points on a manifold: predict, encode, sample, score. wgp/fit.h makes them.
//
// Data p_i on a manifold M are lifted to vectors v_i (wgp/lift.h; in the paper v_i = Log_mu(p_i), mu the Frechet mean);
// a Gaussian process maps latents x_i to v_i (wgp/posterior.h), a noise law says how v scatters about it
// (wgp/noise_law.h), and the lift brings predictions back onto M (Mallasto, Hauberg, Feragen 2019).
//
// A Model is an immutable value; everything it says is on the manifold (of gplvm: in the ambient space). Log densities
// are per unit of Riemannian volume (of gplvm and gplvmproj: of the embedding's Lebesgue measure).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wgp/basepoint.h"
#include "wgp/kernel.h"
#include "wgp/lift.h"
#include "wgp/manifold.h"
#include "wgp/noise_law.h"
#include "wgp/posterior.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

enum class ModelKind { wgplvm, gplvm, gplvmproj, regression };
// map: N(0, I) on plain latents, log-normal on length-scales of angles. none: maximum likelihood. automatic: both are
// fitted, and the one kept under which points that are left out have the higher log density.
enum class Prior { map, none, automatic };
// How latents were dealt with. point: one estimate each. variational: integrated out, under N(0, 1) on plain
// coordinates and uniformly on angles, but for the density that is learned of one angle alone; what a model holds are
// means and standard deviations.
enum class Inference { variational, point };
enum class Encoder { density, projection };
// mean: the Frechet mean. optimised: a constant that is fitted with the rest. geodesic, spline: m(x) = Exp_mu(C
// phi(x)), mu and C fitted with the rest. automatic: by the log densities of points that are left out, from the
// plainest on: one that bends more only if it is better by more than a standard error.
enum class BasepointKind { mean, optimised, geodesic, spline, automatic };

std::string to_string(ModelKind kind);
std::string to_string(Prior prior);
std::string to_string(Inference inference);
std::string to_string(Encoder encoder);
std::string to_string(BasepointKind kind);

struct Prediction {
  Matrix points;     // mean prediction on the manifold
  ExpReport report;  // the columns that have none
  Matrix coords;     // its tangent coordinates at the base point of the latent
  Vector variance;   // of each tangent coordinate, of the noise-free function
  double noise = 0;  // to be added for data-level predictions
};

// ambiguous: several latents explain the point, as where a curve crosses itself, and none of them nearly alone.
enum class EncodeStatus : std::uint8_t { ok, outside_support, not_converged, ambiguous };
std::string to_string(EncodeStatus status);

// A place where the distribution of a point's latent has a peak.
struct LatentMode {
  Index point = 0;
  Vector x, sd;            // sd: of a normal distribution that fits the peak
  double probability = 1;  // of all that the point's peaks hold
};

struct Encoding {
  Matrix X;            // latents, one column per point: the heaviest peak
  Matrix sd;           // its standard deviations
  Vector log_density;  // of the point, given its latent, with noise
  Vector weight;       // how much the noise law lets the point count: 1 for a normal law
  std::vector<EncodeStatus> status;
  std::vector<LatentMode> modes;         // point after point, the heaviest first
  std::vector<int> mode_counts() const;  // of each point
};

struct EncodeOptions {
  Encoder encoder = Encoder::density;
  int threads = 1;  // they do not change the result
};

struct Score {
  double intrinsic_rmse = 0, intrinsic_median = 0, euclidean_rmse = 0;
  double log_density_mean = 0;      // of a point given its code
  double held_out_log_density = 0;  // its latent integrated out: what models may be compared by
  Index outside_support = 0, n = 0;
  Index without_prediction = 0;  // their distances are NaN, and root mean squares and median leave them out
  Vector intrinsic, euclidean;   // per point
};

enum class SampleOf { data, function };        // with noise, without
enum class SampleHow { separately, jointly };  // jointly: one draw of the function at all latents together

class Model {
 public:
  struct Parts {
    ModelKind kind = ModelKind::wgplvm;
    ManifoldPtr manifold;
    KernelPtr kernel;  // null: rbf
    LengthScales lengths = LengthScales::shared;
    LatentSpace latent = LatentSpace::plain(1);
    Prior prior = Prior::map;
    double clip = 1e-10;
    Vector base;  // mu (gplvm: the Euclidean mean in embedding coordinates)
    BasepointKind basepoint = BasepointKind::mean;
    BasisPtr basis;       // of a base point that moves with the latents; else null
    Matrix coefficients;  // of the basis
    // Training points and latents. Where latents were integrated out the points need not be there, and of very many the
    // latents are those of some, at random: see fit().
    Matrix P, X;
    Index points_fitted = 0;  // how many there were; 0: these
    Index point_count() const { return points_fitted > 0 ? points_fitted : X.cols(); }
    bool has_points() const { return P.cols() > 0; }
    Inference inference = Inference::point;
    Matrix X_sd;  // standard deviations of the latents; empty: point estimates
    // Of one angle that was integrated out: the density of the latents, relative to a uniform one, is proportional to
    // exp(sum_j a_j cos jx + b_j sin jx), with these a_1 ... a_J, b_1 ... b_J. Empty: uniform.
    Vector angle_density;
    Vector theta;
    double noise = 0;  // as fitted, of one coordinate
    NoiseLawPtr law;   // of predictions; null: normal with the fitted noise
    // Densities that are means over draws of the process have the law times these. Predictions, regions and p-values
    // come from one process, which is surer of itself than its draws are together: its law makes up for that, and
    // beside the draws would do so twice.
    LawScales scales_of_draws = {};
    Vector calibration;  // sorted distances of held-out points to their reconstructions
  };
  // With the process given its data; Error if its covariance has no factor.
  explicit Model(Parts parts);
  // With a process that is known already.
  Model(Parts parts, PosteriorPtr posterior);

  const Parts& parts() const { return *parts_; }
  const Manifold& manifold() const { return *parts_->manifold; }
  const Lift& lift() const { return *lift_; }
  const LiftPtr& lift_pointer() const { return lift_; }
  const PosteriorPtr& posterior() const { return posterior_; }
  const NoiseLaw& law() const { return *parts_->law; }
  Index latent_dim() const { return parts_->latent.dim(); }
  Index dim() const { return lift_->dim(); }  // of the vectors that the process models
  bool on_manifold() const { return parts_->kind != ModelKind::gplvm; }

  // The same process under other names, noise laws and calibrations: nothing is computed again.
  Model with(const std::function<void(Parts&)>& change) const;

  Prediction predict(ConstMatrixRef X) const;
  Prediction predicted(ConstMatrixRef X, GpPrediction of_process) const;  // what predict() makes of the process's
  // At latents N(x, sd^2): the mean over them, and a variance that contains what they bring. Where the base point
  // moves, it is taken at x.
  Prediction predict_uncertain(ConstMatrixRef X, ConstMatrixRef sd) const;
  // The points of predict(), without the variances. report: the columns without a point.
  Matrix mean_points(ConstMatrixRef X, ExpReport* report = nullptr) const;
  Encoding encode(ConstMatrixRef points, const EncodeOptions& options = {}) const;
  // Draws at each latent: column s * X.cols() + i is draw s at latent i. report: the columns without a point.
  Matrix sample(ConstMatrixRef X, Index count, Random& random, SampleOf of = SampleOf::data,
                SampleHow how = SampleHow::separately, ExpReport* report = nullptr) const;
  Vector log_density(ConstMatrixRef X, ConstMatrixRef points) const;  // log p(point | latent), column by column
  Score score(ConstMatrixRef points, const EncodeOptions& options = {}) const;
  // Radius about a predicted point that holds this share of new points, by split conformal calibration; infinite where
  // the calibration set is too small for the level, nothing without one.
  std::optional<double> conformal_radius(double level) const;
  // Radius of the tangent ball about the mean prediction at each latent that holds this share of the predictive
  // distribution. Its image under exp has at least that mass.
  Vector confidence_radius(ConstMatrixRef X, double level) const;
  // Expected pull-back metric at a latent (spec: plug-in form), q x q.
  Matrix latent_metric(ConstVectorRef x) const;

 private:
  std::shared_ptr<const Parts> parts_;
  LiftPtr lift_;
  PosteriorPtr posterior_;
};

// Distances between points and the predictions at these latents, and their summaries: what Score knows without
// densities.
Score reconstruction_score(const Model& model, ConstMatrixRef X, ConstMatrixRef points);

// The lift that a model with these parts has.
LiftPtr lift_of(const Model::Parts& parts);

// A path of nodes (q x nodes) between two latents that is shortest under the expected pull-back metric: it stays where
// the model has seen data, because the metric grows with the uncertainty. length: in the metric, of the path and of the
// straight line. Where there are one or two angles, it goes round each the way that makes it shorter; its nodes are
// then not wrapped.
struct LatentGeodesic {
  Matrix nodes;
  double length = 0, straight_length = 0;
  bool converged = false;
};
enum class LatentPath { shortest, straight };
LatentGeodesic latent_geodesic(const Model& model, ConstVectorRef from, ConstVectorRef to, Index nodes = 20,
                               LatentPath kind = LatentPath::shortest);

// Log density of points under the model, their latents integrated out: over the prior of models that integrated them
// out when they were fitted and whose base point stays, else over a kernel density of the training latents, whose width
// is chosen by leaving latents out. Of one coordinate a sum over nodes, of more over draws by the seed. Where a fit
// drew processes (surfaces of up to 600 points) it is the mean over them. codes: what encode() found for these points,
// if that is known.
Vector mixture_log_density(const Model& model, ConstMatrixRef points, std::uint64_t seed = 0,
                           const Encoding* codes = nullptr);

}  // namespace WGP_PUBLIC
