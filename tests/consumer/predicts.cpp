// A model from its numbers, without anything that could fit or read one.
#include <wgp/model.h>

#include <cmath>
#include <cstdio>

int main() {
  wgp::Model::Parts parts;
  parts.manifold = wgp::parse_manifold("sphere:2");
  parts.base = Eigen::Vector3d(0, 0, 1);
  parts.X = Eigen::RowVector3d(-1, 0, 1);
  parts.P.resize(3, 3);
  wgp::Matrix V(2, 3);
  V << -0.5, 0, 0.5, 0.1, 0, 0.1;
  parts.manifold->at(parts.base)->exp(V, parts.P);
  parts.theta = Eigen::Vector2d(0, 0);
  parts.noise = 1e-6;
  const wgp::Model model(parts);
  const wgp::Prediction there = model.predict(parts.X);
  if ((there.points - parts.P).norm() > 1e-4 || there.variance.maxCoeff() > 1e-4) return 1;
  const wgp::Encoding back = model.encode(parts.P);
  if ((back.X - parts.X).norm() > 0.05) return 1;
  std::puts("predicts: ok");
}
