// Statistics of points on a manifold: Frechet mean, principal geodesic analysis, principal curves.
#pragma once

#include <string>
#include <vector>

#include "wgp/manifold.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

// ---- Weighted Frechet mean: argmin_mu f(mu), f = 1/2 sum_i w_i d(mu, p_i)^2, sum_i w_i = 1.
// grad f = -sum_i w_i Log_mu(p_i). Newton steps where the Hessian is positive definite, Armijo on f.
// Reference: Karcher 1977; Afsari 2011 for uniqueness within mean_ball_radius().

enum class MeanStatus {
  converged,
  max_iterations,        // stopped short of the tolerance: more iterations would go on
  stalled,               // stopped short of the tolerance where no step improves: more iterations would not help
  not_unique_suspected,  // another minimum of nearly the same value was found, or the curvature there is not definite
  saddle,                // the Hessian has an eigenvalue <= 0
  cut_points,            // some points are on the cut locus of the mean
  failed_logs,           // the log of some points did not converge or left the domain
};
std::string to_string(MeanStatus status);

struct MeanOptions {
  double tolerance = 1e-12;  // on |grad f| relative to sqrt(f)
  int max_iterations = 200;
  int restarts = 10;  // from farthest-first data points, when the points are too spread for a certificate
  std::uint64_t seed = 0;
};

struct FrechetMean {
  Vector mean;
  double variance = 0;  // sum_i w_i d(mean, p_i)^2 = 2 f
  double radius = 0;    // max_i d(mean, p_i)
  double gradient_norm = 0;
  int iterations = 0;
  int passes = 0;  // evaluations of f over all points
  MeanStatus status = MeanStatus::converged;
  bool unique = false;  // certified: radius < mean_ball_radius()
  // At the mean, where it is of use: 1 where log is affine, and where every set of points has one mean and finding it
  // took no Hessian (large dimensions, Bures-Wasserstein).
  double smallest_hessian_eigenvalue = 1;
  Index cut_points = 0;  // points at status cut_locus as seen from the mean
  Index near_cut_points = 0;
  Index failed_logs = 0;
  Index distinct_minima = 1;     // found by the restarts
  double minima_gap = infinity;  // f of the second-best minimum minus f of the best
};

FrechetMean frechet_mean(const Manifold& manifold, ConstMatrixRef points, const MeanOptions& options = {});
FrechetMean frechet_mean(const Manifold& manifold, ConstMatrixRef points, ConstVectorRef weights,
                         const MeanOptions& options = {});

// ---- Principal geodesic analysis at a base point.
// Tangent PCA: V = coordinates of Log_mu(p_i), thin SVD without re-centring, eigenvalues sigma^2 / N. Directions have
// their largest component positive.

struct Pga {
  Vector mean;
  Vector eigenvalues;         // q leading ones, decreasing
  double total_variance = 0;  // sum of all eigenvalues = mean squared distance to the mean
  Matrix directions;          // dim x q, orthonormal, in the frame at the mean
  Matrix scores;              // q x N: coordinates along the directions
  double residual = 0;        // exact PGA: mean d^2 to the geodesic submanifold; tangent PCA: the tangent approximation
  double projected_variance = 0;  // mean d(mean, projection)^2; on curved spaces its order may differ from residual's
  int iterations = 0;
  bool converged = true;
};

Pga tangent_pga(const Manifold& manifold, ConstMatrixRef points, ConstVectorRef mean, Index components);

// Exact PGA: min over orthonormal U and scores x_i of sum_i 1/2 d(Exp_mean(U x_i), p_i)^2, started at tangent PCA.
struct ExactPgaOptions {
  int max_iterations = 200;
  double tolerance = 1e-10;  // relative decrease of the objective
};
Pga exact_pga(const Manifold& manifold, ConstMatrixRef points, ConstVectorRef mean, Index components,
              const ExactPgaOptions& options = {});

// ---- Principal curves (Hauberg 2016): nodes joined by geodesic segments, open or closed.

struct CurveOptions {
  enum class Topology { open, closed };
  Topology topology = Topology::open;
  Index nodes = 0;       // 0: min(100, N)
  double bandwidth = 0;  // share of the length; 0: chosen by 5-fold cross-validation
  int max_iterations = 100;
  std::uint64_t seed = 0;
};

struct PrincipalCurve {
  Matrix nodes;  // ambient x T
  CurveOptions::Topology topology = CurveOptions::Topology::open;
  double length = 0;
  Vector arc_length;  // of each point's projection, in [0, length]
  Vector latents;     // open: standardised arc length; closed: 2 pi arc / length - pi
  Vector distances;   // of each point to the curve
  double mean_squared_distance = 0;
  double bandwidth = 0;  // the share of the length that was used
  int iterations = 0;
  bool converged = false;
};
PrincipalCurve principal_curve(const Manifold& manifold, ConstMatrixRef points, const CurveOptions& options = {});

// The nearest point of a curve with these nodes for each of the points, and the points at arc lengths along it (of
// closed ones modulo the length, of open ones no further than the ends).
struct CurveProjections {
  Vector arc_length, distance;
  double mean_squared_distance() const { return distance.squaredNorm() / static_cast<double>(distance.size()); }
};
CurveProjections project_on_curve(const Manifold& manifold, ConstMatrixRef nodes, CurveOptions::Topology topology,
                                  ConstMatrixRef points);
Matrix points_on_curve(const Manifold& manifold, ConstMatrixRef nodes, CurveOptions::Topology topology,
                       ConstVectorRef arc_lengths);

// The point of the geodesic segment from a to b that is nearest to y.
struct SegmentProjection {
  double arc_length = 0;  // from a, clamped to [0, d(a, b)]
  double distance = 0;    // from y
};
SegmentProjection project_on_segment(const Manifold& manifold, ConstVectorRef a, ConstVectorRef b, ConstVectorRef y);

}  // namespace WGP_PUBLIC
