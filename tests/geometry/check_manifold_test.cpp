// A suite that cannot fail proves nothing: each mutant below breaks one thing, and check_manifold must say which.
#include "wgp/testing.h"

#include <gtest/gtest.h>

namespace wgp {
namespace {

enum class Mutation {
  none,
  log_scaled,     // log and distance 1 % too long
  log_reflected,  // log to the wrong side
  exp_off_manifold,
  frame_not_orthonormal,  // coordinates scaled by sqrt 2, consistently in exp and log
  transport_reversed,
  transport_scaled,
  dexp_identity,
  dexp_base_sign,
  log_det_factor,
  log_det_gradient_sign,
  curvature_sign,
  missing_preimages,
  distance_by_arc_cosine,
  isometry_wrong,
  defect_always,
};

class MutantFields final : public JacobiFields {
 public:
  MutantFields(std::unique_ptr<const JacobiFields> fields, Mutation mutation)
      : right_(std::move(fields)), mutation_(mutation) {}
  Matrix dexp(ConstMatrixRef x) const override { return is(Mutation::dexp_identity) ? Matrix(x) : right_->dexp(x); }
  Matrix dexp_adjoint(ConstMatrixRef x) const override {
    return is(Mutation::dexp_identity) ? Matrix(x) : right_->dexp_adjoint(x);
  }
  Matrix dexp_base(ConstMatrixRef x) const override { return sign(Mutation::dexp_base_sign) * right_->dexp_base(x); }
  Matrix dexp_base_adjoint(ConstMatrixRef x) const override {
    return sign(Mutation::dexp_base_sign) * right_->dexp_base_adjoint(x);
  }
  Matrix dlog_base(ConstMatrixRef x) const override { return sign(Mutation::dexp_base_sign) * right_->dlog_base(x); }
  Matrix dlog_end(ConstMatrixRef x) const override { return right_->dlog_end(x); }
  Matrix dlog_end_adjoint(ConstMatrixRef x) const override { return right_->dlog_end_adjoint(x); }
  double log_det() const override { return (is(Mutation::log_det_factor) ? 2 : 1) * right_->log_det(); }
  Vector log_det_gradient() const override {
    return sign(Mutation::log_det_gradient_sign) * right_->log_det_gradient();
  }

 private:
  bool is(Mutation mutation) const { return mutation_ == mutation; }
  double sign(Mutation mutation) const { return is(mutation) ? -1 : 1; }
  std::unique_ptr<const JacobiFields> right_;
  Mutation mutation_;
};

class MutantSpace final : public TangentSpace {
 public:
  MutantSpace(std::unique_ptr<const TangentSpace> space, Mutation mutation)
      : right_(std::move(space)), mutation_(mutation) {}
  const Vector& base() const override { return right_->base(); }
  Index dim() const override { return right_->dim(); }
  double injectivity_radius() const override { return right_->injectivity_radius(); }
  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    const LogReport report = right_->log(points, coords);
    if (is(Mutation::log_scaled)) coords *= 1.01;
    if (is(Mutation::log_reflected)) coords = -coords;
    if (is(Mutation::frame_not_orthonormal)) coords *= std::sqrt(2.0);
    return report;
  }
  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    const ExpReport report =
        right_->exp(is(Mutation::frame_not_orthonormal) ? Matrix(coords / std::sqrt(2.0)) : Matrix(coords), points);
    if (is(Mutation::exp_off_manifold)) points *= 1 + 1e-6;
    return report;
  }
  Vector distance(ConstMatrixRef points) const override {
    if (is(Mutation::distance_by_arc_cosine))
      return (base().transpose() * points).transpose().cwiseMax(-1.0).cwiseMin(1.0).array().acos();
    return (is(Mutation::log_scaled) ? 1.01 : 1) * right_->distance(points);
  }
  Matrix to_ambient(ConstMatrixRef coords) const override { return right_->to_ambient(coords) / frame_scale(); }
  Matrix to_coords(ConstMatrixRef ambient) const override { return right_->to_coords(ambient) * frame_scale(); }
  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    if (is(Mutation::transport_reversed)) return right_->transport(-v, coords);
    return (is(Mutation::transport_scaled) ? 1.001 : 1) * right_->transport(v / frame_scale(), coords / frame_scale());
  }
  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    return std::make_unique<MutantFields>(right_->jacobi(v), mutation_);
  }
  std::optional<Vector> curvature(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z) const override {
    return Vector((is(Mutation::curvature_sign) ? -1 : 1) * *right_->curvature(x, y, z));
  }
  Preimages preimages(ConstVectorRef q, double radius) const override {
    Preimages all = right_->preimages(q, radius);
    if (is(Mutation::missing_preimages)) {
      all.coords.conservativeResize(Eigen::NoChange, 1);
      all.log_abs_det.conservativeResize(1);
    }
    return all;
  }

 private:
  bool is(Mutation mutation) const { return mutation_ == mutation; }
  double frame_scale() const { return is(Mutation::frame_not_orthonormal) ? std::sqrt(2.0) : 1; }
  std::unique_ptr<const TangentSpace> right_;
  Mutation mutation_;
};

