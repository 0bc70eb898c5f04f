#include "fit/terms.h"

#include <algorithm>
#include <cmath>

#include "fit/settings.h"

namespace wgp {
namespace {

constexpr double log_two_pi = 1.8378770664093453;

double square(double x) { return x * x; }

class LatentPrior final : public Term {
 public:
  LatentPrior(const LatentSpace& latent, double precision, LatentsAbout about)
      : latent_(latent), precision_(precision), about_(about) {}
  double value(const TermPoint& at) const override {
    const double N = static_cast<double>(at.parameters.X.cols());
    const double plain = static_cast<double>(latent_.plain_count()), angles = static_cast<double>(latent_.angles());
    return -precision_ * latents(at).squaredNorm() / 2 - N * plain * log_two_pi / 2 -
           N * angles * log_two_pi;  // uniform on the circle
  }
  void add_gradient(const TermPoint& at, TermGradient& gradient) const override {
    gradient.by.X.bottomRows(latent_.plain_count()) -= precision_ * latents(at);
  }

 private:
  Matrix latents(const TermPoint& at) const {
    Matrix X = at.parameters.X.bottomRows(latent_.plain_count());
    if (about_ == LatentsAbout::mean) X.colwise() -= X.rowwise().mean().eval();
    return X;
  }
  LatentSpace latent_;
  double precision_;
  LatentsAbout about_;
};

class AngleLengthPrior final : public Term {
 public:
  explicit AngleLengthPrior(std::vector<Index> lengths) : lengths_(std::move(lengths)) {}
  double value(const TermPoint& at) const override {
    double sum = 0;
    for (const Index i : lengths_)
      sum -= square(at.parameters.theta[i] / settings::angle_length_sd) / 2 + std::log(settings::angle_length_sd) +
             log_two_pi / 2;
    return sum;
  }
  void add_gradient(const TermPoint& at, TermGradient& gradient) const override {
    for (const Index i : lengths_) gradient.by.theta[i] -= at.parameters.theta[i] / square(settings::angle_length_sd);
  }

 private:
  std::vector<Index> lengths_;
};

class NoisePrior final : public Term {
 public:
  NoisePrior(double mean, double sd) : mean_(mean), sd_(sd) {}
  double value(const TermPoint& at) const override { return -square(z(at)) / 2; }
  void add_gradient(const TermPoint& at, TermGradient& gradient) const override {
    gradient.by.u -= z(at) / sd_ * std::exp(at.parameters.u) / at.parameters.noise();
  }

 private:
  double z(const TermPoint& at) const { return (std::log(at.parameters.noise()) - mean_) / sd_; }
  double mean_, sd_;
};

class Follow final : public Term {
 public:
  explicit Follow(double sd) : sd_(sd) {}
  double value(const TermPoint& at) const override { return -at.V.squaredNorm() / (2 * square(sd_)); }
  void add_gradient(const TermPoint& at, TermGradient& gradient) const override { gradient.V -= at.V / square(sd_); }

 private:
  double sd_;
};

class Roughness final : public Term {
 public:
  Roughness(Matrix D, double sd) : D_(std::move(D)), sd_(sd) {}
  double value(const TermPoint& at) const override {
    const Matrix& C = at.parameters.coefficients;
    return -(C * D_.transpose()).squaredNorm() / (2 * square(sd_)) -
           static_cast<double>(D_.rows() * C.rows()) * std::log(sd_);
  }
  void add_gradient(const TermPoint& at, TermGradient& gradient) const override {
    gradient.by.coefficients -= at.parameters.coefficients * D_.transpose() * D_ / square(sd_);
  }

 private:
  Matrix D_;
  double sd_;
};

class CoefficientPrior final : public Term {
 public:
  explicit CoefficientPrior(double sd) : sd_(sd) {}
  double value(const TermPoint& at) const override {
    return -at.parameters.coefficients.squaredNorm() / (2 * square(sd_));
  }
  void add_gradient(const TermPoint& at, TermGradient& gradient) const override {
    gradient.by.coefficients -= at.parameters.coefficients / square(sd_);
  }

 private:
  double sd_;
};

class Beyond final : public Term {
 public:
  explicit Beyond(double radius) : radius_(radius) {}
  double value(const TermPoint& at) const override {
    double sum = 0;
    for (Index i = 0; i < at.V.cols(); ++i) sum -= settings::beyond_cost * square(excess(at.V.col(i).norm()));
    return sum;
  }
  void add_gradient(const TermPoint& at, TermGradient& gradient) const override {
    for (Index i = 0; i < at.V.cols(); ++i) {
      const double length = at.V.col(i).norm(), beyond = excess(length);
      if (beyond > 0) gradient.V.col(i) -= 2 * settings::beyond_cost * beyond / (radius_ * length) * at.V.col(i);
    }
  }

