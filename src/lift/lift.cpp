#include "wgp/lift.h"

namespace wgp {
namespace {

[[noreturn]] void throw_fixed() { throw Error("this lift has no base point that could move"); }

}  // namespace

const Matrix& Lift::coefficients() const {
  static const Matrix none;
  return none;
}

LiftGradient Lift::pull_back(ConstMatrixRef, ConstMatrixRef, const Lifted&, ConstMatrixRef, Volume) const {
  throw_fixed();
}
LiftPtr Lift::moved(ConstVectorRef, ConstMatrixRef) const { throw_fixed(); }
void Lift::pull_back_move(ConstVectorRef, ConstMatrixRef, const Lift&, LiftGradient&) const { throw_fixed(); }

}  // namespace wgp
