#include "report/figures/latent_slice.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wgp::report {

double latent_middle(const Model& model, Index j) {
  const Vector values = model.parts().X.row(j).transpose();
  if (model.parts().latent.is_angle(j)) return std::atan2(values.array().sin().sum(), values.array().cos().sum());
  std::vector<double> sorted(values.begin(), values.end());
  std::nth_element(sorted.begin(), sorted.begin() + values.size() / 2, sorted.end());
  return sorted[static_cast<std::size_t>(values.size() / 2)];
}

Range latent_range(const Model& model, Index j) {
  if (model.parts().latent.is_angle(j)) return {-std::numbers::pi, std::numbers::pi};
  return Range::of(model.parts().X.row(j).transpose(), 0.07);
}

std::string latent_name(const Model& model, Index j) {
  return fmt::format("{} {}", model.parts().kind == ModelKind::regression ? "input" : "latent coordinate", j + 1);
}

Axis latent_axis(const Model& model, Index j) {
  const bool angle = model.parts().latent.is_angle(j);
  return {latent_range(model, j), latent_name(model, j) + (angle ? " (radians)" : ""),
          angle ? Axis::Scale::angle : Axis::Scale::linear};
}

Matrix latent_slice(const Model& model, ConstVectorRef first, ConstVectorRef second) {
  const Index q = model.latent_dim(), columns = first.size(), rows = q == 1 ? 1 : second.size();
  Matrix X(q, rows * columns);
  for (Index j = 2; j < q; ++j) X.row(j).setConstant(latent_middle(model, j));
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) {
      X(0, r * columns + c) = first[c];
      if (q > 1) X(1, r * columns + c) = second[r];
    }
  return X;
}

}  // namespace wgp::report