 private:
  double excess(double length) const { return std::max(0.0, length / radius_ - settings::free_share_of_radius); }
  double radius_;
};

class ShortLength final : public Term {
 public:
  ShortLength(const Kernel& kernel, double least) : lengths_(kernel.length_parameters()), least_(least) {
    for (const Index i : kernel.angle_length_parameters()) lengths_.push_back(i);
  }
  double value(const TermPoint& at) const override {
    double sum = 0;
    for (const Index i : lengths_) sum -= settings::short_length_cost * square(shortage(at, i));
    return sum;
  }
  void add_gradient(const TermPoint& at, TermGradient& gradient) const override {
    for (const Index i : lengths_) gradient.by.theta[i] += 2 * settings::short_length_cost * shortage(at, i);
  }

 private:
  double shortage(const TermPoint& at, Index i) const { return std::max(0.0, least_ - at.parameters.theta[i]); }
  std::vector<Index> lengths_;
  double least_;
};

class BaseSpread final : public Term {
 public:
  explicit BaseSpread(BasisPtr basis) : basis_(std::move(basis)) {}

  double value(const TermPoint& at) const override {
    double sum = 0;
    for (Index j = 0; j < at.parameters.X.rows(); ++j) sum += Spread(*basis_, at.parameters, j).moved.squaredNorm();
    return -sum / (2 * at.parameters.noise());
  }

  void add_gradient(const TermPoint& at, TermGradient& gradient) const override {
    const Parameters& here = at.parameters;
    const double noise = here.noise();
    for (Index j = 0; j < here.X.rows(); ++j) {
      const Spread spread(*basis_, here, j);
      gradient.by.coefficients -= spread.moved * (spread.above - spread.below).transpose() / (2 * noise);
      gradient.by.u += spread.moved.squaredNorm() / (2 * noise * noise) * std::exp(here.u);
      const Matrix by_above = -here.coefficients.transpose() * spread.moved / (2 * noise);
      const Matrix up = basis_->pull_back(spread.X_above, by_above),
                   down = basis_->pull_back(spread.X_below, -by_above);
      gradient.by.X += up + down;
      gradient.by.S.row(j).array() += (up.row(j) - down.row(j)).array() * spread.sd.transpose().array() / 2;
    }
  }

 private:
  // Along one coordinate.
  struct Spread {
    Spread(const BasisFunctions& basis, const Parameters& at, Index j)
        : sd((at.S.row(j).array() / 2).exp().transpose()), X_above(at.X), X_below(at.X) {
      X_above.row(j) += sd.transpose();
      X_below.row(j) -= sd.transpose();
      above = basis.values(X_above);
      below = basis.values(X_below);
      moved = at.coefficients * (above - below) / 2;
    }
    Vector sd;
    Matrix X_above, X_below, above, below, moved;
  };
  BasisPtr basis_;
};

}  // namespace

TermPtr latent_prior(const LatentSpace& latent, double precision, LatentsAbout about) {
  return std::make_shared<const LatentPrior>(latent, precision, about);
}
TermPtr angle_length_prior(const Kernel& kernel) {
  std::vector<Index> lengths = kernel.angle_length_parameters();
  if (lengths.empty()) return nullptr;
  return std::make_shared<const AngleLengthPrior>(std::move(lengths));
}
TermPtr noise_prior(double log_mean, double log_sd) { return std::make_shared<const NoisePrior>(log_mean, log_sd); }
TermPtr follow_term(double sd) { return std::make_shared<const Follow>(sd); }
TermPtr roughness_term(Matrix D, double sd) { return std::make_shared<const Roughness>(std::move(D), sd); }
TermPtr coefficient_prior(double sd) { return std::make_shared<const CoefficientPrior>(sd); }
TermPtr beyond_term(double radius) { return std::make_shared<const Beyond>(radius); }
TermPtr short_length_term(const Kernel& kernel, double least_log_length) {
  return std::make_shared<const ShortLength>(kernel, least_log_length);
}

TermPtr base_spread_term(BasisPtr basis) { return std::make_shared<const BaseSpread>(std::move(basis)); }

double sum_of(const Terms& terms, const TermPoint& at) {
  double sum = 0;
  for (const TermPtr& term : terms) sum += term->value(at);
  return sum;
}
void add_gradients(const Terms& terms, const TermPoint& at, TermGradient& gradient) {
  for (const TermPtr& term : terms) term->add_gradient(at, gradient);
}

}  // namespace wgp
