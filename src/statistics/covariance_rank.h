// Covariance matrices whose small eigenvalues are rounding: of average-referenced channels, or of fewer samples than
// channels. They lie on the border of the positive definite ones, infinitely far away by most metrics.
#pragma once

#include "wgp/types.h"

namespace wgp {

// How many eigenvalues of a symmetric matrix stand clear of rounding, after its diagonal is scaled to 1: there must be
// a gap below them, and what is below must be as small as double or float rounding leaves it. All, where nothing says
// otherwise; 0 where the matrix is not positive semidefinite up to rounding, or not symmetric.
Index covariance_rank(ConstMatrixRef matrix);

// Of many matrices: the ranks, and that of their mean, which is the dimension that all of them share.
class RankSurvey {
 public:
  void add(ConstMatrixRef matrix);
  Index deficient() const { return deficient_; }  // matrices of rank below their size
  Index lowest() const { return lowest_; }        // of these
  Index highest() const { return highest_; }
  Index shared() const;       // rank of the mean of all semidefinite ones, each at trace 1
  bool sums_to_zero() const;  // of the deficient ones every row: an average reference
  // The R leading eigenvectors of that mean, n x R, the largest component of each positive; and the share of the mean's
  // trace in them.
  Matrix directions(Index R, double& share) const;
  Index size() const { return sum_.rows(); }

 private:
  Matrix sum_;
  Index deficient_ = 0, lowest_ = 0, highest_ = 0, zero_sums_ = 0;
};

}  // namespace wgp
