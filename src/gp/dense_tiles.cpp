#include "gp/dense_tiles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wgp {
namespace {

using sliver::broadcast;
using sliver::IntVec;
using sliver::lanes;
using sliver::load;
using sliver::store;
using sliver::Tile;
using sliver::Vec;
using sliver::vectors;

constexpr Index rows = sliver::rows;

// scale 2^-t for t >= 0, to about one unit in the last place; zero from t = 1000 on.
class Decay {
 public:
  explicit Decay(double scale) {
    // 2^r on [-1/2, 1/2], interpolated at Chebyshev points: relative error 4e-18.
    constexpr double power[degree + 1] = {
        1.0,
        0.69314718055994530925,
        0.24022650695910159567,
        0.055504108664821627039,
        0.0096181291075872566681,
        0.0013333558146406470697,
        0.00015403530463724354209,
        0.000015252733841556772589,
        1.3215432535912376166e-6,
        1.0178057087733941105e-7,
        7.0741942972885210056e-9,
        4.455817908336064493e-10,
    };
    for (int i = 0; i <= degree; ++i) c_[i] = scale * power[i];
  }
  [[gnu::always_inline]] Vec operator()(Vec t) const {
    constexpr double to_integer = 0x1.8p52;  // t + to_integer has round(t) in its last bits
    const Vec shifted = t + to_integer;
    const Vec r = (shifted - to_integer) - t;
    Vec p = broadcast(c_[degree]);
#pragma GCC unroll 16
    for (int i = degree - 1; i >= 0; --i) p = p * r + c_[i];
    const IntVec exponent = (0x4338000000000000 + 1023 - reinterpret_cast<IntVec>(shifted)) << 52;
    return t >= 1000 ? Vec{} : p * reinterpret_cast<Vec>(exponent);  // not a number stays one
  }

 private:
  static constexpr int degree = 11;
  double c_[degree + 1];
};

// exp(-x^2/2) = 2^-u^2 for u = unit x.
const double unit = std::sqrt(std::numbers::log2e / 2);

// One length-scale for all or one each.
double inverse_length(ConstVectorRef theta, Index f) { return std::exp(-theta[theta.size() == 2 ? 1 : 1 + f]); }

// Rows [first, rows) of a sliver's columns [0, count) are not points.
void clear_rows(double* column, Index first, Index count) {
  for (Index j = 0; j < count; ++j) std::fill(column + j * rows + first, column + (j + 1) * rows, 0.0);
}

}  // namespace

void append_rows(const Matrix& Z, Slivers& S, Team* team) {
  const Index N = S.size(), rank = Z.rows();
  sliver::each(team, S.count() - N / rows, [&](Index i, int) {
    const Index s = N / rows + i, lane = std::max<Index>(0, N - s * rows), first = s * rows + lane - N;
    const Index count = std::min(rows - lane, rank - first);
    for (Index j = 0; j < N; ++j) std::copy_n(Z.data() + j * rank + first, count, S.column(s, j) + lane);
  });
}

void pack_lower(ConstMatrixRef K, double added, Slivers& S) {
  const Index N = S.size();
  for (Index s = 0; s < S.pivot_slivers(); ++s) {
    const Index top = s * rows, count = std::min(rows, N - top);
    for (Index j = 0; j < top + count; ++j) {
      const Index first = std::max(top, j);
      std::copy_n(&K.coeffRef(first, j), top + count - first, S.column(s, j) + (first - top));
    }
    for (Index i = top; i < top + count; ++i) S(i, i) += added;
  }
}

LikelihoodTiles::LikelihoodTiles(Index N, Index rank, Team* team)
    : rank_(rank), team_(team), A_(Vector::Zero((N + rows - 1) / rows * rows * rank)) {}

void LikelihoodTiles::take(const Slivers& S, Index d) {
  S_ = &S;
  d_ = static_cast<double>(d);
  const Index N = S.size();
  sliver::each(team_, S.pivot_slivers(), [&](Index s, int) {
    for (Index r = 0; r < rank_; ++r) {
      const double* from = S.column((N + r) / rows, s * rows) + (N + r) % rows;
      double* to = A_.data() + s * rows * rank_ + r * rows;
      for (Index p = 0; p < std::min(rows, N - s * rows); ++p) to[p] = from[p * rows];
    }
  });
}

double LikelihoodTiles::twice_trace() const {
  double trace = 0;
  for (Index i = 0; i < S_->size(); ++i) trace += (*S_)(i, i);
  return A_.squaredNorm() + d_ * trace;
}

