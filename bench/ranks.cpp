// What a pass over points costs on ranks (evidence/normal_passes.h): its time, and what is told between them.
//
//   mpirun -n R bench_ranks POINTS DIMENSION THREADS
//
// Points about a surface of two coordinates, vectors of so many dimensions. One line of JSON: seconds of a pass by the
// clock and of its processor, of the slowest rank, and of these what is not shared (kernel, noise and weights from the
// sums, made on every rank); what the rank that waits least waits for others and for the network, by the clock; bytes
// that rank 0 gives and takes. Each is the least of ten passes.
#include <mpi.h>
#include <wgp/wgp.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "core/rank_columns.h"
#include "evidence/normal_passes.h"
#include "mpi/mpi_ranks.h"

using namespace wgp;

namespace {

using Clock = std::chrono::steady_clock;
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Of other ranks, and how long that took.
class Counted final : public Ranks {
 public:
  int rank() const override { return ranks_.rank(); }
  int count() const override { return ranks_.count(); }
  std::vector<std::string> gather(const std::string& own) override {
    const auto begin = Clock::now();
    std::vector<std::string> all = ranks_.gather(own);
    waited += seconds_since(begin);
    given += static_cast<double>(own.size());
    for (const std::string& one : all) taken += static_cast<double>(one.size());
    taken -= static_cast<double>(own.size());
    return all;
  }
  double waited = 0, given = 0, taken = 0;

 private:
  mpi::MpiRanks ranks_;
};

// Vectors of this rank's points alone.
class Waves final : public ColumnBlocks {
 public:
  Waves(Index d, Index count, Executor::Range own)
      : count_(count), own_(own), X_(2, own.last - own.first), V_(d, X_.cols()) {
    Random random(1, 1), noise(1, 2 + static_cast<std::uint64_t>(own.first));
    const Matrix slopes = random.normals(d, 2), phases = random.normals(d, 1);
    X_ = noise.normals(2, X_.cols());
    V_ = 0.05 * noise.normals(d, X_.cols());
    V_.array() += ((slopes * X_).colwise() + phases.col(0)).array().sin();
  }
  const Matrix& latents() const { return X_; }
  Index rows() const override { return V_.rows(); }
  Index count() const override { return count_; }
  void read(Index first, MatrixRef into) const override { into = V_.middleCols(first - own_.first, into.cols()); }

 private:
  const Index count_;
  const Executor::Range own_;
  Matrix X_, V_;
};

struct Costs {
  double pass = infinity, processor = infinity, waited = infinity, not_shared = infinity;
  void each_part(auto&& visitor) { visitor(pass, processor, waited, not_shared); }
};

int run(Index N, Index d, int threads) {
  constexpr int warm = 12, looked_at = 10;
  Counted ranks;
  RankExchange exchange(ranks);
  Executor executor(threads, &exchange);
  const LatentSpace latent = LatentSpace::plain(2);
  const KernelPtr kernel = parse_kernel("rbf", latent);
  const KernelSpectrum spectrum(latent, *spectral_terms(*kernel, latent), kernel->parameter_count());
  const Executor::Range own = NormalPasses::own_points(executor, N);
  const Waves waves(d, N, own);
  Matrix X(2, N), S(2, N);
  X.middleCols(own.first, own.last - own.first) = waves.latents();
  S.middleCols(own.first, own.last - own.first).setConstant(0.01);
  NormalPasses passes(spectrum, waves, d, &executor, nullptr);
  PassState state = passes.begin(X, S, kernel->default_parameters(), 0.01);
  for (int k = 0; k < warm; ++k) {
    if (k == warm / 2) passes.replan(state);
    passes.pass(state, {});
  }
  Costs least;
  std::pair<double, double> told;
  double made = 0;  // so that nothing is left out
  for (int k = 0; k < looked_at; ++k) {
    ranks.waited = ranks.given = ranks.taken = 0;
    const auto begin = Clock::now();
    const double before = processor_seconds();
    passes.pass(state, {});
    least.pass = std::min(least.pass, seconds_since(begin));
    least.processor = std::min(least.processor, processor_seconds() - before);
    least.waited = std::min(least.waited, ranks.waited);
    told = {ranks.given, ranks.taken};
    const double alone = processor_seconds();
    CollapsedBound bound(spectrum, state.plan->lattice, state.plan->mode);
    Vector theta = state.theta;
    double noise = state.noise;
    improve_hyper_parameters(spectrum, bound, passes.lattice_sums(state, state.sums), {}, theta, noise);
    bound.value(theta, noise, passes.lattice_sums(state, state.sums));
    made += bound.weights()(0, 0) + bound.weights_covariance()(0, 0);
    least.not_shared = std::min(least.not_shared, processor_seconds() - alone);
  }
  Costs all{0, 0, infinity, 0};
  for (const Costs& of_rank : exchange.gather_values<Costs>([&] { return least; })) {
    all.pass = std::max(all.pass, of_rank.pass);
    all.processor = std::max(all.processor, of_rank.processor);
    all.waited = std::min(all.waited, of_rank.waited);
    all.not_shared = std::max(all.not_shared, of_rank.not_shared);
  }
  if (ranks.rank() == 0)
    std::printf(
        "{\"ranks\": %d, \"threads\": %d, \"points\": %ld, \"dimension\": %ld, \"features\": %ld, \"pass\": %.6f, "
        "\"processor\": %.6f, \"waited\": %.6f, \"not_shared\": %.6f, \"given\": %.0f, \"taken\": %.0f}\n",
        ranks.count(), threads, static_cast<long>(N), static_cast<long>(d),
        static_cast<long>(state.plan->lattice.size()), all.pass, all.processor, all.waited, all.not_shared, told.first,
        told.second);
  return std::isfinite(made) ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: mpirun -n R bench_ranks POINTS DIMENSION THREADS\n");
    return 2;
  }
  int granted = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &granted);
  const int code = run(std::atol(words[1]), std::atol(words[2]), std::atoi(words[3]));
  MPI_Finalize();
  return code;
}
