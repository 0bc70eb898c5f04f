// linear and constant: the kernels that are not functions of a distance.
#include <cmath>

#include "gp/kernels.h"

namespace wgp {
namespace {

class Linear final : public Kernel {
 public:
  explicit Linear(LatentSpace latent) : latent_(latent) {}
  std::string spec() const override { return "linear"; }
  std::vector<std::string> parameter_names() const override { return {"linear.log_variance"}; }
  Vector default_parameters() const override { return Vector::Zero(1); }
  std::vector<Index> length_parameters() const override { return {}; }
  std::vector<Index> angle_length_parameters() const override { return {}; }

  Matrix cov(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b) const override {
    return std::exp(theta[0]) * (latent_.features(a).transpose() * latent_.features(b));
  }
  Vector diag(ConstVectorRef theta, ConstMatrixRef a) const override {
    return std::exp(theta[0]) * latent_.features(a).colwise().squaredNorm();
  }
  void pull_back(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b, ConstMatrixRef K, ConstMatrixRef G,
                 VectorRef d_theta, MatrixRef d_a) const override {
    d_theta[0] += G.cwiseProduct(K).sum();
    latent_.pull_back(a, std::exp(theta[0]) * (latent_.features(b) * G.transpose()), d_a);
  }
  void pull_back_diag(ConstVectorRef theta, ConstMatrixRef a, ConstVectorRef g, MatrixRef d_a) const override {
    latent_.pull_back(a, 2 * std::exp(theta[0]) * (latent_.features(a) * g.asDiagonal()), d_a);
  }

 private:
  LatentSpace latent_;
};

class Constant final : public Kernel {
 public:
  std::string spec() const override { return "constant"; }
  bool is_invariant() const override { return true; }
  std::vector<std::string> parameter_names() const override { return {"constant.log_variance"}; }
  Vector default_parameters() const override { return Vector::Zero(1); }
  std::vector<Index> length_parameters() const override { return {}; }
  std::vector<Index> angle_length_parameters() const override { return {}; }

  Matrix cov(ConstVectorRef theta, ConstMatrixRef a, ConstMatrixRef b) const override {
    return Matrix::Constant(a.cols(), b.cols(), std::exp(theta[0]));
  }
  Vector diag(ConstVectorRef theta, ConstMatrixRef a) const override {
    return Vector::Constant(a.cols(), std::exp(theta[0]));
  }
  void pull_back(ConstVectorRef, ConstMatrixRef, ConstMatrixRef, ConstMatrixRef K, ConstMatrixRef G, VectorRef d_theta,
                 MatrixRef) const override {
    d_theta[0] += G.cwiseProduct(K).sum();
  }
  void pull_back_diag(ConstVectorRef, ConstMatrixRef, ConstVectorRef, MatrixRef) const override {}
};

}  // namespace

KernelPtr make_linear(const LatentSpace& latent) { return std::make_shared<Linear>(latent); }
KernelPtr make_constant(const LatentSpace&) { return std::make_shared<Constant>(); }

}  // namespace wgp
