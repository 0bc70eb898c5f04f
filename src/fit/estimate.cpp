// Seconds and bytes of a fit before it is made: how long its steps take here on a few points, times how often it makes
// them on how many. Counts are those of default fits on drawn sets; `bench_estimate` prints what they come to.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/random_streams.h"
#include "evidence/evidence.h"
#include "evidence/grid_engine.h"
#include "evidence/inducing_evidence.h"
#include "fit/settings.h"
#include "fit/variational_settings.h"
#include "wgp/fit.h"
#include "wgp/random.h"

namespace wgp {
namespace {

using namespace variational;

constexpr Index tried_points = 192;

// Seconds of one call: the least of three.
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

// Steps of a fit on points at random latents about which its vectors wave.
class Steps {
 public:
  Steps(const FitOptions& options, Index d)
      : latent_(options.latent), kernel_(options.kernel.make(latent_, options.lengths)), d_(d) {
    Random random(1, stream::growth);
    X_ = random.normals(latent_.dim(), tried_points);
    const Matrix slopes = random.normals(std::min(d, tried_points), latent_.dim());
    V_ = (slopes * X_).array().sin() + 0.1 * random.normals(slopes.rows(), tried_points).array();
  }

  // One pass over the grid, of each point, and what comes with it whatever their number.
  struct Pass {
    double point, fixed;
  };
  Pass pass() const {
    const KernelSpectrum spectrum(latent_, *spectral_terms(*kernel_, latent_), kernel_->parameter_count());
    const auto of = [&](Index n, const GridEngine::Pass& how) {
      const Matrix rows = V_.leftCols(n);
      GridEngine engine(spectrum, rows, d_, nullptr, nullptr);
      GridState state = engine.begin(X_.leftCols(n), Matrix::Constant(latent_.dim(), n, start_variance),
                                     kernel_->default_parameters(), noise_of_kept_starts);
      return seconds_of([&] { engine.pass(state, how); });
    };
    const double many = of(tried_points, {{}, false, 0}), few = of(8, {{}, false, 0}), hyper = of(8, {});
    return {std::max(0.0, many - few) / static_cast<double>(tried_points - 8), std::max(few, hyper)};
  }

  // One value with its gradient.
  double evaluation(const EvidenceFactory& make) const {
    const auto evidence = make({kernel_, latent_, nullptr, nullptr});
    Parameters at = Parameters::of(X_, kernel_->default_parameters(), noise_of_kept_starts);
    at.S = Matrix::Constant(X_.rows(), X_.cols(), std::log(start_variance));
    Outputs outputs = Outputs::of(V_);
    outputs.d = d_;
    EvidenceGradient gradient;
    return seconds_of([&] { evidence->value_and_gradient(at, outputs, gradient, ByOutputs::unwanted); });
  }

 private:
  LatentSpace latent_;
  KernelPtr kernel_;
  Index d_;
  Matrix X_, V_;
};

// What a search makes of an effort, beside the normal one.
double share_of(Effort effort) { return effort == Effort::quick ? 0.12 : effort == Effort::thorough ? 1.6 : 1; }

double variational_seconds(const Steps& steps, double N, Index d, const FitOptions& options) {
  using namespace settings::estimate;
  const Index q = options.latent.dim();
  const double searched = std::min(N, static_cast<double>(options.subsample)), share = share_of(options.effort);
  const double others = 0.8 * N;  // of a fold
  const double growing = steps.evaluation(point_evidence);
  const bool by_inducing = q > 3;
  const double evaluation =
      steps.evaluation(by_inducing
                           ? EvidenceFactory([](const EvidenceSetting& s) { return inducing_evidence(s); })
                           : EvidenceFactory([](const EvidenceSetting& s) { return variational_evidence(s); })) /
      static_cast<double>(tried_points) * (q == 3 ? lattice_of_volumes : 1);  // a point's
  if (q > 2 || (q == 2 && d > most_outputs_of_grids))
    return share * (evaluations_of_volumes * evaluation * searched + evaluations_of_two_growths * growing) +
           evaluation * (evaluations_of_folds * others + (N > searched ? evaluations_of_all * N : 0));
  const Steps::Pass step = steps.pass();
  const auto pass = [&](double n) { return step.fixed + step.point * n; };
  const double left_out = densities_of_left_out * step.point * std::min(N, 5.0 * most_left_out);
  const double all = N > searched ? passes_of_all * pass(N) : 0;
  if (q == 1) {
    const bool again = N <= static_cast<double>(most_searched_again);
    return share * passes_of_curves * pass(searched) + all + left_out +
           (again ? share * passes_of_folds_again : passes_of_folds) * pass(others) +
           (options.latent.angles() == 0 ? evaluations_of_ends * evaluation * N : 0);
  }
  return share * (passes_of_surfaces * pass(searched) + evaluations_of_growths * growing +
                  evaluations_of_surfaces * evaluation * searched) +
         all + left_out + evaluation * (evaluations_of_folds * others + (N > searched ? evaluations_of_all * N : 0));
}

}  // namespace

FitEstimate estimate_fit(const Manifold& manifold, Index count, const FitOptions& options) {
  namespace counts = settings::estimate;
  const auto N = static_cast<double>(count), d = static_cast<double>(manifold.dim()),
             q = static_cast<double>(options.latent.dim());
  const Steps steps(options, manifold.dim());
  FitEstimate estimate;
  const bool integrated = options.inference == Inference::variational && why_not_variational(options).empty();
  if (integrated) {
    estimate.seconds = variational_seconds(steps, N, manifold.dim(), options);
    // Points, vectors and their copies of folds; what L-BFGS remembers of latents and variances.
    estimate.bytes = 8 * N * (2 * static_cast<double>(manifold.ambient_dim()) + 4 * d + 2 * q * counts::remembered);
  } else {
    const double part = N / static_cast<double>(tried_points);
    // Curves are searched for more thoroughly, and by dense algebra where a Fourier series would do.
    const double evaluations = q > 1 ? counts::evaluations_of_points : counts::evaluations_of_point_curves;
    const auto dense = [](const EvidenceSetting& setting) { return dense_evidence(setting); };
    estimate.seconds =
        share_of(options.effort) * evaluations * steps.evaluation(dense) * part * part * std::max(0.3, part);
    estimate.bytes = 8 * N * (counts::squares_of_points * N + static_cast<double>(manifold.ambient_dim()) + 4 * d);
  }
  // Threads share a step's points, or take starts of their own; not all of it can be shared.
  estimate.seconds /= 1 + counts::gain_of_a_thread * static_cast<double>(std::max(1, options.threads) - 1);
  return estimate;
}

}  // namespace wgp
