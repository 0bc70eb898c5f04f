// A Fourier lattice: which frequencies of a kernel are kept, and what they make of latents that are known or uncertain.
//
// Features of a latent x: phi = (1, cos k.wx ..., sin k.wx ...), k over the kept half of the lattice (first non-zero
// component positive), M = 1 + 2H of them. Under q(x) = N(mu, diag S)
//   E exp(i m.wx) = prod_j exp(i m_j w_j mu_j - (m_j w_j)^2 S_j / 2)
// is a product of one table per coordinate: cos and sin of m w mu, damped, for m up to twice the largest kept k. All
// second moments of features are sums of entries of
//   table = sum_n u_1(n) u_2(n)' ...        ((4 J_1 + 1) x the rest)
// so that nothing of size points x M has to be kept, and every function phi' A phi is a polynomial in the tables.
#pragma once

#include "gp/spectrum.h"

namespace wgp {

class Lattice {
 public:
  Lattice(LatentSpace latent, Vector periods, Modes modes);

  const LatentSpace& latent() const { return latent_; }
  const Vector& periods() const { return periods_; }        // of angles: 2 pi
  const Vector& frequencies() const { return frequency_; }  // w
  const Modes& modes() const { return modes_; }
  Index half() const { return modes_.cols(); }          // H
  Index size() const { return 1 + 2 * modes_.cols(); }  // M
  Index coordinates() const { return latent_.dim(); }
  int reach(Index j) const { return reach_[static_cast<std::size_t>(j)]; }  // J_j
  Index table_rows() const { return width(0); }
  Index table_cols() const;
  Index width(Index j) const { return 4 * reach(j) + 1; }
  // What tables are made of, at places along a coordinate: cosines of 0 .. 2 J_j, then sines of 1 .. 2 J_j, a row each.
  Matrix axis_table(ConstVectorRef places, Index j) const;

  // Features' amplitudes from the spectrum's: a_0, then 2 a_k twice. And back from derivatives by log of the former to
  // those by log of the latter.
  Vector feature_amplitudes(const Vector& a) const;
  Vector by_log_spectrum(const Vector& by_log_amplitudes) const;

  // Second moments of the features from a table, M x M; and the derivative by the table of a function whose derivative
  // by that symmetric matrix is G.
  Matrix second_moments(ConstMatrixRef table) const;
  Matrix by_table(ConstMatrixRef G) const;
  // Sums of the features from a table; and the table's coefficients of the function with these of the features.
  Vector first_moments(ConstMatrixRef table) const;
  Matrix table_of(ConstVectorRef by_features) const;

 private:
  // Entries of the table that make up exp(i m.wx): signs and places.
  struct Entry {
    Index place;
    double sign;
    bool imaginary;
  };
  std::vector<Entry> entries(const std::vector<int>& m) const;

  LatentSpace latent_;
  Vector periods_, frequency_;
  Modes modes_;
  std::vector<int> reach_;
  std::vector<Index> stride_, offset_;  // of the box of all m; offset_ of each mode, the zero mode first
  Index centre_ = 0, box_ = 0;
  std::vector<Entry> entries_;  // of each m of the box that has a non-negative first component, one after the other
  std::vector<Index> first_;    // where those of m begin
};

// Of two coordinates: the polynomial with these coefficients by the table, at all pairs of the places that the axis
// tables are of, those of the first running fastest.
Vector polynomial_at_pairs(const Matrix& first, const Matrix& second, ConstMatrixRef by_table);

// Tables and features of a block of latents, a row per latent, and the way back to the latents.
class LatticeBlock {
 public:
  // log_S empty: S = 0.
  LatticeBlock(const Lattice& lattice, ConstMatrixRef X, ConstMatrixRef S);

  Index count() const { return tables_[0].rows(); }
  const Matrix& features() const { return features_; }  // E phi, count x M
  Matrix table() const;                                 // sum over the block
  Matrix cross(ConstMatrixRef V) const;                 // of the features with these vectors, M x rows
  // Of each latent the polynomial with these coefficients by the table.
  Vector polynomial(ConstMatrixRef by_table) const;

  // Adds to d_X (and d_S, by the variances, where it is not empty) the derivatives of a function with these derivatives
  // by each latent's features (count x M; or empty), and of sum_n weight_n times the polynomial (weights empty: 1).
  void pull_back(ConstMatrixRef by_features, ConstMatrixRef by_table, ConstVectorRef weights, MatrixRef d_X,
                 MatrixRef d_S) const;

 private:
  struct Waves {
    const double *cosine, *sine;
  };
  Waves waves(Index j, int m) const;  // of a coordinate, m >= 0
  Matrix right() const;               // the second factor of table()

  const Lattice& lattice_;
  std::vector<Matrix> tables_;  // per coordinate: count x (4 J + 1), cos 0..2J, sin 1..2J
  Matrix features_;
};

// ---- which frequencies
struct LatticeRule {
  double neglected = 1e-5;  // share of the variance that may be left out
  Index most = 400;         // features
};
struct LatticeChoice {
  Lattice lattice;
  double neglected;  // variance that is left out
  bool capped;       // more features were wanted than are allowed
};
// The level set: the frequencies of largest amplitude.
LatticeChoice choose_lattice(const KernelSpectrum& spectrum, ConstVectorRef theta, Vector periods,
                             const LatticeRule& rule);

}  // namespace wgp
