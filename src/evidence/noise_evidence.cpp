// The evidence of vectors that are noise alone: of a lift that carries the whole signal, where the process that belongs
// to it is a trace too small to be seen.
//   L = -(dN/2) log(2 pi noise) - |V|^2 / (2 noise),   dL/dnoise = -dN / (2 noise) + |V|^2 / (2 noise^2),
//   dL/dV = -V / noise
#include <cmath>
#include <numbers>

#include "evidence/evidence.h"

namespace wgp {
namespace {

class NoiseEvidence final : public Evidence {
 public:
  NoiseEvidence(std::unique_ptr<Evidence> process, RunControl* control)
      : process_(std::move(process)), control_(control) {}

  double value(const Parameters& at, const Outputs& outputs) override {
    if (control_) control_->check();
    at_ = &at;
    outputs_ = &outputs;
    noise_ = at.noise();
    numbers_ = static_cast<double>(outputs.d) * static_cast<double>(at.X.cols());
    squared_ = outputs.rows.squaredNorm();
    return -0.5 * (numbers_ * std::log(2 * std::numbers::pi * noise_) + squared_ / noise_);
  }
  void gradient(EvidenceGradient& gradient, ByOutputs by_outputs) override {
    gradient.X.setZero(at_->X.rows(), at_->X.cols());
    gradient.theta.setZero(at_->theta.size());
    gradient.noise = 0.5 * (squared_ / noise_ - numbers_) / noise_;
    if (by_outputs == ByOutputs::wanted) gradient.rows = -outputs_->rows / noise_;
  }
  PosteriorPtr condition(const Parameters& at, double noise, ConstMatrixRef V) const override {
    return process_->condition(at, noise, V);
  }

 private:
  std::unique_ptr<Evidence> process_;
  RunControl* control_;
  const Parameters* at_ = nullptr;
  const Outputs* outputs_ = nullptr;
  double noise_ = 0, numbers_ = 0, squared_ = 0;
};

}  // namespace

EvidenceFactory noise_evidence(EvidenceFactory process) {
  return [process = std::move(process)](const EvidenceSetting& setting) {
    return std::make_unique<NoiseEvidence>(process(setting), setting.control);
  };
}

}  // namespace wgp
