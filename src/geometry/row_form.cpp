#include "wgp/row_form.h"

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

}  // namespace wgp
