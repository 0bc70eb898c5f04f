// The property suite over every registered manifold, because it is registered.
#include <gtest/gtest.h>

#include "wgp/testing.h"

namespace wgp {
namespace {

std::vector<std::string> all_examples() {
  std::vector<std::string> specs;
  for (const ManifoldEntry& entry : registered_manifolds())
    for (const std::string& spec : entry.examples) specs.push_back(spec);
  return specs;
}

class RegisteredManifold : public ::testing::TestWithParam<std::string> {};

TEST_P(RegisteredManifold, HasAllProperties) {
  const ManifoldPtr manifold = parse_manifold(GetParam());
  for (const CheckFailure& failure : check_manifold(*manifold))
    ADD_FAILURE() << failure.property << "\n  " << failure.message;
}

TEST_P(RegisteredManifold, SpecRoundTrips) {
  const ManifoldPtr manifold = parse_manifold(GetParam());
  const ManifoldPtr again = parse_manifold(manifold->spec());
  EXPECT_EQ(again->spec(), manifold->spec());
  EXPECT_EQ(again->dim(), manifold->dim());
  EXPECT_EQ(again->ambient_dim(), manifold->ambient_dim());
}

INSTANTIATE_TEST_SUITE_P(Registry, RegisteredManifold, ::testing::ValuesIn(all_examples()), [](const auto& instance) {
  std::string name = instance.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace wgp
