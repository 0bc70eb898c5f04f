// SPD(n) with the Bures-Wasserstein metric: g_P(V, W) = tr(L_P(V) W) / 2, where X = L_P(V) solves P X + X P = V.
//
// It is the optimal transport distance between centred Gaussians. Geodesics (I + tX) P (I + tX) leave the manifold
// where I + tX stops being positive definite: the metric is incomplete, but any two points are joined by exactly one
// geodesic. Everything is computed in the eigenbasis of P = U diag(p) U' with the symmetric X in place of V = X P + P
// X; then |V|^2 = tr(X P X), so coordinates are X_ij sqrt(p_i + p_j) for i > j and X_ii sqrt(p_i). References: Takatsu
// (2011); Malago, Montrucchio and Pistone (2018); Bhatia, Jain and Lim (2019).
#include <cmath>

#include "core/format.h"
#include "linalg/decompositions.h"

#include "geometry/deferred_jacobi.h"
#include "geometry/factories.h"
#include "geometry/ode.h"
#include "geometry/spd_common.h"
#include "linalg/householder.h"
#include "linalg/small_symmetric.h"

namespace wgp {
namespace {

constexpr double transport_tolerance = 1e-13;

Matrix symmetric_part(ConstMatrixRef A) { return (A + A.transpose()) / 2; }

// sum over i <= j of log(a_i + a_j)
double log_pair_sums(ConstVectorRef a) {
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i)
    for (Index j = 0; j <= i; ++j) sum += std::log(a[i] + a[j]);
  return sum;
}

// its gradient: sum_j 1 / (a_i + a_j) + 1 / (2 a_i)
Vector log_pair_sums_gradient(ConstVectorRef a) {
  Vector gradient(a.size());
  for (Index i = 0; i < a.size(); ++i) gradient[i] = (a.array() + a[i]).inverse().sum() + 0.5 / a[i];
  return gradient;
}

class BuresTangentSpace final : public TangentSpace {
 public:
  BuresTangentSpace(ConstVectorRef column, Index n) : n_(n) {
    P_ = symmetric_part(as_matrix(column, n));
    base_ = as_column(P_);
    const SymmetricEigen eigen = spd_eigen(P_);
    if (!eigen.ok) throw Error("the base point is not positive definite");
    U_ = eigen.vectors;
    p_ = eigen.values;
    root_ = p_.cwiseSqrt();
    scale_ = (p_.replicate(1, n) + p_.transpose().replicate(n, 1)).cwiseSqrt();
    scale_.diagonal() = root_;
  }

  const Vector& base() const override { return base_; }
  Index dim() const override { return n_ * (n_ + 1) / 2; }
  // The geodesic in the direction of the smallest eigenvalue is the first to leave the manifold.
  double injectivity_radius() const override { return root_.minCoeff(); }

  // There is no cut locus; the margin is the length that remains before the geodesic leaves the manifold.
  LogReport log(ConstMatrixRef points, MatrixRef coords) const override {
    LogReport report(points.cols());
    for (Index i = 0; i < points.cols(); ++i) {
      Matrix X;
      const bool ok = transport_map(as_matrix(points.col(i), n_), X);
      coords.col(i) = to_numbers(X);
      if (!ok) {
        report.status[static_cast<std::size_t>(i)] = LogStatus::outside_domain;
        report.margin[i] = 0;
        continue;
      }
      const double least = symmetric_eigenvalues(X).minCoeff();
      if (least < 0) report.set_margin(i, (-1 / least - 1) * coords.col(i).norm(), injectivity_radius());
    }
    return report;
  }

  // As log(), with the square roots of many matrices at once.
  LogSums log_sums(ConstMatrixRef points, ConstVectorRef weights) const override {
    const Index N = points.cols(), block = std::min<Index>(N, 64);
    LogSums sums;
    sums.weighted = Vector::Zero(dim());
    Matrix M(n_ * n_, block), roots(n_ * n_, block), X(n_, n_);
    const Matrix inverse = (root_ * root_.transpose()).cwiseInverse();
    for (Index first = 0; first < N; first += block) {
      const Index count = std::min(block, N - first);
      for (Index i = 0; i < count; ++i)
        Eigen::Map<Matrix>(M.col(i).data(), n_, n_) =
            root_.asDiagonal() * (U_.transpose() * as_matrix(points.col(first + i), n_) * U_) * root_.asDiagonal();
      const FailedColumns failed = spd_sqrt(n_, M.leftCols(count), roots.leftCols(count));
      for (const Index i : failed) {
        ++sums.failed;
        roots.col(i).setZero();
      }
      for (Index i = 0, bad = 0; i < count; ++i) {
        if (bad < static_cast<Index>(failed.size()) && failed[static_cast<std::size_t>(bad)] == i) {
          ++bad;
          continue;
        }
        X = inverse.cwiseProduct(Eigen::Map<const Matrix>(roots.col(i).data(), n_, n_)) - Matrix::Identity(n_, n_);
        restore_digits(as_matrix(points.col(first + i), n_), X);
        const Vector v = to_numbers(X);
        const double length = v.norm();
        sums.weighted += weights[first + i] * v;
        sums.squares += weights[first + i] * length * length;
        sums.longest = std::max(sums.longest, length);
      }
    }
    return sums;
  }

