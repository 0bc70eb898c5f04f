#include "core/format.h"

#include <chrono>
#include <cmath>
#include <limits>

#include "gp/conditioning.h"
#include "gp/likelihood.h"
#include "model/coordinates.h"
#include "model/fit_moving.h"
#include "model/objective.h"
#include "wgp/statistics.h"

namespace wgp {
namespace {

// Kernel parameters and noise for given inputs, in units where V has unit variance.
class RegressionObjective final : public Objective {
 public:
  RegressionObjective(const KernelPtr& kernel, const LatentSpace& latent, ConstMatrixRef X, ConstMatrixRef V)
      : X_(X), engine_(make_engine(kernel, latent, compress_rows(V), V.rows())) {}
  double value(ConstVectorRef x) override {
    if (!(x.cwiseAbs().maxCoeff() <= 25)) return std::numeric_limits<double>::infinity();
    u_ = x[x.size() - 1];
    return -engine_->value(X_, x.head(x.size() - 1), noise_floor + std::exp(u_));
  }
  void gradient(VectorRef gradient) override {
    const GpGradient g = engine_->gradient();
    gradient.head(g.theta.size()) = -g.theta;
    gradient[gradient.size() - 1] = -g.noise * std::exp(u_);
  }
  double jitter() const { return engine_->jitter(); }

 private:
  Matrix X_;
  std::unique_ptr<GpEngine> engine_;
  double u_ = 0;
};

}  // namespace

FitResult regress(ManifoldPtr manifold, ConstMatrixRef X, ConstMatrixRef P, const FitOptions& given) {
  const auto begin = std::chrono::steady_clock::now();
  FitOptions options = given;
  options.model = ModelKind::regression;
  if (options.basepoint != BasepointKind::mean) {
    const auto with_mean = [&](ConstMatrixRef inputs, ConstMatrixRef points) {
      FitOptions inner = given;
      inner.basepoint = BasepointKind::mean;
      return regress(manifold, inputs, points, inner);
    };
    if (X.cols() == P.cols()) return choose_basepoint(X, P, options, with_mean, true);
  }
  if (X.cols() != P.cols())
    throw Error(fmt::format("{} inputs were given for {} points: one row of X for each row of Y", X.cols(), P.cols()));
  if (P.cols() < 2) throw Error("a regression needs at least 2 points");
  if (options.latent.dim() != X.rows())
    throw Error(fmt::format("inputs have {} coordinates, but the kernel expects {}", X.rows(), options.latent.dim()));
  if (!X.allFinite()) throw Error("an input is not finite");
  const FrechetMean mean = frechet_mean(*manifold, P);
  const auto coordinates = wrapped_coordinates(manifold, mean.mean);
  const Matrix V = coordinates->to_coords(P);
  const double largest = V.cwiseAbs().maxCoeff();
  if (!(largest > 1e-14 * P.cwiseAbs().maxCoeff())) throw Error("all points are equal: there is nothing to model");
  const double scale = largest * std::sqrt((V / largest).squaredNorm() / static_cast<double>(V.size()));

  const KernelPtr kernel = parse_kernel(options.kernel, options.latent, options.lengths);
  RegressionObjective objective(kernel, options.latent, X, V / scale);
  // Several length-scales to start from, in units of each input's spread.
  const Index plain = options.latent.plain_count();
  const Matrix centred = X.bottomRows(plain).colwise() - X.bottomRows(plain).rowwise().mean().eval();
  const Vector spread = (centred.rowwise().squaredNorm() / static_cast<double>(X.cols())).cwiseSqrt();
  OptimiseResult best;
  best.value = infinity;
  FitSummary summary;
  for (const double share : {0.1, 0.3, 1.0}) {
    for (const double noise : {0.01, 0.3}) {
      Vector start(kernel->parameter_count() + 1);
      start.head(start.size() - 1) = kernel->default_parameters();
      const auto lengths = kernel->length_parameters();
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        const double width =
            lengths.size() == static_cast<std::size_t>(plain) ? spread[static_cast<Index>(i)] : spread.mean();
        start[lengths[i]] = std::log(std::max(share * width, 1e-8));
      }
      start[start.size() - 1] = std::log(noise);
      OptimiseOptions optimise;
      optimise.max_iterations = options.max_iterations;
      const OptimiseResult found = minimise(objective, start, optimise);
      StartReport report;
      report.kind = fmt::format("length {} noise {}", share, noise);
      report.log_likelihood = report.log_posterior = -found.value - static_cast<double>(V.size()) * std::log(scale);
      report.iterations = found.iterations;
      report.evaluations = found.gradients;
      report.stop = found.stop;
      summary.starts.push_back(report);
      summary.iterations += found.iterations;
      summary.evaluations += found.gradients;
      if (found.value < best.value) {
        best = found;
        for (StartReport& other : summary.starts) other.chosen = false;
        summary.starts.back().chosen = true;
      }
    }
  }
  if (!std::isfinite(best.value)) throw Error("no kernel parameters with a positive definite covariance were found");
  Model::Parts parts;
  parts.kind = ModelKind::regression;
  parts.manifold = manifold;
  parts.kernel = options.kernel;
  parts.lengths = options.lengths;
  parts.latent = options.latent;
  parts.prior = Prior::none;
  parts.base = coordinates->base();
  parts.P = P;
  parts.X = X;
  parts.theta = best.x.head(best.x.size() - 1);
  for (const Index i : kernel->amplitude_parameters()) parts.theta[i] += 2 * std::log(scale);
  parts.noise = (noise_floor + std::exp(best.x[best.x.size() - 1])) * scale * scale;
  summary.log_likelihood = summary.log_posterior = -best.value - static_cast<double>(V.size()) * std::log(scale);
  summary.stop = best.stop;
  summary.jitter = objective.jitter() * scale * scale;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {Model(std::move(parts)), std::move(summary)};
}

}  // namespace wgp
