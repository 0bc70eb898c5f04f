#include "model/objective.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "model/prior_terms.h"

namespace wgp {
namespace {

constexpr double box = 20;  // |theta| beyond it is not admissible

class LatentObjective final : public Objective {
 public:
  LatentObjective(const FitProblem& problem, const PriorTerms& terms, const FitState& start)
      : problem_(problem),
        terms_(terms),
        engine_(make_engine(problem.kernel, problem.latent, problem.Z, problem.d(), problem.threads)),
        state_(start) {
    for (std::size_t i = 0; i < problem.theta_is_free.size(); ++i)
      if (problem.theta_is_free[i] && !terms.fix_theta) free_.push_back(static_cast<Index>(i));
  }

  Vector pack(const FitState& state) const {
    Vector x(state.X.size() + static_cast<Index>(free_.size()) + 1);
    x.head(state.X.size()) = state.X.reshaped();
    for (std::size_t i = 0; i < free_.size(); ++i) x[state.X.size() + static_cast<Index>(i)] = state.theta[free_[i]];
    x[x.size() - 1] = state.u;
    return x;
  }
  FitState unpack(ConstVectorRef x) const {
    FitState state = state_;
    state.X.reshaped() = x.head(state.X.size());
    for (std::size_t i = 0; i < free_.size(); ++i) state.theta[free_[i]] = x[state.X.size() + static_cast<Index>(i)];
    state.u = x[x.size() - 1];
    return state;
  }

  double value(ConstVectorRef x) override {
    if (!move_to(x)) return std::numeric_limits<double>::infinity();
    g_is_known_ = false;
    return -(engine_->value(state_.X, state_.theta, state_.noise()) + prior());
  }
  double value_before_gradient(ConstVectorRef x) override {
    if (!move_to(x)) return std::numeric_limits<double>::infinity();
    g_is_known_ = true;
    return -(engine_->value_and_gradient(state_.X, state_.theta, state_.noise(), g_) + prior());
  }

  void gradient(VectorRef gradient) override {
    GpGradient g = g_is_known_ ? g_ : engine_->gradient();
    double by_u = std::exp(state_.u) * g.noise;
    add_prior_gradient(problem_.kernel, problem_.latent, terms_, state_, g.X, g.theta, by_u);
    if (terms_.fix_latents) g.X.setZero();
    gradient.head(g.X.size()) = -g.X.reshaped();
    for (std::size_t i = 0; i < free_.size(); ++i) gradient[g.X.size() + static_cast<Index>(i)] = -g.theta[free_[i]];
    gradient[gradient.size() - 1] = -by_u;
  }

  double jitter() const { return engine_->jitter(); }

 private:
  bool move_to(ConstVectorRef x) {
    state_ = unpack(x);
    return state_.theta.cwiseAbs().maxCoeff() <= box && state_.u <= box && state_.u >= -50 && x.allFinite();
  }
  double prior() const { return log_prior_of(problem_.kernel, problem_.latent, terms_, state_); }

  const FitProblem& problem_;
  const PriorTerms& terms_;
  std::unique_ptr<GpEngine> engine_;
  std::vector<Index> free_;
  FitState state_;
  GpGradient g_;  // the likelihood's, if the last value brought it along
  bool g_is_known_ = false;
};

}  // namespace

double FitState::noise() const { return noise_floor + std::exp(u); }

FitProblem FitProblem::subset(const std::vector<Index>& members) const {
  FitProblem part = *this;
  part.V = V(Eigen::all, members);
  part.Z = part.d() > part.N() ? compress_rows(part.V) : Matrix(Z(Eigen::all, members));
  return part;
}

std::unique_ptr<Objective> latent_objective(const FitProblem& problem, const PriorTerms& terms, const FitState& state) {
  return std::make_unique<LatentObjective>(problem, terms, state);
}

Refined refine(const FitProblem& problem, const FitState& start, const PriorTerms& terms,
               const OptimiseOptions& options) {
  LatentObjective objective(problem, terms, start);
  Refined refined;
  refined.report = minimise(objective, objective.pack(start), options);
  refined.state = objective.unpack(refined.report.x);
  refined.state.value = -refined.report.value;
  refined.jitter = objective.jitter();
  return refined;
}

Refined refine(const FitProblem& problem, const FitState& start, const PriorTerms& terms, int iterations) {
  OptimiseOptions options;
  options.max_iterations = iterations;
  return refine(problem, start, terms, options);
}

double evaluate(const FitProblem& problem, const FitState& state, const PriorTerms& terms) {
  LatentObjective objective(problem, terms, state);
  return -objective.value(objective.pack(state));
}

double log_prior(const FitProblem& problem, const FitState& state) {
  const auto engine = make_engine(problem.kernel, problem.latent, problem.Z, problem.d());
  return evaluate(problem, state, problem.prior) - engine->value(state.X, state.theta, state.noise());
}

}  // namespace wgp
