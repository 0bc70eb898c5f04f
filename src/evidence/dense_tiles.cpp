#include "evidence/dense_tiles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wgp {
namespace {

// exp(-x^2/2) = 2^-u^2 for u = unit x.
const double unit = std::sqrt(std::numbers::log2e / 2);

// One length-scale for all or one each.
double inverse_length(ConstVectorRef theta, Index f) { return std::exp(-theta[theta.size() == 2 ? 1 : 1 + f]); }

}  // namespace

void append_rows(ConstMatrixRef Z, PanelMatrix& S, Executor* executor) {
  const Index N = S.size(), rank = Z.rows(), rows = S.rows();
  each_flushed(executor, S.panels() - N / rows, [&](Index i, int) {
    const Index s = N / rows + i, lane = std::max<Index>(0, N - s * rows), first = s * rows + lane - N;
    const Index count = std::min(rows - lane, rank - first);
    for (Index j = 0; j < N; ++j) std::copy_n(&Z.coeffRef(first, j), count, S.column(s, j) + lane);
  });
}

Matrix appended_rows(const PanelMatrix& S) {
  Matrix rows(S.appended(), S.size());
  for (Index j = 0; j < S.size(); ++j)
    for (Index r = 0; r < S.appended(); ++r) rows(r, j) = S(S.size() + r, j);
  return rows;
}

void pack_lower(ConstMatrixRef K, double added, PanelMatrix& S) {
  const Index N = S.size(), rows = S.rows();
  for (Index s = 0; s < S.pivot_panels(); ++s) {
    const Index top = s * rows, count = std::min(rows, N - top);
    for (Index j = 0; j < top + count; ++j) {
      const Index first = std::max(top, j);
      std::copy_n(&K.coeffRef(first, j), top + count - first, S.column(s, j) + (first - top));
    }
    for (Index i = top; i < top + count; ++i) S(i, i) += added;
  }
}

LikelihoodTiles::LikelihoodTiles(Index N, Index rank, Executor* executor, const SimdKernels& kernels)
    : kernels_(kernels), rank_(rank), executor_(executor) {
  const Index rows = kernels.sweep.rows;
  A_ = Vector::Zero((N + rows - 1) / rows * rows * rank);
}

void LikelihoodTiles::take(const PanelMatrix& S, Index d) {
  S_ = &S;
  d_ = static_cast<double>(d);
  const PanelView swept = S.view();
  each_flushed(executor_, S.pivot_panels(),
               [&](Index s, int) { kernels_.tiles.take_appended(swept, s, rank_, A_.data() + s * S.rows() * rank_); });
}

double LikelihoodTiles::twice_trace() const {
  double trace = 0;
  for (Index i = 0; i < S_->size(); ++i) trace += (*S_)(i, i);
  return A_.squaredNorm() + d_ * trace;
}

void LikelihoodTiles::lower(MatrixRef G) const {
  const Index N = S_->size(), rows = S_->rows(), vec_size = kernels_.sweep.vec_size, panels = S_->pivot_panels();
  Vector tile(vec_size * rows);
  const LikelihoodView own = view();
  for (Index J = 0; J < panels; ++J)
    for (Index I = J; I < panels; ++I)
      for (Index j = J * rows; j < S_->columns(J); j += vec_size) {
        kernels_.tiles.likelihood_tile(own, I, J, static_cast<int>((j - J * rows) / vec_size), tile.data());
        for (Index k = j; k < std::min(j + vec_size, N); ++k)
          for (Index i = std::max(I * rows, k); i < std::min((I + 1) * rows, N); ++i)
            G(i, k) = 0.5 * tile[(k - j) * rows + i - I * rows];
      }
}

