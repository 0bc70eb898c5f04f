// Fits, without files; and a refused or forbidden thread is not missed.
#include <wgp/fit.h>

#include <cmath>
#include <cstdio>

int main() {
  const wgp::ManifoldPtr sphere = wgp::parse_manifold("sphere:2");
  wgp::Random random(1);
  wgp::Matrix P(3, 30);
  for (wgp::Index i = 0; i < 30; ++i) {
    const double s = 2 * random.uniform();
    P.col(i) = (Eigen::Vector3d(std::cos(s), std::sin(s), 0) + 0.02 * random.normals(3)).normalized();
  }
  wgp::FitOptions options;
  options.latent = wgp::LatentSpace::plain(1);
  options.effort = wgp::Effort::quick;
  options.threads = 2;
  const wgp::FitResult result = wgp::fit(sphere, P, options);
  if (result.model.score(P).intrinsic_rmse > 0.1) return 1;
  std::puts("fits: ok");
}
