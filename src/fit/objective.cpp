#include "fit/objective.h"

#include <algorithm>
#include <cmath>

#include "fit/settings.h"

namespace wgp {
namespace {

constexpr double not_admissible = std::numeric_limits<double>::infinity();

class FitObjective final : public Objective {
 public:
  FitObjective(const FitProblem& problem, const FitState& state)
      : problem_(problem),
        packing_(state, problem.free),
        evidence_(problem.make_evidence()),
        state_(state),
        origin_(state.lift ? state.lift : problem.lift),
        lift_(origin_) {
    if (problem.base_is_free()) longest_step_ = settings::longest_centre_step * origin_->reach();
  }

  Vector pack() const { return packing_.pack(state_); }
  // The state at x, with its base point where it is now and no step to go.
  FitState state_at(ConstVectorRef x) {
    move_to(x);
    FitState state = state_;
    if (!problem_.base_is_free()) return state;
    state.lift = lift_;
    state.centre.setZero();
    state.coefficients = lift_->coefficients() / problem_.scale;
    return state;
  }
  double jitter() const { return evidence_->jitter(); }

  double value(ConstVectorRef x) override { return evaluate(x, Wanted::value); }
  double value_before_gradient(ConstVectorRef x) override { return evaluate(x, Wanted::value_and_gradient); }

  void gradient(VectorRef gradient) override {
    if (!gradient_is_known_) evidence_->gradient(by_evidence_, by_outputs());
    TermGradient by{Parameters(), Matrix()};
    by.by.X = by_evidence_.X;
    by.by.S = by_evidence_.S;
    by.by.Z = by_evidence_.Z;
    by.by.theta = by_evidence_.theta;
    by.by.u = std::exp(state_.u) * by_evidence_.noise;
    by.by.centre = Vector::Zero(state_.centre.size());
    by.by.coefficients = Matrix::Zero(state_.coefficients.rows(), state_.coefficients.cols());
    if (problem_.base_is_free()) by.V = by_evidence_.rows;
    add_gradients(problem_.terms, {state_, outputs_.rows}, by);
    if (problem_.base_is_free()) {
      LiftGradient by_lift = lift_->pull_back(state_.X, problem_.P, lifted_, by.V / problem_.scale, problem_.volume);
      by.by.X += by_lift.X;
      origin_->pull_back_move(problem_.scale * state_.centre, problem_.scale * state_.coefficients, *lift_, by_lift);
      by.by.centre += problem_.scale * by_lift.centre;
      by.by.coefficients += problem_.scale * by_lift.coefficients;
    }
    gradient = -packing_.pack(by.by);
  }

 private:
  enum class Wanted { value, value_and_gradient };
  ByOutputs by_outputs() const { return problem_.base_is_free() ? ByOutputs::wanted : ByOutputs::unwanted; }

  double evaluate(ConstVectorRef x, Wanted wanted) {
    if (!move_to(x) || !lift_points()) return not_admissible;
    const Outputs& outputs = problem_.base_is_free() ? outputs_ : problem_.outputs;
    gradient_is_known_ = wanted == Wanted::value_and_gradient;
    double value = gradient_is_known_ ? evidence_->value_and_gradient(state_, outputs, by_evidence_, by_outputs())
                                      : evidence_->value(state_, outputs);
    if (problem_.base_is_free() && problem_.volume == Lift::Volume::subtracted) value -= lifted_.log_volume.sum();
    return -(value + sum_of(problem_.terms, {state_, outputs_.rows}));
  }

  bool move_to(ConstVectorRef x) {
    if (!x.allFinite()) return false;
    packing_.unpack(x, state_);
    if (!(state_.theta.cwiseAbs().maxCoeff() <= problem_.theta_box && state_.u <= settings::highest_log_noise &&
          state_.u >= settings::lowest_log_noise))
      return false;
    return !problem_.base_is_free() || move_base();
  }

