#include "evidence/parameters.h"

#include <cmath>

namespace wgp {

double Parameters::noise() const { return noise_floor + std::exp(u); }

Parameters Parameters::of(Matrix X, Vector theta, double noise) {
  Parameters parameters;
  parameters.X = std::move(X);
  parameters.theta = std::move(theta);
  parameters.u = std::log(noise - noise_floor);
  return parameters;
}

Packing::Packing(const Parameters& shape, FreeParameters free) : free_(std::move(free)) {
  for (std::size_t i = 0; i < free_.theta.size(); ++i)
    if (free_.theta[i]) theta_.push_back(static_cast<Index>(i));
  visit(shape, [this](const double*, Index count) { size_ += count; });
}

// block(first number, how many) for each run of numbers in turn.
template <class P, class F>
void Packing::visit(P& parameters, const F& block) const {
  if (free_.latents) {
    block(parameters.X.data(), parameters.X.size());
    block(parameters.S.data(), parameters.S.size());
    block(parameters.Z.data(), parameters.Z.size());
  }
  for (const Index i : theta_) block(parameters.theta.data() + i, 1);
  if (free_.noise) block(&parameters.u, 1);
  if (free_.base) {
    block(parameters.centre.data(), parameters.centre.size());
    block(parameters.coefficients.data(), parameters.coefficients.size());
  }
}

Vector Packing::pack(const Parameters& parameters) const {
  Vector x(size_);
  Index next = 0;
  visit(parameters, [&](const double* numbers, Index count) {
    x.segment(next, count) = Eigen::Map<const Vector>(numbers, count);
    next += count;
  });
  return x;
}

void Packing::unpack(ConstVectorRef x, Parameters& into) const {
  Index next = 0;
  visit(into, [&](double* numbers, Index count) {
    Eigen::Map<Vector>(numbers, count) = x.segment(next, count);
    next += count;
  });
}

}  // namespace wgp