class Mutant final : public Manifold {
 public:
  explicit Mutant(Mutation mutation) : right_(parse_manifold("sphere:3")), mutation_(mutation) {}
  std::string spec() const override { return right_->spec(); }
  Index dim() const override { return right_->dim(); }
  Index ambient_dim() const override { return right_->ambient_dim(); }
  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    return std::make_unique<MutantSpace>(right_->at(p), mutation_);
  }
  std::optional<std::string> defect(ConstVectorRef x, double tolerance) const override {
    if (mutation_ == Mutation::defect_always) return "never good enough";
    return right_->defect(x, tolerance);
  }
  Vector project(ConstVectorRef x) const override { return right_->project(x); }
  double injectivity_radius() const override { return right_->injectivity_radius(); }
  double mean_ball_radius() const override { return right_->mean_ball_radius(); }
  bool is_compact() const override { return true; }
  Vector random_point(Random& random) const override { return right_->random_point(random); }
  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    if (mutation_ != Mutation::isometry_wrong) return right_->random_isometry(random);
    return [](ConstVectorRef x) {
      Vector y = x;
      y[0] *= 2;
      return Vector(y / y.norm());
    };
  }

 private:
  ManifoldPtr right_;
  Mutation mutation_;
};

TEST(CheckManifold, AcceptsTheUnchangedManifold) {
  for (const CheckFailure& failure : check_manifold(Mutant(Mutation::none)))
    ADD_FAILURE() << failure.property << ": " << failure.message;
}

TEST(CheckManifold, CatchesEveryMutant) {
  const std::pair<Mutation, const char*> mutants[] = {
      {Mutation::log_scaled, "T1"},
      {Mutation::log_reflected, "T1"},
      {Mutation::exp_off_manifold, "T1 exp stays"},
      {Mutation::frame_not_orthonormal, "T3"},
      {Mutation::transport_reversed, "T4"},
      {Mutation::transport_scaled, "T4"},
      {Mutation::dexp_identity, "T7"},
      {Mutation::dexp_base_sign, "T8"},
      {Mutation::log_det_factor, "T10"},
      {Mutation::log_det_gradient_sign, "T10"},
      {Mutation::curvature_sign, "T10 R"},
      {Mutation::missing_preimages, "T10 a compact"},
      {Mutation::distance_by_arc_cosine, "T2 distance of near"},
      {Mutation::isometry_wrong, "T12"},
      {Mutation::defect_always, "T0"},
  };
  for (const auto& [mutation, property] : mutants) {
    bool named = false;
    for (const CheckFailure& failure : check_manifold(Mutant(mutation)))
      named = named || failure.property.find(property) == 0;
    EXPECT_TRUE(named) << "mutant " << static_cast<int>(mutation) << " was not caught by " << property;
  }
}

}  // namespace
}  // namespace wgp
