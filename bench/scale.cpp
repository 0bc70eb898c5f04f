// How good is the fit of a very large sheet? scripts/bench --scale draws it, fits it and says what that took.
//
//   bench_scale MODEL SEED
//
// MODEL: of `wgp synth sheet --seed SEED`, however many points. One line: fitted noise over the true one; mean log
// density of 400 new points and what it lacks to the truth's; trustworthiness (k = 30) of the codes of 10,000 new
// points against distances between these points without their noise, and that of codes under the true map.
#include <wgp/wgp.h>

#include <Eigen/LU>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <thread>

#include "core/executor.h"
#include "evaluate/truth_measures.h"
#include "evaluate/truth_sets.h"

using namespace wgp;

namespace {

constexpr Index looked_at = 10000, neighbours = 30, tested = 400;

// One minus how far among the original's neighbours those of a map come from that are none there (Venna and Kaski).
double trustworthiness(ConstMatrixRef original, ConstMatrixRef map, Executor& executor) {
  const Index n = original.cols();
  Vector penalty(n);
  executor.each(n, [&](Index i, int) {
    const Vector far = (original.colwise() - original.col(i)).colwise().squaredNorm().transpose(),
                 near = (map.colwise() - map.col(i)).colwise().squaredNorm().transpose();
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    std::nth_element(order.begin(), order.begin() + neighbours, order.end(),
                     [&](Index a, Index b) { return near[a] < near[b]; });
    penalty[i] = 0;
    for (Index k = 0; k <= neighbours; ++k) {
      const Index j = order[static_cast<std::size_t>(k)];
      const Index rank = (far.array() < far[j]).count();  // the point itself has rank 0
      penalty[i] += static_cast<double>(std::max<Index>(0, rank - neighbours));
    }
  });
  const auto N = static_cast<double>(n), k = static_cast<double>(neighbours);
  return 1 - 2 / (N * k * (2 * N - 3 * k - 1)) * penalty.sum();
}

// The latents that explain vectors best under the true map, from those that they were made from.
Matrix true_codes(const TruthSet& set, const Lift& lift, ConstMatrixRef V, Matrix X) {
  constexpr double h = 1e-5;
  const Index q = X.rows();
  const auto at = [&](const Matrix& x) { return lift.lift(Matrix(), set.at(x)).V; };
  const double prior = set.noise * set.noise / (sheet_parameter_sd * sheet_parameter_sd);
  for (int round = 0; round < 8; ++round) {
    const Matrix away = V - at(X);
    std::vector<Matrix> slopes;
    for (Index j = 0; j < q; ++j) {
      Matrix above = X, below = X;
      above.row(j).array() += h;
      below.row(j).array() -= h;
      slopes.push_back((at(above) - at(below)) / (2 * h));
    }
    for (Index i = 0; i < X.cols(); ++i) {
      Eigen::Matrix2d A = prior * Eigen::Matrix2d::Identity();
      Eigen::Vector2d b = -prior * X.col(i);
      for (Index j = 0; j < q; ++j) {
        b[j] += slopes[static_cast<std::size_t>(j)].col(i).dot(away.col(i));
        for (Index k = 0; k < q; ++k)
          A(j, k) += slopes[static_cast<std::size_t>(j)].col(i).dot(slopes[static_cast<std::size_t>(k)].col(i));
      }
      const Eigen::Vector2d step = A.inverse() * b;
      X.col(i) += std::min(1.0, 0.3 / step.norm()) * step;
    }
  }
  return X;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) throw Error("bench_scale MODEL SEED");
  const Model model = load_model(arguments[1]).model;
  const auto seed = static_cast<std::uint64_t>(std::stoull(arguments[2]));
  const TruthSet set = find_truth_source("sheet")->make(seed);
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  Executor executor(threads);
  const TruthReference reference(set, draw_truth(set, seed, TruthPart::test, tested).points);
  const double density = mixture_log_density(model, reference.test).mean();
  // Beyond those points of the test part come others.
  TruthStream stream(set, seed, TruthPart::test);
  stream.next(tested);
  const TruthPoints drawn = stream.next(looked_at);
  EncodeOptions options;
  options.threads = threads;
  const Matrix codes = model.encode(drawn.points, options).X;
  const Matrix clean = model.lift().lift(Matrix(), drawn.truth).V;
  const Matrix known = true_codes(set, model.lift(), model.lift().lift(Matrix(), drawn.points).V, drawn.parameters);
  std::printf("noise %.3f  density %.3f (%+.3f)  trustworthiness %.4f (true map %.4f)\n",
              std::sqrt(model.parts().noise) / set.noise, density, density - reference.log_density,
              trustworthiness(clean, codes, executor), trustworthiness(clean, known, executor));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_scale: %s\n", error.what());
  return 1;
}
