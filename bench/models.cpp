// What models cost, as ratios against work that runs beside them.
//
//   bench_models                          one JSON object: encoding, decoding, periodic latents, memory
//   bench_models race FILE Q TARGET       CPU seconds until a quick fit (no prior, one thread, one start) reaches
//                                         the log likelihood TARGET on the rows of FILE, a point of Euclidean space
//                                         each, or "never"; then "start" or "search": whether that start reached it,
//                                         or the search that follows if not
#include <sys/resource.h>
#include <wgp/wgp.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "evidence/evidence.h"
#include "fit/starts.h"
#include "model/decoder.h"
#include "timing.h"

using namespace wgp;

namespace {

double seconds_of(const std::function<void()>& work, int repetitions) {
  double least = infinity;
  for (int i = 0; i < repetitions; ++i) bench::shorten(least, work);
  return least;
}
double peak_bytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

// Points drawn from the model itself.
Matrix drawn(Index N, Index d, Index q, Random& random) {
  const LatentSpace latent = LatentSpace::plain(q);
  const KernelPtr kernel = parse_kernel("rbf", latent);
  const Matrix X = 1.2 * random.normals(q, N);
  Matrix K = kernel->cov(kernel->default_parameters(), X, X);
  K.diagonal().array() += 1e-8;
  return (Matrix(K.llt().matrixL()) * random.normals(N, d)).transpose() + 0.1 * random.normals(d, N);
}

void race(const std::string& file, Index q, double target) {
  const Matrix P = read_table(file, {}).values;
  const ManifoldPtr manifold = parse_manifold("euclidean:" + std::to_string(P.rows()));
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(q);
  options.prior = Prior::none;
  options.starts = 1;
  options.max_iterations = 5000;
  const double begin = bench::seconds();
  double reached = -1;
  options.keep_going = [&](const Progress& progress) {
    if (progress.best >= target && reached < 0) reached = bench::seconds() - begin;
    return reached < 0;
  };
  const auto run = [&](Effort effort) {
    options.effort = effort;
    const FitSummary summary = fit(manifold, P, options).summary;
    if (reached < 0 && summary.log_likelihood >= target) reached = bench::seconds() - begin;
  };
  run(Effort::quick);
  const bool by_start = reached >= 0;
  if (!by_start) run(Effort::normal);
  if (reached < 0)
    std::printf("never\n");
  else
    std::printf("%.6f %s\n", reached, by_start ? "start" : "search");
}

// Of a whole fit, left-out points included; few iterations, since they all hold the same.
double peak_doubles_per_n2() {
  constexpr Index N = 2000, d = 6;
  const Matrix P = Random(1).normals(d, N);
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  options.prior = Prior::none;
  options.inits = {"pga"};
  options.max_iterations = 3;
  const double before = peak_bytes();
  fit(parse_manifold("euclidean:" + std::to_string(d)), P, options);
  return (peak_bytes() - before) / 8 / (static_cast<double>(N) * static_cast<double>(N));
}

// The slope of log time over log size.
double exponent(const std::vector<Index>& sizes, const std::function<double(Index)>& seconds) {
  const auto n = static_cast<Index>(sizes.size());
  Vector x(n), y(n);
  for (Index i = 0; i < n; ++i) {
    const Index size = sizes[static_cast<std::size_t>(i)];
    x[i] = std::log(static_cast<double>(size));
    y[i] = std::log(seconds(size));
  }
  x.array() -= x.mean();
  return x.dot(y) / x.squaredNorm();
}

// Objective and gradient.
double evaluation_seconds(Index N, Index d, Index q) {
  Random random(4);
  const LatentSpace latent = LatentSpace::plain(q);
  const KernelPtr kernel = parse_kernel("rbf", latent);
  const Matrix X = random.normals(q, N);
  const auto evidence = dense_evidence({kernel, latent});
  const Outputs outputs{compress_rows(random.normals(d, N)), d};
  const Parameters at = Parameters::of(X, kernel->default_parameters(), 0.1);
  EvidenceGradient gradient;
  return seconds_of([&] { evidence->value_and_gradient(at, outputs, gradient, ByOutputs::unwanted); }, 10);
}

// How many evaluations one fit from the principal components takes, and how many of them to all but a thousandth of
// what it gains.
std::pair<int, int> evaluations_of_a_fit(Index N, Index d, Index q) {
  class Counting final : public Objective {
   public:
    explicit Counting(Objective& counted) : counted_(counted) {}
    double value(ConstVectorRef x) override { return seen(counted_.value(x)); }
    double value_before_gradient(ConstVectorRef x) override { return seen(counted_.value_before_gradient(x)); }
    void gradient(VectorRef g) override { counted_.gradient(g); }
    std::vector<double> values;

   private:
    double seen(double value) {
      values.push_back(values.empty() ? value : std::min(value, values.back()));
      return value;
    }
    Objective& counted_;
  };
  Random random(5);
  FitProblem problem;
  problem.latent = LatentSpace::plain(q);
  problem.kernel = parse_kernel("rbf", problem.latent);
  const Matrix P = drawn(N, d, q, random);
  problem.V = P.colwise() - P.rowwise().mean();
  problem.V /= std::sqrt(problem.V.squaredNorm() / static_cast<double>(problem.V.size()));
  problem.P = P;
  problem.outputs = {compress_rows(problem.V), d};
  problem.lift = std::make_shared<const Basepoint>(parse_manifold("euclidean:" + std::to_string(d)), Vector::Zero(d));
  problem.free.theta = {true, false};
  problem.terms = {latent_prior(problem.latent, 1)};
  const FitState start = pga_start(problem);
  const auto objective = fit_objective(problem, start);
  Counting counting(*objective);
  const Vector x = pack_state(problem, start);
  OptimiseOptions options;
  options.max_iterations = 2000;
  minimise(counting, x, options);
  const auto& values = counting.values;
  const double enough = values.back() + 1e-3 * (values.front() - values.back());
  const auto there = std::find_if(values.begin(), values.end(), [&](double value) { return value <= enough; });
  return {static_cast<int>(there - values.begin()) + 1, static_cast<int>(values.size())};
}

double periodic_over_dense(Index N) {
  Random random(2);
  const LatentSpace circle(1, 0);
  const Matrix X = 3 * random.normals(1, N), Z = random.normals(2, N);
  const KernelPtr kernel = parse_kernel("periodic", circle);
  Vector theta = kernel->default_parameters();
  EvidenceGradient gradient;
  const Outputs outputs = Outputs::of(Z);
  const Parameters at = Parameters::of(X, theta, 0.1);
  const auto cost = [&](Evidence& evidence, int repetitions) {
    return seconds_of([&] { evidence.value_and_gradient(at, outputs, gradient, ByOutputs::unwanted); }, repetitions);
  };
  const auto series = fourier_evidence({kernel, circle});
  const auto dense = dense_evidence({kernel, circle});
  return cost(*dense, N > 1000 ? 1 : 10) / cost(*series, 20);
}

void costs() {
  const double memory = peak_doubles_per_n2();  // first: a peak only rises
  Random random(3);
  constexpr Index known = 600, others = 400, to_encode = 10000;
  const Matrix P = drawn(known + others, 6, 2, random);
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  options.inits = {"pga"};
  const Model model = fit(parse_manifold("euclidean:6"), P.leftCols(known), options).model;
  const Matrix fresh = P.rightCols(others).replicate(1, to_encode / others) + 0.02 * random.normals(6, to_encode);
  const double encode = seconds_of([&] { model.encode(fresh); }, 1) / static_cast<double>(to_encode);

  // Means and standard deviations, against the product that means alone would take once their kernel values are there.
  constexpr Index latents = 1000000, block = 50000, at_once = 1000;
  const Matrix X = random.normals(2, block);
  const Matrix k = model.parts().kernel->cov(model.parts().theta, model.parts().X, X.leftCols(at_once));
  const Matrix A = model.posterior()->arrays().at("weights").transpose();
  Matrix product(A.rows(), at_once);
  const double decode = seconds_of(
      [&] {
        Decoder decoder(model);
        for (Index i = 0; i < latents / block; ++i) decoder.predict(X);
      },
      3);
  const double bare = seconds_of(
      [&] {
        for (Index i = 0; i < latents / at_once; ++i) product.noalias() = A * k;
      },
      3);

  const double in_N = exponent({500, 1000, 2000}, [](Index N) { return evaluation_seconds(N, 6, 2); });
  const double in_d = exponent({6, 24, 96}, [](Index d) { return evaluation_seconds(500, d, 2); });
  const double in_q = exponent({1, 2, 4, 8}, [](Index q) { return evaluation_seconds(500, 6, q); });
  const auto [nearly, all] = evaluations_of_a_fit(240, 6, 2);

  std::printf(
      "{\"encode_us_per_point\": %.1f, \"decode_vs_gemm\": %.2f, \"decode_ns_per_latent\": %.1f, "
      "\"periodic_vs_dense\": [{\"n\": 338, \"dense_over_periodic\": %.1f}, {\"n\": 5000, "
      "\"dense_over_periodic\": %.1f}], \"peak_doubles_per_n2\": %.2f, "
      "\"growth_exponents\": {\"n\": %.2f, \"d\": %.2f, \"q\": %.2f}, "
      "\"evaluations_to_99.9_percent\": %d, \"evaluations\": %d}\n",
      1e6 * encode, decode / bare, 1e9 * decode / latents, periodic_over_dense(338), periodic_over_dense(5000), memory,
      in_N, in_d, in_q, nearly, all);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "race")
    race(argv[2], std::stol(argv[3]), std::stod(argv[4]));
  else
    costs();
}
