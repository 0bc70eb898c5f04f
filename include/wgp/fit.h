// Fits: points (and, for a regression, inputs) to a Model and a summary of how it was found.
//
// A fit maximises
//   -(dN/2) log 2 pi - (d/2) log|K| - (1/2) tr(V K^-1 V') + log prior
// over latents, kernel parameters and noise, and over the base point where it is free. Baselines on the same code: the
// Euclidean GPLVM of the ambient coordinates, and the same with predictions projected onto M. With given inputs in the
// place of latents this is wrapped Gaussian process regression.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wgp/column_blocks.h"
#include "wgp/model.h"
#include "wgp/optimise.h"
#include "wgp/progress.h"
#include "wgp/ranks.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

enum class Effort { quick, normal, thorough };
// Point estimates of latents take up some of the noise. What predictions do about it:
//   as_fitted      nothing
//   dof            noise times d/(d - q): each latent took q of the d residual dimensions
//   held_out       the same, and then all variances times the factor under which points are densest that are left out,
//                  the rest having been fitted again without them. Without a prior: the largest factor under which they
//                  are as dense as that within a standard error, at most half an octave more
enum class VarianceRule { as_fitted, dof, held_out };
// Which points are left out together.
//   random   each fold a random fifth, by the seed
//   blocks   each fold a run of neighbours in the order of the data: for series, whose neighbours are alike
enum class FoldPolicy { random, blocks };

// Points that belong to nothing. automatic: a share of the points may be such where the bound says that it pays; none:
// every point belongs to the submanifold. For variational inference; see FitSummary::outliers.
enum class OutlierRule { automatic, none };
// Between the optima that a variational fit found: by the bound on the evidence, or by the log density of points that
// had no part in the search.
enum class ChooseBy { bound, density };

// How data scatter about a variational model's predictions, by points that are left out. automatic: the plainest,
// unless a heavier-tailed or a structured one is denser there by more than two standard errors.
enum class NoiseLawChoice { automatic, normal, student, structured };

std::string to_string(Effort effort);
std::string to_string(VarianceRule rule);
std::string to_string(FoldPolicy policy);
std::string to_string(OutlierRule rule);
std::string to_string(ChooseBy by);
std::string to_string(NoiseLawChoice choice);

// A kernel by its spec ("rbf+linear") or as an object of one's own.
class KernelChoice {
 public:
  KernelChoice(const char* spec) : spec_(spec) {}
  KernelChoice(std::string spec) : spec_(std::move(spec)) {}
  KernelChoice(KernelPtr kernel) : kernel_(std::move(kernel)) {}
  KernelPtr make(const LatentSpace& latent, LengthScales scales) const;
  std::string spec() const { return kernel_ ? kernel_->spec() : spec_; }

 private:
  std::string spec_;
  KernelPtr kernel_;
};

struct FitOptions;
// Why a fit with these options cannot integrate its latents out, in a few words; empty if it can.
std::string why_not_variational(const FitOptions& options);
// Asked for, and possible.
bool integrates_latents(const FitOptions& options);

// One finished step of a fit, as numbers, under a name that says which.
struct FitStep {
  std::string name;
  Vector numbers;
};
// What a fit has finished so far: enough to go on from there and end at the same model.
struct FitCheckpoint {
  std::uint64_t fingerprint = 0;        // of the points and of all options that matter
  std::map<std::string, Vector> steps;  // each finished step
};

struct FitOptions {
  ModelKind model = ModelKind::wgplvm;
  LatentSpace latent = LatentSpace::plain(2);
  KernelChoice kernel = "rbf";
  LengthScales lengths = LengthScales::shared;
  // variational where kernel and latent space allow it; see FitSummary::inference for what was done.
  Inference inference = Inference::variational;
  OutlierRule outliers = OutlierRule::automatic;
  ChooseBy choose = ChooseBy::bound;
  NoiseLawChoice noise_law = NoiseLawChoice::automatic;
  int candidate = 0;  // of a variational fit: the optimum to keep, from 1 on as the summary lists them; 0: the best
  Prior prior = Prior::map;
  BasepointKind basepoint = BasepointKind::mean;
  // log|det dExp| in the objective of base points that are fitted; false: the paper's objective. With the mean it is a
  // constant.
  bool volume_term = true;
  Effort effort = Effort::normal;
  std::vector<std::string> inits;  // of pga, growth, curve, tour, mds, random, given; empty: by effort
  Matrix given_latents;            // q x N, for the start "given"
  Matrix input_sd;                 // q x N, of a regression: how well its inputs are known; empty: exactly
  // In all, before any search: the first of inits, or random ones after them; 0: just inits.
  int starts = 0;
  // Of variational fits: a search looks at this many points at most, at random; all of them take part in what follows.
  Index subsample = 2000;
  // Of variational fits in passes: the model holds the latents of all points, however many there are.
  bool keep_latents = false;
  std::uint64_t seed = 0;  // of random starts and of the points that are held out
  int threads = 1;
  int max_iterations = 1000;  // of a final optimisation
  VarianceRule variance = VarianceRule::held_out;
  FoldPolicy folds = FoldPolicy::random;
  double clip = 1e-10;           // gplvmproj on SPD: eigenvalues below this share of the largest are raised to it
  double calibration_share = 0;  // of the points, held out for conformal regions
  KeepGoing keep_going;          // see wgp/progress.h
  // After each finished step, from one thread at a time, with the fingerprint of the fit. What it throws ends the fit.
  std::function<void(std::uint64_t fingerprint, const FitStep&)> on_step;
  // Processes that carry out this fit together, kept by reference (wgp/ranks.h): each calls fit() with the same points
  // and options, and has the same result. Without integrated latents each makes all of it. on_step: on one of them.
  Ranks* ranks = nullptr;
  std::shared_ptr<const FitCheckpoint> resume;  // its steps are not made again; Error if it is of another fit
};

