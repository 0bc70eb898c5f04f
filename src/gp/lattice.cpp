#include "gp/lattice.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "linalg/products.h"
#include "simd/kernels.h"

namespace wgp {

Lattice::Lattice(LatentSpace latent, Vector periods, Modes modes)
    : latent_(latent), periods_(std::move(periods)), modes_(std::move(modes)) {
  const Index q = latent_.dim();
  frequency_.resize(q);
  stride_.resize(static_cast<std::size_t>(q));
  Index stride = 1;
  for (Index j = 0; j < q; ++j) {
    if (latent_.is_angle(j)) periods_[j] = 2 * std::numbers::pi;
    frequency_[j] = 2 * std::numbers::pi / periods_[j];
    reach_.push_back(modes_.cols() > 0 ? modes_.row(j).cwiseAbs().maxCoeff() : 0);
    stride_[static_cast<std::size_t>(j)] = stride;
    centre_ += 2 * reach(j) * stride;
    stride *= width(j);
  }
  box_ = stride;
  offset_.push_back(0);
  for (Index k = 0; k < half(); ++k) {
    Index offset = 0;
    for (Index j = 0; j < q; ++j) offset += modes_(j, k) * stride_[static_cast<std::size_t>(j)];
    offset_.push_back(offset);
  }
  std::vector<int> m(static_cast<std::size_t>(q));
  for (Index place = 0; place < box_; ++place) {
    Index rest = place;
    for (Index j = 0; j < q; ++j) {
      m[static_cast<std::size_t>(j)] = static_cast<int>(rest % width(j)) - 2 * reach(j);
      rest /= width(j);
    }
    first_.push_back(static_cast<Index>(entries_.size()));
    const std::vector<Entry> own = entries(m);
    entries_.insert(entries_.end(), own.begin(), own.end());
  }
  first_.push_back(static_cast<Index>(entries_.size()));
}

Index Lattice::table_cols() const {
  Index cols = 1;
  for (Index j = 1; j < coordinates(); ++j) cols *= width(j);
  return cols;
}

// prod_j (cos_j + i sign_j sin_j), multiplied out: a subset of coordinates gives its sines.
std::vector<Lattice::Entry> Lattice::entries(const std::vector<int>& m) const {
  const std::size_t q = m.size();
  std::vector<Entry> found;
  for (unsigned sines = 0; sines < (1u << q); ++sines) {
    double sign = 1;
    int power = 0;
    bool zero = false;
    std::vector<Index> at(q);
    for (std::size_t j = 0; j < q; ++j) {
      const int size = std::abs(m[j]);
      if (sines >> j & 1u) {
        zero = zero || size == 0;
        sign *= m[j] < 0 ? -1 : 1;
        ++power;
        at[j] = 2 * reach(static_cast<Index>(j)) + size;
      } else {
        at[j] = size;
      }
    }
    if (zero) continue;
    if (power >= 2) sign = -sign;  // i^2, i^3
    // Column-major: row of the first coordinate, the others from the second on.
    Index column = 0;
    for (std::size_t j = q; j-- > 1;) column = column * width(static_cast<Index>(j)) + at[j];
    found.push_back({column * table_rows() + at[0], sign, power % 2 == 1});
  }
  return found;
}

Vector Lattice::feature_amplitudes(const Vector& a) const {
  Vector all(size());
  all[0] = a[0];
  all.segment(1, half()) = all.tail(half()) = 2 * a.tail(half());
  return all;
}
Vector Lattice::by_log_spectrum(const Vector& by) const {
  Vector all(1 + half());
  all[0] = by[0];
  all.tail(half()) = by.segment(1, half()) + by.tail(half());
  return all;
}

Matrix Lattice::second_moments(ConstMatrixRef table) const {
  const Matrix whole = table;
  Vector re = Vector::Zero(box_), im = Vector::Zero(box_);
  for (Index m = 0; m < box_; ++m)
    for (Index e = first_[static_cast<std::size_t>(m)]; e < first_[static_cast<std::size_t>(m) + 1]; ++e) {
      const Entry& entry = entries_[static_cast<std::size_t>(e)];
      (entry.imaginary ? im : re)[m] += entry.sign * whole.data()[entry.place];
    }
  const Index H = half();
  Matrix moments(size(), size());
  for (Index l = 0; l <= H; ++l)
    for (Index k = l; k <= H; ++k) {
      const Index minus = centre_ + offset_[static_cast<std::size_t>(k)] - offset_[static_cast<std::size_t>(l)],
                  plus = centre_ + offset_[static_cast<std::size_t>(k)] + offset_[static_cast<std::size_t>(l)];
      moments(k, l) = moments(l, k) = (re[minus] + re[plus]) / 2;
      if (k > 0) {  // cos_l sin_k
        const double value = (im[plus] + im[minus]) / 2;
        moments(l, H + k) = moments(H + k, l) = value;
      }
      if (l > 0) {
        moments(H + k, H + l) = moments(H + l, H + k) = (re[minus] - re[plus]) / 2;
        const double value = (im[plus] - im[minus]) / 2;  // cos_k sin_l
        moments(k, H + l) = moments(H + l, k) = value;
      }
    }
  return moments;
}

Matrix Lattice::by_table(ConstMatrixRef G) const {
  Vector re = Vector::Zero(box_), im = Vector::Zero(box_);
  const Index H = half();
  for (Index l = 0; l <= H; ++l)
    for (Index k = l; k <= H; ++k) {
      const Index minus = centre_ + offset_[static_cast<std::size_t>(k)] - offset_[static_cast<std::size_t>(l)],
                  plus = centre_ + offset_[static_cast<std::size_t>(k)] + offset_[static_cast<std::size_t>(l)];
      const double twice = k == l ? 1 : 2;
      const double cc = twice * G(k, l) / 2, ss = l > 0 ? twice * G(H + k, H + l) / 2 : 0;
      re[minus] += cc + ss;
      re[plus] += cc - ss;
      if (k > 0) {  // cos_l sin_k, both triangles
        im[plus] += G(H + k, l);
        im[minus] += G(H + k, l);
      }
      if (l > 0 && k != l) {  // cos_k sin_l
        im[plus] += G(k, H + l);
        im[minus] -= G(k, H + l);
      }
    }
  Matrix by = Matrix::Zero(table_rows(), table_cols());
  for (Index m = 0; m < box_; ++m)
    for (Index e = first_[static_cast<std::size_t>(m)]; e < first_[static_cast<std::size_t>(m) + 1]; ++e) {
      const Entry& entry = entries_[static_cast<std::size_t>(e)];
      by.data()[entry.place] += entry.sign * (entry.imaginary ? im : re)[m];
    }
  return by;
}

Vector Lattice::first_moments(ConstMatrixRef table) const {
  const Matrix whole = table;
  const Index H = half();
  Vector moments(size());
  for (Index k = 0; k <= H; ++k) {
    const auto m = static_cast<std::size_t>(centre_ + offset_[static_cast<std::size_t>(k)]);
    double re = 0, im = 0;
    for (auto e = static_cast<std::size_t>(first_[m]); e < static_cast<std::size_t>(first_[m + 1]); ++e)
      (entries_[e].imaginary ? im : re) += entries_[e].sign * whole.data()[entries_[e].place];
    moments[k] = re;
    if (k > 0) moments[H + k] = im;
  }
  return moments;
}

Matrix Lattice::table_of(ConstVectorRef by_features) const {
  const Index H = half();
  Matrix table = Matrix::Zero(table_rows(), table_cols());
  for (Index k = 0; k <= H; ++k) {
    const auto m = static_cast<std::size_t>(centre_ + offset_[static_cast<std::size_t>(k)]);
    for (auto e = static_cast<std::size_t>(first_[m]); e < static_cast<std::size_t>(first_[m + 1]); ++e)
      if (!entries_[e].imaginary)
        table.data()[entries_[e].place] += entries_[e].sign * by_features[k];
      else if (k > 0)
        table.data()[entries_[e].place] += entries_[e].sign * by_features[H + k];
  }
  return table;
}

namespace {

// e^{i m w x - (m w)^2 S / 2} for m = 0..2J, a column per m.
Matrix damped_table(ConstVectorRef x, ConstVectorRef S, double w, int reach) {
  Matrix table(x.size(), 4 * reach + 1);
  simd().waves.fill(x.data(), S.size() > 0 ? S.data() : nullptr, x.size(), w, 2 * reach, table.data(),
                    table.outerStride());
  return table;
}

}  // namespace

Matrix Lattice::axis_table(ConstVectorRef places, Index j) const {
  return damped_table(places, Vector(), frequency_[j], reach(j));
}

Vector polynomial_at_pairs(const Matrix& first, const Matrix& second, ConstMatrixRef by_table) {
  return product_nt(product(first, by_table), second).reshaped();
}

LatticeBlock::LatticeBlock(const Lattice& lattice, ConstMatrixRef X, ConstMatrixRef S) : lattice_(lattice) {
  const Index q = lattice.coordinates(), n = X.cols(), H = lattice.half();
  for (Index j = 0; j < q; ++j)
    tables_.push_back(damped_table(Vector(X.row(j).transpose()), S.size() > 0 ? Vector(S.row(j).transpose()) : Vector(),
                                   lattice.frequencies()[j], lattice.reach(j)));
  features_.resize(n, lattice.size());
  features_.col(0).setOnes();
  const WaveKernels& kernels = simd().waves;
  for (Index k = 0; k < H; ++k) {
    double *cosine = features_.col(1 + k).data(), *sine = features_.col(1 + H + k).data();
    // The first factor, whose sign is positive in the half lattice, is read where it stands.
    Waves product{};
    for (Index j = 0; j < q; ++j) {
      const int m = lattice.modes()(j, k);
      if (m == 0) continue;
      const Waves next = waves(j, std::abs(m));
      if (product.cosine == nullptr) {
        product = next;
      } else {
        kernels.multiply(product.cosine, product.sine, next.cosine, next.sine, m < 0 ? -1 : 1, n, cosine, sine);
        product = {cosine, sine};
      }
    }
    if (product.cosine == cosine) continue;
    std::copy_n(product.cosine, n, cosine);
    std::copy_n(product.sine, n, sine);
  }
}

LatticeBlock::Waves LatticeBlock::waves(Index j, int m) const {
  const Matrix& table = tables_[static_cast<std::size_t>(j)];
  return {table.col(m).data(), table.col(2 * lattice_.reach(j) + m).data()};
}

Matrix LatticeBlock::right() const {
  if (tables_.size() == 1) return Matrix::Ones(count(), 1);
  Matrix product = tables_[1];
  for (std::size_t j = 2; j < tables_.size(); ++j) {
    Matrix next(count(), product.cols() * tables_[j].cols());
    for (Index b = 0; b < tables_[j].cols(); ++b)
      next.middleCols(b * product.cols(), product.cols()) = product.array().colwise() * tables_[j].col(b).array();
    product = std::move(next);
  }
  return product;
}

Matrix LatticeBlock::table() const {
  if (tables_.size() == 1) return tables_[0].colwise().sum().transpose();
  if (tables_.size() == 2) return product_tn(tables_[0], tables_[1]);
  return product_tn(tables_[0], right());
}

Matrix LatticeBlock::cross(ConstMatrixRef V) const {
  Matrix sums = Matrix::Zero(features_.cols(), V.rows());
  simd().products.add_product(columns(MatrixRef(sums)), 1, columns(ConstMatrixRef(features_)), Turned::yes, columns(V),
                              Turned::yes);
  return sums;
}

Vector LatticeBlock::polynomial(ConstMatrixRef by_table) const {
  if (tables_.size() == 1) return tables_[0] * by_table;
  const Matrix through = product(tables_[0], by_table);
  return (tables_.size() == 2 ? through.cwiseProduct(tables_[1]) : through.cwiseProduct(right())).rowwise().sum();
}

void LatticeBlock::pull_back(ConstMatrixRef by_features, ConstMatrixRef by_table, ConstVectorRef weights, MatrixRef d_X,
                             MatrixRef d_S) const {
  const Index q = lattice_.coordinates(), n = count(), H = lattice_.half();
  std::vector<Matrix> by;
  for (const Matrix& table : tables_) by.push_back(Matrix::Zero(n, table.cols()));
  if (by_table.size() > 0) {
    if (q == 1) {
      by[0].rowwise() += by_table.col(0).transpose();
    } else {
      const Matrix other = q == 2 ? Matrix() : right();
      by[0] = product_nt(q == 2 ? tables_[1] : other, by_table);
      const Matrix by_right = product(tables_[0], by_table);
      if (q == 2) {
        by[1] = by_right;
      } else {
        const Index inner = tables_[1].cols();
        for (Index b = 0; b < tables_[2].cols(); ++b) {
          const auto part = by_right.middleCols(b * inner, inner).array();
          by[1].array() += part.colwise() * tables_[2].col(b).array();
          by[2].col(b).array() += (part * tables_[1].array()).rowwise().sum();
        }
      }
    }
    if (weights.size() > 0)
      for (Matrix& one : by) one.array().colwise() *= weights.array();
  }
  if (by_features.size() > 0) {
    const WaveKernels& kernels = simd().waves;
    Matrix others(n, 2);
    for (Index k = 0; k < H; ++k) {
      const double *gc = by_features.col(1 + k).data(), *gs = by_features.col(1 + H + k).data();
      for (Index j = 0; j < q; ++j) {
        const int m = lattice_.modes()(j, k), size = std::abs(m);
        if (m == 0) continue;
        // Gathers the other coordinates' factors of the wave.
        Waves rest{};
        double turn = 1;
        for (Index other = 0; other < q; ++other) {
          const int l = lattice_.modes()(other, k);
          if (other == j || l == 0) continue;
          const Waves next = waves(other, std::abs(l));
          const double turn_of_next = l < 0 ? -1 : 1;
          if (rest.cosine == nullptr) {
            rest = next;
            turn = turn_of_next;
            continue;
          }
          double *re = others.col(0).data(), *im = others.col(1).data();
          if (turn < 0) {
            others.col(1) = -Eigen::Map<const Vector>(rest.sine, n);
            rest.sine = im;
            turn = 1;
          }
          kernels.multiply(rest.cosine, rest.sine, next.cosine, next.sine, turn_of_next, n, re, im);
          rest = {re, im};
        }
        Matrix& own = by[static_cast<std::size_t>(j)];
        double *by_cosine = own.col(size).data(), *by_sine = own.col(2 * lattice_.reach(j) + size).data();
        const double sign = m < 0 ? -1 : 1;
        if (rest.cosine != nullptr) {
          kernels.pull_back(gc, gs, rest.cosine, rest.sine, turn, sign, n, by_cosine, by_sine);
        } else {
          Eigen::Map<Vector>(by_cosine, n) += by_features.col(1 + k);
          Eigen::Map<Vector>(by_sine, n) += sign * by_features.col(1 + H + k);
        }
      }
    }
  }
  for (Index j = 0; j < q; ++j) {
    const Matrix &own = by[static_cast<std::size_t>(j)], &table = tables_[static_cast<std::size_t>(j)];
    const Index top = 2 * lattice_.reach(j);
    Eigen::ArrayXd slope = Eigen::ArrayXd::Zero(n), curvature = Eigen::ArrayXd::Zero(d_S.size() > 0 ? n : 0);
    for (Index m = 1; m <= top; ++m) {
      const double phase = static_cast<double>(m) * lattice_.frequencies()[j];
      slope +=
          phase * (own.col(top + m).array() * table.col(m).array() - own.col(m).array() * table.col(top + m).array());
      if (d_S.size() > 0)
        curvature -=
            phase * phase / 2 *
            (own.col(m).array() * table.col(m).array() + own.col(top + m).array() * table.col(top + m).array());
    }
    d_X.row(j) += slope.matrix().transpose();
    if (d_S.size() > 0) d_S.row(j) += curvature.matrix().transpose();
  }
}

LatticeChoice choose_lattice(const KernelSpectrum& spectrum, ConstVectorRef theta, Vector periods,
                             const LatticeRule& rule) {
  const LatentSpace& latent = spectrum.latent();
  const Index q = latent.dim();
  for (Index j = 0; j < q; ++j)
    if (latent.is_angle(j)) periods[j] = 2 * std::numbers::pi;
  const double variance = spectrum.variance(theta);
  // As far along each axis as amplitudes there can be among the largest.
  const Index half_most = std::max<Index>(1, (rule.most - 1) / 2);
  const int limit = static_cast<int>(q == 1 ? half_most : q == 2 ? std::min<Index>(half_most, 200) : 24);
  std::vector<int> box(static_cast<std::size_t>(q));
  for (Index j = 0; j < q; ++j) {
    Modes axis = Modes::Zero(q, limit + 1);
    for (int k = 0; k <= limit; ++k) axis(j, k) = k;
    const Vector a = spectrum.amplitudes(theta, periods, axis);
    int& reach = box[static_cast<std::size_t>(j)];
    reach = 1;
    for (int k = 2; k <= limit; ++k)
      if (a[k] > 1e-12 * a[0]) reach = k;
  }
  Index cells = 1;
  for (const int reach : box) cells *= 2 * reach + 1;
  Modes all(q, cells / 2);
  Index count = 0;
  std::vector<int> k(static_cast<std::size_t>(q));
  for (Index cell = cells / 2 + 1; cell < cells; ++cell) {  // the first coordinate turns slowest: half of the lattice
    Index rest = cell;
    for (Index j = q - 1; j >= 0; --j) {
      const Index width = 2 * box[static_cast<std::size_t>(j)] + 1;
      all(j, count) = static_cast<int>(rest % width) - box[static_cast<std::size_t>(j)];
      rest /= width;
    }
    ++count;
  }
  const Vector a = spectrum.amplitudes(theta, periods, all);
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index one, Index other) { return a[one] > a[other]; });
  double kept = spectrum.amplitudes(theta, periods, Modes::Zero(q, 1))[0];
  Index taken = 0;
  while (taken < count && taken < half_most && (taken == 0 || variance - kept > rule.neglected * variance)) {
    kept += 2 * a[order[static_cast<std::size_t>(taken)]];
    ++taken;
  }
  const bool capped = variance - kept > rule.neglected * variance && taken >= half_most;
  order.resize(static_cast<std::size_t>(taken));
  std::sort(order.begin(), order.end());
  return {Lattice(latent, std::move(periods), all(Eigen::all, order)), std::max(0.0, variance - kept), capped};
}

}  // namespace wgp
