#include "fit/estimate.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/random_streams.h"
#include "evidence/grid_engine.h"
#include "evidence/inducing_evidence.h"
#include "fit/large_fit.h"
#include "fit/process_chains.h"
#include "fit/settings.h"
#include "fit/variational_settings.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using namespace variational;
using namespace settings::estimate;

bool by_grid(Index d, const FitOptions& options) {
  const Index q = options.latent.dim();
  return q == 1 || (q == 2 && d <= most_outputs_of_grids);
}

// Of one call: the least of three.
template <class F>
double seconds_of(F&& work) {
  double least = infinity;
  for (int k = 0; k < 3; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

// Points at random latents about which their vectors wave.
class TriedPoints {
 public:
  TriedPoints(const FitOptions& options, Index d)
      : latent_(options.latent), kernel_(options.kernel.make(latent_, options.lengths)), d_(d) {
    Random random(0, stream::tried_steps);
    X_ = random.normals(latent_.dim(), tried_points);
    const Matrix slopes = random.normals(std::min(d, tried_points), latent_.dim());
    V_ = (slopes * X_).array().sin() + 0.1 * random.normals(slopes.rows(), tried_points).array();
  }

  double pass(Index n, const GridEngine::Pass& how) const {
    const KernelSpectrum spectrum(latent_, *spectral_terms(*kernel_, latent_), kernel_->parameter_count());
    const Matrix rows = V_.leftCols(n);
    GridEngine engine(spectrum, rows, d_, nullptr, nullptr);
    GridState state = engine.begin(X_.leftCols(n), Matrix::Constant(latent_.dim(), n, start_variance),
                                   kernel_->default_parameters(), noise_of_kept_starts);
    return seconds_of([&] { engine.pass(state, how); });
  }

  double evaluation(const EvidenceFactory& make, Index n = tried_points) const {
    const auto evidence = make({kernel_, latent_, nullptr, nullptr});
    Parameters at = Parameters::of(X_.leftCols(n), kernel_->default_parameters(), noise_of_kept_starts);
    at.S = Matrix::Constant(X_.rows(), n, std::log(start_variance));
    const Matrix V = V_.leftCols(n);
    const Outputs outputs{V, d_};
    EvidenceGradient gradient;
    return seconds_of([&] { evidence->value_and_gradient(at, outputs, gradient, ByOutputs::unwanted); });
  }

 private:
  LatentSpace latent_;
  KernelPtr kernel_;
  Index d_;
  Matrix X_, V_;
};

double share_of(Effort effort) {
  return effort == Effort::quick ? share_of_quick : effort == Effort::thorough ? share_of_thorough : 1;
}

double seconds_of_logarithm(const Manifold& manifold) {
  constexpr Index count = 32;
  constexpr double near = 0.1;
  Random random(0, stream::tried_steps);
  const auto at = manifold.at(manifold.random_point(random));
  Matrix P(manifold.ambient_dim(), count), V(manifold.dim(), count);
  at->exp(near * random.normals(manifold.dim(), count), P);
  return seconds_of([&] {
           for (Index i = 0; i < count; ++i) P.col(i) = manifold.project(P.col(i));
           at->log(P, V);
         }) /
         static_cast<double>(count);
}

// In passes over points that are read in blocks: a search on some of them, and then what grows with their number.
double seconds_in_passes(double N, Index d, const FitOptions& options, const StepSeconds& steps) {
  const Index q = options.latent.dim();
  const double searched = std::min(N, static_cast<double>(options.subsample)), share = share_of(options.effort);
  const double settled = std::min(N, static_cast<double>(most_settled));
  const auto pass = [&](double n) { return steps.pass + steps.pass_a_point * n; };
  const double left_out =
      densities_of_left_out * steps.pass_a_point * std::min(N, static_cast<double>(settings::folds * most_left_out));
  const double all = N * (passes_of_large * steps.in_pass + logarithms_of_large * steps.logarithm);
  if (!by_grid(d, options))
    return share * (evaluations_of_volumes * steps.evaluation_a_point * searched +
                    evaluations_of_two_growths * steps.dense) +
           all + N * searched * static_cast<double>(d) * seconds_of_a_product;
  const double search = q == 1 ? passes_of_curves * pass(searched)
                               : passes_of_surfaces * pass(searched) + evaluations_of_growths * steps.dense +
                                     evaluations_of_surfaces * steps.evaluation_a_point * searched;
  return share * search + passes_of_settled * pass(settled) + steps.pass_a_point * N + left_out + all;
}

// Bytes of the latents that a model holds, and of what is made on the way to a file.
double latents_in_model(double N, const FitOptions& options) {
  const bool all = options.keep_latents || N <= static_cast<double>(most_latents_in_model);
  return all ? 8 * N * (1 + 8 * static_cast<double>(options.latent.dim())) : 0;
}

double variational_seconds(double N, Index d, const FitOptions& options, const StepSeconds& steps) {
  const Index q = options.latent.dim();
  const double searched = std::min(N, static_cast<double>(options.subsample)), share = share_of(options.effort);
  const bool is_part = N > searched;
  constexpr auto folds = static_cast<double>(settings::folds);
  const double others = (1 - 1 / folds) * N;
  const double evaluation = steps.evaluation_a_point;
  const bool passed = is_part && q <= 3, refitted = N <= static_cast<double>(most_refitted);
  const double settling = evaluation * ((refitted ? evaluations_of_folds * others : evaluations_of_fold_sums * N) +
                                        (passed    ? evaluations_of_passes
                                         : is_part ? evaluations_of_all
                                                   : 0) *
                                            N);
  if (!by_grid(d, options))
    return share * (evaluations_of_volumes * evaluation * searched + evaluations_of_two_growths * steps.dense) +
           settling;
  const auto pass = [&](double n) { return steps.pass + steps.pass_a_point * n; };
  const double left_out =
      densities_of_left_out * steps.pass_a_point * std::min(N, folds * static_cast<double>(most_left_out));
  // Closed curves stay on the grid unless they are very many; of others its codes are looked at once.
  const bool stays = q == 1 && options.latent.angles() == 1;
  const double all = !is_part ? 0 : stays ? passes_of_all * pass(N) : pass(N);
  if (q == 1) {
    const bool again = N <= static_cast<double>(most_searched_again);
    return share * passes_of_curves * pass(searched) + all + left_out +
           (again ? share * passes_of_folds_again : passes_of_folds) * pass(others) +
           (options.latent.angles() == 0 && !is_part ? evaluations_of_ends * evaluation * N : 0) +
           (is_part && !stays ? settling : 0);
  }
  return share * (passes_of_surfaces * pass(searched) + evaluations_of_growths * steps.dense +
                  evaluations_of_surfaces * evaluation * searched) +
         (has_chains(options, static_cast<Index>(N), d) ? evaluations_of_chains * evaluation * N : 0) + all + left_out +
         settling;
}

}  // namespace

StepSeconds time_steps(Index d, const FitOptions& options, const Manifold* manifold) {
  const TriedPoints tried(options, d);
  const Index q = options.latent.dim();
  StepSeconds steps;
  // By dense algebra where a Fourier series would do as well.
  const auto dense = [](const EvidenceSetting& setting) { return dense_evidence(setting); };
  if (!integrates_latents(options)) {
    steps.dense = tried.evaluation(dense);
    return steps;
  }
  if (q > 1) steps.dense = tried.evaluation(dense);
  if (q != 1 || options.latent.angles() == 0)
    steps.evaluation_a_point = tried.evaluation([q](const EvidenceSetting& setting) {
      return q > 3 ? inducing_evidence(setting) : variational_evidence(setting);
    }) / static_cast<double>(tried_points) *
                               (q == 3 ? lattice_of_volumes : 1);
  if (manifold && q <= 3) {
    constexpr Index half = tried_points / 3;
    const auto make = [](const EvidenceSetting& setting) { return variational_evidence(setting); };
    steps.in_pass =
        std::max(0.0, tried.evaluation(make) - tried.evaluation(make, half)) / static_cast<double>(tried_points - half);
    steps.logarithm = seconds_of_logarithm(*manifold);
  }
  if (by_grid(d, options)) {
    constexpr Index few = 8;
    const GridEngine::Pass fixed{{}, false, 0};
    steps.pass = tried.pass(few, {});
    steps.pass_a_point = std::max(0.0, tried.pass(tried_points, fixed) - tried.pass(few, fixed)) /
                         static_cast<double>(tried_points - few);
  }
  return steps;
}

FitEstimate estimate_fit(const Manifold& manifold, Index count, const FitOptions& options, const StepSeconds& steps) {
  const auto N = static_cast<double>(count), d = static_cast<double>(manifold.dim()),
             ambient = static_cast<double>(manifold.ambient_dim()), q = static_cast<double>(options.latent.dim());
  FitEstimate estimate;
  const int ranks = options.ranks && integrates_latents(options) ? options.ranks->count() : 1;
  if (integrates_latents(options)) {
    const bool large = is_large(manifold, count) && why_not_in_passes(options).empty();
    estimate.seconds = large ? seconds_in_passes(N, manifold.dim(), options, steps)
                             : variational_seconds(N, manifold.dim(), options, steps);
    // Points, vectors and their copies of folds; what L-BFGS remembers of latents and variances. In passes points wait
    // in files, and so do their latents.
    const auto searched = std::min(N, static_cast<double>(options.subsample));
    const double of_search = 8 * searched * (2 * ambient + 4 * d + 2 * q * remembered);
    estimate.bytes =
        bytes_of_a_program + of_search + (large ? latents_in_model(N, options) : 8 * N * (5 * ambient + 6 * d + 8 * q));
    if (large) estimate.file_bytes = 8 * N * (d + 2 * q + 2) / ranks;  // its own points
  } else {
    const double part = N / static_cast<double>(tried_points);
    const double evaluations = q > 1 ? evaluations_of_points : evaluations_of_point_curves;
    estimate.seconds = share_of(options.effort) * evaluations * steps.dense * part * part * std::max(0.3, part);
    estimate.bytes = 8 * N * (squares_of_points * N + ambient + 4 * d);
  }
  // Threads share a step's points, or take starts of their own; not all of it can be shared.
  estimate.seconds /= 1 + gain_of_a_thread * static_cast<double>(ranks * std::max(1, options.threads) - 1);
  return estimate;
}

FitEstimate estimate_fit(const Manifold& manifold, Index N, const FitOptions& options) {
  const bool large = is_large(manifold, N) && why_not_in_passes(options).empty();
  return estimate_fit(manifold, N, options, time_steps(manifold.dim(), options, large ? &manifold : nullptr));
}

}  // namespace wgp
