#include "gp/prediction_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "simd/kernels.h"

namespace wgp {
namespace {

constexpr Index terms = series_terms, most_failures = 4;
// As wide as 20 terms can do, since nodes are what a table costs, in length-scales; a circle bends by itself.
constexpr double widest_of_line = 1.2, widest_of_circle = 0.7;
constexpr double farthest_cell = 1e6, farthest_angle = 100;
constexpr std::size_t most_cells = 1000000;
constexpr Index most_doubles = Index{1} << 24;  // of all series

Index nodes_of_a_cell(Index q) { return q == 1 ? terms : terms * terms; }

// Zeros of T_20.
double node(Index k) { return std::cos(std::numbers::pi * (static_cast<double>(k) + 0.5) / terms); }

// Values at the nodes to the coefficients of the series: terms x terms.
const Matrix& to_series() {
  static const Matrix transform = [] {
    Matrix B(terms, terms);
    for (Index k = 0; k < terms; ++k)
      for (Index a = 0; a < terms; ++a)
        B(k, a) = (a == 0 ? 1.0 : 2.0) / terms *
                  std::cos(std::numbers::pi * static_cast<double>(a) * (static_cast<double>(k) + 0.5) / terms);
    return B;
  }();
  return transform;
}

}  // namespace

PredictionTable::PredictionTable(PosteriorPtr posterior, Index otherwise)
    : posterior_(std::move(posterior)),
      latent_(posterior_->latent()),
      usable_(latent_.dim() <= 2),
      enough_(nodes_of_a_cell(latent_.dim()) / otherwise) {
  if (!usable_) return;
  const Posterior::Grain grain = posterior_->grain();
  const double widest = std::min({widest_of_line * grain.plain, widest_of_circle * grain.angle,
                                  latent_.angles() > 0 ? widest_of_circle : grain.plain * widest_of_line});
  if (std::isfinite(widest)) width_ = widest;
  tolerance_ = grain.rounding;  // of the variance: of its last terms, and what is left out is smaller
}

bool PredictionTable::is_near(ConstVectorRef x) const {
  if (!x.allFinite()) return false;
  for (Index j = 0; j < x.size(); ++j)  // far angles lose digits on their way back
    if (!(std::abs(x[j]) < (latent_.is_angle(j) ? farthest_angle : farthest_cell * width_))) return false;
  return true;
}

std::array<double, 2> PredictionTable::place_of(ConstVectorRef x, Key& key) const {
  std::array<double, 2> place = {0, 0};
  key = {0, 0};
  for (Index j = 0; j < x.size(); ++j) {
    const auto k = static_cast<std::size_t>(j);
    const double value = latent_.is_angle(j) ? std::remainder(x[j], 2 * std::numbers::pi) : x[j];
    const double cell = std::floor(value / width_);
    key[k] = static_cast<long>(cell);
    place[k] = 2 * (value / width_ - cell) - 1;
  }
  return place;
}

void PredictionTable::interpolate(const Key& key, Cell& cell) {
  const Index q = latent_.dim(), outputs = tolerance_.size();
  const auto position = [&](std::size_t j, Index k) {
    return width_ * (static_cast<double>(key[j]) + (node(k) + 1) / 2);
  };
  Matrix at(q, nodes_of_a_cell(q));
  for (Index i = 0; i < at.cols(); ++i) {
    at(0, i) = position(0, i % terms);
    if (q == 2) at(1, i) = position(1, i / terms);
  }
  const GpPrediction exact = posterior_->predict(at);
  Matrix values(outputs, at.cols());
  values.topRows(outputs - 1) = exact.mean;
  values.bottomRows(1) = exact.variance.transpose();

  // Of each output in turn: the series along the last dimension, then along the first.
  const Matrix& B = to_series();
  const Index columns = outputs * (q == 2 ? terms : 1);
  Matrix series(terms, columns);
  for (Index o = 0; o < outputs; ++o) {
    if (q == 1) {
      series.col(o) = B.transpose() * values.row(o).transpose();
    } else {
      const Matrix at_nodes = values.row(o).reshaped(terms, terms);  // first dimension x second
      series.middleCols(o * terms, terms) = B.transpose() * at_nodes.transpose() * B;
    }
  }
  if (!series.allFinite()) return;
  for (Index o = 0; o < outputs; ++o) {
    const auto own = series.middleCols(o * (columns / outputs), columns / outputs);
    double last = own.bottomRows(2).cwiseAbs().maxCoeff();  // the last two terms along either dimension
    if (q == 2) last = std::max(last, own.rightCols(2).cwiseAbs().maxCoeff());
    if (!(last <= tolerance_[o])) return;
  }
  cell.series = std::move(series);
  ++interpolated_;
}

void PredictionTable::predict_exactly(ConstMatrixRef at, const std::vector<Index>& which,
                                      GpPrediction& prediction) const {
  const GpPrediction exact = posterior_->predict(at(Eigen::all, which));
  prediction.mean(Eigen::all, which) = exact.mean;
  prediction.variance(which) = exact.variance;
}

void PredictionTable::predict_by_series(const Cell& cell, const Matrix& places, const std::vector<Index>& which,
                                        GpPrediction& prediction, GpSlopes* slopes) const {
  const Index outputs = tolerance_.size(), d = outputs - 1, count = static_cast<Index>(which.size());
  const int variables = static_cast<int>(latent_.dim());
  const SeriesView series{cell.series.data(), outputs, variables};
  Matrix place = Matrix::Zero(series_at_once, 2), value(series_at_once, outputs), slope(series_at_once, 2 * outputs);
  for (Index from = 0; from < count; from += series_at_once) {
    const Index used = std::min<Index>(series_at_once, count - from);
    const Index* inputs = which.data() + from;
    for (Index l = 0; l < used; ++l) place.row(l) = places.col(inputs[l]).transpose();
    simd().series.evaluate(series, place.data(), value.data(), slopes ? slope.data() : nullptr);
    for (Index l = 0; l < used; ++l) {
      prediction.mean.col(inputs[l]) = value.row(l).head(d).transpose();
      prediction.variance[inputs[l]] = std::max(0.0, value(l, d));
      if (slopes == nullptr) continue;
      for (Index j = 0; j < variables; ++j) {
        const auto own = slope.row(l).segment(j * outputs, outputs);
        slopes->mean[static_cast<std::size_t>(j)].col(inputs[l]) = 2 / width_ * own.head(d).transpose();
        slopes->variance[static_cast<std::size_t>(j)][inputs[l]] = 2 / width_ * own[d];
      }
    }
  }
}

std::vector<Index> PredictionTable::predict_known(ConstMatrixRef at, GpPrediction& prediction, GpSlopes* slopes) {
  prediction.mean.resize(posterior_->outputs(), at.cols());
  prediction.variance.resize(at.cols());
  std::vector<Index> others;
  std::map<Key, std::vector<Index>> by_cell;
  Matrix places(2, at.cols());
  for (Index i = 0; i < at.cols(); ++i) {
    if (!usable_ || !is_near(at.col(i))) {
      others.push_back(i);
      continue;
    }
    Key key;
    const std::array<double, 2> place = place_of(at.col(i), key);
    places.col(i) << place[0], place[1];
    by_cell[key].push_back(i);
  }
  for (const auto& [key, which] : by_cell) {
    if (cells_.size() >= most_cells && !cells_.contains(key)) {
      others.insert(others.end(), which.begin(), which.end());
      continue;
    }
    Cell& cell = cells_[key];
    cell.seen += static_cast<Index>(which.size());
    const bool room = (interpolated_ + 1) * tolerance_.size() * nodes_of_a_cell(latent_.dim()) <= most_doubles;
    if (!cell.tried && cell.seen >= enough_ && usable_ && room) {
      cell.tried = true;
      interpolate(key, cell);
      if (cell.series.size() == 0 && ++failures_ >= most_failures) usable_ = interpolated_ > 0;
    }
    if (cell.series.size() > 0)
      predict_by_series(cell, places, which, prediction, slopes);
    else
      others.insert(others.end(), which.begin(), which.end());
  }
  return others;
}

GpPrediction PredictionTable::predict(ConstMatrixRef at) {
  GpPrediction prediction;
  predict_exactly(at, predict_known(at, prediction, nullptr), prediction);
  return prediction;
}

std::vector<Index> PredictionTable::predict_where_known(ConstMatrixRef at, GpPrediction& prediction, GpSlopes& slopes) {
  for (std::size_t j = 0; j < 2; ++j) {
    slopes.mean[j].resize(posterior_->outputs(), at.cols());
    slopes.variance[j].resize(at.cols());
  }
  return predict_known(at, prediction, &slopes);
}

}  // namespace wgp
