// Manifolds, tangent spaces and Jacobi fields are immutable: threads may share them. The thread sanitizer watches this
// test.
#include <gtest/gtest.h>

#include <thread>

#include "wgp/manifold.h"

namespace wgp {
namespace {

class SharedBetweenThreads : public ::testing::TestWithParam<const char*> {};

TEST_P(SharedBetweenThreads, GivesTheSameEverywhere) {
  const ManifoldPtr manifold = parse_manifold(GetParam());
  Random random(8);
  const std::shared_ptr<const TangentSpace> space = manifold->at(manifold->random_point(random));
  const Index d = manifold->dim();
  const Vector direction = random.normals(d);
  const Vector v = std::min(0.5, 0.5 * space->injectivity_radius()) * direction / direction.norm();
  const std::shared_ptr<const JacobiFields> fields = space->jacobi(v);
  const auto work = [&] {
    const Vector q = exp_point(*space, v);
    Vector all(2 * d + 2);
    all << log_coords(*space, q), fields->dexp(v), fields->log_det(), space->distance(q);
    return all;
  };
  Matrix results(2 * d + 2, 4);
  std::vector<std::thread> threads;
  for (Index t = 0; t < results.cols(); ++t) threads.emplace_back([&, t] { results.col(t) = work(); });
  for (std::thread& thread : threads) thread.join();
  for (Index t = 1; t < results.cols(); ++t) EXPECT_EQ(results.col(t), results.col(0));
}

INSTANTIATE_TEST_SUITE_P(Manifolds, SharedBetweenThreads,
                         ::testing::Values("sphere:2", "kendall:6", "spd:3", "spd:3/affine-invariant",
                                           "spd:3/bures-wasserstein", "so:4", "grassmann:5x2", "stiefel:4x2",
                                           "kendall3d:5", "correlation:3", "sphere:2,so:3"));

}  // namespace
}  // namespace wgp