void LikelihoodTiles::fill(Index I, Index J, int group, double* tile) const {
  Tile<vectors> t;
  t.load_from(S_->column(I, J * rows + group * lanes));
  for (int j = 0; j < lanes; ++j)
    for (int v = 0; v < vectors; ++v) t.c[j][v] *= d_;
  t.add_product(points(I), points(J) + group * lanes, rank_);
  t.store_to(tile);
}

void LikelihoodTiles::lower(MatrixRef G) const {
  alignas(64) double tile[lanes * rows];
  const Index N = S_->size(), slivers = S_->pivot_slivers();
  for (Index J = 0; J < slivers; ++J)
    for (Index I = J; I < slivers; ++I)
      for (Index j = J * rows; j < S_->columns(J); j += lanes) {
        fill(I, J, static_cast<int>((j - J * rows) / lanes), tile);
        for (Index k = j; k < std::min(j + lanes, N); ++k)
          for (Index i = std::max(I * rows, k); i < std::min((I + 1) * rows, N); ++i)
            G(i, k) = 0.5 * tile[(k - j) * rows + i - I * rows];
      }
}

// Strips of up to 192 columns: their part of A and their sums stay in the second-level cache while rows stream past.
// How the sums are split depends on N alone, so that threads cannot change a bit.
RbfTiles::RbfTiles(Index N, Index q, Team* team)
    : N_(N),
      q_(q),
      padded_((N + rows - 1) / rows * rows),
      team_(team),
      strip_(std::clamp<Index>(padded_ / rows / 8, 1, 192 / rows)),
      parts_(std::min<Index>(16, (padded_ / rows + strip_ - 1) / strip_)),
      u_(Vector::Zero((q + 1) * padded_)),
      sums_((q + 1) * padded_, parts_),
      of_columns_((q + 1) * strip_ * rows * lanes, parts_) {
  u_.segment(q * padded_, N).setOnes();
}

void RbfTiles::fill(ConstVectorRef theta, ConstMatrixRef X, double added, Slivers& K, Slivers& S) {
  const sliver::FlushToZero guard;
  // About the median: pull_back takes differences of sums over u, and one far point must not cost all others digits.
  for (Index f = 0; f < q_; ++f) {
    auto sorted = sums_.col(0).head(N_);
    sorted = X.row(f).transpose();
    std::nth_element(sorted.begin(), sorted.begin() + N_ / 2, sorted.end());
    const double middle = sorted[N_ / 2];
    u_.segment(f * padded_, N_) = unit * inverse_length(theta, f) * (X.row(f).array() - middle).matrix().transpose();
  }
  const double variance = std::exp(theta[0]);
  const Index last = K.pivot_slivers() - 1;
  sliver::each(team_, last + 1, [&](Index i, int) {
    const Decay k(variance);   // its own, so that it stays in registers
    const Index s = last - i;  // the longest first
    double *to_K = K.column(s, 0), *to_S = S.column(s, 0);
    const Index end = std::min((s + 1) * rows, N_);
    for (Index j = 0; j < end; ++j, to_K += rows, to_S += rows) {
      Vec t[vectors] = {};
      for (Index f = 0; f < q_; ++f) {
        const double* u = u_.data() + f * padded_;
        const Vec u_j = broadcast(u[j]);
#pragma GCC unroll 3
        for (int v = 0; v < vectors; ++v) {
          const Vec difference = load(u + s * rows + v * lanes) - u_j;
          t[v] += difference * difference;
        }
      }
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) {
        const Vec value = k(t[v]);
        store(to_K + v * lanes, value);
        store(to_S + v * lanes, value);
      }
    }
    if (end < (s + 1) * rows) {
      clear_rows(K.column(s, 0), end - s * rows, K.columns(s));
      clear_rows(S.column(s, 0), end - s * rows, S.columns(s));
      std::fill(K.column(s, end), K.column(s, K.columns(s)), 0.0);
      std::fill(S.column(s, end), S.column(s, S.columns(s)), 0.0);
    }
    for (Index j = s * rows; j < end; ++j) {
      S(j, j) += added;
      K(j, j) = 0;
      std::fill_n(K.column(s, j), (j - s * rows) / lanes * lanes, 0.0);  // above the square: not to be counted
    }
  });
}

void RbfTiles::refill(ConstVectorRef theta, double added, const Slivers& K, Slivers& S) const {
  for (Index s = 0; s < K.pivot_slivers(); ++s) {
    std::copy(K.column(s, 0), K.column(s, K.columns(s)), S.column(s, 0));
    for (Index j = s * rows; j < std::min((s + 1) * rows, N_); ++j) S(j, j) = std::exp(theta[0]) + added;
  }
}

