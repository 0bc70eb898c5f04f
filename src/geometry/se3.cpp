// Rigid motions SE(3), x -> R x + t, as the product SO(3) x R^3: the metric that is left-invariant and splits. Its
// geodesics turn and shift independently; they are not the screw motions of the group exponential.
#include "core/format.h"

#include "geometry/factories.h"
#include "geometry/product.h"
#include "geometry/so.h"
#include "linalg/row_major.h"
#include "wgp/row_form.h"

namespace wgp {
namespace {

// w x y z tx ty tz
class QuaternionTranslationForm final : public RowForm {
 public:
  QuaternionTranslationForm() : RowForm("quaternion and translation", 7) {}

  Vector to_point(ConstVectorRef row) const override { return join(rotation_.to_point(row.head(4)), row.tail(3)); }
  Vector from_point(ConstVectorRef point) const override {
    return join(rotation_.from_point(point.head(9)), point.tail(3));
  }
  Vector to_tangent(ConstVectorRef base_row, ConstVectorRef row) const override {
    return join(rotation_.to_tangent(base_row.head(4), row.head(4)), row.tail(3));
  }
  Vector from_tangent(ConstVectorRef base_row, ConstVectorRef ambient) const override {
    return join(rotation_.from_tangent(base_row.head(4), ambient.head(9)), ambient.tail(3));
  }

 private:
  static Vector join(ConstVectorRef rotation, ConstVectorRef translation) {
    Vector both(rotation.size() + 3);
    both << rotation, translation;
    return both;
  }

  QuaternionForm rotation_;
};

// The 4 x 4 matrix [R t; 0 0 0 1]; tangent vectors have 0 0 0 0 as their last row.
class HomogeneousForm final : public RowForm {
 public:
  HomogeneousForm() : RowForm("homogeneous 4x4 matrix", 16) {}

  Vector to_point(ConstVectorRef row) const override {
    check_last_row(row, 1);
    return take(row);
  }
  Vector from_point(ConstVectorRef point) const override { return put(point, 1); }
  Vector to_tangent(ConstVectorRef, ConstVectorRef row) const override {
    check_last_row(row, 0);
    return take(row);
  }
  Vector from_tangent(ConstVectorRef, ConstVectorRef ambient) const override { return put(ambient, 0); }

 private:
  static void check_last_row(ConstVectorRef row, int corner) {
    if ((row.segment(12, 3).array().abs() <= 1e-8).all() && std::abs(row[15] - corner) <= 1e-8) return;
    throw Error(fmt::format("last row of the 4x4 matrix is {:g} {:g} {:g} {:g}, not 0 0 0 {}", row[12], row[13],
                            row[14], row[15], corner));
  }
  static Vector take(ConstVectorRef row) {
    const auto A = as_matrix(row, 4, 4);
    Vector point(12);
    as_mutable_matrix(point, 3, 3) = A.topLeftCorner(3, 3);
    point.tail(3) = A.topRightCorner(3, 1);
    return point;
  }
  static Vector put(ConstVectorRef point, int corner) {
    Vector row = Vector::Zero(16);
    auto A = as_mutable_matrix(row, 4, 4);
    A.topLeftCorner(3, 3) = as_matrix(point, 3, 3);
    A.topRightCorner(3, 1) = point.tail(3);
    A(3, 3) = corner;
    return row;
  }
};

class SpecialEuclidean final : public ProductManifold {
 public:
  SpecialEuclidean() : ProductManifold({make_so(3), make_euclidean(3)}, {1.0, 1.0}) {}

  std::string spec() const override { return "se:3"; }
  RowForms row_forms() const override {
    return {std::make_shared<RowForm>("matrix and translation", 12), std::make_shared<QuaternionTranslationForm>(),
            std::make_shared<HomogeneousForm>()};
  }
  std::vector<std::string> ambient_names() const override {
    return {"r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33", "tx", "ty", "tz"};
  }
};

}  // namespace

ManifoldPtr make_se3() { return std::make_shared<SpecialEuclidean>(); }

}  // namespace wgp