// One optimum that a fit found.
struct StartReport {
  std::string kind;
  double log_posterior = 0, log_likelihood = 0;
  double leave_one_out = 0;  // mean log density of a point given the others and its latent
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
  // Root mean square distance of points to their reconstructions: of left-out ones where latents are integrated out, of
  // training points at their latents otherwise.
  std::optional<double> reconstruction_error = std::nullopt;
  // Of the difference between held_out and that of the chosen one; nothing for the chosen one itself.
  std::optional<double> standard_error = std::nullopt;
};

// One optimum that a variational fit found, in the order of preference.
struct CandidateReport {
  std::string kind;
  double bound = 0;                            // on the log evidence of the data
  std::optional<double> held_out_log_density;  // where it was asked for
  double noise_sd = 0;                         // of one tangent direction
  int iterations = 0;
  bool chosen = false;
};

struct FitSummary {
  Inference inference = Inference::point;
  std::string inference_note;   // why latents were not integrated out, or not estimated, as was asked for; else empty
  std::optional<double> bound;  // on the log evidence, in the data's units: of variational fits
  std::vector<CandidateReport> candidates;
  std::vector<Index> outliers;  // rows of the data that belong to nothing, from 0 on
  std::string latent_note;      // coordinates that were dropped; else empty
  std::string noise_law_note;   // why the model has its noise law
  std::vector<Index> training;  // the points whose latents the model holds; others may be kept for conformal regions
  double log_likelihood = 0, log_posterior = 0;
  int iterations = 0, evaluations = 0;  // over all starts
  double seconds = 0;
  StopReason stop = StopReason::max_iterations;
  std::vector<StartReport> starts;
  std::vector<BasepointReport> basepoints;  // empty if the mean was asked for
  double jitter = 0;
  Index cut_locus_points = 0, near_cut_points = 0;  // as seen from the base points of the model
  bool mean_converged = true, mean_unique = true;   // the Frechet mean that the fit began with
  double largest_nonprincipal_responsibility = 0;   // see windings.h; 0 where exp is injective
  // Mean log density of points left out, a fold at a time, the rest having been fitted again without them; the latents
  // integrated out, per unit of Riemannian volume. Nothing for few points, regressions, and fits that were cut short.
  std::optional<double> held_out_log_density;
  Vector held_out_log_densities;  // of each of those points, fold after fold
  double variance_scale = 1;      // what they made of all predictive variances
  // Of left-out points at their codes, in order (of many points: quantiles): the share of new points that the model
  // expects nearer to its prediction. Variational fits only.
  Vector left_out_shares;
  bool cancelled = false;
  std::string left_undone;  // by a fit that was told to end: what it did not come to, and what follows from that
};

struct FitResult {
  Model model;
  FitSummary summary;
};
// Columns of P are points of the manifold, up to its default_tolerance(). Throws Error for one that is not, and where
// no model exists: fewer than two points, more latent dimensions than points, all points equal.
FitResult fit(ManifoldPtr manifold, ConstMatrixRef P, const FitOptions& options = {});
// The same for points that need not be in memory. Beyond 100,000 points, or 50 million numbers, a fit with integrated
// latents is made in passes over them, in which nothing is kept of a point but its latent.
// Models of more than 5,000 points whose latents were integrated out hold none of the points (but baselines), and of
// more than 100,000 the latents of 2,000 at random (FitSummary::training), or of all with FitOptions::keep_latents.
// Options that look at all points together (base points that are fitted, conformal regions, given latents) read all of
// them into memory.
FitResult fit(ManifoldPtr manifold, const ColumnBlocks& points, const FitOptions& options = {});

// Whether a fit of so many points is made in passes over them, as BlockFit makes it.
bool fits_in_passes(const Manifold& manifold, Index N, const FitOptions& options = {});

// What a fit at the mean will take on this machine: seconds of the clock on options.threads, from how long its steps
// take here on a few points, and bytes of memory and temporary files of each process. Within a factor of two for most
// data; a fit may end early, or find much to do. Base points that are fitted come on top.
struct FitEstimate {
  double seconds = 0, bytes = 0;
  double file_bytes = 0;  // of temporary files, where points are too many for memory
};
FitEstimate estimate_fit(const Manifold& manifold, Index N, const FitOptions& options = {});

// Which latent space: a line, a circle, or more coordinates, by the log densities of a fifth of the points that had no
// part in any of the fits; the smaller one within a standard error. options.latent is not looked at.
struct LatentCandidate {
  LatentSpace latent = LatentSpace::plain(1);
  std::string kernel;
  std::optional<double> standard_error;  // of the difference to the densest
  double log_density = 0;                // mean over left-out points
  bool chosen = false;
};
struct LatentChoice {
  std::vector<LatentCandidate> tried;
  std::string why;
};
LatentChoice choose_latent_space(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options = {});

// Wrapped Gaussian process regression of points P on inputs X: kernel parameters and noise are fitted, X is given. With
// FitOptions::input_sd inputs are normal about X and integrated out (FitSummary::bound): taken as exact, what their
// errors do to the points would pass for noise. The model's latents are then what the points say about them.
FitResult regress(ManifoldPtr manifold, ConstMatrixRef X, ConstMatrixRef P, const FitOptions& options = {});

}  // namespace WGP_PUBLIC
