// What the files of SO(n) and SE(3) share.
#pragma once

#include "wgp/manifold.h"
#include "wgp/row_form.h"

namespace wgp {

// SO(3) in fixed-size arithmetic; SO(n) at large is in so.cpp.
std::unique_ptr<const TangentSpace> so3_tangent_space(ConstVectorRef p);

// Rows w x y z. Any sign in; out with w >= 0, the first nonzero component positive. A row is normalised, and refused if
// its norm is off by more than 1e-3: that is no rounding.
class QuaternionForm final : public RowForm {
 public:
  QuaternionForm() : RowForm("quaternion", 4) {}
  Vector to_point(ConstVectorRef row) const override;
  Vector from_point(ConstVectorRef point) const override;
  // dq = q (0, omega) / 2 for the tangent vector R hat(omega).
  Vector to_tangent(ConstVectorRef base_row, ConstVectorRef row) const override;
  Vector from_tangent(ConstVectorRef base_row, ConstVectorRef ambient) const override;
};

}  // namespace wgp
