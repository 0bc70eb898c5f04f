// libFuzzer target of checkpoints: whatever the bytes are, they give wgp::Error, or a checkpoint that a fit goes on
// from to a model or wgp::Error. Built and run by scripts/fuzz. With WGP_FUZZ_SEEDS a program of its own, which writes
// the checkpoints of whole fits into a folder.
#include <cmath>
#include <cstdint>
#include <string>

#include "wgp/model_file.h"

namespace {

using namespace wgp;

struct Job {
  ManifoldPtr manifold;
  Matrix points;
  FitOptions options;
  std::uint64_t fingerprint = 0;
  FitCheckpoint finished;  // by the fit as it should be
};

// Two small fits: at the mean with points left out, and with a base point that moves.
Job make_job(bool moves) {
  Job job{parse_manifold(moves ? "hyperbolic:2" : "sphere:2"), Matrix(3, moves ? 8 : 12), {}, 0, {}};
  for (Index i = 0; i < job.points.cols(); ++i) {
    const double s = 0.2 * static_cast<double>(i), t = 0.3 * std::sin(5 * s);
    Vector point(3);
    if (moves)
      point << std::cosh(s) * std::cosh(t), std::sinh(s) * std::cosh(t), std::sinh(t);
    else
      point << std::cos(s) * std::cos(t), std::sin(s) * std::cos(t), std::sin(t);
    job.points.col(i) = job.manifold->project(point);
  }
  job.options.latent = LatentSpace::plain(1);
  job.options.effort = Effort::quick;
  job.options.max_iterations = 4;
  if (moves) {
    job.options.basepoint = BasepointKind::geodesic;
    job.options.variance = VarianceRule::as_fitted;
  }
  job.options.on_step = [&](std::uint64_t fingerprint, const FitStep& step) {
    job.finished.fingerprint = job.fingerprint = fingerprint;
    job.finished.steps[step.name] = step.numbers;
  };
  fit(job.manifold, job.points, job.options);
  job.options.on_step = nullptr;
  return job;
}

}  // namespace

#ifdef WGP_FUZZ_SEEDS
int main(int, char** words) {
  const std::string folder = words[1];
  for (const bool moves : {false, true}) {
    FitCheckpoint checkpoint = make_job(moves).finished;
    checkpoint.fingerprint = moves;
    CheckpointWriter(folder + (moves ? "/moving.wgpc" : "/mean.wgpc"), checkpoint);
  }
}
#else
// The fingerprint says which of the fits goes on; its own would never be met.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Job jobs[] = {make_job(false), make_job(true)};
  try {
    FitCheckpoint checkpoint = parse_checkpoint(std::string(reinterpret_cast<const char*>(data), size), "fuzz.wgpc");
    Job job = jobs[checkpoint.fingerprint % 2];
    checkpoint.fingerprint = job.fingerprint;
    job.options.resume = std::make_shared<const FitCheckpoint>(std::move(checkpoint));
    fit(job.manifold, job.points, job.options);
  } catch (const Error&) {
  }
  return 0;
}
#endif