// Strips of up to 192 columns: their part of A and their sums stay in the second-level cache while rows stream past.
// How the sums are split depends on N alone, so that threads cannot change a bit.
RbfTiles::RbfTiles(Index N, Index q, Executor* executor, const SimdKernels& kernels)
    : kernels_(kernels),
      N_(N),
      q_(q),
      rows_(kernels.sweep.rows),
      padded_((N + rows_ - 1) / rows_ * rows_),
      executor_(executor),
      strip_(std::clamp<Index>(padded_ / rows_ / 8, 1, 192 / rows_)),
      parts_(std::min<Index>(16, (padded_ / rows_ + strip_ - 1) / strip_)),
      u_(Vector::Zero((q + 1) * padded_)),
      sums_((q + 1) * padded_, parts_),
      of_columns_((q + 1) * strip_ * rows_ * kernels.sweep.vec_size, parts_) {
  u_.segment(q * padded_, N).setOnes();
}

void RbfTiles::fill(ConstVectorRef theta, ConstMatrixRef X, double added, PanelMatrix& K, PanelMatrix& S) {
  const FlushToZero guard;
  // About the median: pull_back takes differences of sums over u, and one far point must not cost all others digits.
  for (Index f = 0; f < q_; ++f) {
    auto sorted = sums_.col(0).head(N_);
    sorted = X.row(f).transpose();
    std::nth_element(sorted.begin(), sorted.begin() + N_ / 2, sorted.end());
    const double middle = sorted[N_ / 2];
    u_.segment(f * padded_, N_) = unit * inverse_length(theta, f) * (X.row(f).array() - middle).matrix().transpose();
  }
  const RbfPoints points{u_.data(), N_, q_, padded_};
  const double variance = std::exp(theta[0]);
  const PanelView to_K = K.view(), to_S = S.view();
  const Index last = K.pivot_panels() - 1;
  each_flushed(executor_, last + 1, [&](Index i, int) {
    kernels_.tiles.rbf_panel(points, variance, added, to_K, to_S, last - i);  // the longest first
  });
}

void RbfTiles::refill(ConstVectorRef theta, double added, const PanelMatrix& K, PanelMatrix& S) const {
  for (Index s = 0; s < K.pivot_panels(); ++s) {
    std::copy(K.column(s, 0), K.column(s, K.columns(s)), S.column(s, 0));
    for (Index j = s * rows_; j < std::min((s + 1) * rows_, N_); ++j) S(j, j) = std::exp(theta[0]) + added;
  }
}

// With H = 2 G k off the diagonal and p_i = u_i sum_j H_ij - sum_j H_ij u_j:
//   dL/dx_i = -p_i / (unit l),   dL/dlog l = sum_i u_i p_i / unit^2,   dL/dlog s^2 = (sum_ij H_ij + s^2 2 tr G)/2
void RbfTiles::pull_back(ConstVectorRef theta, const PanelMatrix& K, const LikelihoodTiles& G,
                         EvidenceGradient& gradient) {
  const FlushToZero guard;
  const Index features = q_ + 1;
  const RbfPoints points{u_.data(), N_, q_, padded_};
  const PanelView covariance = K.view();
  const LikelihoodView likelihood = G.view();
  each_flushed(executor_, parts_, [&](Index part, int) {
    kernels_.tiles.rbf_sums(points, covariance, likelihood, part, parts_, strip_, sums_.col(part).data(),
                            of_columns_.col(part).data());
  });
  for (Index part = 1; part < parts_; ++part) sums_.col(0) += sums_.col(part);

  const double twice_trace = G.twice_trace();
  double all = 0;
  gradient.X.resize(q_, N_);
  gradient.theta.setZero(theta.size());
  for (Index i = 0; i < N_; ++i) {
    const double* sum = sums_.data() + i / rows_ * rows_ * features + i % rows_;
    const double total = sum[q_ * rows_];
    all += total;
    for (Index f = 0; f < q_; ++f) {
      const double u = u_[f * padded_ + i], p = u * total - sum[f * rows_];
      gradient.X(f, i) = -p * inverse_length(theta, f) / unit;
      gradient.theta[theta.size() == 2 ? 1 : 1 + f] += u * p / (unit * unit);
    }
  }
  gradient.theta[0] = (all + std::exp(theta[0]) * twice_trace) / 2;
  gradient.noise = twice_trace / 2;
}

}  // namespace wgp
