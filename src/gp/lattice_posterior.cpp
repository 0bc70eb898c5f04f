#include "gp/lattice_posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>
#include <optional>

#include "core/format.h"
#include "gp/slope_differences.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "wgp/manifold.h"

namespace wgp {
namespace {

constexpr Index inputs_at_once = 256;

KernelSpectrum spectrum_of(const Kernel& kernel, const LatentSpace& latent) {
  auto terms = spectral_terms(kernel, latent);
  if (!terms) throw Error(fmt::format("the kernel '{}' has no spectrum", kernel.spec()));
  return {latent, std::move(*terms), kernel.parameter_count()};
}

class LatticePosterior final : public Posterior {
 public:
  LatticePosterior(LatticePosteriorParts parts, std::vector<LatticeDraw> draws)
      : parts_(std::move(parts)),
        spectrum_(spectrum_of(*parts_.kernel, parts_.latent)),
        lattice_(parts_.latent, checked_periods(), parts_.modes) {
    if (parts_.weights.rows() != lattice_.size() || parts_.table.rows() != lattice_.table_rows() ||
        parts_.table.cols() != lattice_.table_cols() || parts_.X.rows() != parts_.latent.dim() ||
        parts_.X.cols() == 0 || parts_.theta.size() != parts_.kernel->parameter_count())
      throw Error(fmt::format("{} weights, a table of {} x {} and {} latents do not belong to a lattice of {} features",
                              parts_.weights.rows(), parts_.table.rows(), parts_.table.cols(), parts_.X.cols(),
                              lattice_.size()));
    if (!(parts_.noise > 0 && parts_.noise < infinity) || !(parts_.neglected >= 0 && parts_.neglected < infinity))
      throw Error(
          fmt::format("a process on a lattice, or a draw of it, has the noise variance {} and the neglected variance "
                      "{}, but a positive number and one that is not negative are expected",
                      parts_.noise, parts_.neglected));
    prior_ = spectrum_.variance(parts_.theta);
    bounds_.emplace(parts_);
    for (LatticeDraw& draw : draws)
      draws_.push_back({std::make_shared<LatticePosterior>(
                            LatticePosteriorParts{parts_.kernel, parts_.latent, std::move(draw.theta), draw.noise,
                                                  draw.neglected, parts_.periods, parts_.modes, parts_.X,
                                                  std::move(draw.weights), std::move(draw.table)},
                            std::vector<LatticeDraw>()),
                        draw.noise});
  }

  const LatticePosteriorParts& parts() const { return parts_; }
  const std::vector<DrawnProcess>& draws() const { return draws_; }
  const Lattice& lattice() const { return lattice_; }
  const LatentSpace& latent() const override { return parts_.latent; }
  Index outputs() const override { return parts_.weights.cols(); }
  const Matrix& training_latents() const override { return parts_.X; }
  Vector prior_variance(ConstMatrixRef at) const override { return Vector::Constant(at.cols(), prior_); }

  GpPrediction predict(ConstMatrixRef at) const override {
    GpPrediction prediction{Matrix(outputs(), at.cols()), Vector(at.cols())};
    in_blocks(at, [&](Index first, const LatticeBlock& block) {
      prediction.mean.middleCols(first, block.count()) = mean_of(block);
      prediction.variance.segment(first, block.count()) = variance_of(block);
    });
    for (Index i = 0; i < at.cols(); ++i)
      if (is_far(at.col(i))) {
        prediction.mean.col(i).setZero();
        prediction.variance[i] = prior_;
      }
    return prediction;
  }

  Matrix mean(ConstMatrixRef at) const override {
    Matrix mean(outputs(), at.cols());
    in_blocks(at,
              [&](Index first, const LatticeBlock& block) { mean.middleCols(first, block.count()) = mean_of(block); });
    for (Index i = 0; i < at.cols(); ++i)
      if (is_far(at.col(i))) mean.col(i).setZero();
    return mean;
  }

