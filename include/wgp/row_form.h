// How points stand in the rows of a table, and what its columns are called.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wgp/manifold.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

// SPD as n x n or as its lower triangle, SO(3) as a matrix or a quaternion. The base class is the plain ambient form.
class RowForm {
 public:
  RowForm(std::string name, Index width) : name_(std::move(name)), width_(width) {}
  virtual ~RowForm() = default;
  const std::string& name() const { return name_; }
  Index width() const { return width_; }
  virtual Vector to_point(ConstVectorRef row) const { return row; }
  virtual Vector from_point(ConstVectorRef point) const { return point; }
  // Tangent vectors in the same form: the differential of the above at the given row.
  virtual Vector to_tangent(ConstVectorRef base_row, ConstVectorRef row) const;
  virtual Vector from_tangent(ConstVectorRef base_row, ConstVectorRef ambient) const;

 private:
  std::string name_;
  Index width_;
};
using RowForms = std::vector<std::shared_ptr<const RowForm>>;

// A manifold that has several forms, or better names for its columns, derives from this as well.
class RowLayout {
 public:
  virtual ~RowLayout() = default;
  virtual RowForms row_forms() const { return {}; }                      // the first is the ambient one
  virtual std::vector<std::string> ambient_names() const { return {}; }  // of the columns of the ambient form
};

// Of any manifold: the plain ambient form, and x1, x2, ..., unless it has its own.
RowForms row_forms(const Manifold& manifold);
std::vector<std::string> ambient_names(const Manifold& manifold);

// The point that a row is: finite, on the manifold up to the tolerance (without one, as far from it as may be), and
// projected, unless it is a point to the last digits already. What is wrong with it in words, or nothing; the point is
// written only then. treat: what is done to it before it is looked at.
std::string point_of_row(const Manifold& manifold, const RowForm& form, ConstVectorRef row,
                         std::optional<double> tolerance, VectorRef point,
                         const std::function<Vector(Vector)>& treat = nullptr);

}  // namespace WGP_PUBLIC
