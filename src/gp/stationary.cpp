// rbf, matern32 and matern52: functions of the scaled squared distance s = rho^2 alone.
#include <cmath>

#include "gp/kernels.h"
#include "gp/spectrum.h"
#include "simd/kernels.h"

namespace wgp {
namespace {

class Stationary final : public Kernel {
 public:
  StationaryShape shape() const { return shape_; }
  const LatentSpace& latent() const { return latent_; }
  SpectralTerm spectral_term() const {
    SpectralTerm term;
    term.shape = shape_ == StationaryShape::rbf        ? SpectralShape::rbf
                 : shape_ == StationaryShape::matern32 ? SpectralShape::matern32
                                                       : SpectralShape::matern52;
    for (const Index group : group_) term.log_length.push_back(1 + group);
    return term;
  }
  // group[j]: the length-scale of coordinate j.
  Stationary(std::string name, StationaryShape shape, LatentSpace latent, LengthScales scales)
      : name_(std::move(name)), shape_(shape), latent_(latent) {
    for (Index j = 0; j < latent.dim(); ++j) {
      const bool first_plain = j == latent.angles();
      if (latent.is_angle(j) || first_plain || scales == LengthScales::per_dimension) {
        angle_.push_back(latent.is_angle(j));
        ++groups_;
      }
      group_.push_back(groups_ - 1);
    }
  }

  std::string spec() const override { return name_; }
  std::vector<std::string> parameter_names() const override {
    std::vector<std::string> names = {name_ + ".log_variance"};
    for (Index g = 0; g < groups_; ++g)
      names.push_back(name_ + ".log_length" + (groups_ > 1 ? std::to_string(g + 1) : ""));
    return names;
  }
  Vector default_parameters() const override { return Vector::Zero(1 + groups_); }
  bool is_invariant() const override { return true; }
  std::vector<Index> length_parameters() const override { return lengths(false); }
  std::vector<Index> angle_length_parameters() const override { return lengths(true); }

  Matrix cov(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b) const override {
    const Matrix A = scaled_rows(theta, a), B = scaled_rows(theta, b);
    const double variance = std::exp(theta[0]);
    Matrix K(a.cols(), b.cols());
    const ScaledPoints from = points(A), to = points(B);
    for (Index j = 0; j < b.cols(); ++j)
      simd().stationary.covariances(shape_, from, 0, to, j, variance, a.cols(), K.col(j).data());
    return K;
  }
  Vector diag(ConstVectorRef theta, ConstMatrixRef a) const override {
    return Vector::Constant(a.cols(), std::exp(theta[0]));
  }

  void pull_back(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b, ConstMatrixRef K, ConstMatrixRef G,
                 VectorRef d_theta, MatrixRef d_a) const override {
    const Matrix A = scaled_rows(theta, a), B = scaled_rows(theta, b);
    const double variance = std::exp(theta[0]);
    Gradient gradient(*this, theta, a.cols());
    const ScaledPoints from = points(A), to = points(B);
    Vector sums = Vector::Zero(2 * A.cols());
    for (Index j = 0; j < b.cols(); ++j)
      gradient.variance +=
          simd().stationary.pull_back(shape_, from, 0, to, j, variance, a.cols(), K.col(j).data(), G.col(j).data(),
                                      gradient.features.data(), a.cols(), sums.data());
    for (Index f = 0; f < A.cols(); ++f) gradient.length[group_of(f)] += sums[A.cols() + f];
    gradient.finish(a, 1, d_theta, d_a);
  }
  void pull_back_diag(ConstVectorRef, ConstMatrixRef, ConstVectorRef, MatrixRef) const override {}