  Matrix covariance(ConstMatrixRef at) const override {
    const LatticeBlock block(lattice_, at, Matrix());
    Matrix features = block.features().transpose();
    for (Index i = 0; i < at.cols(); ++i)
      if (is_far(at.col(i))) features.col(i).setZero();
    Matrix scaled = factors().root.asDiagonal() * features;
    solve_lower(factors().L, scaled);
    Matrix covariance = product_tn(scaled, scaled);
    covariance.diagonal().array() += parts_.neglected;
    for (Index i = 0; i < at.cols(); ++i)
      if (is_far(at.col(i))) covariance(i, i) = prior_;
    return covariance;
  }

  // What the lattice leaves out is no noise of neighbours: differences of covariance() would take it for steep slopes.
  Matrix slope_covariance(ConstVectorRef x) const override {
    const bool far = is_far(x);
    const SlopeDifferences around(far ? bounds_->middle : Vector(x));
    const LatticeBlock block(lattice_, around.inputs, Matrix());
    Matrix scaled = factors().root.asDiagonal() * (block.features().transpose() * around.weights);
    if (!far) solve_lower(factors().L, scaled);
    return product_tn(scaled, scaled);
  }

  std::unique_ptr<const TracedPrediction> trace(ConstMatrixRef at, Traced what) const override {
    return std::make_unique<LatticeTrace>(*this, at, what);
  }

  // Of a latent whose own point is taken away: s^2/(1 - s^2/noise).
  double support_limit() const override {
    const Vector variance = predict(parts_.X).variance;
    double widest = 1e-3 * parts_.noise;
    for (const double s2 : variance) widest = std::max(widest, s2 / std::max(0.1, 1 - s2 / parts_.noise));
    return std::min(widest, prior_);
  }

  Grain grain() const override {
    Grain grain{infinity, infinity, Vector(outputs() + 1)};
    for (Index j = 0; j < parts_.latent.dim(); ++j)
      (parts_.latent.is_angle(j) ? grain.angle : grain.plain) =
          std::min(parts_.latent.is_angle(j) ? grain.angle : grain.plain, spectrum_.length(parts_.theta, j));
    constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
    grain.rounding.head(outputs()) = rounding * parts_.weights.cwiseAbs().colwise().sum().transpose();
    grain.rounding[outputs()] = 1e-12 * prior_;
    return grain;
  }

  std::string kind() const override { return "lattice"; }
  std::map<std::string, Matrix> arrays() const override {
    Matrix modes = Matrix::Zero(1 + parts_.modes.cols(), parts_.modes.rows());
    modes.bottomRows(parts_.modes.cols()) = parts_.modes.transpose().cast<double>();
    std::map<std::string, Matrix> arrays = {{lattice_array::weights, parts_.weights},
                                            {lattice_array::table, parts_.table},
                                            {lattice_array::modes, modes},
                                            {lattice_array::periods, parts_.periods}};
    if (!draws_.empty()) add_draws(arrays);
    return arrays;
  }

  GpPrediction pairs(const Vector& first, const Vector& second) const {
    if (lattice_.coordinates() != 2) throw Error("pairs of places are those of two latent coordinates");
    const Matrix one = lattice_.axis_table(first, 0), other = lattice_.axis_table(second, 1);
    const Index count = first.size() * second.size();
    GpPrediction prediction{Matrix(outputs(), count), polynomial_at_pairs(one, other, factors().by_table)};
    prediction.variance = prediction.variance.cwiseMax(0).array() + parts_.neglected;
    for (Index i = 0; i < outputs(); ++i)
      prediction.mean.row(i) = polynomial_at_pairs(one, other, lattice_.table_of(parts_.weights.col(i))).transpose();
    for (Index g = 0; g < count; ++g)
      if (is_far(Eigen::Vector2d(first[g % first.size()], second[g / first.size()]))) {
        prediction.mean.col(g).setZero();
        prediction.variance[g] = prior_;
      }
    return prediction;
  }