  ExpReport exp(ConstMatrixRef coords, MatrixRef points) const override {
    ExpReport report;
    for (Index i = 0; i < coords.cols(); ++i) {
      const Matrix T = stretch(coords.col(i));
      if (!is_positive_definite(T)) report.outside_domain.push_back(i);
      const Matrix factor = U_ * T * root_.asDiagonal();
      points.col(i) = as_column(factor * factor.transpose());
    }
    return report;
  }

  Matrix to_ambient(ConstMatrixRef coords) const override {
    Matrix ambient(n_ * n_, coords.cols());
    for (Index i = 0; i < coords.cols(); ++i) {
      const Matrix Xp = from_numbers(coords.col(i)) * p_.asDiagonal();
      ambient.col(i) = as_column(U_ * (Xp + Xp.transpose()) * U_.transpose());
    }
    return ambient;
  }

  Matrix to_coords(ConstMatrixRef ambient) const override {
    Matrix coords(dim(), ambient.cols());
    const Matrix sums = p_.replicate(1, n_) + p_.transpose().replicate(n_, 1);
    for (Index i = 0; i < ambient.cols(); ++i) {
      const Matrix V = U_.transpose() * symmetric_part(as_matrix(ambient.col(i), n_)) * U_;
      coords.col(i) = to_numbers(V.cwiseQuotient(sums));
    }
    return coords;
  }

  Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const override {
    const Matrix T = stretch(v), Y = transport_operators(v, coords);
    const Matrix Q = T * p_.asDiagonal() * T;
    Matrix moved(n_ * n_, coords.cols());
    for (Index i = 0; i < coords.cols(); ++i) {
      const Matrix YQ = Eigen::Map<const Matrix>(Y.col(i).data(), n_, n_) * Q;
      moved.col(i) = as_column(U_ * (YQ + YQ.transpose()) * U_.transpose());
    }
    return moved;
  }

  std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const override {
    const auto matrices = [space = *this, v = Vector(v)] { return space.jacobi_matrices(v); };
    const auto log_det = [space = *this, v = Vector(v)] { return space.log_det(v); };
    const auto gradient = [space = *this, v = Vector(v)] { return space.log_det_gradient(v); };
    return deferred_jacobi_fields(matrices, log_det, gradient);
  }

  // The other square roots of P Q lie outside the domain of exp.
  Preimages preimages(ConstVectorRef q, double radius) const override {
    Preimages found = TangentSpace::preimages(q, radius);
    found.complete = true;
    return found;
  }

 private:
  Vector to_numbers(ConstMatrixRef X) const {
    Vector numbers(dim());
    for (Index i = 0, k = 0; i < n_; ++i)
      for (Index j = 0; j <= i; ++j) numbers[k++] = X(i, j) * scale_(i, j);
    return numbers;
  }
  Matrix from_numbers(ConstVectorRef numbers) const {
    Matrix X(n_, n_);
    for (Index i = 0, k = 0; i < n_; ++i)
      for (Index j = 0; j <= i; ++j) X(i, j) = X(j, i) = numbers[k++] / scale_(i, j);
    return X;
  }
  Matrix stretch(ConstVectorRef v) const { return Matrix::Identity(n_, n_) + from_numbers(v); }  // T = I + X

