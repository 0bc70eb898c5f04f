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

// However long the vector: exp ends on the manifold, or says that it does not.
TEST_P(RegisteredManifold, LongVectorsEndOnItOrAreReported) {
  const ManifoldPtr manifold = parse_manifold(GetParam());
  Random random(2);
  const auto space = manifold->at(manifold->project(manifold->random_point(random)));
  for (const double length : {1e3, 1e8, 1e14, 1e150, 1e200}) {
    Matrix points(manifold->ambient_dim(), 1);
    const ExpReport report = space->exp(length * random.normals(manifold->dim()).normalized(), points);
    if (!report.outside_domain.empty()) continue;
    if (!points.allFinite()) continue;  // overflow: the caller sees it
    const auto defect = manifold->defect(points.col(0), 1e-12);
    EXPECT_FALSE(defect.has_value()) << length << ": " << *defect;
  }
}

// The motion that aligns representatives takes one to the other where they are one point, and vectors with it.
TEST_P(RegisteredManifold, AlignsRepresentatives) {
  const ManifoldPtr manifold = parse_manifold(GetParam());
  Random random(3);
  for (int k = 0; k < 3; ++k) {
    const Vector p = manifold->project(manifold->random_point(random));
    const auto space = manifold->at(p);
    const Vector v = 0.3 * std::min(1.0, space->injectivity_radius()) * random.normals(manifold->dim()).normalized();
    Matrix carried(p.size(), 2);
    carried << p, space->to_ambient(v);
    // Another representative where there is one: the end of there and back along another way.
    const Vector w = random.normals(manifold->dim()).normalized() * v.norm();
    const auto first = manifold->at(exp_point(*space, v)), second = manifold->at(exp_point(*space, w));
    const auto third = manifold->at(exp_point(*first, log_coords(*first, second->base())));
    const Vector q = exp_point(*third, log_coords(*third, p));
    const Matrix moved = manifold->aligned(p, q, carried);
    EXPECT_LE((moved.col(0) - q).norm(), 1e-7 * (1 + q.norm()));
    const auto there = manifold->at(q);
    EXPECT_LE(distance(*manifold, exp_point(*there, there->to_coords(moved.col(1))), exp_point(*space, v)), 1e-7);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, RegisteredManifold, ::testing::ValuesIn(all_examples()), [](const auto& instance) {
  std::string name = instance.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace wgp