  UncertainPrediction uncertain(ConstMatrixRef at, ConstMatrixRef S) const {
    UncertainPrediction prediction{Matrix(outputs(), at.cols()), Vector(at.cols())};
    const double d = static_cast<double>(outputs());
    Matrix spread = factors().covariance;
    add_product_nt(spread, parts_.weights, parts_.weights, 1 / d);
    const Matrix by = lattice_.by_table(spread);
    for (Index first = 0; first < at.cols(); first += inputs_at_once) {
      const Index count = std::min(inputs_at_once, at.cols() - first);
      const LatticeBlock block(lattice_, at.middleCols(first, count), S.middleCols(first, count));
      const Matrix mean = mean_of(block);
      prediction.mean.middleCols(first, count) = mean;
      prediction.variance.segment(first, count) =
          (block.polynomial(by) - mean.colwise().squaredNorm().transpose() / d).cwiseMax(0).array() + parts_.neglected;
    }
    return prediction;
  }

 private:
  void add_draws(std::map<std::string, Matrix>& arrays) const {
    const auto count = static_cast<Index>(draws_.size()), M = parts_.weights.rows(), rows = parts_.table.rows();
    Matrix parameters(count, parts_.theta.size() + 2), weights(count * M, outputs()),
        tables(count * rows, parts_.table.cols());
    for (Index k = 0; k < count; ++k) {
      const LatticePosteriorParts& draw = *lattice_parts(*draws_[static_cast<std::size_t>(k)].posterior);
      parameters.row(k) << draw.theta.transpose(), draw.noise, draw.neglected;
      weights.middleRows(k * M, M) = draw.weights;
      tables.middleRows(k * rows, rows) = draw.table;
    }
    arrays[lattice_array::draw_parameters] = parameters;
    arrays[lattice_array::draw_weights] = weights;
    arrays[lattice_array::draw_tables] = tables;
  }

  class LatticeTrace final : public TracedPrediction {
   public:
    LatticeTrace(const LatticePosterior& posterior, ConstMatrixRef at, Traced what)
        : posterior_(posterior), far_(static_cast<std::size_t>(at.cols())), block_(posterior.lattice_, at, Matrix()) {
      prediction_.mean = posterior.mean_of(block_);
      if (what == Traced::mean_and_variance) prediction_.variance = posterior.variance_of(block_);
      for (Index i = 0; i < at.cols(); ++i) {
        far_[static_cast<std::size_t>(i)] = posterior.is_far(at.col(i));
        if (!far_[static_cast<std::size_t>(i)]) continue;
        prediction_.mean.col(i).setZero();
        if (prediction_.variance.size() > 0) prediction_.variance[i] = posterior.prior_;
      }
    }
    void pull_back(ConstMatrixRef by_mean, ConstVectorRef by_variance, MatrixRef d_X) const override {
      Matrix by_features = Matrix::Zero(block_.count(), posterior_.lattice_.size());
      simd().products.add_product(columns(MatrixRef(by_features)), 1, columns(by_mean), Turned::yes,
                                  columns(ConstMatrixRef(posterior_.parts_.weights)), Turned::yes);
      Matrix own = Matrix::Zero(d_X.rows(), d_X.cols()), none;
      const bool with_variance = by_variance.size() > 0 && prediction_.variance.size() > 0;
      block_.pull_back(by_features, with_variance ? posterior_.factors().by_table : Matrix(), by_variance, own, none);
      for (Index i = 0; i < own.cols(); ++i)
        if (!far_[static_cast<std::size_t>(i)]) d_X.col(i) += own.col(i);
    }

   private:
    const LatticePosterior& posterior_;
    std::vector<bool> far_;
    LatticeBlock block_;
  };

