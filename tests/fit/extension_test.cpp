// What it takes to add an evidence, a term, a lift and a noise law: one small example of each, seen through to the end.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "fit/fit.h"
#include "fit/objective.h"
#include "fit/point_sets.h"
#include "gp/dense_posterior.h"
#include "wgp/fit.h"

namespace wgp {
namespace {

// ---- an evidence: the textbook's formulas, with nothing saved and nothing shared.
class TextbookEvidence final : public Evidence {
 public:
  explicit TextbookEvidence(const EvidenceSetting& setting) : setting_(setting) {}

  double value(const Parameters& at, const Outputs& outputs) override {
    at_ = at;
    outputs_ = &outputs;
    K_ = setting_.kernel->cov(at.theta, at.X, at.X);
    llt_.compute(K_ + at.noise() * Matrix::Identity(K_.rows(), K_.cols()));
    if (llt_.info() != Eigen::Success) return -infinity;
    A_ = llt_.solve(outputs.rows.transpose());
    const double d = static_cast<double>(outputs.d), N = static_cast<double>(K_.rows());
    return -d * N / 2 * std::log(2 * std::numbers::pi) - d * llt_.matrixLLT().diagonal().array().log().sum() -
           outputs.rows.transpose().cwiseProduct(A_).sum() / 2;
  }
  void gradient(EvidenceGradient& gradient, ByOutputs by_outputs) override {
    const Matrix inverse = llt_.solve(Matrix::Identity(K_.rows(), K_.cols()));
    const Matrix G = (A_ * A_.transpose() - static_cast<double>(outputs_->d) * inverse) / 2;
    gradient.X = Matrix::Zero(at_.X.rows(), at_.X.cols());
    gradient.theta = Vector::Zero(at_.theta.size());
    setting_.kernel->pull_back_lower(at_.theta, at_.X, K_, G, gradient.theta, gradient.X);
    gradient.noise = G.trace();
    if (by_outputs == ByOutputs::wanted) gradient.rows = -A_.transpose();
  }
  PosteriorPtr condition(const Parameters& at, double noise, ConstMatrixRef V) const override {
    return condition_densely({setting_.kernel, setting_.latent, at.theta, noise, 0, at.X, V, {}, {}});
  }

 private:
  EvidenceSetting setting_;
  Parameters at_;
  const Outputs* outputs_ = nullptr;
  Matrix K_, A_;
  Eigen::LLT<Matrix> llt_;
};
std::unique_ptr<Evidence> textbook(const EvidenceSetting& setting) {
  return std::make_unique<TextbookEvidence>(setting);
}

// The whole fit takes it: starts, growth, moves, left-out points, and base points that move.
TEST(Extension, AnEvidenceOfOnesOwnIsFitted) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix P = test::arc_on_sphere(40);
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  for (const Effort effort : {Effort::quick, Effort::normal}) {
    options.effort = effort;
    const FitResult own = fit_by(textbook, sphere, P, options), usual = fit(sphere, P, options);
    EXPECT_NEAR(own.summary.log_posterior, usual.summary.log_posterior, 0.05 * std::abs(usual.summary.log_posterior));
    EXPECT_TRUE(own.summary.held_out_log_density.has_value());
  }
  options.effort = Effort::quick;
  options.basepoint = BasepointKind::geodesic;
  EXPECT_EQ(fit_by(textbook, sphere, P, options).model.parts().basepoint, BasepointKind::geodesic);
}

// One descent from the same latents ends at the same place.
TEST(Extension, AnEvidenceOfOnesOwnEndsWhereTheUsualOneDoes) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix P = test::arc_on_sphere(40);
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  options.variance = VarianceRule::dof;
  options.inits = {"pga"};
  options.max_iterations = 5;
  options.given_latents = fit(sphere, P, options).model.parts().X;
  options.inits = {"given"};
  options.max_iterations = 1000;
  const FitResult own = fit_by(textbook, sphere, P, options), usual = fit(sphere, P, options);
  EXPECT_NEAR(own.summary.log_posterior, usual.summary.log_posterior, 1e-4 * std::abs(usual.summary.log_posterior));
}

// ---- a term: latents that should be near what somebody measured.
class NearMeasured final : public Term {
 public:
  NearMeasured(Matrix measured, double sd) : measured_(std::move(measured)), precision_(1 / (sd * sd)) {}
  double value(const TermPoint& at) const override {
    return -precision_ / 2 * (at.parameters.X - measured_).squaredNorm();
  }
  void add_gradient(const TermPoint& at, TermGradient& gradient) const override {
    gradient.by.X -= precision_ * (at.parameters.X - measured_);
  }

 private:
  Matrix measured_;
  double precision_;
};

