#include "statistics/shrinkage.h"

#include <algorithm>

namespace wgp {

double shrinkage_share(ConstMatrixRef S, const Shrinkage& shrinkage) {
  using By = Shrinkage::By;
  if (shrinkage.by == By::none) return 0;
  if (shrinkage.by == By::share) return shrinkage.share;
  const auto p = static_cast<double>(S.rows()), N = static_cast<double>(shrinkage.samples);
  const double squares = S.squaredNorm(), trace = S.trace();  // tr(S^2) of a symmetric S
  const double spread = squares - trace * trace / p;          // 0 where S is a multiple of I already
  const bool is_oas = shrinkage.by == By::oas;
  const double above = is_oas ? squares + trace * trace : (N - 2) / N * squares + trace * trace;
  const double below = is_oas ? (N + 1) * spread : (N + 2) * spread;
  return below > 0 ? std::clamp(above / below, 0.0, 1.0) : 1;
}

Matrix shrunk(ConstMatrixRef S, const Shrinkage& shrinkage) {
  const double a = shrinkage_share(S, shrinkage);
  Matrix result = (1 - a) * S;
  result.diagonal().array() += a * S.trace() / static_cast<double>(S.rows());
  return result;
}

}  // namespace wgp