  struct Factors {
    Vector root;        // D^1/2
    Matrix L;           // of B
    Matrix covariance;  // of the weights
    Matrix by_table;    // coefficients of the variance
  };
  const Factors& factors() const {
    std::call_once(factored_, [&] {
      Modes modes = Modes::Zero(lattice_.coordinates(), 1 + lattice_.half());
      modes.rightCols(lattice_.half()) = lattice_.modes();
      const Vector a = spectrum_.amplitudes(parts_.theta, lattice_.periods(), modes);
      factors_.root = lattice_.feature_amplitudes(a).cwiseSqrt();
      factors_.L = 1 / parts_.noise *
                   (factors_.root.asDiagonal() * lattice_.second_moments(parts_.table) * factors_.root.asDiagonal());
      factors_.L.diagonal().array() += 1;
      if (!cholesky_lower(factors_.L))
        throw Error("the model's lattice has no covariance: its sums are not those of points");
      factors_.L.triangularView<Eigen::StrictlyUpper>().setZero();
      Matrix inverse = factors_.L;
      inverse_from_cholesky(inverse);
      inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
      factors_.covariance = factors_.root.asDiagonal() * inverse * factors_.root.asDiagonal();
      factors_.by_table = lattice_.by_table(factors_.covariance);
    });
    return factors_;
  }

  // Before a lattice is made of what may come from a file: as large as its table, no larger.
  Vector checked_periods() const {
    const Index q = parts_.latent.dim();
    if (parts_.periods.size() != q || parts_.modes.rows() != q || !(parts_.periods.array() > 0).all() ||
        !parts_.periods.allFinite())
      throw Error("a lattice needs a positive period for each latent coordinate");
    double size = 1;
    for (Index j = 0; j < q; ++j) {
      const int reach = parts_.modes.cols() > 0 ? parts_.modes.row(j).cwiseAbs().maxCoeff() : 0;
      if (reach > 2000) throw Error("a lattice with frequencies beyond 2000 is impossible");
      size *= 4.0 * reach + 1;
    }
    if (size != static_cast<double>(parts_.table.size()))
      throw Error(fmt::format("a table of {} x {} does not belong to a lattice of {:.0f} moments", parts_.table.rows(),
                              parts_.table.cols(), size));
    for (Index k = 0; k < parts_.modes.cols(); ++k) {
      Index j = 0;
      while (j < q && parts_.modes(j, k) == 0) ++j;
      if (j == q || parts_.modes(j, k) < 0)
        throw Error(fmt::format("frequency {} of a lattice must have a positive first component", k + 1));
    }
    return parts_.periods;
  }
  bool is_far(ConstVectorRef x) const { return !bounds_->hold(x); }
  template <class F>
  void in_blocks(ConstMatrixRef at, const F& body) const {
    for (Index first = 0; first < at.cols(); first += inputs_at_once)
      body(first, LatticeBlock(lattice_, at.middleCols(first, std::min(inputs_at_once, at.cols() - first)), Matrix()));
  }
  Matrix mean_of(const LatticeBlock& block) const {
    Matrix mean = Matrix::Zero(outputs(), block.count());
    simd().products.add_product(columns(MatrixRef(mean)), 1, columns(ConstMatrixRef(parts_.weights)), Turned::yes,
                                columns(ConstMatrixRef(block.features())), Turned::yes);
    return mean;
  }
  Vector variance_of(const LatticeBlock& block) const {
    return block.polynomial(factors().by_table).cwiseMax(0).array() + parts_.neglected;
  }

