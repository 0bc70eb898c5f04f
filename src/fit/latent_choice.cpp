// How many latent coordinates: each number is fitted to four fifths of the points, and the others judge.
#include <algorithm>
#include <cmath>

#include "core/format.h"
#include "fit/cross_validate.h"
#include "fit/settings.h"
#include "model/error_summary.h"
#include "wgp/fit.h"

namespace wgp {
namespace {

constexpr Index most_coordinates = 3;

std::string words_of(const LatentCandidate& candidate) {
  if (candidate.latent.dim() == 1) return candidate.latent.angles() == 1 ? "a circle" : "a line";
  return fmt::format("{} coordinates{}", candidate.latent.dim(), candidate.latent.angles() > 0 ? " (angles)" : "");
}

// Line and circle, then more coordinates; circles alone where the kernel is periodic.
std::vector<LatentCandidate> candidates_for(const Manifold& manifold, const FitOptions& options) {
  const std::string kernel = options.kernel.spec();
  const bool angles = kernel.find("periodic") != std::string::npos;
  std::vector<LatentCandidate> candidates;
  const Index most = std::max<Index>(1, std::min<Index>(most_coordinates, manifold.dim() - 1));
  for (Index q = 1; q <= most; ++q) {
    if (!angles) candidates.push_back({LatentSpace(0, q), kernel, {}, 0, false});
    if (angles || q == 1) candidates.push_back({LatentSpace(q, 0), angles ? kernel : "periodic", {}, 0, false});
  }
  return candidates;
}

}  // namespace

LatentChoice choose_latent_space(const ManifoldPtr& manifold, ConstMatrixRef P, const FitOptions& options) {
  LatentChoice choice;
  choice.tried = candidates_for(*manifold, options);
  if (P.cols() < settings::fewest_to_choose_base) {
    choice.tried.resize(1);
    choice.tried[0].chosen = true;
    choice.why = fmt::format("{} of fewer than {} points: there are too few to leave some out",
                             words_of(choice.tried[0]), settings::fewest_to_choose_base);
    return choice;
  }
  const Folds folds = make_folds(P.cols(), options.folds, options.seed);
  const Matrix training = P(Eigen::all, folds.kept(0)), validation = P(Eigen::all, folds.out[0]);
  std::vector<Vector> densities;
  for (LatentCandidate& candidate : choice.tried) {
    FitOptions own = options;
    own.latent = candidate.latent;
    own.kernel = candidate.kernel;
    own.calibration_share = 0;
    own.on_step = nullptr;
    own.resume = nullptr;
    const FitResult fitted = fit(manifold, training, own);
    densities.push_back(mixture_log_density(fitted.model, validation));
    candidate.log_density = densities.back().mean();
    if (fitted.summary.cancelled) break;
  }
  choice.tried.resize(densities.size());
  std::size_t best = 0;
  for (std::size_t k = 1; k < densities.size(); ++k)
    if (choice.tried[k].log_density > choice.tried[best].log_density) best = k;
  // The fewest coordinates that are as good as the best within a standard error of the difference; between a line and a
  // circle, which have as many, the denser.
  std::size_t chosen = best;
  for (std::size_t k = 0; k < densities.size(); ++k) {
    if (k == best) continue;
    const Vector gain = densities[best] - densities[k];
    choice.tried[k].standard_error = standard_error(gain);
    const Index now = choice.tried[chosen].latent.dim(), q = choice.tried[k].latent.dim();
    if (gain.mean() > standard_error(gain)) continue;
    if (q < now || (q == now && chosen != best && choice.tried[k].log_density > choice.tried[chosen].log_density))
      chosen = k;
  }
  choice.tried[chosen].chosen = true;
  choice.why = fmt::format("{}: left-out points have a mean log density of {:.3f} nats", words_of(choice.tried[chosen]),
                           choice.tried[chosen].log_density);
  for (std::size_t k = 0; k < densities.size(); ++k)
    if (k != chosen) choice.why += fmt::format(", {} {:.3f}", words_of(choice.tried[k]), choice.tried[k].log_density);
  if (chosen != best) choice.why += "; the simplest within a standard error of the best was chosen";
  return choice;
}

}  // namespace wgp