  // X with (I + X) P (I + X) = Q: from the singular values m and left vectors A of P^1/2 C, Q = C C',
  //   I + X = P^-1/2 (A m A') P^-1/2.
  bool transport_map(ConstMatrixRef Q, Matrix& X) const {
    X = Matrix::Zero(n_, n_);
    Matrix C;
    if (!cholesky_factor(symmetric_part(Q), C)) return false;
    const SymmetricEigen squares = factor_eigen(root_.asDiagonal() * (U_.transpose() * C));
    if (!squares.ok) return false;
    const Vector m = squares.values.cwiseSqrt();
    const Matrix whitened = root_.cwiseInverse().asDiagonal() * squares.vectors;  // P^-1/2 A
    X = whitened * m.asDiagonal() * whitened.transpose() - Matrix::Identity(n_, n_);
    // For Q near P the subtraction of I has cancelled. Newton's method on X P + P X + X P X = Q - P restores the
    // digits: the step d solves d P (I + X) + (I + X) P d = residual, diagonal in the basis A.
    if (X.cwiseAbs().maxCoeff() > 1e-2) return true;
    const Matrix difference = U_.transpose() * (symmetric_part(Q) - P_) * U_;
    const Matrix sums = m.replicate(1, n_) + m.transpose().replicate(n_, 1);
    const Matrix basis = root_.asDiagonal() * squares.vectors;
    for (int step = 0; step < 2; ++step) {
      const Matrix Xp = X * p_.asDiagonal();
      const Matrix residual = difference - Xp - Xp.transpose() - Xp * X;
      const Matrix solved = (basis.transpose() * residual * basis).cwiseQuotient(sums);
      X = symmetric_part(X + whitened * solved * whitened.transpose());
    }
    return true;
  }

  // The same for an X that was found without the basis A: I + X stands for I in the step, whose error is |X| times the
  // condition number of that of X. Where this is no gain, by transport_map.
  void restore_digits(ConstMatrixRef Q, Matrix& X) const {
    const double size = X.cwiseAbs().maxCoeff();
    if (size > 1e-2) return;
    if (size * p_.maxCoeff() > 1e-2 * p_.minCoeff()) {
      transport_map(Q, X);
      return;
    }
    const Matrix difference = U_.transpose() * (symmetric_part(Q) - P_) * U_, Xp = X * p_.asDiagonal();
    const Matrix residual = difference - Xp - Xp.transpose() - Xp * X;
    X += symmetric_part(residual).cwiseQuotient(p_.replicate(1, n_) + p_.transpose().replicate(n_, 1));
  }

  // The operators Y (a column of n^2 numbers each) of the transported vectors Y Q + Q Y at t = 1. With P_t = T p T and
  // T = I + tX the covariant derivative vanishes if Y' = -L_{P_t}(Y X p T + T p X Y).
  Matrix transport_operators(ConstVectorRef v, ConstMatrixRef coords) const {
    const Index count = coords.cols();
    const Matrix X = from_numbers(v), Xp = X * p_.asDiagonal();
    Matrix Y(n_ * n_, count);
    for (Index i = 0; i < count; ++i) Eigen::Map<Matrix>(Y.col(i).data(), n_, n_) = from_numbers(coords.col(i));
    const double size = Y.size() > 0 ? Y.cwiseAbs().maxCoeff() : 0;
    if (size == 0 || X.isZero(0)) return Y;
    const auto field = [&](ConstVectorRef state, double t, VectorRef derivative) {
      const Matrix T = Matrix::Identity(n_, n_) + t * X;
      const Spectrum spectrum = symmetric_spectrum(T * p_.asDiagonal() * T);
      const Vector& values = spectrum.values;
      if (!(values.minCoeff() > 0)) return false;
      const Matrix& basis = spectrum.vectors;
      const Matrix sums = values.replicate(1, n_) + values.transpose().replicate(n_, 1);
      const Matrix rotated = basis.transpose() * (T * Xp.transpose());
      for (Index i = 0; i < count; ++i) {
        const Matrix half = rotated * Eigen::Map<const Matrix>(state.data() + i * n_ * n_, n_, n_) * basis;
        const Matrix solved = (half + half.transpose()).cwiseQuotient(sums);
        Eigen::Map<Matrix>(derivative.data() + i * n_ * n_, n_, n_) = -basis * solved * basis.transpose();
      }
      return true;
    };
    Vector state = Y.reshaped() / size;
    if (!integrate(field, state, transport_tolerance)) state.setConstant(std::nan(""));
    return size * state.reshaped(n_ * n_, count);
  }

  // With v = L_P(V) = X and dX = L_P(dV):
  //   J0: dQ = dX p T + T p dX
  //   J1: the same with dX = -L_P(X K p + p K X), K = L_P(dP), plus T dP T
  // Their coordinates in the transported frame are <E'_k, dQ> = tr(Y_k dQ) / 2.
  JacobiMatrices jacobi_matrices(ConstVectorRef v) const {
    const Matrix T = stretch(v), X = from_numbers(v), pT = p_.asDiagonal() * T;
    const Matrix sums = p_.replicate(1, n_) + p_.transpose().replicate(n_, 1);
    const Matrix identity = Matrix::Identity(dim(), dim());
    Matrix by_v(n_ * n_, dim()), by_p(n_ * n_, dim());
    for (Index k = 0; k < dim(); ++k) {
      const Matrix K = from_numbers(identity.col(k)), Kp = K * p_.asDiagonal();
      const Matrix moved = K * pT;
      Eigen::Map<Matrix>(by_v.col(k).data(), n_, n_) = moved + moved.transpose();
      const Matrix XKp = X * Kp;
      const Matrix dX = -(XKp + XKp.transpose()).cwiseQuotient(sums);
      const Matrix carried = dX * pT;
      Eigen::Map<Matrix>(by_p.col(k).data(), n_, n_) = carried + carried.transpose() + T * (Kp + Kp.transpose()) * T;
    }
    const Matrix Y = transport_operators(v, identity);
    return {0.5 * Y.transpose() * by_v, 0.5 * Y.transpose() * by_p};
  }

