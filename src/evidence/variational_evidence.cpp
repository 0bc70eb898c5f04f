#include "evidence/variational_evidence.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/format.h"
#include "evidence/inducing_evidence.h"
#include "evidence/latent_divergence.h"
#include "evidence/learned_density.h"
#include "gp/kernels.h"
#include "gp/lattice_posterior.h"
#include "linalg/products.h"
#include "wgp/manifold.h"

namespace wgp {
namespace {

constexpr Index points_at_once = 128;

std::optional<KernelSpectrum> spectrum_for(const Kernel& kernel, const LatentSpace& latent) {
  if (latent.dim() > 3) return std::nullopt;
  auto terms = spectral_terms(kernel, latent);
  if (!terms) return std::nullopt;
  return KernelSpectrum(latent, std::move(*terms), kernel.parameter_count());
}

// Sum over points of the divergence of N(mu, diag S) from what is known of each input. Subtracts its derivatives from
// d_mu and d_S where these are not empty.
double input_divergence(const UncertainInputs& inputs, ConstMatrixRef mu, ConstMatrixRef S, MatrixRef d_mu,
                        MatrixRef d_S) {
  const auto precision = inputs.variance.array().inverse();
  const auto away = (mu - inputs.mean).array();
  if (d_mu.size() > 0) d_mu.array() -= away * precision;
  if (d_S.size() > 0) d_S.array() -= (precision - S.array().inverse()) / 2;
  return ((away.square() + S.array()) * precision - (S.array() * precision).log() - 1).sum() / 2;
}

class VariationalEvidence final : public Evidence {
 public:
  VariationalEvidence(const EvidenceSetting& setting, KernelSpectrum spectrum, std::optional<LatticePlan> plan,
                      std::optional<UncertainInputs> inputs = std::nullopt)
      : setting_(setting), spectrum_(std::move(spectrum)), plan_(std::move(plan)), inputs_(std::move(inputs)) {
    if (inputs_) settings_.unit = inputs_->unit;
    if (!setting_.executor) setting_.executor = &own_;
  }

  double value(const Parameters& at, const Outputs& outputs) override {
    at_ = at;
    outputs_ = &outputs;
    if (!at.theta.allFinite() || !at.X.allFinite() || !at.S.allFinite()) return -infinity;
    S_ = variances(at.S);
    if (!plan_) plan_ = plan_lattice(spectrum_, at.theta, at.noise(), outputs.d, at.X, at.S, settings_);
    if (!bound_) bound_.emplace(spectrum_, plan_->lattice, plan_->mode);
    sum(outputs.rows);
    const double data = bound_->value(at.theta, at.noise(), sums_);
    Matrix none;
    return data - divergence(none, none) + learned_.gain;
  }

  void gradient(EvidenceGradient& gradient, ByOutputs by_outputs) override {
    CollapsedGradient by;
    bound_->gradient(sums_, CollapsedBound::Wanted::everything, by);
    gradient.theta = by.by_theta;
    gradient.noise = by.by_noise;
    Matrix by_table = plan_->lattice.by_table(by.by_second);
    learned_.add_by_table(plan_->lattice, by_table);
    const Index N = at_.X.cols(), blocks = (N + points_at_once - 1) / points_at_once;
    gradient.X.setZero(at_.X.rows(), N);
    gradient.S.setZero(at_.X.rows(), N);
    if (by_outputs == ByOutputs::wanted) gradient.rows.resize(outputs_->rows.rows(), N);
    const Matrix weights = bound_->weights();
    setting_.executor->each(blocks, [&](Index b, int) {
      const Index first = b * points_at_once, count = std::min(points_at_once, N - first);
      const auto V = outputs_->rows.middleCols(first, count);
      const LatticeBlock block(plan_->lattice, at_.X.middleCols(first, count), S_.middleCols(first, count));
      Matrix by_features = Matrix::Zero(count, plan_->lattice.size());
      simd().products.add_product(columns(MatrixRef(by_features)), 1, columns(ConstMatrixRef(V)), Turned::yes,
                                  columns(ConstMatrixRef(by.by_cross)), Turned::yes);
      Matrix d_X = Matrix::Zero(at_.X.rows(), count), d_S = Matrix::Zero(at_.X.rows(), count);
      block.pull_back(by_features, by_table, Vector(), d_X, d_S);
      gradient.X.middleCols(first, count) = d_X;
      gradient.S.middleCols(first, count) = d_S;
      // -(v - w'E phi)/noise
      if (by_outputs == ByOutputs::wanted)
        gradient.rows.middleCols(first, count) =
            1 / at_.noise() * (weights.transpose() * block.features().transpose() - V);
    });
    divergence(gradient.X, gradient.S);
    // By log S; a variance at the end of its range stays there.
    for (Index j = 0; j < gradient.S.rows(); ++j) {
      const Range range = range_of(j);
      for (Index n = 0; n < N; ++n)
        gradient.S(j, n) *= at_.S(j, n) >= range.least && at_.S(j, n) <= range.most ? S_(j, n) : 0;
    }
  }

