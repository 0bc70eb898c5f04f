#include "geometry/stiefel_geodesic.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "linalg/decompositions.h"

namespace wgp {
namespace {

using Complex = std::complex<double>;
using ComplexMatrix = Eigen::MatrixXcd;

// Skew w = W diag(i theta) W^H.
struct SkewSpectrum {
  Vector theta;
  ComplexMatrix W;

  explicit SkewSpectrum(ConstMatrixRef w) {
    ComplexSpectrum spectrum = hermitian_spectrum(Complex(0, -1) * w);
    theta = std::move(spectrum.values);
    W = std::move(spectrum.vectors);
  }

  // g(w) for g given on the imaginary axis: g(i theta).
  template <class Function>
  Matrix apply(Function g) const {
    return (W * theta.unaryExpr(g).asDiagonal() * W.adjoint()).real();
  }
  // g(ad w) x: ad w multiplies entry (j, k) of W^H x W by i (theta_j - theta_k).
  template <class Function>
  Matrix apply_ad(Function g, ConstMatrixRef x) const {
    ComplexMatrix rotated = W.adjoint() * x * W;
    for (Index j = 0; j < theta.size(); ++j)
      for (Index k = 0; k < theta.size(); ++k) rotated(j, k) *= g(theta[j] - theta[k]);
    return (W * rotated * W.adjoint()).real();
  }
};

double sinc(double x) { return x == 0 ? 1 : std::sin(x) / x; }
Complex exp_minus_one(double y) { return Complex(0, 2 * std::sin(y / 2)) * std::polar(1.0, y / 2); }
Complex mean_exp(double y) { return sinc(y / 2) * std::polar(1.0, y / 2); }  // (exp(iy) - 1) / (iy)
Complex mean_exp_back(double y) { return mean_exp(-y); }                     // f(iy) of the header
Complex exp_back(double y) { return std::polar(1.0, -y); }

// The m-part of [w, x]: ([A, a] - B'b + b'B, B a - b A) from the blocks of w = (A, B) and x = (a, b).
Matrix bracket_in_m(ConstMatrixRef w, ConstMatrixRef x, Index p) {
  Matrix bracket = w * x - x * w;
  const Index rest = w.rows() - p;
  bracket.bottomRightCorner(rest, rest).setZero();
  return bracket;
}

}  // namespace

Matrix rotation_minus_identity(ConstMatrixRef skew) { return SkewSpectrum(skew).apply(exp_minus_one); }
Matrix mean_rotation(ConstMatrixRef skew) { return SkewSpectrum(skew).apply(mean_exp); }

Matrix StiefelCoordinates::skew(ConstVectorRef coords) const {
  Matrix a = Matrix::Zero(p_, p_);
  for (Index i = 1, k = 0; i < p_; ++i)
    for (Index j = 0; j < i; ++j, ++k) {
      a(i, j) = coords[k];
      a(j, i) = -coords[k];
    }
  return a;
}

Matrix StiefelCoordinates::normal(ConstVectorRef coords) const {
  return coords.tail((n_ - p_) * p_).reshaped<Eigen::RowMajor>(n_ - p_, p_);
}

Vector StiefelCoordinates::join(ConstMatrixRef a, ConstMatrixRef b) const {
  Vector coords(dim());
  for (Index i = 1, k = 0; i < p_; ++i)
    for (Index j = 0; j < i; ++j) coords[k++] = a(i, j);
  coords.tail(b.size()) = b.reshaped<Eigen::RowMajor>();
  return coords;
}

Matrix StiefelCoordinates::lift(ConstVectorRef coords) const {
  const Matrix b = normal(coords);
  Matrix x = Matrix::Zero(n_, n_);
  x.topLeftCorner(p_, p_) = skew(coords);
  x.bottomLeftCorner(n_ - p_, p_) = b;
  x.topRightCorner(p_, n_ - p_) = -b.transpose();
  return x;
}

Vector StiefelCoordinates::unlift(ConstMatrixRef x) const {
  return join(x.topLeftCorner(p_, p_), x.bottomLeftCorner(n_ - p_, p_));
}

StiefelGeodesic::StiefelGeodesic(Index n, Index p, ConstVectorRef v)
    : n_(n), p_(p), r_(std::min(p, n - p)), all_(n, p), small_(p + r_, p), qr_(all_.normal(v)), a_(all_.skew(v)) {
  w_ = small_.lift(small_.join(a_, qr_.R()));
}

Matrix StiefelGeodesic::displacement() const {
  const Matrix moved = rotation_minus_identity(w_);
  Matrix result = Matrix::Zero(n_, p_);
  result.topRows(p_ + r_) = moved.leftCols(p_);
  result.bottomRows(n_ - p_) = qr_.times(result.bottomRows(n_ - p_));
  return result;
}

Matrix StiefelGeodesic::end_vector(ConstVectorRef coords) const {
  Matrix result(n_, p_);
  result.topRows(p_) = all_.skew(coords);
  result.bottomRows(n_ - p_) = qr_.transpose_times(all_.normal(coords));
  const Matrix block = result.topRows(p_ + r_);
  result.topRows(p_ + r_) += rotation_minus_identity(w_) * block;
  result.bottomRows(n_ - p_) = qr_.times(result.bottomRows(n_ - p_));
  return result;
}

template <class Function>
Matrix StiefelGeodesic::block_matrix(Function f) const {
  const Matrix identity = Matrix::Identity(small_.dim(), small_.dim());
  Matrix columns(small_.dim(), small_.dim());
  for (Index k = 0; k < small_.dim(); ++k) columns.col(k) = small_.unlift(f(small_.lift(identity.col(k))));
  return columns;
}

Matrix StiefelGeodesic::apply(const SplitMap& map, ConstMatrixRef coords) const {
  Matrix result(coords.rows(), coords.cols());
  for (Index i = 0; i < coords.cols(); ++i) {
    Matrix b = qr_.transpose_times(all_.normal(coords.col(i)));
    const Vector block = map.block * small_.join(all_.skew(coords.col(i)), b.topRows(r_));
    b.topRows(r_) = small_.normal(block);
    b.bottomRows(n_ - p_ - r_) *= map.right;
    b = qr_.times(b);
    result.col(i) = all_.join(small_.skew(block), b);
  }
  return result;
}

// On a row of b beyond the block: x' = -[w, x]_m / 2 = x a / 2.
StiefelGeodesic::SplitMap StiefelGeodesic::transport_map() const {
  const Matrix generator = block_matrix([&](const Matrix& x) { return Matrix(-0.5 * bracket_in_m(w_, x, p_)); });
  return {matrix_exponential(generator), Matrix::Identity(p_, p_) + rotation_minus_identity(a_ / 2)};
}

StiefelGeodesic::SplitMap StiefelGeodesic::dexp_map() const {
  const SkewSpectrum spectrum(w_);
  return {block_matrix([&](const Matrix& x) { return spectrum.apply_ad(mean_exp_back, x); }),
          spectrum.apply(mean_exp).topLeftCorner(p_, p_)};
}

StiefelGeodesic::SplitMap StiefelGeodesic::dexp_base_map() const {
  const SkewSpectrum spectrum(w_);
  const auto image = [&](const Matrix& x) {
    return Matrix(spectrum.apply_ad(exp_back, x) + 0.5 * spectrum.apply_ad(mean_exp_back, bracket_in_m(w_, x, p_)));
  };
  const Matrix rotation = Matrix::Identity(p_, p_) + spectrum.apply(exp_minus_one).topLeftCorner(p_, p_);
  return {block_matrix(image), rotation - 0.5 * a_ * spectrum.apply(mean_exp).topLeftCorner(p_, p_)};
}

Matrix StiefelGeodesic::transport(ConstMatrixRef coords) const { return apply(transport_map(), coords); }

JacobiMatrices StiefelGeodesic::jacobi() const {
  const Matrix identity = Matrix::Identity(all_.dim(), all_.dim());
  // The transport is orthogonal; its transpose expresses a lift at the end in the transported frame.
  const SplitMap moved = transport_map();
  const auto expressed = [&](const SplitMap& map) {
    return apply({moved.block.transpose() * map.block, map.right * moved.right.transpose()}, identity);
  };
  return {expressed(dexp_map()), expressed(dexp_base_map())};
}

double StiefelGeodesic::log_det() const {
  const SplitMap map = dexp_map();
  return Lu(map.block).log_abs_determinant() + static_cast<double>(n_ - p_ - r_) * Lu(map.right).log_abs_determinant();
}

}  // namespace wgp
