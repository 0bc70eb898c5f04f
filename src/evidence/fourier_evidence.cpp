// K = Phi Phi' + n I with 2J+1 features Phi = T diag(w): w_j^2 = s^2 a_j, T the columns 1, cos jt, sin jt.
//
//   B = I + Phi'Phi/n = L L',  c = L^-1 Phi'Z',  log|K| = N log n + log|B|,  tr Z K^-1 Z' = (|Z|^2 - |c|^2/n)/n,
//   S = B^-1 Phi'Z',  A = (Z' - Phi S/n)/n,  A'Phi = S'/n,  dL/dPhi = A (A'Phi) - d Phi B^-1/n.
//
// Products of two columns of T are sums of cosines and sines of degree up to 2J. So Phi'Phi needs no more than the sums
// of cos mt and sin mt over the points, and phi(t)'B^-1 phi(t) is one trigonometric polynomial, whose slope at t_i is
// all that dL/dt_i takes from the second term: O(N J (d + 1) + J^3) altogether. Degrees above J come from those below
// by cos (J+k)t = cos Jt cos kt - sin Jt sin kt and its like.
#include "evidence/cosine_series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "evidence/evidence.h"
#include "gp/dense_posterior.h"
#include "gp/kernels.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

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

class FourierEvidence final : public Evidence {
 public:
  explicit FourierEvidence(const EvidenceSetting& setting) : setting_(setting) {}

  double value(const Parameters& at, const Outputs& outputs) override {
    const Index N = at.X.cols();
    outputs_ = &outputs;
    series_ = cosine_series(std::exp(at.theta[1]));
    use_dense_ = 2 * (2 * series_.a.size() - 1) >= N;
    if (use_dense_) {
      if (!dense_) dense_ = dense_evidence(setting_);
      return dense_->value(at, outputs);
    }
    const Matrix& Z = outputs.rows;
    const double noise = at.noise();
    if (!(noise > 0)) return -std::numeric_limits<double>::infinity();
    if (setting_.control) setting_.control->check();
    t_ = at.X.row(0);
    noise_ = noise;
    variance_ = std::exp(at.theta[0]);
    fill_columns();
    const Index J = series_.a.size() - 1, p = T_.cols(), r = Z.rows();
    w_.resize(p);
    w_[0] = std::sqrt(variance_ * series_.a[0]);
    for (Index j = 1; j <= J; ++j) w_[2 * j - 1] = w_[2 * j] = std::sqrt(variance_ * series_.a[j]);

    right_.resize(N, 3 + r);
    right_.col(0).setOnes();
    right_.col(1) = T_.col(highest_cosine());
    right_.col(2) = T_.col(2 * J);
    right_.rightCols(r) = Z.transpose();
    sums_ = product_tn(right_, T_);
    fill_B();
    if (!cholesky_lower(B_)) return -std::numeric_limits<double>::infinity();
    c_ = w_.asDiagonal() * sums_.bottomRows(r).transpose();
    solve_lower(B_, c_);
    const double d = static_cast<double>(outputs.d), n = static_cast<double>(N);
    const double log_det = n * std::log(noise) + log_det_from_cholesky(B_);
    const double quadratic = (Z.squaredNorm() - c_.squaredNorm() / noise) / noise;
    return -0.5 * (d * n * std::log(2 * std::numbers::pi) + d * log_det + quadratic);
  }

  void gradient(EvidenceGradient& gradient, ByOutputs by_outputs) override {
    if (use_dense_) return dense_->gradient(gradient, by_outputs);
    const Matrix& Z = outputs_->rows;
    const Index N = Z.cols(), p = T_.cols(), J = series_.a.size() - 1, r = Z.rows();
    const double d = static_cast<double>(outputs_->d);
    Matrix S = c_;
    solve_lower_transpose(B_, S);
    Matrix inverse = B_;
    inverse_from_cholesky(inverse);

    // Phi S, its slope, and the slope of phi'B^-1 phi: of degrees up to J, and the factors of cos Jt and sin Jt.
    Matrix left(p, 2 * r + 3);
    left.leftCols(r) = w_.asDiagonal() * S;
    left.middleCols(r, r) = slope_of(left.leftCols(r));
    left.rightCols(3) = slope_of_square(inverse);
    const Matrix at_points = product(T_, left);
    const Matrix A = (Z.transpose() - at_points.leftCols(r) / noise_) / noise_;
    if (by_outputs == ByOutputs::wanted) gradient.rows = -A.transpose();

    gradient.X.setZero(1, N);
    gradient.theta.setZero(2);
    gradient.X.row(0) = (A.cwiseProduct(at_points.middleCols(r, r)).rowwise().sum() / noise_ -
                         d / (2 * noise_) *
                             (at_points.col(2 * r) + at_points.col(2 * r + 1).cwiseProduct(T_.col(highest_cosine())) +
                              at_points.col(2 * r + 2).cwiseProduct(T_.col(2 * J))))
                            .transpose();
    const double trace = (static_cast<double>(N - p) + inverse.trace()) / noise_;
    gradient.noise = 0.5 * (A.squaredNorm() - d * trace);
    const Vector by_feature =
        (S.rowwise().squaredNorm() / (noise_ * noise_) + d * (inverse.diagonal() - Vector::Ones(p))) / 2;
    gradient.theta[0] = by_feature.sum();
    gradient.theta[1] = by_feature[0] * series_.da_dlog_l[0] / series_.a[0];
    for (Index j = 1; j <= J; ++j)
      gradient.theta[1] += (by_feature[2 * j - 1] + by_feature[2 * j]) * series_.da_dlog_l[j] / series_.a[j];
  }

