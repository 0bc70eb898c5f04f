// When the mean is not enough: points along a long geodesic of the hyperbolic plane, modelled in the tangent space at
// their mean and in the tangent spaces along a geodesic that is fitted with the rest.
#include <wgp/wgp.h>

#include <cmath>
#include <cstdio>

namespace {

wgp::Matrix along_a_geodesic(const wgp::Manifold& plane, wgp::Index n, wgp::Random& random) {
  wgp::Matrix points(3, n);
  for (wgp::Index i = 0; i < n; ++i) {
    const double s = 10 * random.uniform() - 5;
    wgp::Vector centre(3);
    centre << std::cosh(s), 0.6 * std::sinh(s), 0.8 * std::sinh(s);
    points.col(i) = wgp::exp_point(*plane.at(centre), 0.05 * random.normals(2));
  }
  return points;
}

}  // namespace

int main() {
  const wgp::ManifoldPtr plane = wgp::parse_manifold("hyperbolic:2");
  wgp::Random random(1);
  const wgp::Matrix train = along_a_geodesic(*plane, 100, random), fresh = along_a_geodesic(*plane, 100, random);

  wgp::FitOptions options;
  options.inference = wgp::Inference::point;
  options.latent = wgp::LatentSpace::plain(1);
  options.effort = wgp::Effort::quick;
  const wgp::Model at_mean = wgp::fit(plane, train, options).model;
  options.basepoint = wgp::BasepointKind::geodesic;
  const wgp::Model moving = wgp::fit(plane, train, options).model;

  // Log density of new points per unit of volume: the same measure for both.
  const double gain = (wgp::mixture_log_density(moving, fresh) - wgp::mixture_log_density(at_mean, fresh)).mean();
  std::printf("new points are denser along the geodesic by more than 0.4 nats each: %s\n", gain > 0.4 ? "yes" : "no");

  // Far from the mean, one unit of its tangent space is many on the plane: there the noise looks as small as it is at
  // the mean divided by sinh(r)/r. Along the geodesic it is the same everywhere.
  std::printf("noise sd at the mean:        %.2f\n", std::sqrt(at_mean.law().noise_variance()));
  std::printf("noise sd along the geodesic: %.2f (true: 0.05)\n", std::sqrt(moving.law().noise_variance()));
  const auto& bases = dynamic_cast<const wgp::Basepoint&>(moving.lift());
  const wgp::Matrix base = bases.points(moving.parts().X);
  double longest = 0;
  for (wgp::Index i = 0; i < base.cols(); ++i)
    longest = std::fmax(longest, wgp::distance(*plane, base.col(i), train.col(i)));
  std::printf("no point is farther from its base point than 0.3: %s\n", longest < 0.3 ? "yes" : "no");
}
// Output:
// new points are denser along the geodesic by more than 0.4 nats each: yes
// noise sd at the mean:        0.03
// noise sd along the geodesic: 0.05 (true: 0.05)
// no point is farther from its base point than 0.3: yes
