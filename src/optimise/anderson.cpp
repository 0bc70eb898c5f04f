#include "optimise/anderson.h"

#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace wgp {

void AndersonMixing::forget() {
  residual_steps_.clear();
  value_steps_.clear();
  last_residual_.resize(0);
  last_value_.resize(0);
}

Vector AndersonMixing::next(ConstVectorRef x, ConstVectorRef g) {
  const Vector residual = g - x;
  if (last_residual_.size() != residual.size()) forget();
  if (last_residual_.size() > 0) {
    residual_steps_.push_back(residual - last_residual_);
    value_steps_.push_back(g - last_value_);
    if (residual_steps_.size() > memory_) {
      residual_steps_.erase(residual_steps_.begin());
      value_steps_.erase(value_steps_.begin());
    }
  }
  last_residual_ = residual;
  last_value_ = g;
  const auto m = static_cast<Index>(residual_steps_.size());
  if (m == 0) return g;
  Matrix gram(m, m);
  Vector right(m);
  for (Index i = 0; i < m; ++i) {
    const Vector& step = residual_steps_[static_cast<std::size_t>(i)];
    right[i] = step.dot(residual);
    for (Index j = 0; j <= i; ++j) gram(i, j) = gram(j, i) = step.dot(residual_steps_[static_cast<std::size_t>(j)]);
  }
  // Steps that are nearly parallel say nothing about each other.
  gram.diagonal().array() += 1e-10 * gram.trace() + 1e-300;
  Matrix shares = right;
  if (!cholesky_lower(gram)) {
    forget();
    return g;
  }
  solve_lower(gram, shares);
  solve_lower_transpose(gram, shares);
  Vector mixed = g;
  for (Index i = 0; i < m; ++i) mixed -= shares(i, 0) * value_steps_[static_cast<std::size_t>(i)];
  return mixed;
}

}  // namespace wgp
