#include "wgp/row_form.h"

#include <cmath>

#include "core/format.h"
#include "wgp/exact_points.h"

namespace wgp {

Vector RowForm::to_tangent(ConstVectorRef, ConstVectorRef row) const { return row; }
Vector RowForm::from_tangent(ConstVectorRef, ConstVectorRef ambient) const { return ambient; }

RowForms row_forms(const Manifold& manifold) {
  if (const auto* layout = dynamic_cast<const RowLayout*>(&manifold))
    if (RowForms forms = layout->row_forms(); !forms.empty()) return forms;
  return {std::make_shared<RowForm>("coordinates", manifold.ambient_dim())};
}

std::vector<std::string> ambient_names(const Manifold& manifold) {
  std::vector<std::string> names;
  if (const auto* layout = dynamic_cast<const RowLayout*>(&manifold)) names = layout->ambient_names();
  if (names.empty())
    for (Index i = 1; i <= manifold.ambient_dim(); ++i) names.push_back("x" + std::to_string(i));
  return names;
}

Index leading_exact(const Manifold& manifold, ConstMatrixRef X) {
  const auto* exact = dynamic_cast<const ExactPoints*>(&manifold);
  return exact ? exact->leading_exact(X) : 0;
}

std::string point_of_row(const Manifold& manifold, const RowForm& form, ConstVectorRef row,
                         std::optional<double> tolerance, VectorRef point, const std::function<Vector(Vector)>& treat) {
  for (Index j = 0; j < row.size(); ++j)
    if (!std::isfinite(row[j])) return fmt::format("not finite: {} in its number {}", row[j], j + 1);
  // Row forms and projections throw for rows that they can make nothing of.
  try {
    Vector x = form.to_point(row);
    if (treat) x = treat(std::move(x));
    if (leading_exact(manifold, x) == 1) {
      point = x;
      return "";
    }
    if (tolerance)
      if (auto defect = manifold.defect(x, *tolerance)) return *defect;
    point = manifold.project(x);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace wgp
