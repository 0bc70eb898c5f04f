// What a fit on two threads does when memory runs out on one of them, or when a callback throws: the caller gets the
// exception, and the next fit is as good as ever.
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <thread>

#include "fit/fit.h"
#include "fit/point_sets.h"

namespace wgp {
namespace {

FitOptions two_threads() {
  FitOptions options;
  options.inference = Inference::point;
  options.latent = LatentSpace::plain(1);
  options.threads = 2;
  options.max_iterations = 20;
  return options;
}

// The usual one, for which there is memory on the caller's thread alone.
class Scarce final : public Evidence {
 public:
  Scarce(const EvidenceSetting& setting, std::thread::id caller) : usual_(point_evidence(setting)), caller_(caller) {}
  double value(const Parameters& at, const Outputs& outputs) override {
    if (std::this_thread::get_id() != caller_) throw std::bad_alloc();
    return usual_->value(at, outputs);
  }
  void gradient(EvidenceGradient& gradient, ByOutputs by_outputs) override { usual_->gradient(gradient, by_outputs); }
  double value_and_gradient(const Parameters& at, const Outputs& outputs, EvidenceGradient& gradient,
                            ByOutputs by_outputs) override {
    if (std::this_thread::get_id() != caller_) throw std::bad_alloc();
    return usual_->value_and_gradient(at, outputs, gradient, by_outputs);
  }
  PosteriorPtr condition(const Parameters& at, double noise, ConstMatrixRef V) const override {
    return usual_->condition(at, noise, V);
  }

 private:
  std::unique_ptr<Evidence> usual_;
  std::thread::id caller_;
};

TEST(Faults, MemoryThatAWorkerLacksIsTheCallersError) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix P = test::arc_on_sphere(60);
  const auto caller = std::this_thread::get_id();
  const EvidenceFactory scarce = [caller](const EvidenceSetting& setting) {
    return std::make_unique<Scarce>(setting, caller);
  };
  for (const BasepointKind kind : {BasepointKind::mean, BasepointKind::geodesic, BasepointKind::automatic}) {
    FitOptions options = two_threads();
    options.basepoint = kind;
    EXPECT_THROW(fit_by(scarce, sphere, P, options), std::bad_alloc) << to_string(kind);
    options.threads = 1;  // the caller's own: nothing is missing
    options.effort = Effort::quick;
    EXPECT_NO_THROW(fit_by(scarce, sphere, P, options)) << to_string(kind);
  }
}

TEST(Faults, WhatACallbackThrowsReachesTheCaller) {
  const ManifoldPtr sphere = parse_manifold("sphere:2");
  const Matrix P = test::arc_on_sphere(60);
  FitOptions options = two_threads();
  const double usual = fit(sphere, P, options).summary.log_posterior;
  FitOptions lacking = options;
  lacking.keep_going = [](const Progress&) -> bool { throw std::bad_alloc(); };
  EXPECT_THROW(fit(sphere, P, lacking), std::bad_alloc);
  lacking.keep_going = nullptr;
  lacking.on_step = [](std::uint64_t, const FitStep&) { throw std::bad_alloc(); };
  EXPECT_THROW(fit(sphere, P, lacking), std::bad_alloc);
  lacking.on_step = [](std::uint64_t, const FitStep&) { throw std::runtime_error("the disk is full"); };
  EXPECT_THROW(fit(sphere, P, lacking), std::runtime_error);
  EXPECT_EQ(fit(sphere, P, options).summary.log_posterior, usual);
}

}  // namespace
}  // namespace wgp