  double jitter() const override { return dense_ ? dense_->jitter() : 0; }

  PosteriorPtr condition(const Parameters& at, double noise, ConstMatrixRef V) const override {
    return dense_evidence(setting_)->condition(at, noise, V);
  }

 private:
  // Column 0 where there is no other, as cos 0t.
  Index highest_cosine() const { return std::max<Index>(T_.cols() - 2, 0); }

  void fill_columns() {
    const Index N = t_.size(), J = series_.a.size() - 1;
    T_.resize(N, 2 * J + 1);
    T_.col(0).setOnes();
    if (J == 0) return;
    const WaveKernels& waves = simd().waves;
    waves.fill(t_.data(), nullptr, N, 1, 1, T_.data(), T_.outerStride());
    for (Index j = 2; j <= J; ++j)
      waves.multiply(T_.col(2 * j - 3).data(), T_.col(2 * j - 2).data(), T_.col(1).data(), T_.col(2).data(), 1, N,
                     T_.col(2 * j - 1).data(), T_.col(2 * j).data());
  }

  // From the sums over the points of cos mt and sin mt, m = 0..2J.
  void fill_B() {
    const Index J = series_.a.size() - 1, p = 2 * J + 1;
    Vector C(p), S(p);
    C[0] = sums_(0, 0);
    S[0] = 0;
    for (Index k = 1; k <= J; ++k) {
      const Index cosine = 2 * k - 1, sine = 2 * k;
      C[k] = sums_(0, cosine);
      S[k] = sums_(0, sine);
      C[J + k] = sums_(1, cosine) - sums_(2, sine);
      S[J + k] = sums_(2, cosine) + sums_(1, sine);
    }
    B_.resize(p, p);
    const auto set = [&](Index f, Index g, double sum) { B_(f, g) = w_[f] * w_[g] * sum / (2 * noise_); };
    set(0, 0, 2 * C[0]);
    for (Index j = 1; j <= J; ++j) {
      set(2 * j - 1, 0, 2 * C[j]);
      set(2 * j, 0, 2 * S[j]);
      for (Index k = 1; k <= j; ++k) {  // rows of degree j, columns of degree k
        set(2 * j - 1, 2 * k - 1, C[j - k] + C[j + k]);
        set(2 * j, 2 * k - 1, S[j + k] + S[j - k]);
        set(2 * j, 2 * k, C[j - k] - C[j + k]);
        if (k < j) set(2 * j - 1, 2 * k, S[j + k] - S[j - k]);
      }
    }
    B_.diagonal().array() += 1;
  }

  // Coefficients of T of the derivative by t, from those of the function.
  static Matrix slope_of(ConstMatrixRef coefficients) {
    Matrix slope = Matrix::Zero(coefficients.rows(), coefficients.cols());
    for (Index j = 1; 2 * j < coefficients.rows(); ++j) {
      slope.row(2 * j - 1) = static_cast<double>(j) * coefficients.row(2 * j);
      slope.row(2 * j) = -static_cast<double>(j) * coefficients.row(2 * j - 1);
    }
    return slope;
  }

  // Of phi(t)'M phi(t), given the lower triangle of M, in three columns: the slope is T (column 0) + cos Jt T (column
  // 1)
  // + sin Jt T (column 2).
  Matrix slope_of_square(const Matrix& M) const {
    const Index J = series_.a.size() - 1;
    Vector C = Vector::Zero(2 * J + 1), S = Vector::Zero(2 * J + 1);  // coefficients of cos mt and sin mt
    const auto entry = [&](Index f, Index g) { return w_[f] * w_[g] * M(f, g); };
    C[0] = entry(0, 0);
    for (Index j = 1; j <= J; ++j) {
      C[j] += 2 * entry(2 * j - 1, 0);
      S[j] += 2 * entry(2 * j, 0);
      for (Index k = 1; k <= j; ++k) {
        const double half = k < j ? 1 : 0.5;  // an entry off the diagonal counts twice
        const double cc = half * entry(2 * j - 1, 2 * k - 1), ss = half * entry(2 * j, 2 * k);
        C[j - k] += cc + ss;
        C[j + k] += cc - ss;
        const double sc = entry(2 * j, 2 * k - 1), cs = k < j ? entry(2 * j - 1, 2 * k) : 0;
        S[j + k] += sc + cs;
        S[j - k] += sc - cs;
      }
    }
    Matrix slope = Matrix::Zero(2 * J + 1, 3);
    for (Index k = 1; k <= J; ++k) {
      const double low = static_cast<double>(k), high = static_cast<double>(J + k);
      slope(2 * k - 1, 0) = low * S[k];
      slope(2 * k, 0) = -low * C[k];
      slope(2 * k - 1, 1) = high * S[J + k];
      slope(2 * k, 1) = -high * C[J + k];
      slope(2 * k - 1, 2) = -high * C[J + k];
      slope(2 * k, 2) = -high * S[J + k];
    }
    return slope;
  }

  EvidenceSetting setting_;
  const Outputs* outputs_ = nullptr;
  CosineSeries series_;
  Vector t_, w_;
  Matrix T_, right_, sums_, B_, c_;
  double noise_ = 0, variance_ = 0;
  bool use_dense_ = false;
  std::unique_ptr<Evidence> dense_;
};

}  // namespace

std::unique_ptr<Evidence> fourier_evidence(const EvidenceSetting& setting) {
  if (!is_circle_rbf(*setting.kernel)) return nullptr;
  return std::make_unique<FourierEvidence>(setting);
}

}  // namespace wgp
