// Predictions at a great many inputs, of one or two dimensions.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "wgp/posterior.h"

namespace wgp {

struct GpSlopes {
  std::array<Matrix, 2> mean;      // d x m for each dimension of the inputs
  std::array<Vector, 2> variance;  // m
};

// The space of inputs is cut into cells about as wide as the kernel's length-scale. Once a cell has met inputs that
// cost as much as its nodes, mean and variance in it are polynomials through the nodes: Chebyshev series of 20 terms in
// each dimension. A smooth kernel's series ends in rounding errors by then; the cell of a series that does not (kernels
// with kinks) is left to the process itself, as are cells with few inputs and processes of more dimensions.
//
// Agrees with Posterior::predict to about 1e-13 of the largest sum of absolute terms (see tests). What an input gets
// depends on the inputs before it and beside it to that extent, and on nothing else. Memory: at most 128 MB of series,
// and a million cells.
class PredictionTable {
 public:
  // otherwise: what an input costs without the table, in predictions.
  explicit PredictionTable(PosteriorPtr posterior, Index otherwise = 1);

  GpPrediction predict(ConstMatrixRef at);

  // With derivatives, for inputs in cells that have a series; returns the others, of which nothing is said.
  std::vector<Index> predict_where_known(ConstMatrixRef at, GpPrediction& prediction, GpSlopes& slopes);

  Index interpolated_cells() const { return interpolated_; }

 private:
  using Key = std::array<long, 2>;
  struct Cell {
    Index seen = 0;
    bool tried = false;
    Matrix series;  // columns of terms: of two dimensions one for each output and term of the first; empty: none
  };

  std::array<double, 2> place_of(ConstVectorRef x, Key& key) const;  // in the cell, each from -1 to 1
  bool is_near(ConstVectorRef x) const;                              // enough to have a cell
  void interpolate(const Key& key, Cell& cell);
  void predict_exactly(ConstMatrixRef at, const std::vector<Index>& which, GpPrediction& prediction) const;
  void predict_by_series(const Cell& cell, const Matrix& places, const std::vector<Index>& which,
                         GpPrediction& prediction, GpSlopes* slopes) const;
  // By series where there is one; returns the others.
  std::vector<Index> predict_known(ConstMatrixRef at, GpPrediction& prediction, GpSlopes* slopes);

  PosteriorPtr posterior_;
  LatentSpace latent_;
  bool usable_ = false;
  Index enough_ = 0;  // inputs that a cell must have met to be worth its nodes
  double width_ = 1;
  Vector tolerance_;  // of each output: the coordinates of the mean, then the variance
  std::map<Key, Cell> cells_;
  Index interpolated_ = 0, failures_ = 0;
};

}  // namespace wgp