  void cov_lower(ConstVectorRef theta, ConstMatrixRef X, MatrixRef K) const override {
    const Matrix A = scaled_rows(theta, X);
    const double variance = std::exp(theta[0]);
    const ScaledPoints all = points(A);
    for (Index j = 0; j < X.cols(); ++j)
      simd().stationary.covariances(shape_, all, j, all, j, variance, X.cols() - j, &K.coeffRef(j, j));
  }
  void pull_back_lower(ConstVectorRef theta, ConstMatrixRef X, ConstMatrixRef K, ConstMatrixRef G, VectorRef d_theta,
                       MatrixRef d_X) const override {
    const Matrix A = scaled_rows(theta, X);
    const Index N = X.cols();
    const double variance = std::exp(theta[0]);
    Gradient gradient(*this, theta, N);
    const ScaledPoints all = points(A);
    Vector sums(2 * A.cols());
    gradient.variance = G.diagonal().dot(K.diagonal());
    for (Index j = 0; j + 1 < N; ++j) {
      sums.setZero();
      gradient.variance +=
          2 * simd().stationary.pull_back(shape_, all, j + 1, all, j, variance, N - j - 1, &K.coeffRef(j + 1, j),
                                          &G.coeffRef(j + 1, j), &gradient.features.coeffRef(j + 1, 0), N, sums.data());
      for (Index f = 0; f < A.cols(); ++f) {
        gradient.features(j, f) -= sums[f];
        gradient.length[group_of(f)] += 2 * sums[A.cols() + f];
      }
    }
    gradient.finish(X, 2, d_theta, d_X);
  }

 private:
  std::vector<Index> lengths(bool of_angles) const {
    std::vector<Index> found;
    for (Index g = 0; g < groups_; ++g)
      if (angle_[static_cast<std::size_t>(g)] == of_angles) found.push_back(1 + g);
    return found;
  }
  Index group_of(Index feature) const { return group_[static_cast<std::size_t>(latent_.owner(feature))]; }

  // Features over their length-scales, one point per row: columns are contiguous in the loops below.
  Matrix scaled_rows(ConstVectorRef theta, ConstMatrixRef X) const {
    Matrix rows = latent_.features(X).transpose();
    for (Index f = 0; f < rows.cols(); ++f) rows.col(f) *= std::exp(-theta[1 + group_of(f)]);
    return rows;
  }
  // Differences, not |a|^2 + |b|^2 - 2ab: exact for close points.
  static ScaledPoints points(const Matrix& scaled) { return {scaled.data(), scaled.rows(), scaled.cols()}; }

  // Sums by feature, length-scale and variance, and the way back to the caller's variables.
  struct Gradient {
    const Stationary& kernel;
    Vector scale;
    Matrix features;
    Vector length;
    double variance = 0;

    Gradient(const Stationary& owner, ConstVectorRef theta, Index N)
        : kernel(owner),
          scale((-theta.tail(owner.groups_)).array().exp()),
          features(Matrix::Zero(N, owner.latent_.feature_count())),
          length(Vector::Zero(owner.groups_)) {}
    void finish(ConstMatrixRef X, double times, VectorRef d_theta, MatrixRef d_X) const {
      d_theta[0] += variance;
      d_theta.segment(1, kernel.groups_) -= length;
      Matrix d_features = times * features.transpose();
      for (Index f = 0; f < d_features.rows(); ++f) d_features.row(f) *= scale[kernel.group_of(f)];
      kernel.latent_.pull_back(X, d_features, d_X);
    }
  };

  std::string name_;
  StationaryShape shape_;
  LatentSpace latent_;
  std::vector<Index> group_;
  std::vector<bool> angle_;
  Index groups_ = 0;
};

}  // namespace

bool is_plain_rbf(const Kernel& kernel) {
  const auto* own = dynamic_cast<const Stationary*>(&kernel);
  return own && own->shape() == StationaryShape::rbf && own->latent().angles() == 0;
}
bool is_circle_rbf(const Kernel& kernel) {
  const auto* own = dynamic_cast<const Stationary*>(&kernel);
  return own && own->shape() == StationaryShape::rbf && own->latent().angles() == 1 && own->latent().plain_count() == 0;
}

std::optional<SpectralTerm> stationary_term(const Kernel& kernel) {
  const auto* own = dynamic_cast<const Stationary*>(&kernel);
  // Over angles a Matern kernel is a function of the chord: not periodic times Matern.
  if (!own || (own->shape() != StationaryShape::rbf && own->latent().angles() > 0)) return std::nullopt;
  return own->spectral_term();
}

KernelPtr make_stationary(const std::string& name, const LatentSpace& latent, LengthScales scales) {
  const StationaryShape shape = name == "matern32"   ? StationaryShape::matern32
                                : name == "matern52" ? StationaryShape::matern52
                                                     : StationaryShape::rbf;
  return std::make_shared<Stationary>(name, shape, latent, scales);
}

}  // namespace wgp
