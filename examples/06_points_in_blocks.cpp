// Points that are spread over machines: a fit asks each block for sums, and goes on with these. All of it is bytes.
// Here the blocks are in one process; any engine that maps and reduces can take its place.
#include <wgp/wgp.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

// About a circle of latitude, with a standard deviation of 0.05 across it.
wgp::Matrix about_a_circle(wgp::Index count, wgp::Random& random) {
  wgp::Matrix points(3, count);
  for (wgp::Index i = 0; i < count; ++i) {
    const double longitude = 2 * M_PI * random.uniform(), latitude = 0.5 + 0.05 * random.normals(1)[0];
    points.col(i) << std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
        std::sin(latitude);
  }
  return points;
}

}  // namespace

int main() {
  const wgp::ManifoldPtr sphere = wgp::parse_manifold("sphere:2");
  wgp::Random random(1);
  std::vector<wgp::PointBlock> blocks;
  for (const wgp::Index first : {0, 1024, 2048}) blocks.emplace_back(sphere, first, about_a_circle(1024, random));

  wgp::FitOptions options;
  options.latent = wgp::LatentSpace(1, 0);  // a circle
  options.kernel = "periodic";
  options.effort = wgp::Effort::quick;
  options.subsample = 500;
  wgp::BlockFit fit(sphere, 3 * 1024, options);
  std::vector<std::string> latents(blocks.size());
  std::size_t largest = 0;
  while (!fit.done()) {
    std::string sums;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const wgp::BlockPartial part = blocks[k].partial(fit.parameters(), latents[k]);
      latents[k] = part.latents;
      sums = sums.empty() ? part.sums : wgp::add_block_sums(sums, part.sums);
    }
    largest = std::max(largest, sums.size());
    fit.step(sums);
  }

  const wgp::Model model = fit.result().model;
  std::printf("noise sd: %.2f (true: 0.05)\n", std::sqrt(model.law().noise_variance()));
  const wgp::Matrix on_circle = model.mean_points(wgp::Matrix::Random(1, 100) * M_PI);
  const double away = (on_circle.row(2).array() - std::sin(0.5)).abs().maxCoeff();
  std::printf("the curve stays within 0.03 of the true one: %s\n", away < 0.03 ? "yes" : "no");
  std::printf("no sum was larger than 300 kilobytes: %s\n", largest < 300000 ? "yes" : "no");
}
// Output:
// noise sd: 0.05 (true: 0.05)
// the curve stays within 0.03 of the true one: yes
// no sum was larger than 300 kilobytes: yes
