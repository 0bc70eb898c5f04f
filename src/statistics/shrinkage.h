// Covariance matrices drawn towards a multiple of the identity: (1 - a) S + a tr(S)/p I, which is positive definite.
//
// The share a, for S of p variables from N samples:
//   oas          that of scikit-learn and pyRiemann, a function of S and N (Chen, Wiesel, Eldar and Hero 2010, without
//                their terms in 2/p)
//   ledoit-wolf  the estimate of Ledoit and Wolf needs fourth moments, which only the samples have. Its expectation
//                given S, for normal samples, is a function of S and N: the Rao-Blackwell Ledoit-Wolf estimate of the
//                same paper.
// Both are the same for S in any unit, and divided by N or by N - 1.
#pragma once

#include "wgp/types.h"

namespace wgp {

struct Shrinkage {
  enum class By { none, share, oas, ledoit_wolf };
  By by = By::none;
  double share = 0;   // by share
  Index samples = 0;  // by oas and ledoit_wolf: N
};
double shrinkage_share(ConstMatrixRef S, const Shrinkage& shrinkage);
Matrix shrunk(ConstMatrixRef S, const Shrinkage& shrinkage);

}  // namespace wgp
