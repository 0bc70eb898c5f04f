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
      : spectrum_(process.latent, *spectral_terms(*process.kernel, process.latent), process.kernel->parameter_count()),
        lattice_(process.latent, process.periods, process.modes),
        bound_(spectrum_, lattice_, process.neglected > 0 ? Neglected::penalised : Neglected::dropped),
        V_(V),
        sd_(start.X_sd),
        at_(start),
        random_(random) {}

  bool sweep(int number) {
    sum();
    double value = bound_.value(at_.theta, at_.noise, sums_);
    if (!std::isfinite(value)) return false;
    if (number % sweeps_a_parameter_step == 0) move_parameters(value);
    move_latents(drawn_weights());
    return true;
  }

  // The process given the latents as they are; nothing where there is none.
  std::optional<LatticeDraw> draw() {
    sum();
    if (!std::isfinite(bound_.value(at_.theta, at_.noise, sums_))) return std::nullopt;
    return LatticeDraw{at_.theta, at_.noise, bound_.weights(), table_};
  }

 private:
  void sum() {
    const LatticeBlock block(lattice_, at_.X, Matrix());
    table_ = block.table();
    sums_.count = static_cast<double>(V_.cols());
    sums_.squares = V_.squaredNorm();
    sums_.second = lattice_.second_moments(table_);
    sums_.cross = block.cross(V_);
    sums_.d = V_.rows();
  }

  void move_parameters(double value) {
    const Vector theta = at_.theta + parameter_step * random_.normals(at_.theta.size());
    const double noise = at_.noise * std::exp(parameter_step * random_.normal());
    const double moved = bound_.value(theta, noise, sums_);
    if (std::isfinite(moved) && std::log(random_.uniform()) < moved - value) {
      at_.theta = theta;
      at_.noise = noise;
    } else {
      bound_.value(at_.theta, at_.noise, sums_);
    }
  }

  // mean + D^1/2 L^-T z, z normal.
  Matrix drawn_weights() {
    Matrix weights = random_.normals(lattice_.size(), V_.rows());
    solve_lower_transpose(bound_.L(), weights);
    weights.array().colwise() *= bound_.amplitudes().cwiseSqrt().array();
    return weights + bound_.weights();
  }

  Vector log_densities(const Matrix& X, const Matrix& weights) const {
    const LatticeBlock block(lattice_, X, Matrix());
    Matrix mean = Matrix::Zero(V_.rows(), V_.cols());
    simd().products.add_product(columns(MatrixRef(mean)), 1, columns(ConstMatrixRef(weights)), Turned::yes,
                                columns(ConstMatrixRef(block.features())), Turned::yes);
    return -0.5 * (X.colwise().squaredNorm() + (V_ - mean).colwise().squaredNorm() / at_.noise).transpose();
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

  const KernelSpectrum spectrum_;
  const Lattice lattice_;
  CollapsedBound bound_;
  const Matrix V_, sd_;
  ChainStart at_;
  Random random_;
  LatticeSums sums_;
  Matrix table_;
};

}  // namespace

std::vector<LatticeDraw> draw_processes(const LatticePosteriorParts& process, ConstMatrixRef V, const ChainStart& start,
                                        const ChainLength& length, std::uint64_t seed, std::uint64_t stream,
                                        RunControl& control) {
  Chain chain(process, V, start, Random(seed, stream));
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
