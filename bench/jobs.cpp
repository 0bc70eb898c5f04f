// Small jobs that always do the same work, for counting instructions: scripts/bench --check runs each under callgrind.
//
//   bench_jobs          the names of the jobs, a line each
//   bench_jobs NAME     does that job
#include <wgp/wgp.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "evidence/evidence.h"
#include "model/decoder.h"

using namespace wgp;

namespace {

Matrix bent_plane(Index d, Index N) {
  Random random(4, 1);
  const Matrix X = random.normals(2, N), W = random.normals(d, 2), U = random.normals(d, 2);
  return W * X + (U * X).array().sin().matrix() + 0.1 * random.normals(d, N);
}

Matrix random_points(const Manifold& manifold, Index N) {
  Random random(4, 2);
  const Vector centre = manifold.random_point(random);
  Matrix P(manifold.ambient_dim(), N);
  manifold.at(centre)->exp(0.2 * random.normals(manifold.dim(), N), P);
  return P;
}

Model small_model(Index N) {
  Random random(4, 5);
  Model::Parts parts;
  parts.manifold = parse_manifold("euclidean:6");
  parts.latent = LatentSpace::plain(2);
  parts.base = Vector::Zero(6);
  parts.P = bent_plane(6, N);
  parts.X = random.normals(2, N);
  parts.theta = parse_kernel("rbf", parts.latent)->default_parameters();
  parts.noise = 0.1;
  return Model(parts);
}

void evaluate(Index N, Index d, int times) {
  Random random(4, 3);
  const Matrix X = random.normals(2, N);
  const LatentSpace plane = LatentSpace::plain(2);
  const KernelPtr kernel = parse_kernel("rbf", plane);
  const auto evidence = point_evidence({kernel, plane});
  const Outputs outputs = Outputs::of(bent_plane(d, N));
  const Parameters at = Parameters::of(X, kernel->default_parameters(), 0.1);
  EvidenceGradient gradient;
  for (int i = 0; i < times; ++i) evidence->value_and_gradient(at, outputs, gradient, ByOutputs::unwanted);
}

void evaluate_periodic() {
  Random random(4, 4);
  const Matrix X = 3 * random.normals(1, 338);
  const LatentSpace circle(1, 0);
  const KernelPtr kernel = parse_kernel("periodic", circle);
  const auto evidence = point_evidence({kernel, circle});
  const Outputs outputs = Outputs::of(bent_plane(2, 338));
  const Parameters at = Parameters::of(X, kernel->default_parameters(), 0.1);
  EvidenceGradient gradient;
  for (int i = 0; i < 100; ++i) evidence->value_and_gradient(at, outputs, gradient, ByOutputs::unwanted);
}

void mean_and_components(const std::string& spec) {
  const ManifoldPtr manifold = parse_manifold(spec);
  const Matrix P = random_points(*manifold, 500);
  tangent_pga(*manifold, P, frechet_mean(*manifold, P).mean, 2);
}

void fit_whole(const std::string& spec) {
  const ManifoldPtr manifold = parse_manifold(spec);
  FitOptions options;
  options.inference = Inference::point;
  options.effort = Effort::quick;
  options.inits = {"pga"};
  options.max_iterations = 30;
  options.threads = 1;
  fit(manifold, random_points(*manifold, 60), options);
}

const std::vector<std::pair<std::string, std::function<void()>>>& jobs() {
  static const std::vector<std::pair<std::string, std::function<void()>>> all = {
      {"likelihood-126x6", [] { evaluate(126, 6, 50); }},
      {"likelihood-338x55", [] { evaluate(338, 55, 5); }},
      {"likelihood-periodic", evaluate_periodic},
      {"fit-sphere", [] { fit_whole("sphere:2"); }},
      {"decode", [] { Decoder(small_model(100)).predict(bent_plane(2, 20000)); }},
      {"encode", [] { small_model(100).encode(bent_plane(6, 1200)); }},
      {"mean-spd", [] { mean_and_components("spd:3"); }},
      {"mean-affine", [] { mean_and_components("spd:3/affine-invariant"); }},
      {"mean-kendall", [] { mean_and_components("kendall:20"); }},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& [name, work] : jobs()) {
    if (argc < 2) {
      std::printf("%s\n", name.c_str());
    } else if (name == argv[1]) {
      work();
      return 0;
    }
  }
  if (argc < 2) return 0;
  std::fprintf(stderr, "bench_jobs: there is no job '%s'\n", argv[1]);
  return 2;
}
