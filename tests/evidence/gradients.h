// What tests of evidences ask of their gradients.
#pragma once

#include <gtest/gtest.h>

#include "evidence/evidence.h"

namespace wgp::test {

// By differences of the fourth order. value(): what the number is a part of; it is put back.
template <class F>
double difference(double& number, double h, F&& value) {
  const double before = number;
  const auto at = [&](double steps) {
    number = before + steps * h;
    return value();
  };
  const double slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
  number = before;
  return slope;
}

// To the last bit, and so is the value.
inline void expect_same(Evidence& a, Evidence& b, const Parameters& at, const Outputs& outputs) {
  EvidenceGradient of_a, of_b;
  EXPECT_EQ(a.value_and_gradient(at, outputs, of_a, ByOutputs::wanted),
            b.value_and_gradient(at, outputs, of_b, ByOutputs::wanted));
  EXPECT_EQ(of_a.X, of_b.X);
  EXPECT_EQ(of_a.S, of_b.S);
  EXPECT_EQ(of_a.Z, of_b.Z);
  EXPECT_EQ(of_a.theta, of_b.theta);
  EXPECT_EQ(of_a.noise, of_b.noise);
  EXPECT_EQ(of_a.rows, of_b.rows);
}

}  // namespace wgp::test