FitProblem problem_on(const ManifoldPtr& manifold, const LiftPtr& lift, const Matrix& P) {
  FitProblem problem = test::problem_of(manifold, lift, P, LatentSpace::plain(1));
  problem.terms = {latent_prior(problem.latent, 1)};
  return problem;
}
FitState state_at(const FitProblem& problem, Matrix X) {
  FitState state;
  state.X = std::move(X);
  state.theta = problem.kernel->default_parameters();
  state.u = std::log(0.1);
  return state;
}

double slope_error(const FitProblem& problem, const FitState& state) {
  const auto objective = fit_objective(problem, state);
  const Vector x = pack_state(problem, state);
  Vector gradient(x.size());
  objective->value(x);
  objective->gradient(gradient);
  Random random(4);
  const Vector along = random.normals(x.size()).normalized();
  const double h = 1e-5;
  const double above = objective->value(x + h * along), below = objective->value(x - h * along);
  return std::abs((above - below) / (2 * h) - gradient.dot(along)) / gradient.norm();
}

TEST(Extension, ATermJoinsTheOthers) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix P = test::arc_on_sphere(30);
  FitProblem problem = problem_on(sphere, std::make_shared<const Basepoint>(sphere, P.col(0)), P);
  Random random(5);
  const Matrix measured = random.normals(1, 30);
  const FitState start = state_at(problem, random.normals(1, 30));
  const Matrix without = refine(problem, start, 100).state.X;
  problem.terms.push_back(std::make_shared<const NearMeasured>(measured, 0.01));
  EXPECT_LT(slope_error(problem, start), 1e-7);
  const Matrix with = refine(problem, start, 100).state.X;
  EXPECT_LT((with - measured).cwiseAbs().maxCoeff(), 0.1);
  EXPECT_GT((without - measured).cwiseAbs().maxCoeff(), 0.5);
}

// ---- a lift: the positive half-line by its logarithm, less a centre that may move. It needs no manifold's help.
class LogarithmicLift final : public Lift {
 public:
  explicit LogarithmicLift(double centre) : centre_(centre) {}
  Index dim() const override { return 1; }
  Lifted lift(ConstMatrixRef, ConstMatrixRef P, LiftWanted wanted) const override {
    Lifted lifted{P.array().log() - centre_, LogReport(P.cols()), {}, nullptr};
    for (Index i = 0; i < P.cols(); ++i)
      if (!(P(0, i) > 0)) lifted.report.status[static_cast<std::size_t>(i)] = LogStatus::outside_domain;
    if (wanted != LiftWanted::vectors) lifted.log_volume = P.array().log().transpose();
    return lifted;
  }
  Lifted lift_at(ConstVectorRef, ConstMatrixRef P, double) const override {
    return lift(Matrix(), P, LiftWanted::vectors_and_volume);
  }
  ExpReport wrap(ConstMatrixRef, ConstMatrixRef V, MatrixRef P) const override {
    P = (V.array() + centre_).exp();
    return {};
  }
  Vector log_volume(ConstMatrixRef, ConstMatrixRef V) const override { return (V.array() + centre_).transpose(); }
  Preimages preimages(ConstVectorRef x, ConstVectorRef point, double) const override {
    Preimages all;
    all.coords = lift(x, point, LiftWanted::vectors).V;
    return all;
  }
  Matrix push_forward(ConstVectorRef, ConstVectorRef v, ConstMatrixRef directions) const override {
    return std::exp(v[0] + centre_) * directions;
  }
  LiftGradient pull_back(ConstMatrixRef X, ConstMatrixRef, const Lifted&, ConstMatrixRef dL_dV, Volume) const override {
    return {Matrix::Zero(X.rows(), X.cols()), Matrix(), Vector::Constant(1, -dL_dV.sum())};
  }
  LiftPtr moved(ConstVectorRef step, ConstMatrixRef) const override {
    return std::make_shared<const LogarithmicLift>(centre_ + step[0]);
  }
  void pull_back_move(ConstVectorRef, ConstMatrixRef, const Lift&, LiftGradient&) const override {}
  double centre() const { return centre_; }

 private:
  double centre_;
};

TEST(Extension, ALiftOfOnesOwnIsFittedAndMoves) {
  Random random(6);
  const Matrix P = (2 + random.normals(1, 40).array()).exp();
  const ManifoldPtr line = parse_manifold("euclidean:1");
  const auto lift = std::make_shared<const LogarithmicLift>(0.5);
  const Lifted up = lift->lift(Matrix(), P, LiftWanted::vectors_and_volume);
  Matrix back(1, 40);
  lift->wrap(Matrix(), up.V, back);
  EXPECT_LT((back - P).norm(), 1e-12 * P.norm());
  FitProblem problem = problem_on(line, lift, P);
  problem.free.base = true;
  problem.volume = Lift::Volume::subtracted;
  problem.terms.push_back(follow_term(1));
  FitState start = state_at(problem, random.normals(1, 40));
  start.lift = lift;
  start.centre = Vector::Zero(1);
  EXPECT_LT(slope_error(problem, start), 1e-7);
  const FitState found = refine(problem, start, 200).state;
  const double centre = dynamic_cast<const LogarithmicLift&>(*found.lift).centre();
  EXPECT_NEAR(centre, P.array().log().mean(), 0.5);  // it follows the data
}

