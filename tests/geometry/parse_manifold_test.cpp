#include <gtest/gtest.h>

#include "wgp/manifold.h"

namespace wgp {
namespace {

TEST(ParseManifold, CanonicalSpecs) {
  const std::pair<const char*, const char*> cases[] = {
      {"sphere:2", "sphere:2"},
      {" sphere : 2 ", "sphere:2"},
      {"sphere:2,sphere:2", "sphere:2^2"},
      {"sphere:2^3", "sphere:2^3"},
      {"2.5*sphere:2", "2.5*sphere:2"},
      {"1*sphere:2", "sphere:2"},
      {"2*(sphere:2,euclidean:3)", "2*sphere:2,2*euclidean:3"},
      {"(sphere:2,euclidean:1)^2", "sphere:2,euclidean:1,sphere:2,euclidean:1"},
      {"spd:3/log-euclidean", "spd:3"},
      {"1e-1*torus:2^2", "0.1*torus:2^2"},
  };
  for (const auto& [given, canonical] : cases) {
    EXPECT_EQ(parse_manifold(given)->spec(), canonical) << given;
  }
}

TEST(ParseManifold, ErrorsNameTheNearestRightSpec) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "for example"},
      {"2*3*sphere:2", "not known"},
      {"spehre:2", "did you mean 'sphere:2'"},
      {"sphere", "needs a size"},
      {"sphere:", "whole number"},
      {"sphere:0", "at least 1"},
      {"sphere:-1", "at least 1"},
      {"sphere:99999999999999999999", "larger than"},
      {"sphere:2/round", "one metric only"},
      {"spd:3/affine", "spd:3/affine-invariant"},
      {"spd:3/", "not a metric"},
      {"spd:3/bures", "spd:3/bures-wasserstein"},
      {"qwertyuiop:2", "wgp manifolds"},
      {"grassmann:5", "two sizes"},
      {"grassmann:5x", "whole number"},
      {"se:2", "only se:3 exists"},
      {"0*sphere:2", "positive"},
      {"-2*sphere:2", "positive"},
      {"sphere:2^0", "at least 1"},
      {"sphere:2^100000000", "larger than"},
      {"(sphere:2", "')' is missing"},
      {"sphere:2)", "left over"},
      {"sphere:2,", "name is missing"},
      {"kendall:2", "at least 3 landmarks"},
  };
  for (const auto& [given, expected] : cases) {
    try {
      parse_manifold(given);
      ADD_FAILURE() << given << " was accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << given << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace wgp
