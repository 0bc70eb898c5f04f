#include "geometry/deferred_jacobi.h"

#include <mutex>

namespace wgp {
namespace {

class DeferredJacobiFields final : public JacobiFields {
 public:
  DeferredJacobiFields(std::function<JacobiMatrices()> matrices, std::function<double()> log_det,
                       std::function<Vector()> gradient)
      : matrices_(std::move(matrices)), log_det_(std::move(log_det)), gradient_(std::move(gradient)) {}

  Matrix dexp(ConstMatrixRef x) const override { return dense().dexp(x); }
  Matrix dexp_adjoint(ConstMatrixRef y) const override { return dense().dexp_adjoint(y); }
  Matrix dexp_base(ConstMatrixRef x) const override { return dense().dexp_base(x); }
  Matrix dexp_base_adjoint(ConstMatrixRef y) const override { return dense().dexp_base_adjoint(y); }
  Matrix dlog_base(ConstMatrixRef x) const override { return dense().dlog_base(x); }
  Matrix dlog_end(ConstMatrixRef y) const override { return dense().dlog_end(y); }
  Matrix dlog_end_adjoint(ConstMatrixRef x) const override { return dense().dlog_end_adjoint(x); }
  double log_det() const override { return log_det_(); }
  Vector log_det_gradient() const override { return gradient_(); }

 private:
  const JacobiFields& dense() const {
    std::call_once(once_, [this] {
      JacobiMatrices computed = matrices_();
      dense_ = dense_jacobi_fields(std::move(computed.J0), std::move(computed.J1), Vector());
    });
    return *dense_;
  }

  std::function<JacobiMatrices()> matrices_;
  std::function<double()> log_det_;
  std::function<Vector()> gradient_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const JacobiFields> dense_;
};

}  // namespace

std::unique_ptr<const JacobiFields> deferred_jacobi_fields(std::function<JacobiMatrices()> matrices,
                                                           std::function<double()> log_det,
                                                           std::function<Vector()> log_det_gradient) {
  return std::make_unique<DeferredJacobiFields>(std::move(matrices), std::move(log_det), std::move(log_det_gradient));
}

}  // namespace wgp
