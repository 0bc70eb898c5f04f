// The noise law of a fitted model, from points that the fit has not seen: an isotropic normal law, an isotropic
// Student t, or a structured one (wgp/noise_law.h), whichever left-out points prefer.
//
// Estimated after the fit and never with it: noise with a variance for each direction, optimised together with latents,
// explains what the submanifold should.
//
// Residuals z = (v - mean(x)) / sqrt(g) are taken at codes x that were themselves found from v, so that q of the d
// directions of z are spent; z has m = d - q. With J = d mean / dx and the latents' prior precision P, all under
// Sigma = U diag(D) U', by the folds that the points were left out in:
//
//   code   z <- z - J t, A t = J' (Sigma^-1 - I/psi) z, A = J' Sigma^-1 J + g P: codes were found under psi I, and the
//          next line presumes them found under Sigma
//   E      w = (nu + m) / (nu + Q), Q = z' Sigma^-1 z
//   M      S = mean[w z z' + T], T = J A^-1 J': what the code took up
//   D      variances within each fold along the eigenvectors of S without it, averaged over folds, made decreasing: no
//          rank is chosen, and eigenvalues are as large as new points will find them
//   nu, c  fit_student() over all Q; D <- c D
//
// Everything about a point comes from the U of the other folds; the U of the law that is handed out from all of S. A
// point's log density under each law, its latent integrated out by Laplace's formula, comes from parameters that are
// estimated without its fold (the directions along which the other folds' variances are measured have seen it). The
// plainest law stands unless a later one gains more than two standard errors over it, paired over points; one point
// counts ten nats at most, so that an outlier does not decide by itself.
//
// Costs O(steps (n d^2 (1 + q) + folds d^3)). Same input, same output.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "wgp/noise_law.h"

namespace wgp {

struct LeftOutResiduals {
  Matrix Z;                 // d x n: z of each point
  Matrix J;                 // d x (n q): of each point q columns, d mean / dx at its code
  Vector g;                 // (s^2(x) + sigma^2) / sigma^2 at the codes
  std::vector<int> fold;    // with which each point was left out
  std::vector<bool> angle;  // of each latent coordinate; plain ones have the prior N(0, 1). Empty: inputs were given
  double fitted_noise = 0;  // sigma^2
};

enum class NoiseKind { normal, student, structured };

struct NoiseEstimate {
  // By kind; null where it was not estimated. The structured law's codes come from the student law, and so do its
  // regions where there are fewer than five points a dimension: its own would be too small.
  std::array<NoiseLawPtr, 3> laws;
  NoiseKind kind = NoiseKind::normal;
  std::string why;            // one sentence
  bool few_decide = false;    // a few points alone are why it is not the normal law: outliers rather than tails
  std::vector<Index> points;  // columns of Z that were used: all that are finite, or some 10,000; increasing
  Matrix log_densities;       // 3 x points: of left-out v, by kind, for comparison point by point; NaN: no law
  const NoiseLawPtr& law() const { return laws[static_cast<std::size_t>(kind)]; }
};

// Error for sizes that do not match. Where few points (fewer than 20, of one fold, or without residuals) or d <= q
// leave no choice, the normal law; beyond 600 dimensions no structured one.
NoiseEstimate estimate_noise(const LeftOutResiduals& residuals);

}  // namespace wgp