// ---- a noise law: a normal one, of which a tenth of the points has three times the standard deviation.
class Contaminated final : public NoiseLaw {
 public:
  Contaminated(Index dim, double noise, double function_scale)
      : near_(normal_noise(dim, noise, function_scale)), far_(near_->scaled(9)) {}
  std::string kind() const override { return "contaminated"; }
  Index dim() const override { return near_->dim(); }
  double function_scale() const override { return near_->function_scale(); }
  double noise_variance() const override {
    return (1 - share) * near_->noise_variance() + share * far_->noise_variance();
  }
  Density density(double squared, double variance) const override {
    const Density a = near_->density(squared, variance), b = far_->density(squared, variance);
    const double p = (1 - share) * std::exp(a.log_density), q = share * std::exp(b.log_density);
    return {std::log(p + q), (p * a.by_squared + q * b.by_squared) / (p + q),
            (p * a.by_variance + q * b.by_variance) / (p + q)};
  }
  Matrix draw(ConstVectorRef variance, Random& random) const override {
    Matrix drawn(dim(), variance.size());
    for (Index i = 0; i < variance.size(); ++i)
      drawn.col(i) = (random.uniform() < share ? far_ : near_)->draw(variance.segment(i, 1), random);
    return drawn;
  }
  Matrix draw_noise(Index count, Random& random) const override {
    Matrix drawn(dim(), count);
    for (Index i = 0; i < count; ++i) drawn.col(i) = (random.uniform() < share ? far_ : near_)->draw_noise(1, random);
    return drawn;
  }
  double share_within(double squared, double variance) const override {
    return (1 - share) * near_->share_within(squared, variance) + share * far_->share_within(squared, variance);
  }
  double radius(double level, double variance) const override {
    double low = 0, high = far_->radius(level, variance);
    for (int k = 0; k < 60; ++k) {
      const double middle = (low + high) / 2;
      (share_within(middle * middle, variance) < level ? low : high) = middle;
    }
    return high;
  }
  NoiseLawPtr scaled(double factor) const override {
    return std::make_shared<const Contaminated>(dim(), factor * near_->noise_variance(), factor * function_scale());
  }
  NoiseLawPtr with_noise_times(double factor) const override {
    return std::make_shared<const Contaminated>(dim(), factor * near_->noise_variance(), function_scale());
  }
  std::map<std::string, double> parameters() const override { return near_->parameters(); }

 private:
  static constexpr double share = 0.1;
  NoiseLawPtr near_, far_;
};

TEST(Extension, AModelSpeaksTheNoiseLawItIsGiven) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.effort = Effort::quick;
  options.variance = VarianceRule::dof;
  const Model normal = fit(sphere, test::arc_on_sphere(60), options).model;
  const double noise = normal.law().noise_variance();
  const Model model =
      normal.with([&](Model::Parts& parts) { parts.law = std::make_shared<const Contaminated>(2, noise, 1.0); });
  const Matrix x = model.parts().X.leftCols(1);
  Random random(3);
  const Matrix draws = model.sample(x, 4000, random), mean = model.mean_points(x);
  const Matrix V = model.lift().lift(x.replicate(1, draws.cols()), draws).V;
  const Vector distances = (V.colwise() - model.predict(x).coords.col(0)).colwise().norm();
  for (const double level : {0.5, 0.99})
    EXPECT_NEAR((distances.array() <= model.confidence_radius(x, level)[0]).cast<double>().mean(), level, 0.025);
  // A point far out is likelier under it, one nearby less; and it encodes to the same places where nothing is far out.
  Matrix far(3, 1);
  sphere->at(mean.col(0))->exp(Eigen::Vector2d(6 * std::sqrt(noise), 0), far);
  EXPECT_GT(model.log_density(x, far)[0], normal.log_density(x, far)[0]);
  EXPECT_LT(model.log_density(x, mean)[0], normal.log_density(x, mean)[0]);
  const Encoding own = model.encode(model.parts().P), usual = normal.encode(model.parts().P);
  EXPECT_LT((own.X - usual.X).cwiseAbs().mean(), 0.1);
  EXPECT_TRUE(std::isfinite(model.score(model.parts().P).held_out_log_density));
}

}  // namespace
}  // namespace wgp
