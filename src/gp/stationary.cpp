// rbf, matern32 and matern52: functions of the scaled squared distance s = rho^2 alone.
#include <cmath>

#include "gp/kernels.h"

namespace wgp {
namespace {

// shape(s) -> k / s^2 and its derivative by s, for a whole column.
struct Squared {
  static constexpr const char* name = "rbf";
  static void value(VectorRef s) { s = (-0.5 * s.array()).exp(); }
  static void slope(VectorRef s) { s = -0.5 * (-0.5 * s.array()).exp(); }
};
struct Matern32 {
  static constexpr const char* name = "matern32";
  static void value(VectorRef s) {
    s = (3 * s.array()).sqrt();
    s = (1 + s.array()) * (-s.array()).exp();
  }
  static void slope(VectorRef s) { s = -1.5 * (-(3 * s.array()).sqrt()).exp(); }
};
struct Matern52 {
  static constexpr const char* name = "matern52";
  static void value(VectorRef s) {
    s = (5 * s.array()).sqrt();
    s = (1 + s.array() + s.array().square() / 3) * (-s.array()).exp();
  }
  static void slope(VectorRef s) {
    s = (5 * s.array()).sqrt();
    s = (-5.0 / 6) * (1 + s.array()) * (-s.array()).exp();
  }
};

template <class Shape>
class Stationary final : public Kernel {
 public:
  // group[j]: the length-scale of coordinate j.
  Stationary(std::string name, LatentSpace latent, LengthScales scales) : name_(std::move(name)), latent_(latent) {
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
  std::vector<Index> length_parameters() const override { return lengths(false); }
  std::vector<Index> angle_length_parameters() const override { return lengths(true); }

  Matrix cov(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b) const override {
    const Matrix A = scaled_rows(theta, a), B = scaled_rows(theta, b);
    const double variance = std::exp(theta[0]);
    Matrix K(a.cols(), b.cols());
    for (Index j = 0; j < b.cols(); ++j) {
      squared_distances(A, B, 0, j, K.col(j));
      Shape::value(K.col(j));
    }
    K *= variance;
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
    Vector w(a.cols());
    for (Index j = 0; j < b.cols(); ++j) {
      gradient.variance += G.col(j).dot(K.col(j));
      weights(variance, A, B, 0, j, K.col(j), G.col(j), w);
      for (Index f = 0; f < A.cols(); ++f) {
        const auto delta = (A.col(f).array() - B(j, f));
        gradient.features.col(f).array() += w.array() * delta;
        gradient.length[group_of(f)] += (w.array() * delta.square()).sum();
      }
    }
    gradient.finish(a, 1, d_theta, d_a);
  }
  void pull_back_diag(ConstVectorRef, ConstMatrixRef, ConstVectorRef, MatrixRef) const override {}

  void cov_lower(ConstVectorRef theta, ConstMatrixRef X, MatrixRef K) const override {
    const Matrix A = scaled_rows(theta, X);
    const double variance = std::exp(theta[0]);
    for (Index j = 0; j < X.cols(); ++j) {
      auto column = K.col(j).tail(X.cols() - j);
      squared_distances(A, A, j, j, column);
      Shape::value(column);
      column *= variance;
    }
  }
  void pull_back_lower(ConstVectorRef theta, ConstMatrixRef X, ConstMatrixRef K, ConstMatrixRef G, VectorRef d_theta,
                       MatrixRef d_X) const override {
    const Matrix A = scaled_rows(theta, X);
    const Index N = X.cols();
    const double variance = std::exp(theta[0]);
    Gradient gradient(*this, theta, N);
    Vector w(N);
    gradient.variance = G.diagonal().dot(K.diagonal());
    for (Index j = 0; j + 1 < N; ++j) {
      const Index below = N - j - 1;
      const auto k = K.col(j).tail(below), g = G.col(j).tail(below);
      gradient.variance += 2 * g.dot(k);
      weights(variance, A, A, j + 1, j, k, g, w.head(below));
      for (Index f = 0; f < A.cols(); ++f) {
        const auto delta = (A.col(f).tail(below).array() - A(j, f));
        const Vector pull = w.head(below).array() * delta;
        gradient.features.col(f).tail(below) += pull;
        gradient.features(j, f) -= pull.sum();
        gradient.length[group_of(f)] += 2 * (pull.array() * delta).sum();
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
  // s of points first.. of A with point j of B. Differences, not |a|^2 + |b|^2 - 2ab: exact for close points.
  template <class Column>
  static void squared_distances(const Matrix& A, const Matrix& B, Index first, Index j, Column&& s) {
    const Index n = A.rows() - first;
    s = (A.col(0).tail(n).array() - B(j, 0)).square();
    for (Index f = 1; f < A.cols(); ++f) s.array() += (A.col(f).tail(n).array() - B(j, f)).square();
  }
  // 2 G dk/ds. For rbf dk/ds is -k/2: no second exponential.
  template <class C, class W>
  static void weights(double variance, const Matrix& A, const Matrix& B, Index first, Index j, const C& k, const C& g,
                      W&& w) {
    if constexpr (std::is_same_v<Shape, Squared>) {
      w = -g.cwiseProduct(k);
    } else {
      squared_distances(A, B, first, j, w);
      Shape::slope(w);
      w.array() *= 2 * variance * g.array();
    }
  }

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
  LatentSpace latent_;
  std::vector<Index> group_;
  std::vector<bool> angle_;
  Index groups_ = 0;
};

}  // namespace

KernelPtr make_stationary(const std::string& name, const LatentSpace& latent, LengthScales scales) {
  if (name == "matern32") return std::make_shared<Stationary<Matern32>>(name, latent, scales);
  if (name == "matern52") return std::make_shared<Stationary<Matern52>>(name, latent, scales);
  return std::make_shared<Stationary<Squared>>(name, latent, scales);
}

}  // namespace wgp
