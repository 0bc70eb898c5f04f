// A Gaussian wrapped around the sphere: draws, and a density that integrates to 1 because it divides by the volume that
// exp stretches and counts every geodesic that reaches a point.
#include <wgp/wgp.h>

#include <cmath>
#include <cstdio>
#include <numbers>

int main() {
  const wgp::ManifoldPtr sphere = wgp::parse_manifold("sphere:2");
  const wgp::Vector north = wgp::Vector::Unit(3, 2);
  wgp::Matrix covariance(2, 2);  // in the orthonormal frame at the mean
  covariance << 1.2, 0.3, 0.3, 0.7;
  const wgp::WrappedGaussian gaussian(sphere, north, covariance);

  wgp::Random random(1);
  const wgp::Matrix drawn = gaussian.sample(random, 2000).points;
  std::printf("drawn points are off the sphere by less than 1e-14: %s\n",
              (drawn.colwise().norm().array() - 1).abs().maxCoeff() < 1e-14 ? "yes" : "no");

  // The integral over the sphere, by its area times the mean of the density at uniformly drawn points.
  wgp::Matrix uniform(3, 200'000);
  for (wgp::Index i = 0; i < uniform.cols(); ++i) uniform.col(i) = sphere->random_point(random);
  const auto integral = [&](wgp::DensityKind kind) {
    return 4 * std::numbers::pi * gaussian.log_density(uniform, kind).values.array().exp().mean();
  };
  std::printf("integral of the density:  %.2f\n", integral(wgp::DensityKind::exact));
  std::printf("shortest geodesics only:  %.2f\n", integral(wgp::DensityKind::principal));
  std::printf("without the volume term:  %.2f\n", integral(wgp::DensityKind::paper));
}
// Output:
// drawn points are off the sphere by less than 1e-14: yes
// integral of the density:  1.00
// shortest geodesics only:  0.99
// without the volume term:  0.74
// Output:
// drawn points are off the sphere by less than 1e-14: yes
// integral of the density:  1.00
// shortest geodesics only:  0.99
// without the volume term:  0.74
