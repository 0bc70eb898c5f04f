#include "evidence/process_draws.h"

#include <cmath>
#include <optional>

#include "evidence/collapsed_bound.h"
#include "linalg/products.h"
#include "wgp/random.h"

namespace wgp {
namespace {

// Of latents, in standard deviations: most steps are as long as is best in two coordinates, some longer. Of kernel and
// noise, in logarithms: about three in ten are accepted on 200 points of a sheet.
constexpr double latent_steps[] = {1.2, 1.2, 1.2, 3}, parameter_step = 0.05;
constexpr int sweeps_a_parameter_step = 2;

class Chain {
 public:
  Chain(const LatticePosteriorParts& process, ConstMatrixRef V, const ChainStart& start, Random random)
      : limits_(process),
        spectrum_(process.latent, *spectral_terms(*process.kernel, process.latent), process.kernel->parameter_count()),
        lattice_(process.latent, process.periods, process.modes),
        bounds_{bound_of(process), bound_of(process)},
        V_(V),
        sd_(start.X_sd),
        at_(start),
        random_(random) {}

  bool is_within_lattice() const { return limits_.hold(at_.X); }

  bool sweep(int number) {
    if (!look()) return false;
    if (number % sweeps_a_parameter_step == 0) move_parameters();
    move_latents(bound().drawn_weights(random_));
    return true;
  }

  // The process given the latents as they are; nothing where there is none.
  std::optional<LatticeDraw> draw() {
    if (!look()) return std::nullopt;
    return LatticeDraw{at_.theta, at_.noise, bound().neglected(), bound().weights(), table_};
  }

 private:
  CollapsedBound bound_of(const LatticePosteriorParts& process) const {
    return {spectrum_, lattice_, process.neglected > 0 ? Neglected::penalised : Neglected::dropped};
  }
  // That of the chain's kernel and noise; the other one is for those that are tried.
  CollapsedBound& bound() { return bounds_[current_]; }

  // The latents' sums, and the bound given them. False where there is no process.
  bool look() {
    const LatticeBlock block(lattice_, at_.X, Matrix());
    table_ = block.table();
    sums_ = sums_of_points(lattice_, table_, block.cross(V_), V_);
    value_ = bound().value(at_.theta, at_.noise, sums_);
    return std::isfinite(value_);
  }

  void move_parameters() {
    const Vector theta = at_.theta + parameter_step * random_.normals(at_.theta.size());
    const double noise = at_.noise * std::exp(parameter_step * random_.normal());
    const double moved = bounds_[1 - current_].value(theta, noise, sums_);
    if (!std::isfinite(moved) || !(std::log(random_.uniform()) < moved - value_)) return;
    at_.theta = theta;
    at_.noise = noise;
    current_ = 1 - current_;
  }

  Vector log_densities(const Matrix& X, const Matrix& weights) const {
    const LatticeBlock block(lattice_, X, Matrix());
    Matrix mean = Matrix::Zero(V_.rows(), V_.cols());
    simd().products.add_product(columns(MatrixRef(mean)), 1, columns(ConstMatrixRef(weights)), Turned::yes,
                                columns(ConstMatrixRef(block.features())), Turned::yes);
    Vector density = -0.5 * (X.colwise().squaredNorm() + (V_ - mean).colwise().squaredNorm() / at_.noise).transpose();
    for (Index n = 0; n < density.size(); ++n)
      if (!limits_.hold(X.col(n))) density[n] = -infinity;
    return density;
  }

  void move_latents(const Matrix& weights) {
    Vector now = log_densities(at_.X, weights);
    for (const double step : latent_steps) {
      const Matrix moved = at_.X + step * sd_.cwiseProduct(random_.normals(sd_.rows(), sd_.cols()));
      const Vector then = log_densities(moved, weights);
      for (Index n = 0; n < now.size(); ++n)
        if (std::log(random_.uniform()) < then[n] - now[n]) {
          at_.X.col(n) = moved.col(n);
          now[n] = then[n];
        }
    }
  }

  const LatticeBounds limits_;
  const KernelSpectrum spectrum_;
  const Lattice lattice_;
  CollapsedBound bounds_[2];
  int current_ = 0;
  const Matrix V_, sd_;
  ChainStart at_;
  Random random_;
  LatticeSums sums_;
  Matrix table_;
  double value_ = 0;
};

}  // namespace

bool is_held(const LatticePosteriorParts& process, const ChainStart& start, double nats_a_point) {
  const KernelSpectrum spectrum(process.latent, *spectral_terms(*process.kernel, process.latent),
                                process.kernel->parameter_count());
  const Lattice lattice(process.latent, process.periods, process.modes);
  CollapsedBound bound(spectrum, lattice, Neglected::penalised);
  // What is left out costs (d/2) variance/noise.
  const auto cost = [&](const Vector& theta) {
    bound.value(theta, start.noise,
                LatticeSums{0, 0, Matrix::Zero(lattice.size(), lattice.size()), Matrix::Zero(lattice.size(), 1), 1});
    return static_cast<double>(process.weights.cols()) / 2 * bound.neglected() / start.noise;
  };
  return LatticeBounds(process).hold(start.X) && cost(start.theta) - cost(process.theta) <= nats_a_point;
}

std::vector<LatticeDraw> draw_processes(const LatticePosteriorParts& process, ConstMatrixRef V, const ChainStart& start,
                                        const ChainLength& length, std::uint64_t seed, std::uint64_t stream,
                                        RunControl& control) {
  Chain chain(process, V, start, Random(seed, stream));
  if (!chain.is_within_lattice()) return {};
  const int first = length.sweeps / 3, kept = length.sweeps - first;
  std::vector<LatticeDraw> draws;
  for (int k = 1; k <= length.sweeps; ++k) {
    control.check();
    if (!chain.sweep(k)) return {};
    const int drawn = static_cast<int>(draws.size());
    if (k < first + (drawn + 1) * kept / length.draws || drawn >= length.draws) continue;
    auto draw = chain.draw();
    if (!draw) return {};
    draws.push_back(std::move(*draw));
  }
  return draws;
}

}  // namespace wgp