  bool move_base() {
    if (!(problem_.scale * state_.centre.norm() < longest_step_)) return false;
    if (state_.coefficients.size() > 0 && !(state_.coefficients.cwiseAbs().maxCoeff() < settings::largest_coefficient))
      return false;
    try {
      lift_ = origin_->moved(problem_.scale * state_.centre, problem_.scale * state_.coefficients);
    } catch (const Error&) {  // a step too long may lead to base points that are no numbers
      return false;
    }
    return true;
  }
  bool lift_points() {
    if (!problem_.base_is_free()) return true;
    try {
      lifted_ = lift_->lift(state_.X, problem_.P, LiftWanted::everything);
    } catch (const Error&) {
      return false;
    }
    outputs_.rows = lifted_.V / problem_.scale;
    outputs_.d = outputs_.rows.rows();
    return outputs_.rows.allFinite();
  }

  const FitProblem& problem_;
  Packing packing_;
  std::unique_ptr<Evidence> evidence_;
  FitState state_;
  LiftPtr origin_, lift_;
  double longest_step_ = 0;
  Lifted lifted_;
  Outputs outputs_;  // where the base point is free
  EvidenceGradient by_evidence_;
  bool gradient_is_known_ = false;
};

// What the coefficients of a base point function say about their own roughness; 0 without one.
double shown_rough_sd(const FitState& state) {
  const Matrix D = state.lift ? state.lift->roughness() : Matrix();
  if (D.rows() == 0) return 0;
  const Matrix differences = state.coefficients * D.transpose();
  return std::clamp(std::sqrt(differences.squaredNorm() / static_cast<double>(differences.size())),
                    settings::least_rough_sd, settings::most_rough_sd);
}

// The problem with the terms that go with a state's base point.
FitProblem with_terms_of_base(const FitProblem& problem, const FitState& state) {
  FitProblem result = problem;
  if (const auto* base = dynamic_cast<const Basepoint*>(state.lift.get()); base && base->basis() && state.S.size() > 0)
    result.terms.push_back(base_spread_term(base->basis()));
  if (state.rough_sd > 0 && state.lift)
    if (const Matrix D = state.lift->roughness(); D.rows() > 0)
      result.terms.push_back(roughness_term(D, state.rough_sd));
  return result;
}

// An objective in units of its own for each number.
class Whitened final : public Objective {
 public:
  Whitened(Objective& inner, Vector units) : inner_(inner), units_(std::move(units)) {}
  double value(ConstVectorRef y) override { return inner_.value(units_.cwiseProduct(y)); }
  double value_before_gradient(ConstVectorRef y) override {
    return inner_.value_before_gradient(units_.cwiseProduct(y));
  }
  void gradient(VectorRef gradient) override {
    inner_.gradient(gradient);
    gradient.array() *= units_.array();
  }