  PosteriorPtr condition(const Parameters& at, double noise, ConstMatrixRef V) const override {
    if (!at.X.allFinite() || !V.allFinite() || !(noise > 0)) return nullptr;
    const LatticePlan plan = plan_ ? *plan_ : plan_lattice(spectrum_, at.theta, noise, V.rows(), at.X, at.S, settings_);
    VariationalEvidence other(setting_, spectrum_, plan, inputs_);
    other.at_ = at;
    other.S_ = variances(at.S);
    other.sum(V);
    other.sums_.d = V.rows();
    return collapsed_posterior({setting_.kernel, setting_.latent, at.theta, noise, at.X}, spectrum_, plan, other.sums_,
                               std::move(other.table_));
  }

 private:
  Matrix variances(const Matrix& log_S) const {
    Matrix S(log_S.rows(), log_S.cols());
    for (Index n = 0; n < S.cols(); ++n)
      for (Index j = 0; j < S.rows(); ++j) {
        const Range range = range_of(j);
        S(j, n) = std::exp(std::clamp(log_S(j, n), range.least, range.most));
      }
    return S;
  }
  // Of a log variance. Those of inputs that are known up to errors are what they are.
  struct Range {
    double least, most;
  };
  Range range_of(Index j) const {
    if (inputs_) return {-infinity, infinity};
    return {least_log_variance, setting_.latent.is_angle(j) ? most_log_variance_of_angles : most_log_variance};
  }

  // From the prior. Subtracts its derivatives where these are wanted.
  double divergence(MatrixRef d_mu, MatrixRef d_S) const {
    return inputs_ ? input_divergence(*inputs_, at_.X, S_, d_mu, d_S)
                   : latent_divergence(setting_.latent, at_.X, S_, d_mu, d_S);
  }

  void sum(ConstMatrixRef V) {
    struct Part {
      Matrix table, cross;
    };
    const Lattice& lattice = plan_->lattice;
    const Index N = at_.X.cols(), blocks = (N + points_at_once - 1) / points_at_once;
    Part all = setting_.executor->reduce<Part>(
        blocks,
        [&](Index b) {
          if (setting_.control) setting_.control->check();
          const Index first = b * points_at_once, count = std::min(points_at_once, N - first);
          const LatticeBlock block(lattice, at_.X.middleCols(first, count), S_.middleCols(first, count));
          return Part{block.table(), block.cross(V.middleCols(first, count))};
        },
        [](Part& into, const Part& part) {
          into.table += part.table;
          into.cross += part.cross;
        });
    table_ = std::move(all.table);
    if (!inputs_ && setting_.densities == AngleDensities::learned) learned_ = learned_density(lattice, table_);
    sums_ = sums_of_points(lattice, table_, std::move(all.cross), V);
    if (outputs_) sums_.d = outputs_->d;
  }

