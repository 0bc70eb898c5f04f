// K = Phi Phi' + n I with 2J+1 features sqrt(a_j) (cos jt, sin jt): everything in O(N J^2).
//
//   B = I + Phi'Phi/n = L L',  c = L^-1 Phi'Z',  log|K| = N log n + log|B|,  tr Z K^-1 Z' = (|Z|^2 - |c|^2/n)/n,
//   A = (Z' - Phi B^-1 Phi'Z'/n)/n,   dL/dPhi = A (A'Phi) - d Phi B^-1/n.
#include "gp/fourier.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "gp/likelihood.h"
#include "linalg/cholesky.h"

namespace wgp {

CosineSeries cosine_series(double l) {
  const double c = 1 / (l * l);
  const Index start = 40 + static_cast<Index>(10 * std::sqrt(c) + 2 * std::cbrt(c));
  // e_{j-1} = e_{j+1} + (2j/c) e_j, from far above, then normalised by e_0 + 2 sum e_j = 1.
  std::vector<double> e(static_cast<std::size_t>(start) + 2, 0.0);
  e[static_cast<std::size_t>(start)] = 1e-300;
  for (std::size_t j = static_cast<std::size_t>(start); j > 0; --j) {
    e[j - 1] = e[j + 1] + 2 * static_cast<double>(j) / c * e[j];
    if (e[j - 1] > 1e200)
      for (std::size_t k = j - 1; k < e.size(); ++k) e[k] *= 1e-200;
  }
  double total = e[0];
  for (std::size_t j = 1; j < e.size(); ++j) total += 2 * e[j];
  for (double& value : e) value /= total;

  std::size_t order = 1;
  while (order + 2 < e.size() && e[order] > 1e-18 * e[0]) ++order;
  CosineSeries series{Vector(static_cast<Index>(order)), Vector(static_cast<Index>(order))};
  for (std::size_t j = 0; j < order; ++j) {
    const Index i = static_cast<Index>(j);
    const double twice = j == 0 ? 1 : 2;
    const double below = j == 0 ? e[1] : e[j - 1];
    series.a[i] = twice * e[j];
    // d e_j / dc = (e_{j-1} + e_{j+1})/2 - e_j, and dc/dlog l = -2c.
    series.da_dlog_l[i] = twice * -2 * c * ((below + e[j + 1]) / 2 - e[j]);
  }
  return series;
}

namespace {

class FourierEngine final : public GpEngine {
 public:
  FourierEngine(KernelPtr kernel, Matrix Z, Index d)
      : kernel_(std::move(kernel)), Z_(std::move(Z)), d_(d), squared_norm_(Z_.squaredNorm()) {}

  double value(ConstMatrixRef X, ConstVectorRef theta, double noise) override {
    const Index N = Z_.cols();
    series_ = cosine_series(std::exp(theta[1]));
    use_dense_ = 2 * (2 * series_.a.size() - 1) >= N;
    if (use_dense_) {
      if (!dense_) dense_ = dense_engine(kernel_, Z_, d_);
      return dense_->value(X, theta, noise);
    }
    if (!(noise > 0)) return -std::numeric_limits<double>::infinity();
    t_ = X.row(0);
    noise_ = noise;
    variance_ = std::exp(theta[0]);
    fill_features();
    B_ = Matrix::Identity(Phi_.cols(), Phi_.cols());
    B_.selfadjointView<Eigen::Lower>().rankUpdate(Phi_.transpose(), 1 / noise);
    if (!cholesky_lower(B_)) return -std::numeric_limits<double>::infinity();
    c_ = Phi_.transpose() * Z_.transpose();
    B_.triangularView<Eigen::Lower>().solveInPlace(c_);
    const double d = static_cast<double>(d_), n = static_cast<double>(N);
    const double log_det = n * std::log(noise) + log_det_from_cholesky(B_);
    const double quadratic = (squared_norm_ - c_.squaredNorm() / noise) / noise;
    return -0.5 * (d * n * std::log(2 * std::numbers::pi) + d * log_det + quadratic);
  }

  GpGradient gradient() override {
    if (use_dense_) return dense_->gradient();
    const Index N = Z_.cols(), p = Phi_.cols(), J = series_.a.size() - 1;
    const double d = static_cast<double>(d_);
    Matrix solved = c_;
    B_.triangularView<Eigen::Lower>().transpose().solveInPlace(solved);
    const Matrix A = (Z_.transpose() - Phi_ * solved / noise_) / noise_;
    Matrix inverse = B_;
    inverse_from_cholesky(inverse);
    const Matrix whole = inverse.selfadjointView<Eigen::Lower>();
    const Matrix d_Phi = A * (A.transpose() * Phi_) - (d / noise_) * (Phi_ * whole);

    GpGradient gradient{Matrix::Zero(1, N), Vector::Zero(2), 0};
    const double trace = (static_cast<double>(N - p) + whole.trace()) / noise_;
    gradient.noise = 0.5 * (A.squaredNorm() - d * trace);
    const Vector by_feature = d_Phi.cwiseProduct(Phi_).colwise().sum() / 2;
    gradient.theta[0] = by_feature.sum();
    gradient.theta[1] = by_feature[0] * series_.da_dlog_l[0] / series_.a[0];
    for (Index j = 1; j <= J; ++j) {
      gradient.theta[1] += (by_feature[2 * j - 1] + by_feature[2 * j]) * series_.da_dlog_l[j] / series_.a[j];
      gradient.X.row(0).transpose() += static_cast<double>(j) * (Phi_.col(2 * j - 1).cwiseProduct(d_Phi.col(2 * j)) -
                                                                 Phi_.col(2 * j).cwiseProduct(d_Phi.col(2 * j - 1)));
    }
    return gradient;
  }

  double jitter() const override { return dense_ ? dense_->jitter() : 0; }

 private:
  void fill_features() {
    const Index N = t_.size(), J = series_.a.size() - 1;
    Phi_.resize(N, 2 * J + 1);
    const Eigen::ArrayXd cosine = t_.array().cos(), sine = t_.array().sin();
    Eigen::ArrayXd c = Eigen::ArrayXd::Ones(N), s = Eigen::ArrayXd::Zero(N);
    Phi_.col(0).setConstant(std::sqrt(variance_ * series_.a[0]));
    for (Index j = 1; j <= J; ++j) {
      const Eigen::ArrayXd next = c * cosine - s * sine;
      s = s * cosine + c * sine;
      c = next;
      const double scale = std::sqrt(variance_ * series_.a[j]);
      Phi_.col(2 * j - 1) = scale * c;
      Phi_.col(2 * j) = scale * s;
    }
  }

  KernelPtr kernel_;
  Matrix Z_;
  Index d_;
  double squared_norm_;
  CosineSeries series_;
  Vector t_;
  Matrix Phi_, B_, c_;
  double noise_ = 0, variance_ = 0;
  bool use_dense_ = false;
  std::unique_ptr<GpEngine> dense_;
};

}  // namespace

std::unique_ptr<GpEngine> fourier_engine(const KernelPtr& kernel, const LatentSpace& latent, Matrix Z, Index d) {
  const std::string spec = kernel->spec();
  if (latent.angles() != 1 || latent.plain_count() != 0 || (spec != "rbf" && spec != "periodic")) return nullptr;
  return std::make_unique<FourierEngine>(kernel, std::move(Z), d);
}

}  // namespace wgp