  LatticePosteriorParts parts_;
  KernelSpectrum spectrum_;
  Lattice lattice_;
  double prior_ = 0;
  std::optional<LatticeBounds> bounds_;
  std::vector<DrawnProcess> draws_;
  mutable std::once_flag factored_;
  mutable Factors factors_;
};

}  // namespace

PosteriorPtr lattice_posterior(LatticePosteriorParts parts, std::vector<LatticeDraw> draws) {
  return std::make_shared<LatticePosterior>(std::move(parts), std::move(draws));
}

LatticeBounds::LatticeBounds(const LatticePosteriorParts& parts)
    : angles(parts.latent.angles()),
      middle((parts.X.rowwise().minCoeff() + parts.X.rowwise().maxCoeff()) / 2),
      half_circle(parts.periods / 2) {}

bool LatticeBounds::hold(ConstMatrixRef X) const {
  for (Index i = 0; i < X.cols(); ++i)
    for (Index j = angles; j < X.rows(); ++j)
      if (!(std::abs(X(j, i) - middle[j]) <= half_circle[j])) return false;
  return true;
}

PosteriorPtr restore_lattice_posterior(LatticePosteriorParts known, const std::map<std::string, Matrix>& arrays) {
  const auto array = [&](const char* name) -> const Matrix& {
    const auto found = arrays.find(name);
    if (found == arrays.end()) throw Error(fmt::format("a process on a lattice needs '{}'", name));
    if (!found->second.allFinite()) throw Error(fmt::format("a number that is not finite in '{}'", name));
    return found->second;
  };
  const Matrix& modes = array(lattice_array::modes);
  if (modes.rows() < 1 || modes.cols() != known.latent.dim() || (modes.array() != modes.array().round()).any() ||
      modes.cwiseAbs().maxCoeff() > 2000 || !modes.row(0).isZero(0))
    throw Error(fmt::format("'{}' are not frequencies of a lattice", lattice_array::modes));
  known.modes = modes.bottomRows(modes.rows() - 1).transpose().cast<int>();
  const Matrix& periods = array(lattice_array::periods);
  if (periods.cols() != 1) throw Error(fmt::format("'{}' must be a list of numbers", lattice_array::periods));
  known.periods = periods.col(0);
  known.weights = array(lattice_array::weights);
  known.table = array(lattice_array::table);
  std::vector<LatticeDraw> draws;
  if (arrays.contains(lattice_array::draw_parameters)) {
    const Matrix &parameters = array(lattice_array::draw_parameters), &weights = array(lattice_array::draw_weights),
                 &tables = array(lattice_array::draw_tables);
    const Index count = parameters.rows(), M = known.weights.rows(), rows = known.table.rows(),
                kernel = known.theta.size();
    // The first files with draws hold the noise's logarithm, and no neglected variance: the optimum's served all.
    const bool is_early = parameters.cols() == kernel + 1;
    if ((!is_early && parameters.cols() != kernel + 2) || weights.rows() != count * M ||
        weights.cols() != known.weights.cols() || tables.rows() != count * rows || tables.cols() != known.table.cols())
      throw Error(fmt::format("'{}', '{}' and '{}' do not belong to one lattice", lattice_array::draw_parameters,
                              lattice_array::draw_weights, lattice_array::draw_tables));
    for (Index k = 0; k < count; ++k)
      draws.push_back({parameters.row(k).head(kernel).transpose(),
                       is_early ? std::exp(parameters(k, kernel)) : parameters(k, kernel),
                       is_early ? known.neglected : parameters(k, kernel + 1), weights.middleRows(k * M, M),
                       tables.middleRows(k * rows, rows)});
  }
  return lattice_posterior(std::move(known), std::move(draws));
}

const LatticePosteriorParts* lattice_parts(const Posterior& posterior) {
  const auto* own = dynamic_cast<const LatticePosterior*>(&posterior);
  return own ? &own->parts() : nullptr;
}

const std::vector<DrawnProcess>& drawn_processes(const Posterior& posterior) {
  static const std::vector<DrawnProcess> none;
  const auto* own = dynamic_cast<const LatticePosterior*>(&posterior);
  return own ? own->draws() : none;
}

GpPrediction predict_pairs(const Posterior& lattice, const Vector& first, const Vector& second) {
  const auto* own = dynamic_cast<const LatticePosterior*>(&lattice);
  if (!own) throw Error("pairs of places are predicted at by a process on a lattice");
  return own->pairs(first, second);
}

UncertainPrediction predict_uncertain(const Posterior& posterior, ConstMatrixRef X, ConstMatrixRef S) {
  const auto* own = dynamic_cast<const LatticePosterior*>(&posterior);
  if (!own) throw Error("predictions at uncertain latents need a model whose latents were integrated out");
  return own->uncertain(X, S);
}

}  // namespace wgp