  EvidenceSetting setting_;
  Executor own_;
  KernelSpectrum spectrum_;
  std::optional<LatticePlan> plan_;
  const std::optional<UncertainInputs> inputs_;
  LatticeSettings settings_;
  std::optional<CollapsedBound> bound_;
  Parameters at_;
  const Outputs* outputs_ = nullptr;
  Matrix S_, table_;
  LearnedDensity learned_;
  LatticeSums sums_;
};

}  // namespace

LatticePlan plan_lattice(const KernelSpectrum& spectrum, ConstVectorRef theta, double noise, Index d,
                         ConstVectorRef periods, const LatticeSettings& settings) {
  const LatentSpace& latent = spectrum.latent();
  const Index q = latent.dim();
  const double variance = spectrum.variance(theta);
  // What is left out costs (N d/2) share variance/noise.
  LatticeRule rule{std::min(1e-5, 2 * settings.loss_per_point * noise / (static_cast<double>(d) * variance)),
                   q == 1   ? 401
                   : q == 2 ? 321
                            : 1201};
  if (q == 3) rule.neglected = std::max(rule.neglected, 1e-2);
  const LatticeChoice choice = choose_lattice(spectrum, theta, periods, rule);
  const bool drop = spectrum.has_matern() || choice.capped || q == 3;
  return {choice.lattice, drop ? Neglected::dropped : Neglected::penalised};
}

double lattice_period(const KernelSpectrum& spectrum, ConstVectorRef theta, Index coordinate,
                      const LatentExtent& extent, const LatticeSettings& settings) {
  const double unit = spectrum.latent().is_angle(coordinate) ? 1 : settings.unit;
  const double length = std::min(spectrum.length(theta, coordinate), 4 * std::max(extent.sd, 0.05 * unit));
  const double spread = std::exp(std::min(extent.log_variance, most_log_variance + 2 * std::log(unit)) / 2);
  return std::max(1e-3 * unit, extent.high - extent.low + settings.period_lengths * length + 4 * spread);
}

LatticePlan plan_lattice(const KernelSpectrum& spectrum, ConstVectorRef theta, double noise, Index d, ConstMatrixRef mu,
                         ConstMatrixRef log_S, const LatticeSettings& settings) {
  const Index q = mu.rows(), N = mu.cols();
  Vector periods(q);
  for (Index j = 0; j < q; ++j) {
    const double mean = mu.row(j).mean();
    LatentExtent extent{mu.row(j).minCoeff(), mu.row(j).maxCoeff(),
                        std::sqrt((mu.row(j).array() - mean).square().sum() / static_cast<double>(N))};
    if (log_S.size() > 0) {
      std::vector<double> sorted(static_cast<std::size_t>(N));
      for (Index n = 0; n < N; ++n) sorted[static_cast<std::size_t>(n)] = log_S(j, n);
      std::nth_element(sorted.begin(), sorted.begin() + N / 2, sorted.end());
      extent.log_variance = sorted[static_cast<std::size_t>(N / 2)];
    }
    periods[j] = lattice_period(spectrum, theta, j, extent, settings);
  }
  return plan_lattice(spectrum, theta, noise, d, periods, settings);
}

PosteriorPtr collapsed_posterior(const CollapsedProcess& process, const KernelSpectrum& spectrum,
                                 const LatticePlan& plan, const LatticeSums& sums, Matrix table) {
  CollapsedBound bound(spectrum, plan.lattice, plan.mode);
  if (!std::isfinite(bound.value(process.theta, process.noise, sums))) return nullptr;
  return lattice_posterior({process.kernel, process.latent, process.theta, process.noise, bound.neglected(),
                            plan.lattice.periods(), plan.lattice.modes(), process.X, bound.weights(),
                            std::move(table)});
}

std::unique_ptr<Evidence> variational_evidence(const EvidenceSetting& setting) {
  if (setting.latent.dim() > 3) return inducing_evidence(setting);
  auto spectrum = spectrum_for(*setting.kernel, setting.latent);
  if (!spectrum) return nullptr;
  return std::make_unique<VariationalEvidence>(setting, std::move(*spectrum), std::nullopt);
}

std::unique_ptr<Evidence> variational_evidence(const EvidenceSetting& setting, LatticePlan plan) {
  auto spectrum = spectrum_for(*setting.kernel, setting.latent);
  if (!spectrum) return nullptr;
  return std::make_unique<VariationalEvidence>(setting, std::move(*spectrum), std::move(plan));
}

std::unique_ptr<Evidence> uncertain_inputs_evidence(const EvidenceSetting& setting, UncertainInputs inputs) {
  auto spectrum = spectrum_for(*setting.kernel, setting.latent);
  if (!spectrum) return nullptr;
  return std::make_unique<VariationalEvidence>(setting, std::move(*spectrum), std::nullopt, std::move(inputs));
}

std::string why_not_variational(const Kernel& kernel, const LatentSpace& latent) {
  if (latent.dim() > 3)
    return is_plain_rbf(kernel) ? ""
                                : fmt::format(
                                      "in {} latent coordinates, which must be plain, the kernel is 'rbf'; "
                                      "three or fewer take others",
                                      latent.dim());
  auto terms = spectral_terms(kernel, latent);
  if (!terms) return fmt::format("the kernel '{}' is not a sum of stationary kernels on a lattice", kernel.spec());
  const bool matern = KernelSpectrum(latent, *terms, kernel.parameter_count()).has_matern();
  if (latent.dim() == 3 && matern) return "a Matern kernel needs too many frequencies in three coordinates";
  return "";
}

}  // namespace wgp
