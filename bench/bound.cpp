// What one evaluation of the bound with integrated latents costs, value and gradient: as a multiple of the exact
// likelihood's (dense sweep) for as many points, and how it grows.
//
//   bench_bound
//   bench_bound race POINTS    seconds of one evaluation for these points, from principal components: bound_race.py
//
// RBF kernel, q = 2, d = 6, length-scale 1, noise variance 0.01; one thread by CPU time. Both are timed in turns and
// their smallest times compared. A pass of the search (new responsibilities on a grid of nodes, new weights, steps of
// the kernel's parameters) stands beside them.
#include <wgp/wgp.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "evidence/evidence.h"
#include "evidence/grid_engine.h"
#include "evidence/variational_evidence.h"
#include "timing.h"

using namespace wgp;

namespace {

// Points about a surface that is drawn from the kernel.
Matrix vectors_about(ConstMatrixRef X, Random& random) {
  constexpr Index terms = 60, d = 6;
  const Matrix frequencies = random.normals(terms, X.rows());
  const Vector phases = 10 * random.normals(terms, 1);
  const Matrix weights = std::sqrt(2.0 / terms) * random.normals(d, terms);
  const Matrix waves = ((frequencies * X).colwise() + phases).array().cos();
  return weights * waves + 0.1 * random.normals(d, X.cols());
}

struct Times {
  double bound = 1e9, dense = 1e9, pass = 1e9;
};

Times measure(Index N) {
  Random random(1);
  const LatentSpace latent = LatentSpace::plain(2);
  const KernelPtr kernel = parse_kernel("rbf", latent);
  Parameters at = Parameters::of(random.normals(2, N), kernel->default_parameters(), 0.01);
  const Outputs outputs = Outputs::of(vectors_about(at.X, random));
  const auto dense = dense_evidence({kernel, latent});
  Parameters spread = at;
  spread.S = Matrix::Constant(2, N, std::log(0.01));
  const auto bound = variational_evidence({kernel, latent});
  const KernelSpectrum spectrum{latent, *spectral_terms(*kernel, latent), kernel->parameter_count()};
  GridEngine engine(spectrum, outputs.rows, 6, nullptr, nullptr);
  GridState state = engine.begin(at.X, Matrix::Constant(2, N, 0.01), at.theta, 0.01);
  EvidenceGradient gradient;
  Times times;
  double sink = 0;
  const int repeats = static_cast<int>(std::clamp<Index>(20000 / N, 3, 30));
  for (int r = 0; r < repeats; ++r) {
    bench::shorten(times.bound,
                   [&] { sink += bound->value_and_gradient(spread, outputs, gradient, ByOutputs::unwanted); });
    bench::shorten(times.pass, [&] { engine.pass(state, {}); });
    if (N <= 5000 && r < 5)
      bench::shorten(times.dense,
                     [&] { sink += dense->value_and_gradient(at, outputs, gradient, ByOutputs::unwanted); });
  }
  if (!std::isfinite(sink)) throw Error("no bound");
  return times;
}

// One thread, CPU seconds: the least of some.
double seconds_for(ConstMatrixRef P) {
  Matrix V = P.colwise() - P.rowwise().mean();
  V /= std::sqrt(V.squaredNorm() / static_cast<double>(V.size()));
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(V * V.transpose() / static_cast<double>(V.cols()));
  const Matrix scores = axes.eigenvectors().rightCols(2).transpose() * V;
  const LatentSpace latent = LatentSpace::plain(2);
  const KernelPtr kernel = parse_kernel("rbf", latent);
  Parameters at = Parameters::of(axes.eigenvalues().tail(2).cwiseSqrt().cwiseInverse().asDiagonal() * scores,
                                 kernel->default_parameters(), 0.1);
  at.S = Matrix::Constant(2, V.cols(), std::log(0.01));
  const auto bound = variational_evidence({kernel, latent});
  const Outputs outputs = Outputs::of(V);
  EvidenceGradient gradient;
  double least = 1e9, sink = 0;
  for (int r = 0; r < 30; ++r)
    bench::shorten(least, [&] { sink += bound->value_and_gradient(at, outputs, gradient, ByOutputs::unwanted); });
  if (!std::isfinite(sink)) throw Error("no bound");
  return least;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::string(arguments[1]) == "race") {
    std::printf("%.9f\n", seconds_for(read_table(arguments[2]).values));
    return 0;
  }
  std::printf("%7s %10s %10s %14s %14s\n", "N", "bound ms", "pass ms", "bound / dense", "pass / dense");
  std::map<Index, Times> all;
  for (const Index N : {600, 1000, 2000, 5000, 10000, 30000, 100000}) {
    const Times times = all[N] = measure(N);
    std::printf("%7ld %10.2f %10.2f", static_cast<long>(N), 1e3 * times.bound, 1e3 * times.pass);
    if (N <= 5000) std::printf(" %14.4f %14.4f", times.bound / times.dense, times.pass / times.dense);
    std::printf("\n");
    std::fflush(stdout);
  }
  std::printf("growth from 1,000 to 100,000 points: bound N^%.2f, pass N^%.2f (linear: 1)\n",
              std::log10(all[100000].bound / all[1000].bound) / 2, std::log10(all[100000].pass / all[1000].pass) / 2);
}
