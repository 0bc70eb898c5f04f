// Everything that a fit may move, and which of it is free.
//
// In units where the mean square of the vectors V is 1. The noise variance is floor + exp(u): the floor (a share of the
// data's variance) keeps covariances well conditioned and the parameter free.
#pragma once

#include <vector>

#include "wgp/types.h"

namespace wgp {

inline constexpr double noise_floor = 1e-6;  // of the data's variance

struct Parameters {
  Matrix X;             // latents, q x N
  Matrix S;             // logarithms of their variances; empty: point estimates
  Matrix Z;             // inducing inputs, q x M; empty: there are none, or the evidence chooses them
  Vector theta;         // of the kernel
  double u = 0;         // noise = noise_floor + exp(u)
  Vector centre;        // step of the base point from where the lift has it; empty: it stays
  Matrix coefficients;  // of the base point function; empty: there are none

  double noise() const;
  // Point estimates with a noise variance above the floor.
  static Parameters of(Matrix X, Vector theta, double noise);
};

// A mask over the above. What is not free keeps its value.
struct FreeParameters {
  bool latents = true;  // X, S and Z
  std::vector<bool> theta;
  bool noise = true;
  bool base = false;  // centre and coefficients
};

// One flat vector of what is free: [vec X; vec S; vec Z; theta; u; centre; vec coefficients].
class Packing {
 public:
  Packing(const Parameters& shape, FreeParameters free);
  Index size() const { return size_; }
  Vector pack(const Parameters& parameters) const;
  void unpack(ConstVectorRef x, Parameters& into) const;

 private:
  template <class P, class F>
  void visit(P& parameters, const F& block) const;

  FreeParameters free_;
  std::vector<Index> theta_;
  Index size_ = 0;
};

}  // namespace wgp
