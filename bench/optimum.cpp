// How much of the gap between an ordinary start and the start at the true latents does a fit close?
//
//   bench_optimum [SETS] [quick|normal|thorough] [N] [d] [q] [noise sd] [map|none] [first set]
//
// Data drawn from the model itself: latents N(0, 1.2^2), an RBF map of unit length-scale and variance, noise. For every
// set: the log posterior from PCA, from the true latents and from the fit; then the share of the mean gap that is
// closed and the cost in plain fits (evaluations over those of the PCA fit).
#include <wgp/wgp.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace wgp;

int main(int argc, char** argv) {
  const auto argument = [&](int i, const char* otherwise) { return std::string(argc > i ? argv[i] : otherwise); };
  const int sets = std::stoi(argument(1, "10")), first = std::stoi(argument(8, "0"));
  const std::string effort = argument(2, "normal");
  const Index N = std::stol(argument(3, "240")), d = std::stol(argument(4, "6")), q = std::stol(argument(5, "2"));
  const double noise = std::stod(argument(6, "0.1"));
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(q);
  options.prior = argument(7, "map") == "map" ? Prior::map : Prior::none;
  options.threads = 2;
  const ManifoldPtr space = parse_manifold("euclidean:" + std::to_string(d));
  const KernelPtr kernel = parse_kernel("rbf", options.latent);
  double gap = 0, left = 0, cost = 0, plain_seconds = 0, seconds = 0;
  for (int set = first; set < first + sets; ++set) {
    Random random(static_cast<std::uint64_t>(1000 + set));
    const Matrix X = 1.2 * random.normals(q, N);
    Matrix K = kernel->cov(kernel->default_parameters(), X, X);
    K.diagonal().array() += 1e-9;
    const Matrix L = K.llt().matrixL();
    const Matrix P = (L * random.normals(N, d)).transpose() + noise * random.normals(d, N);

    FitOptions plain = options;
    plain.effort = Effort::quick;
    plain.inits = {"pga"};
    const FitSummary pca = fit(space, P, plain).summary;
    plain.inits = {"given"};
    plain.given_latents = X;
    const FitSummary truth = fit(space, P, plain).summary;
    options.effort = effort == "quick" ? Effort::quick : effort == "normal" ? Effort::normal : Effort::thorough;
    options.seed = static_cast<std::uint64_t>(set);
    const FitSummary found = fit(space, P, options).summary;
    std::printf("set %2d  pca %9.1f (%d evaluations)  true latents %9.1f  %s %9.1f  cost %.1f plain fits, %.1f s\n",
                set, pca.log_posterior, pca.evaluations, truth.log_posterior, effort.c_str(), found.log_posterior,
                static_cast<double>(found.evaluations) / pca.evaluations, found.seconds);
    std::fflush(stdout);
    gap += truth.log_posterior - pca.log_posterior;
    left += truth.log_posterior - found.log_posterior;
    cost += static_cast<double>(found.evaluations) / pca.evaluations;
    plain_seconds += pca.seconds;
    seconds += found.seconds;
  }
  std::printf("mean gap %.1f, left %.1f: %.1f %% closed at %.1f plain fits (evaluations), %.1f (wall time)\n",
              gap / sets, left / sets, 100 * (1 - left / gap), cost / sets, seconds / plain_seconds);
}
