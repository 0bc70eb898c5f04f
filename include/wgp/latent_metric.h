// Geometry of a model's latent space beyond the plug-in metric of Model::latent_metric.
//
// The map x -> Exp(f(x)) pulls the manifold's metric back to the latent space. f is random, so the metric is: with
// f(x) ~ N(v, s^2) and its derivatives jointly normal, the expectation over f of
//   J' g(f) J + tr g(f) Cov(J | f),    g(v) = dExp_v' dExp_v
// The plug-in form takes g at the mean; its error is of the order of s^2 times the curvature. (Tosi et al. 2014 for
// flat space.)
#pragma once

#include "wgp/model.h"
#include "wgp/random.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

// By Gauss-Hermite quadrature on manifolds of one or two dimensions, else by 512 antithetic draws of a fixed seed; q x
// q.
Matrix expected_latent_metric(const Model& model, ConstVectorRef x);

// Latent volume to manifold volume: sqrt det of the expected metric.
double magnification(const Model& model, ConstVectorRef x);

// The Frechet mean of the predictive distribution at x, from draws. On curved manifolds it is not Exp of the mean,
// which Model::predict gives: they differ to second order in the spread.
Vector monte_carlo_mean(const Model& model, ConstVectorRef x, Index draws, Random& random);

}  // namespace WGP_PUBLIC
