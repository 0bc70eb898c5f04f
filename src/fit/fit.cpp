#include "fit/fit.h"

#include "core/format.h"
#include "evidence/variational_evidence.h"
#include "fit/large_fit.h"
#include "fit/point_fit.h"
#include "fit/points.h"
#include "fit/settings.h"
#include "fit/variational_fit.h"

namespace wgp {

std::string to_string(Effort effort) {
  return effort == Effort::quick ? "quick" : effort == Effort::normal ? "normal" : "thorough";
}
std::string to_string(VarianceRule rule) {
  return rule == VarianceRule::as_fitted ? "as_fitted" : rule == VarianceRule::dof ? "dof" : "held_out";
}
std::string to_string(FoldPolicy policy) { return policy == FoldPolicy::random ? "random" : "blocks"; }

KernelPtr KernelChoice::make(const LatentSpace& latent, LengthScales scales) const {
  return kernel_ ? kernel_ : parse_kernel(spec_, latent, scales);
}

namespace {

void check_sizes(const Manifold& manifold, Index rows, Index count, const char* what) {
  if (rows != manifold.ambient_dim())
    throw Error(fmt::format("points of {} have {} numbers, but {} were given (one point per column)", manifold.spec(),
                            manifold.ambient_dim(), rows));
  if (count < 2)
    throw Error(fmt::format("a {} needs at least 2 points, but there is {}", what, count == 1 ? "1" : "none"));
}

void check(const Manifold& manifold, ConstMatrixRef P, const char* what) {
  check_sizes(manifold, P.rows(), P.cols(), what);
  check_points(manifold, P);
}

}  // namespace

FitResult fit_by(const EvidenceFactory& evidence, const ManifoldPtr& manifold, ConstMatrixRef P,
                 const FitOptions& options) {
  check(*manifold, P, "model");
  if (options.model == ModelKind::regression) throw Error("a regression needs inputs: see regress()");
  return point_fit(evidence, manifold, without_defects(*manifold, P), options);
}

namespace {

// Why latents of so many points cannot be estimated exactly, though they can be integrated out; empty if they can.
std::string why_not_exact(const Manifold& manifold, Index N, const FitOptions& options) {
  if (N <= settings::most_exact) return "";
  FitOptions integrated = options;
  integrated.inference = Inference::variational;
  if (!why_not_variational(integrated).empty()) return "";
  FitOptions few = options;
  few.on_step = nullptr;
  const FitEstimate exact = estimate_fit(manifold, N, few);
  return fmt::format("estimating {} latents exactly would take about {:.2g} hours and {:.2g} GB of memory", N,
                     exact.seconds / 3600, exact.bytes / 1e9);
}

}  // namespace

bool fits_in_passes(const Manifold& manifold, Index N, const FitOptions& options) {
  return is_large(manifold, N) && why_not_in_passes(options).empty();
}

FitResult fit(ManifoldPtr manifold, ConstMatrixRef P, const FitOptions& options) {
  if (options.inference == Inference::point) {
    const std::string why = why_not_exact(*manifold, P.cols(), options);
    if (why.empty()) return fit_by(point_evidence, manifold, P, options);
    FitOptions integrated = options;
    integrated.inference = Inference::variational;
    FitResult result = fit(manifold, P, integrated);
    result.summary.inference_note = why;
    return result;
  }
  check(*manifold, P, "model");
  const std::string why = why_not_variational(options);
  if (why.empty() && fits_in_passes(*manifold, P.cols(), options))
    return large_fit(manifold, MatrixColumns(P), options);
  if (why.empty()) return variational_fit(manifold, without_defects(*manifold, P), options);
  FitResult result = fit_by(point_evidence, manifold, P, options);
  result.summary.inference_note = why;
  return result;
}

FitResult fit(ManifoldPtr manifold, const ColumnBlocks& points, const FitOptions& options) {
  check_sizes(*manifold, points.rows(), points.count(), "model");
  if (fits_in_passes(*manifold, points.count(), options)) return large_fit(manifold, points, options);
  Matrix P(points.rows(), points.count());
  points.read(0, P);
  return fit(manifold, P, options);
}

namespace {

void check_input_sd(ConstMatrixRef X, const FitOptions& options) {
  const Matrix& sd = options.input_sd;
  if (sd.rows() != X.rows() || sd.cols() != X.cols())
    throw Error(fmt::format("{} x {} standard deviations were given for {} x {} inputs", sd.rows(), sd.cols(), X.rows(),
                            X.cols()));
  if (!sd.allFinite() || !(sd.array() >= 0).all())
    throw Error("a standard deviation of an input is not a number of at least 0");
  if (options.basepoint != BasepointKind::mean)
    throw Error("where inputs are uncertain the base point is the mean: a base point that moves needs to know them");
  if (X.rows() > 3) throw Error(fmt::format("{} uncertain inputs: up to three are possible", X.rows()));
  if (const std::string why =
          why_not_variational(*options.kernel.make(options.latent, options.lengths), options.latent);
      !why.empty())
    throw Error("inputs cannot be uncertain: " + why);
}

}  // namespace

FitResult regress(ManifoldPtr manifold, ConstMatrixRef X, ConstMatrixRef P, const FitOptions& given) {
  FitOptions options = given;
  options.model = ModelKind::regression;
  if (X.cols() != P.cols())
    throw Error(fmt::format("{} inputs were given for {} points: one row of X for each row of Y", X.cols(), P.cols()));
  check(*manifold, P, "regression");
  if (options.latent.dim() != X.rows())
    throw Error(fmt::format("inputs have {} coordinates, but the kernel expects {}", X.rows(), options.latent.dim()));
  if (!X.allFinite()) throw Error("an input is not finite");
  if (options.input_sd.size() > 0) check_input_sd(X, options);
  return point_regression(manifold, X, without_defects(*manifold, P), options);
}

}  // namespace wgp
