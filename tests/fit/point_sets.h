// Points, and problems of points, that several tests fit.
#pragma once

#include <cmath>

#include "fit/objective.h"
#include "wgp/random.h"

namespace wgp::test {

// A curved sheet about a random point.
inline Matrix sheet(const Manifold& manifold, Index N, double noise, std::uint64_t seed) {
  Random random(seed);
  const Vector base = manifold.random_point(random);
  const Matrix X = random.normals(2, N);
  Matrix V = noise * random.normals(manifold.dim(), N);
  V.row(0) += 0.3 * X.row(0);
  if (V.rows() > 1) V.row(1) += 0.3 * X.row(1);
  if (V.rows() > 2) V.row(2) += 0.2 * X.row(0).array().square().matrix();
  Matrix P(manifold.ambient_dim(), N);
  manifold.at(base)->exp(V, P);
  return P;
}

// A bent sheet in five dimensions.
inline Matrix bent_sheet(Index N) {
  Random random(9);
  Matrix P(5, N);
  for (Index i = 0; i < N; ++i) {
    const double a = random.normal(), b = random.normal();
    P.col(i) << a, b, a * a, std::sin(b), a * b;
  }
  return P + 0.05 * random.normals(5, N);
}

// An arc on the sphere, a little off the equator.
inline Matrix arc_on_sphere(Index N) {
  Random random(10);
  Matrix P(3, N);
  for (Index i = 0; i < N; ++i) {
    const double s = 3 * random.uniform();
    P.col(i) = (Eigen::Vector3d(std::cos(s), std::sin(s), 0.2) + 0.05 * random.normals(3)).normalized();
  }
  return P;
}

// Points lifted to vectors of unit mean square, with an rbf over plain latents (a periodic kernel over angles).
inline FitProblem problem_of(const ManifoldPtr& manifold, const LiftPtr& lift, const Matrix& P,
                             const LatentSpace& latent) {
  FitProblem problem;
  problem.manifold = manifold;
  problem.lift = lift;
  problem.P = P;
  problem.V = lift->lift(Matrix(), P).V;
  problem.scale = std::sqrt(problem.V.squaredNorm() / static_cast<double>(problem.V.size()));
  problem.V /= problem.scale;
  problem.outputs = Outputs::of(problem.V);
  problem.latent = latent;
  problem.kernel = parse_kernel(latent.angles() > 0 ? "periodic" : "rbf", latent);
  problem.free.theta = {true, latent.angles() > 0};
  return problem;
}
inline FitProblem flat_problem(const Matrix& P, const LatentSpace& latent) {
  const ManifoldPtr space = parse_manifold("euclidean:" + std::to_string(P.rows()));
  return problem_of(space, std::make_shared<const Basepoint>(space, P.rowwise().mean()), P, latent);
}

}  // namespace wgp::test
