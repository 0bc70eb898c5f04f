// The parts of a model's work, by Google Benchmark, each as a multiple of LAPACK's Cholesky and inverse (dpotrf +
// dpotri) of a matrix of the same size.
//
//   bench_parts [flags of Google Benchmark, e.g. --benchmark_filter=predict]
//
// RBF kernel with noise, q = 2, d = 6; one thread, CPU time. Repetitions take turns in random order and the shortest of
// each counts, so that a busy machine disturbs all alike.
#include <benchmark/benchmark.h>
#include <wgp/wgp.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "evidence/evidence.h"
#include "reference.h"

using namespace wgp;

namespace {

constexpr Index d = 6;
constexpr double noise = 0.01;

struct Problem {
  explicit Problem(Index N) : X(1.5 * random.normals(2, N)), Z(random.normals(d, N)) {}
  Matrix covariance() const { return kernel->cov(theta, X, X) + noise * Matrix::Identity(X.cols(), X.cols()); }
  Model model() const {
    Model::Parts parts;
    parts.manifold = parse_manifold("euclidean:" + std::to_string(d));
    parts.latent = LatentSpace::plain(2);
    parts.base = Vector::Zero(d);
    parts.P = Z;
    parts.X = X;
    parts.theta = theta;
    parts.noise = noise;
    return Model(parts);
  }

  Random random{1};
  KernelPtr kernel = parse_kernel("rbf", LatentSpace::plain(2));
  Vector theta = kernel->default_parameters();
  Matrix X, Z;
};

const std::string reference_name = "dpotrf + dpotri";

void reference(benchmark::State& state) {
  const Matrix K = Problem(state.range(0)).covariance();
  Matrix A;
  for (auto _ : state) {
    state.PauseTiming();
    A = K;
    state.ResumeTiming();
    if (!bench::invert_by_lapack(A)) {
      state.SkipWithError("not positive definite");
      break;
    }
  }
}
void kernel_matrix(benchmark::State& state) {
  const Problem problem(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(problem.kernel->cov(problem.theta, problem.X, problem.X));
}
void value(benchmark::State& state) {
  const Problem problem(state.range(0));
  const auto evidence = dense_evidence({problem.kernel, LatentSpace::plain(2)});
  const Outputs outputs = Outputs::of(problem.Z);
  const Parameters at = Parameters::of(problem.X, problem.theta, noise);
  for (auto _ : state) benchmark::DoNotOptimize(evidence->value(at, outputs));
}
void value_and_gradient(benchmark::State& state) {
  const Problem problem(state.range(0));
  const auto evidence = dense_evidence({problem.kernel, LatentSpace::plain(2)});
  const Outputs outputs = Outputs::of(problem.Z);
  const Parameters at = Parameters::of(problem.X, problem.theta, noise);
  EvidenceGradient gradient;
  for (auto _ : state)
    benchmark::DoNotOptimize(evidence->value_and_gradient(at, outputs, gradient, ByOutputs::unwanted));
}
void posterior(benchmark::State& state) {
  const Problem problem(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(problem.model().posterior().get());
}
void predict(benchmark::State& state) {
  Problem problem(state.range(0));
  const Model model = problem.model();
  const Matrix X = problem.random.normals(2, 100);
  for (auto _ : state) benchmark::DoNotOptimize(model.predict(X).variance.data());
}
void encode(benchmark::State& state) {
  Problem problem(state.range(0));
  const Model model = problem.model();
  const Matrix P = model.mean_points(problem.random.normals(2, 10));
  for (auto _ : state) benchmark::DoNotOptimize(model.encode(P).X.data());
}

const std::vector<std::pair<std::string, benchmark::internal::Function*>> parts = {
    {reference_name, reference},
    {"kernel matrix", kernel_matrix},
    {"value", value},
    {"value and gradient", value_and_gradient},
    {"posterior", posterior},
    {"mean and variance, 100 latents", predict},
    {"encode 10 points", encode},
};

// Waits for all repetitions of all parts.
class Ratios final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) failed_ = true;
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      const std::string& name = run.run_name.function_name;
      const Index N = std::stol(run.run_name.args);
      const double seconds = run.cpu_accumulated_time / static_cast<double>(run.iterations);
      const auto [place, is_new] = least_[N].try_emplace(name, seconds);
      place->second = std::min(place->second, seconds);
    }
  }
  void Finalize() override {
    std::printf("multiples of %s\n%-32s", reference_name.c_str(), "N");
    for (const auto& [N, least] : least_) std::printf("%8ld", static_cast<long>(N));
    for (const auto& [name, part] : parts) {
      if (name == reference_name) continue;
      std::printf("\n%-32s", name.c_str());
      for (const auto& [N, least] : least_) {
        if (least.contains(name) && least.contains(reference_name))
          std::printf("%8.3f", least.at(name) / least.at(reference_name));
        else
          std::printf("%8s", "-");
      }
    }
    std::printf("\n");
  }
  bool failed() const { return failed_; }

 private:
  std::map<Index, std::map<std::string, double>> least_;
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  bench::know_the_processor(argv);
  openblas_set_num_threads(1);
  for (const auto& [name, part] : parts)
    for (const Index N : {126, 338, 750, 2000}) benchmark::RegisterBenchmark(name.c_str(), part)->Arg(N);
  std::string turns = "--benchmark_enable_random_interleaving=true", repetitions = "--benchmark_repetitions=7",
              brief = "--benchmark_min_time=0.05";
  std::vector<char*> arguments = {argv[0], turns.data(), repetitions.data(), brief.data()};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
  return ratios.failed() ? 1 : 0;
}
