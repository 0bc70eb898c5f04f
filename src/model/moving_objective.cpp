#include "model/moving_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gp/output_likelihood.h"
#include "model/prior_terms.h"

namespace wgp {
namespace {

constexpr double box = 20;  // |theta| beyond it is not admissible
constexpr double coefficient_sd = 10, follow_sd = 0.3, least_rough_sd = 0.02, most_rough_sd = 2;  // in units of scale
// A coordinate vector longer than this share of the injectivity radius costs: near conjugate points the density of a
// wrapped Gaussian is unbounded, and a base point opposite to the data would win by it.
constexpr double free_share = 0.9, beyond_cost = 2000;
constexpr double short_cost = 500;
constexpr int round_length = 200;  // iterations before the centre begins anew

class MovingObjective final : public Objective {
 public:
  MovingObjective(const MovingProblem& problem, const MovingState& state)
      : problem_(problem),
        likelihood_(problem.kernel),
        state_(state.fit),
        origin_(state.base),
        rough_sd_(state.rough_sd),
        radius_(state.base->manifold().injectivity_radius()) {
    for (std::size_t i = 0; i < problem.theta_is_free.size(); ++i)
      if (problem.theta_is_free[i] && !problem.prior.fix_theta) free_.push_back(static_cast<Index>(i));
    lengths_ = problem.kernel->length_parameters();
    for (const Index i : problem.kernel->angle_length_parameters()) lengths_.push_back(i);
    if (origin_->basis()) roughness_ = origin_->basis()->roughness();
    if (roughness_.rows() == 0) roughness_.resize(0, origin_->coefficients().cols());
  }

  Index x_size() const { return state_.X.size(); }
  Vector pack() const {
    const Index d = origin_->dim(), K = origin_->coefficients().cols();
    Vector x(x_size() + static_cast<Index>(free_.size()) + 1 + d + d * K);
    x.head(x_size()) = state_.X.reshaped();
    for (std::size_t i = 0; i < free_.size(); ++i) x[x_size() + static_cast<Index>(i)] = state_.theta[free_[i]];
    x[x_size() + static_cast<Index>(free_.size())] = state_.u;
    x.segment(x.size() - d - d * K, d).setZero();
    x.tail(d * K) = origin_->coefficients().reshaped() / problem_.scale;
    return x;
  }
  MovingState unpack(ConstVectorRef x) {
    move_to(x);
    return {state_, base_, rough_sd_};
  }
  // What the coefficients of this place say about their own roughness.
  double shown_rough_sd() const {
    if (roughness_.rows() == 0) return rough_sd_;
    const Matrix differences = coefficients_ * roughness_.transpose() / problem_.scale;
    return std::clamp(std::sqrt(differences.squaredNorm() / static_cast<double>(differences.size())), least_rough_sd,
                      most_rough_sd);
  }

  double value(ConstVectorRef x) override {
    if (!move_to(x) || !lift_points()) return std::numeric_limits<double>::infinity();
    double value = likelihood_.value(state_.X, state_.theta, state_.noise(), V_ / problem_.scale);
    if (problem_.volume_term) value -= base_->log_volume(state_.X, V_).sum();
    for (Index i = 0; i < V_.cols(); ++i) value -= beyond_cost * square(excess(V_.col(i).norm()));
    if (!base_->is_constant()) value -= V_.squaredNorm() / (2 * square(follow_sd * problem_.scale));
    return -(value + log_prior());
  }

  void gradient(VectorRef gradient) override {
    Matrix dV;
    GpGradient g = likelihood_.gradient(dV);
    dV /= problem_.scale;
    if (!base_->is_constant()) dV -= V_ / square(follow_sd * problem_.scale);
    for (Index i = 0; i < V_.cols(); ++i) {
      const double length = V_.col(i).norm(), beyond = excess(length);
      if (beyond > 0) dV.col(i) -= 2 * beyond_cost * beyond / (radius_ * length) * V_.col(i);
    }
    BasepointGradient by_base = base_->pull_back(state_.X, problem_.P, dV, problem_.volume_term);
    g.X += by_base.X;
    origin_->pull_back_move(step_, coefficients_, *base_, by_base);
    double by_u = g.noise * std::exp(state_.u);
    add_prior_gradient(problem_.kernel, problem_.latent, problem_.prior, state_, g.X, g.theta, by_u);
    for (const Index i : lengths_) g.theta[i] += 2 * short_cost * shortness(i);
    by_base.coefficients -= (coefficients_ * roughness_.transpose() * roughness_ / square(rough_sd_) +
                             coefficients_ / square(coefficient_sd)) /
                            square(problem_.scale);
    if (problem_.prior.fix_latents) g.X.setZero();

    const Index d = origin_->dim(), K = coefficients_.cols(), q = static_cast<Index>(free_.size());
    gradient.head(x_size()) = -g.X.reshaped();
    for (std::size_t i = 0; i < free_.size(); ++i) gradient[x_size() + static_cast<Index>(i)] = -g.theta[free_[i]];
    gradient[x_size() + q] = -by_u;
    gradient.segment(x_size() + q + 1, d) = -problem_.scale * by_base.centre;
    gradient.tail(d * K) = -problem_.scale * by_base.coefficients.reshaped();
  }