  // m: the eigenvalues of P^1/2 T P^1/2 (their squares are those of P Q) and q: those of Q = T P T, both without
  // forming the product, so that small eigenvalues keep their digits.
  struct Spectra {
    SymmetricEigen m, q;
    bool ok = false;
  };
  Spectra spectra(ConstMatrixRef T) const {
    Matrix C;
    if (!cholesky_factor(T, C)) return {};
    Spectra result{factor_eigen(root_.asDiagonal() * C), factor_eigen(T * root_.asDiagonal())};
    result.ok = result.m.ok && result.q.ok;
    return result;
  }

  // log|det J0| = sum over i <= j of log(m_i + m_j) - log(p_i + p_j) / 2 - log(q_i + q_j) / 2
  double log_det(ConstVectorRef v) const {
    const Spectra s = spectra(stretch(v));
    if (!s.ok) return std::nan("");
    return log_pair_sums(s.m.values) - log_pair_sums(p_) / 2 - log_pair_sums(s.q.values) / 2;
  }

  // dm_i = w_i' P^1/2 dX P^1/2 w_i and dq_i = u_i' dQ u_i turn the gradients in m and q into one in the matrix X.
  Vector log_det_gradient(ConstVectorRef v) const {
    const Matrix T = stretch(v);
    const Spectra s = spectra(T);
    if (!s.ok) return Vector::Constant(dim(), std::nan(""));
    const Matrix W = root_.asDiagonal() * s.m.vectors;
    const Matrix by_q = s.q.vectors * log_pair_sums_gradient(s.q.values).asDiagonal() * s.q.vectors.transpose();
    const Matrix pTB = p_.asDiagonal() * T * by_q;
    const Matrix by_X =
        W * log_pair_sums_gradient(s.m.values).asDiagonal() * W.transpose() - (pTB + pTB.transpose()) / 2;
    Vector gradient(dim());
    for (Index i = 0, k = 0; i < n_; ++i)
      for (Index j = 0; j <= i; ++j) gradient[k++] = (i == j ? 1 : 2) * by_X(i, j) / scale_(i, j);
    return gradient;
  }

  Index n_;
  Vector base_;
  Matrix P_, U_;
  Vector p_, root_;  // eigenvalues of P and their square roots
  Matrix scale_;     // coordinates = X_ij scale_ij
};

class SpdBuresWasserstein final : public SpdManifold {
 public:
  explicit SpdBuresWasserstein(Index n) : SpdManifold(n, "/bures-wasserstein") {}

  std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const override {
    return std::make_unique<BuresTangentSpace>(p, size());
  }

  // At P it is the root of the smallest eigenvalue, which has no positive lower bound; curvature has no upper one.
  double injectivity_radius() const override { return 0; }
  // Whatever the data: the squared distance is strictly convex along straight lines (Agueh and Carlier 2011; Bhatia,
  // Jain and Lim 2019).
  double mean_ball_radius() const override { return infinity; }
  bool is_symmetric() const override { return false; }

  std::optional<Vector> mean_start(ConstMatrixRef points, ConstVectorRef weights) const override {
    return Vector(points * weights);
  }

  // -1/2 sum over i <= j of log(2 (p_i + p_j))
  std::optional<double> log_volume_density(ConstVectorRef p) const override {
    return -0.5 * log_pair_sums(2 * spd_eigen(as_matrix(p, size())).values);
  }

  std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const override {
    const Matrix R = random_orthogonal(random, size());
    return [R](ConstVectorRef p) { return as_column(R * as_matrix(p, R.rows()) * R.transpose()); };
  }
};

}  // namespace

ManifoldPtr make_spd_bures_wasserstein(Index n) {
  if (n < 1)
    throw Error(fmt::format(
        "spd:{}/bures-wasserstein does not exist: matrices have at least one row; try spd:3/bures-wasserstein", n));
  return std::make_shared<SpdBuresWasserstein>(n);
}

}  // namespace wgp
