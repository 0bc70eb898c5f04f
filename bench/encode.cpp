// What does encoding cost, and does it find the best latent?
//
//   bench_encode [N] [d] [points]
//
// A model at its true latents (q = 2), one thread. Quality is judged against a fine grid of the latent plane, which
// stands for any number of starts: the share of points whose log density is at least the grid's best.
#include <wgp/wgp.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>

using namespace wgp;

int main(int argc, char** argv) {
  const Index N = argc > 1 ? std::stol(argv[1]) : 600, d = argc > 2 ? std::stol(argv[2]) : 6,
              points = argc > 3 ? std::stol(argv[3]) : 150;
  Random random(5);
  const LatentSpace latent = LatentSpace::plain(2);
  const KernelPtr kernel = parse_kernel("rbf", latent);
  const Matrix X = 1.2 * random.normals(2, N + points);
  Matrix K = kernel->cov(kernel->default_parameters(), X, X);
  K.diagonal().array() += 1e-9;
  const Matrix P =
      (Matrix(K.llt().matrixL()) * random.normals(N + points, d)).transpose() + 0.1 * random.normals(d, N + points);
  Model::Parts parts;
  parts.manifold = parse_manifold("euclidean:" + std::to_string(d));
  parts.latent = latent;
  parts.base = Vector::Zero(d);
  parts.P = P.leftCols(N);
  parts.X = X.leftCols(N);
  parts.theta = kernel->default_parameters();
  parts.noise = 0.01;
  const Model model(parts);
  const Matrix test = P.rightCols(points);
  for (const Encoder encoder : {Encoder::density, Encoder::projection}) {
    Encoding encoding;
    double best = infinity;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const std::clock_t start = std::clock();
      encoding = model.encode(test, {encoder});
      best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    std::printf("%-10s N=%ld d=%ld: %.3f ms a point", to_string(encoder).c_str(), static_cast<long>(N),
                static_cast<long>(d), 1e3 * best / static_cast<double>(points));
    if (encoder == Encoder::density) {
      Index good = 0;
      const Index side = 141;
      Matrix grid(2, side * side);
      for (Index k = 0; k < grid.cols(); ++k)
        grid.col(k) =
            Eigen::Vector2d(-4.2 + 0.06 * static_cast<double>(k % side), -4.2 + 0.06 * static_cast<double>(k / side));
      const Prediction prediction = model.predict(grid);
      for (Index i = 0; i < points; ++i) {
        const Vector total = prediction.variance.array() + prediction.noise;
        const Vector density = -static_cast<double>(d) / 2 * (2 * std::acos(-1.0) * total.array()).log() -
                               (prediction.coords.colwise() - test.col(i)).colwise().squaredNorm().transpose().array() /
                                   (2 * total.array());
        good += encoding.log_density[i] >= density.maxCoeff() - 1e-6;
      }
      std::printf(", %ld of %ld as good as the grid", static_cast<long>(good), static_cast<long>(points));
    }
    std::printf("\n");
  }
}
