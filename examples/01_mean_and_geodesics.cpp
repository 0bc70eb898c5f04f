// Frechet mean and principal geodesics of directions on the sphere S^2, drawn around a known point.
#include <wgp/wgp.h>

#include <cmath>
#include <cstdio>

int main() {
  const wgp::ManifoldPtr sphere = wgp::parse_manifold("sphere:2");

  // 500 directions: normal in the tangent plane at the north pole, standard deviations 0.4 and 0.1, wrapped.
  const wgp::Vector north = wgp::Vector::Unit(3, 2);
  const auto plane = sphere->at(north);
  wgp::Random random(7);
  wgp::Matrix coords = random.normals(2, 500);
  coords.row(0) *= 0.4;
  coords.row(1) *= 0.1;
  wgp::Matrix directions(3, 500);  // one point per column
  plane->exp(coords, directions);

  const wgp::FrechetMean mean = wgp::frechet_mean(*sphere, directions);
  std::printf("mean (%.3f, %.3f, %.3f), %s, %s\n", mean.mean[0], mean.mean[1], mean.mean[2],
              wgp::to_string(mean.status).c_str(), mean.unique ? "unique" : "uniqueness not certified");
  std::printf("%.3f from the north pole; farthest point at %.2f\n", wgp::distance(*sphere, mean.mean, north),
              mean.radius);

  // Principal geodesics start at the mean; standard deviations are the square roots of the eigenvalues.
  const wgp::Pga pga = wgp::tangent_pga(*sphere, directions, mean.mean, 2);
  std::printf("standard deviations along the principal geodesics: %.3f %.3f\n", std::sqrt(pga.eigenvalues[0]),
              std::sqrt(pga.eigenvalues[1]));

  // One standard deviation along the first of them.
  const wgp::Vector step = std::sqrt(pga.eigenvalues[0]) * pga.directions.col(0);
  const wgp::Vector point = wgp::exp_point(*sphere->at(mean.mean), step);
  std::printf("a step of one standard deviation: distance %.3f\n", wgp::distance(*sphere, mean.mean, point));
}
// Output:
// mean (0.002, 0.003, 1.000), converged, unique
// 0.004 from the north pole; farthest point at 1.44
// standard deviations along the principal geodesics: 0.405 0.104
// a step of one standard deviation: distance 0.405