// The sums over the tiles of every parts_-th strip of columns. A row of tiles within a strip is consecutive in memory.
void RbfTiles::sum_part(Index part, const Slivers& K, const LikelihoodTiles& G) {
  const Index features = q_ + 1, slivers = K.pivot_slivers();
  auto sums = sums_.col(part), of_columns = of_columns_.col(part);
  alignas(64) double h[lanes * rows];
  sums.setZero();
  for (Index begin = part * strip_; begin < slivers; begin += parts_ * strip_) {
    const Index end = std::min(begin + strip_, slivers);
    of_columns.setZero();
    for (Index I = begin; I < slivers; ++I)
      for (Index j = begin * rows; j < K.columns(std::min(I, end - 1)); j += lanes) {
        const Index J = j / rows;
        const int group = static_cast<int>((j - J * rows) / lanes);
        G.fill(I, J, group, h);
        const double* k = K.column(I, j);
        for (int e = 0; e < lanes * rows; e += lanes) store(h + e, load(h + e) * load(k + e));
        if constexpr (lanes == 8)
          for (int e = 0; e < lanes * rows; e += lanes) __builtin_prefetch(k + lanes * rows + e);  // the tile after it
        // Below the diagonal's squares a tile counts for its rows and for its columns.
        const int first = I == J ? group + 1 : 0;
        for (Index f = 0; f < features; ++f) {
          const double *u_I = u_.data() + f * padded_ + I * rows, *u_J = u_.data() + f * padded_ + j;
          double *to_I = sums.data() + (I * features + f) * rows,
                 *to_J = of_columns.data() + ((j - begin * rows) * features + f * lanes) * lanes;
          Vec sum[vectors], x[vectors];
          for (int v = 0; v < vectors; ++v) {
            sum[v] = load(to_I + v * lanes);
            x[v] = v >= first ? load(u_I + v * lanes) : Vec{};
          }
#pragma GCC unroll 8
          for (int c = 0; c < lanes; ++c) {
            const Vec y = broadcast(u_J[c]);
            Vec column = load(to_J + c * lanes);
#pragma GCC unroll 3
            for (int v = 0; v < vectors; ++v) {
              const Vec w = load(h + c * rows + v * lanes);
              sum[v] += w * y;
              column += w * x[v];
            }
            store(to_J + c * lanes, column);
          }
          for (int v = 0; v < vectors; ++v) store(to_I + v * lanes, sum[v]);
        }
      }
    for (Index j = begin * rows; j < K.columns(end - 1); ++j)
      for (Index f = 0; f < features; ++f) {
        const Index group = (j - begin * rows) / lanes, lane = (j - begin * rows) % lanes;
        sums[(j / rows * features + f) * rows + j % rows] +=
            sliver::sum(load(of_columns.data() + ((group * features + f) * lanes + lane) * lanes));
      }
  }
}

// With H = 2 G k off the diagonal and p_i = u_i sum_j H_ij - sum_j H_ij u_j:
//   dL/dx_i = -p_i / (unit l),   dL/dlog l = sum_i u_i p_i / unit^2,   dL/dlog s^2 = (sum_ij H_ij + s^2 2 tr G)/2
void RbfTiles::pull_back(ConstVectorRef theta, const Slivers& K, const LikelihoodTiles& G, GpGradient& gradient) {
  const sliver::FlushToZero guard;
  const Index features = q_ + 1;
  sliver::each(team_, parts_, [&](Index part, int) { sum_part(part, K, G); });
  for (Index part = 1; part < parts_; ++part) sums_.col(0) += sums_.col(part);

  const double twice_trace = G.twice_trace();
  double all = 0;
  gradient.X.resize(q_, N_);
  gradient.theta.setZero(theta.size());
  for (Index i = 0; i < N_; ++i) {
    const double* sum = sums_.data() + i / rows * rows * features + i % rows;
    const double total = sum[q_ * rows];
    all += total;
    for (Index f = 0; f < q_; ++f) {
      const double u = u_[f * padded_ + i], p = u * total - sum[f * rows];
      gradient.X(f, i) = -p * inverse_length(theta, f) / unit;
      gradient.theta[theta.size() == 2 ? 1 : 1 + f] += u * p / (unit * unit);
    }
  }
  gradient.theta[0] = (all + std::exp(theta[0]) * twice_trace) / 2;
  gradient.noise = twice_trace / 2;
}

}  // namespace wgp
