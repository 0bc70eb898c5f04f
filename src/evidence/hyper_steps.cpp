#include "evidence/hyper_steps.h"

#include <cmath>

#include "wgp/manifold.h"
#include "wgp/optimise.h"

namespace wgp {
namespace {

// Minus the bound by kernel parameters and log noise, from sums alone.
class HyperObjective final : public Objective {
 public:
  HyperObjective(const KernelSpectrum& spectrum, CollapsedBound& bound, const LatticeSums& sums, Vector theta,
                 double noise, const HyperSteps& how)
      : bound_(bound), sums_(sums), theta_(std::move(theta)), log_noise_(std::log(noise)), noise_is_free_(how.noise) {
    for (Index i = 0; i < theta_.size(); ++i)
      if (how.theta.empty() || how.theta[static_cast<std::size_t>(i)]) free_.push_back(i);
    for (const SpectralTerm& term : spectrum.terms())
      lengths_.insert(lengths_.end(), term.log_length.begin(), term.log_length.end());
  }
  Vector pack() const {
    Vector x(static_cast<Index>(free_.size()) + (noise_is_free_ ? 1 : 0));
    for (std::size_t i = 0; i < free_.size(); ++i) x[static_cast<Index>(i)] = theta_[free_[i]];
    if (noise_is_free_) x[x.size() - 1] = log_noise_;
    return x;
  }
  void unpack(ConstVectorRef x) {
    for (std::size_t i = 0; i < free_.size(); ++i) theta_[free_[i]] = x[static_cast<Index>(i)];
    if (noise_is_free_) log_noise_ = x[x.size() - 1];
  }
  const Vector& theta() const { return theta_; }
  double noise() const { return std::exp(log_noise_); }

  double value(ConstVectorRef x) override {
    if (!x.allFinite()) return infinity;
    unpack(x);
    if (!(log_noise_ >= -14 && log_noise_ < 5 && theta_.cwiseAbs().maxCoeff() <= 8)) return infinity;
    for (const Index i : lengths_)
      if (std::abs(theta_[i]) > 3) return infinity;
    return -bound_.value(theta_, noise(), sums_);
  }
  void gradient(VectorRef gradient) override {
    CollapsedGradient by;
    bound_.gradient(sums_, CollapsedBound::Wanted::parameters, by);
    for (std::size_t i = 0; i < free_.size(); ++i) gradient[static_cast<Index>(i)] = -by.by_theta[free_[i]];
    if (noise_is_free_) gradient[gradient.size() - 1] = -by.by_noise * noise();
  }

 private:
  CollapsedBound& bound_;
  const LatticeSums& sums_;
  Vector theta_;
  double log_noise_;
  bool noise_is_free_;
  std::vector<Index> free_, lengths_;
};

}  // namespace

void improve_hyper_parameters(const KernelSpectrum& spectrum, CollapsedBound& bound, const LatticeSums& sums,
                              const HyperSteps& how, Vector& theta, double& noise) {
  if (how.fixed()) return;
  HyperObjective objective(spectrum, bound, sums, theta, noise, how);
  const Vector start = objective.pack();
  if (start.size() == 0) return;
  OptimiseOptions options;
  options.max_iterations = how.steps;
  const OptimiseResult result = minimise(objective, start, options);
  if (result.x.size() != start.size() || !result.x.allFinite() || !std::isfinite(result.value)) return;
  objective.unpack(result.x);
  theta = objective.theta();
  noise = objective.noise();
}

}  // namespace wgp