 private:
  Objective& inner_;
  Vector units_;
};

// Latents in units of their standard deviations, the logarithms of their variances in sqrt 2, what all points share in
// what N d numbers tell about it: the curvatures of the bound are near 1 there.
Vector whitening_units(const FitProblem& problem, const FitState& state) {
  Parameters units = state;
  units.X = (state.S.array() / 2).exp();
  units.S.setConstant(std::sqrt(2.0));
  units.Z.setConstant(0.1);
  const double shared = std::sqrt(2 / static_cast<double>(problem.N() * problem.d()));
  units.theta.setConstant(shared);
  units.u = shared;
  units.centre.setConstant(shared);
  units.coefficients.setConstant(shared);
  return Packing(state, problem.free).pack(units);
}

Refined refine_once(const FitProblem& problem, const FitState& start, const OptimiseOptions& options) {
  FitObjective objective(problem, start);
  Refined refined;
  if (start.S.size() > 0 && problem.free.latents) {
    const Vector units = whitening_units(problem, start);
    Whitened whitened(objective, units);
    refined.report = minimise(whitened, objective.pack().cwiseQuotient(units), options);
    refined.report.x.array() *= units.array();
  } else {
    refined.report = minimise(objective, objective.pack(), options);
  }
  refined.state = objective.state_at(refined.report.x);
  refined.state.value = -refined.report.value;
  refined.jitter = objective.jitter();
  return refined;
}

}  // namespace

FitProblem FitProblem::subset(const std::vector<Index>& members) const {
  FitProblem part = *this;
  part.P = P(Eigen::all, members);
  if (V.size() == 0) return part;
  part.V = V(Eigen::all, members);
  part.outputs = {d() > part.N() ? compress_rows(part.V) : Matrix(outputs.rows(Eigen::all, members)), d()};
  return part;
}

std::unique_ptr<Objective> fit_objective(const FitProblem& problem, const FitState& state) {
  return std::make_unique<FitObjective>(problem, state);
}
Vector pack_state(const FitProblem& problem, const FitState& state) { return Packing(state, problem.free).pack(state); }

Refined refine(const FitProblem& problem, const FitState& start, const OptimiseOptions& options) {
  if (!problem.base_is_free()) return refine_once(problem, start, options);
  Refined all;
  all.state = start;
  int left = options.max_iterations;
  bool first = true;
  while (left > 0) {
    OptimiseOptions round = options;
    round.max_iterations = std::min(left, settings::round_length);
    const int done = options.max_iterations - left;
    if (options.keep_going)
      round.keep_going = [&, done](int iteration, double value) { return options.keep_going(done + iteration, value); };
    const Refined one = refine_once(with_terms_of_base(problem, all.state), all.state, round);
    const double before = all.report.value, rough_before = all.state.rough_sd;
    all.state = one.state;
    all.jitter = std::max(all.jitter, one.jitter);
    all.report.x = one.report.x;
    all.report.value = one.report.value;
    all.report.gradient_norm = one.report.gradient_norm;
    all.report.iterations += one.report.iterations;
    all.report.evaluations += one.report.evaluations;
    all.report.gradients += one.report.gradients;
    all.report.stop = one.report.stop;
    left -= std::max(1, one.report.iterations);
    const double shown = shown_rough_sd(all.state);
    const double change = shown > 0 && rough_before > 0 ? std::abs(std::log(shown / rough_before)) : 0;
    if (shown > 0) all.state.rough_sd = shown;
    if (one.cancelled()) break;
    if (one.report.stop != StopReason::max_iterations && change < settings::round_change) break;
    if (!first && change < settings::round_change &&
        before - one.report.value < settings::round_progress * (1 + std::abs(one.report.value))) {
      all.report.stop = StopReason::progress_small;
      break;
    }
    first = false;
  }
  return all;
}

Refined refine(const FitProblem& problem, const FitState& start, int iterations) {
  OptimiseOptions options;
  options.max_iterations = iterations;
  return refine(problem, start, options);
}

Matrix vectors_at(const FitProblem& problem, const FitState& state) {
  if (!problem.base_is_free()) return problem.V;
  const LiftPtr& lift = state.lift ? state.lift : problem.lift;
  return lift->lift(state.X, problem.P).V / problem.scale;
}

double value_of(const FitProblem& problem, const FitState& state) {
  const FitProblem whole = with_terms_of_base(problem, state);
  FitObjective objective(whole, state);
  return -objective.value(objective.pack());
}

double sum_of_terms(const FitProblem& problem, const FitState& state) {
  const FitProblem whole = with_terms_of_base(problem, state);
  const Matrix V = problem.base_is_free() ? vectors_at(problem, state) : Matrix();
  return sum_of(whole.terms, {state, V});
}

PosteriorPtr posterior_at(const FitProblem& problem, const FitState& state) {
  return problem.make_evidence()->condition(state, state.noise(), vectors_at(problem, state));
}

}  // namespace wgp
