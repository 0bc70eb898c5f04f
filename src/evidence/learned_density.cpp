#include "evidence/learned_density.h"

#include <algorithm>
#include <cmath>

#include "gp/lattice_posterior.h"
#include "linalg/decompositions.h"

namespace wgp {
namespace {

// Six harmonics or eight, t = 1 or 4, and 1/j for 1/j^2 are no better on
// `bench_truth gap,uneven --seeds 2051-2080`; with half of the cost `bench_truth circle50` loses .012 nats a point.
constexpr Index most_harmonics = 4;
constexpr double coefficient_scale = 2;  // t
constexpr int most_steps = 50;
constexpr double small_step = 1e-12;  // in nats

// Twice as many harmonics as a density may have, all around the circle, a column each.
const Matrix& waves_around() {
  static const Matrix waves = harmonics_at(evenly_around(), 2 * most_harmonics).transpose();
  return waves;
}

// The penalised log likelihood of the coefficients and what it takes to raise it.
class Coefficients {
 public:
  Coefficients(ConstVectorRef sums, double count)
      : J_(sums.size() / 2),
        sums_(sums),
        count_(count),
        cosines_(waves_around().leftCols(2 * J_)),
        sines_(waves_around().middleCols(2 * most_harmonics, 2 * J_)) {
    precision_.resize(2 * J_);
    for (Index j = 1; j <= J_; ++j) {
      const double sd = coefficient_scale / static_cast<double>(j * j);
      precision_[j - 1] = precision_[J_ + j - 1] = 1 / (sd * sd);
    }
  }

  // Newton's method with steps that are halved until they help: the function is concave.
  Vector best() {
    Vector a = Vector::Zero(2 * J_);
    double value = this->value(a);
    for (int k = 0; k < most_steps; ++k) {
      Vector moments(4 * J_);
      moments << cosines_.transpose() * shares_, sines_.transpose() * shares_;
      const Vector gradient = sums_ - count_ * own(moments) - precision_.cwiseProduct(a);
      const Vector step = Cholesky(curvature(moments)).solve(gradient);
      const double slope = gradient.dot(step);
      if (!(slope > small_step)) break;
      double length = 1, next = this->value(a + step);
      while (!(next >= value) && length > 1e-6) next = this->value(a + (length /= 2) * step);
      if (!(next >= value)) break;
      a += length * step;
      value = next;
    }
    value_ = this->value(a);
    return a;
  }
  double value() const { return value_; }
  double cost() const { return 0.5 * (1 + count_ / (2 * precision_.array())).log().sum(); }

 private:
  // The first J of 2 J cosines, and of as many sines.
  Vector own(const Vector& moments) const {
    Vector some(2 * J_);
    some << moments.head(J_), moments.segment(2 * J_, J_);
    return some;
  }
  // Keeps the shares of the places.
  double value(const Vector& a) {
    shares_.noalias() = cosines_.leftCols(J_) * a.head(J_);
    shares_.noalias() += sines_.leftCols(J_) * a.tail(J_);
    const double most = shares_.maxCoeff();
    shares_ = (shares_.array() - most).exp();
    const double sum = shares_.sum();
    shares_ /= sum;
    const double log_normaliser = most + std::log(sum / static_cast<double>(angles_of_integrals));
    return a.dot(sums_) - count_ * log_normaliser - 0.5 * a.cwiseAbs2().dot(precision_);
  }
  // Minus the second derivatives: covariances of harmonics, by the moments up to twice as many.
  Matrix curvature(const Vector& moments) const {
    const auto cosine = [&](Index j) { return j == 0 ? 1 : moments[std::abs(j) - 1]; };
    const auto sine = [&](Index j) { return j == 0 ? 0 : (j > 0 ? 1 : -1) * moments[2 * J_ + std::abs(j) - 1]; };
    Matrix second(2 * J_, 2 * J_);
    for (Index j = 1; j <= J_; ++j)
      for (Index k = 1; k <= J_; ++k) {
        second(j - 1, k - 1) = (cosine(j - k) + cosine(j + k)) / 2;
        second(J_ + j - 1, J_ + k - 1) = (cosine(j - k) - cosine(j + k)) / 2;
        second(J_ + j - 1, k - 1) = second(k - 1, J_ + j - 1) = (sine(j + k) + sine(j - k)) / 2;
      }
    const Vector mean = own(moments);
    Matrix curvature = count_ * (second - mean * mean.transpose());
    curvature.diagonal() += precision_;
    return curvature;
  }

  Index J_;
  Vector sums_;
  double count_;
  const Eigen::Ref<const Matrix> cosines_, sines_;
  Vector precision_, shares_;
  double value_ = 0;
};

}  // namespace

LearnedDensity learned_density(ConstVectorRef sums, double count) {
  if (sums.size() == 0 || !(count > 0) || !sums.allFinite()) return {};
  Coefficients coefficients(sums, count);
  Vector best = coefficients.best();
  const double gain = coefficients.value() - coefficients.cost();
  if (!(gain > 0)) return {};
  return {AngleDensity(std::move(best)), gain};
}

LearnedDensity learned_density(const Lattice& lattice, ConstMatrixRef table) {
  if (lattice.coordinates() != 1 || !lattice.latent().is_angle(0)) return {};
  const Index reach = 2 * lattice.reach(0), J = std::min(most_harmonics, reach);
  Vector sums(2 * J);
  sums << table.col(0).segment(1, J), table.col(0).segment(1 + reach, J);
  return learned_density(sums, table(0, 0));
}

AngleDensity learned_density(const Posterior& posterior) {
  const LatticePosteriorParts* parts = lattice_parts(posterior);
  if (!parts) return {};
  return learned_density(Lattice(parts->latent, parts->periods, parts->modes), parts->table).density;
}

void LearnedDensity::add_by_table(const Lattice& lattice, MatrixRef by_table) const {
  const Index J = density.harmonics(), reach = 2 * lattice.reach(0);
  by_table.col(0).segment(1, J) += density.coefficients().head(J);
  by_table.col(0).segment(1 + reach, J) += density.coefficients().tail(J);
  if (J > 0) by_table(0, 0) -= density.log_normaliser();
}

}  // namespace wgp