  double log_prior() const {
    double shortage = 0;
    for (const Index i : lengths_) shortage += square(shortness(i));
    return -short_cost * shortage + log_prior_of(problem_.kernel, problem_.latent, problem_.prior, state_) -
           (coefficients_ * roughness_.transpose()).squaredNorm() / (2 * square(problem_.scale * rough_sd_)) -
           static_cast<double>(roughness_.rows() * coefficients_.rows()) * std::log(rough_sd_) -
           coefficients_.squaredNorm() / (2 * square(problem_.scale * coefficient_sd));
  }
  double jitter() const { return likelihood_.jitter(); }

 private:
  static double square(double x) { return x * x; }
  double shortness(Index i) const { return std::max(0.0, problem_.least_log_length - state_.theta[i]); }
  double excess(double length) const { return std::max(0.0, length / radius_ - free_share); }
  bool move_to(ConstVectorRef x) {
    if (!x.allFinite()) return false;
    const Index d = origin_->dim(), K = origin_->coefficients().cols();
    state_.X.reshaped() = x.head(x_size());
    for (std::size_t i = 0; i < free_.size(); ++i) state_.theta[free_[i]] = x[x_size() + static_cast<Index>(i)];
    state_.u = x[x_size() + static_cast<Index>(free_.size())];
    step_ = problem_.scale * x.segment(x.size() - d - d * K, d);
    coefficients_ = problem_.scale * x.tail(d * K).reshaped(d, K);
    if (!(state_.theta.cwiseAbs().maxCoeff() <= box && state_.u <= box && state_.u >= -50)) return false;
    // A centre beyond its injectivity radius, or coefficients that wrap around many times, are steps gone astray.
    if (!(step_.norm() < 0.9 * origin_->space().injectivity_radius())) return false;
    if (coefficients_.size() > 0 && !(coefficients_.cwiseAbs().maxCoeff() < 1e3 * problem_.scale)) return false;
    try {
      base_ = std::make_shared<const Basepoint>(origin_->moved(step_, coefficients_));
    } catch (const Error&) {
      return false;
    }
    return true;
  }

  // A step too long may lead to base points that are no numbers.
  bool lift_points() {
    try {
      V_ = base_->lift(state_.X, problem_.P);
    } catch (const Error&) {
      return false;
    }
    return V_.allFinite();
  }

  const MovingProblem& problem_;
  OutputLikelihood likelihood_;
  std::vector<Index> free_, lengths_;
  FitState state_;
  std::shared_ptr<const Basepoint> origin_, base_;
  Matrix roughness_, coefficients_, V_;
  Vector step_;
  double rough_sd_;
  double radius_;  // of injectivity
};

}  // namespace

std::unique_ptr<Objective> moving_objective(const MovingProblem& problem, const MovingState& state) {
  return std::make_unique<MovingObjective>(problem, state);
}
Vector pack_moving(const MovingProblem& problem, const MovingState& state) {
  return MovingObjective(problem, state).pack();
}

RefinedMoving refine_moving(const MovingProblem& problem, const MovingState& start, const OptimiseOptions& options) {
  RefinedMoving refined;
  refined.state = start;
  int left = options.max_iterations;
  bool first = true;
  while (left > 0) {
    MovingObjective objective(problem, refined.state);
    OptimiseOptions round = options;
    round.max_iterations = std::min(left, round_length);
    const int done = options.max_iterations - left;
    if (options.keep_going)
      round.keep_going = [&, done](int iteration, double value) { return options.keep_going(done + iteration, value); };
    const OptimiseResult report = minimise(objective, objective.pack(), round);
    const double before = refined.report.value;
    refined.state = objective.unpack(report.x);
    refined.state.fit.value = -report.value;
    refined.jitter = std::max(refined.jitter, objective.jitter());
    refined.report.value = report.value;
    refined.report.gradient_norm = report.gradient_norm;
    refined.report.iterations += report.iterations;
    refined.report.evaluations += report.evaluations;
    refined.report.gradients += report.gradients;
    refined.report.stop = report.stop;
    left -= std::max(1, report.iterations);
    const double shown = objective.shown_rough_sd(), change = std::abs(std::log(shown / refined.state.rough_sd));
    refined.state.rough_sd = shown;
    if (report.stop == StopReason::cancelled) break;
    if (report.stop != StopReason::max_iterations && change < 0.05) break;
    if (!first && change < 0.05 && before - report.value < 1e-6 * (1 + std::abs(report.value))) {
      refined.report.stop = StopReason::progress_small;
      break;
    }
    first = false;
  }
  return refined;
}

double moving_log_prior(const MovingProblem& problem, const MovingState& state) {
  MovingObjective objective(problem, state);
  objective.unpack(objective.pack());
  return objective.log_prior();
}

}  // namespace wgp
