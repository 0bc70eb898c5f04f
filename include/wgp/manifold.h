// Riemannian manifolds: two small virtual classes carry all the geometry.
//
// A Manifold makes TangentSpaces. A TangentSpace is T_pM *with an orthonormal frame*: a tangent vector is dim() plain
// numbers, and the metric is their dot product. Ambient tangent vectors appear only at the border (to_ambient,
// to_coords). Both classes are immutable and may be shared between threads. One virtual call handles a batch.
//
// Identities every manifold keeps (check_manifold in wgp/testing.h verifies them, T1 to T12):
//   Exp_p(Log_p q) = q;  Log_p(Exp_p v) = v for |v| < injectivity_radius();  d(p, q) = |Log_p q| = d(q, p);
//   to_coords(to_ambient(x)) = x;  transport is a linear isometry and takes v to -Log_q(p).
//
// The frame at p is deterministic but not continuous in p (on S^2 it cannot be): never differentiate through it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wgp/jacobi.h"
#include "wgp/random.h"
#include "wgp/types.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline constexpr double near_cut_share = 1e-6;
enum class LogStatus : std::uint8_t {
  ok,
  near_cut,        // margin below near_cut_share of the injectivity radius: the direction is ill-conditioned
  cut_locus,       // several shortest geodesics; a fixed, data-independent rule chose one
  not_converged,   // an iterative log stopped short of its tolerance
  outside_domain,  // no geodesic of the manifold reaches the point, or its digits are lost
};
std::string to_string(LogStatus status);

// What log() found, per point. margin: distance to the cut locus along the geodesic (or injectivity radius - distance);
// never negative; infinite where there is no cut locus.
struct LogReport {
  std::vector<LogStatus> status;
  Vector margin;
  int iterations = 0;   // the most that any point needed; 0 for closed forms
  double residual = 0;  // the largest residual of an iterative log

  explicit LogReport(Index points = 0)
      : status(static_cast<std::size_t>(points)), margin(Vector::Constant(points, infinity)) {}
  Index count(LogStatus which) const;
  double smallest_margin() const;
  // Sets margin and status of point i from the margin: ok or near_cut.
  void set_margin(Index i, double value, double injectivity_radius);
};

// What a Frechet mean needs of many logs at once, without the logs themselves.
struct LogSums {
  Vector weighted;     // sum_i w_i Log_p(p_i)
  double squares = 0;  // sum_i w_i |Log_p(p_i)|^2
  double longest = 0;  // the largest |Log_p(p_i)|
  Index near_cut = 0, cut_locus = 0, failed = 0;
};

// What exp() could not do: columns whose geodesic leaves the manifold before t = 1 (incomplete metrics) or whose
// coordinates overflow. Empty almost always.
struct ExpReport {
  std::vector<Index> outside_domain;
};

// The solutions v of Exp_p(v) = q with |v| <= radius, by increasing length; column 0 is Log_p(q).
struct Preimages {
  Matrix coords;          // dim x count
  Vector log_abs_det;     // log|det dExp_p(v)| of each
  bool countable = true;  // false where they form a continuum (at conjugate points): coords then holds Log_p(q) alone
  bool complete = true;   // false where further preimages are not known in closed form, or the cap was reached
};

class TangentSpace {
 public:
  virtual ~TangentSpace() = default;

  virtual const Vector& base() const = 0;  // p, normalised
  virtual Index dim() const = 0;

  // coords.col(i) = Log_p(points.col(i)). Points must be on the manifold (Manifold::project takes care of rounding).
  virtual LogReport log(ConstMatrixRef points, MatrixRef coords) const = 0;
  // points.col(i) = Exp_p(coords.col(i)). On a quotient the representative is the horizontal lift's end: aligned to p.
  virtual ExpReport exp(ConstMatrixRef coords, MatrixRef points) const = 0;
  // Sums over the logs of all points; the default takes log() in blocks.
  virtual LogSums log_sums(ConstMatrixRef points, ConstVectorRef weights) const;
  // Distances to the points; the default takes the norms of log().
  virtual Vector distance(ConstMatrixRef points) const;

  virtual Matrix to_ambient(ConstMatrixRef coords) const = 0;
  // Inverse of to_ambient; of an ambient vector that is not tangent, the coordinates of its tangent part.
  virtual Matrix to_coords(ConstMatrixRef ambient) const = 0;

  // Parallel transport of the vectors with these coordinates along t -> Exp_p(t v), t in [0, 1]: ambient vectors at the
  // representative of Exp_p(v) that exp() returns. transport(v, I) is the transported frame E'.
  virtual Matrix transport(ConstVectorRef v, ConstMatrixRef coords) const = 0;

  virtual std::unique_ptr<const JacobiFields> jacobi(ConstVectorRef v) const = 0;

  // Curvature tensor R(x, y)z in coordinates, sign such that the unit sphere has <R(x, y)y, x> > 0; symmetric spaces
  // only.
  virtual std::optional<Vector> curvature(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z) const;

  virtual double injectivity_radius() const = 0;
  // All v with Exp_p(v) = q and |v| <= radius; the default knows Log_p(q) alone and is complete where the injectivity
  // radius is infinite.
  virtual Preimages preimages(ConstVectorRef q, double radius) const;
};

class Manifold {
 public:
  virtual ~Manifold() = default;

  virtual std::string spec() const = 0;  // parse_manifold(spec()) rebuilds it
  virtual Index dim() const = 0;
  virtual Index ambient_dim() const = 0;

  virtual std::unique_ptr<const TangentSpace> at(ConstVectorRef p) const = 0;

  // Why x is not a point, in words with the number that shows it ("not positive definite, smallest eigenvalue -0.02");
  // nothing if it is one up to the tolerance, in which case project(x) removes the rest.
  virtual std::optional<std::string> defect(ConstVectorRef x, double tolerance) const = 0;
  std::optional<std::string> defect(ConstVectorRef x) const { return defect(x, default_tolerance()); }
  virtual double default_tolerance() const { return 1e-8; }
  // The nearest point, or a retraction; throws Error where there is none (a zero vector).
  virtual Vector project(ConstVectorRef x) const = 0;

  virtual double injectivity_radius() const = 0;  // the least over all points
  // Data within this radius of some point has one Frechet mean: min(inj, pi / sqrt(largest curvature)) / 2, infinite
  // where a theorem says so of all data; 0 where no radius is known.
  virtual double mean_ball_radius() const = 0;
  virtual bool is_compact() const { return false; }
  virtual bool is_flat() const { return false; }      // log is affine: means and PGA are closed forms
  virtual bool is_symmetric() const { return true; }  // jacobi() by SymmetricJacobiFields, curvature known

  // +1 or -1 where that is the curvature of every plane and the manifold is simply connected, the sphere and hyperbolic
  // space in their usual embeddings: much that depends on a geodesic is then arithmetic with few numbers.
  virtual std::optional<int> unit_curvature() const { return std::nullopt; }
  // A good start for the Frechet mean of weighted points (weights sum to 1); nothing if there is no rule.
  virtual std::optional<Vector> mean_start(ConstMatrixRef points, ConstVectorRef weights) const;
  // Points of a quotient are stored as representatives, of which motions of the ambient space make others. This is the
  // motion that brings the representative `from` as near to `to` as it can, applied to the columns of x: to `from`
  // itself, or to tangent vectors there, which are vectors at `to` afterwards if both represent one point. x where
  // points have one representative.
  virtual Matrix aligned(ConstVectorRef from, ConstVectorRef to, ConstMatrixRef x) const;
  // log of the volume density of the metric against Lebesgue measure in the manifold's isometric Euclidean coordinates
  // (SPD: vech with sqrt 2), where spec has one: lets densities under different metrics be compared.
  virtual std::optional<double> log_volume_density(ConstVectorRef p) const;

  // Draws points that cover the manifold, independently of exp(): for tests and synthetic data.
  virtual Vector random_point(Random& random) const = 0;
  // A random isometry, for tests; empty if the manifold offers none.
  virtual std::function<Vector(ConstVectorRef)> random_isometry(Random& random) const;
};

using ManifoldPtr = std::shared_ptr<const Manifold>;

// One line of the registry: what `wgp manifolds` prints, and what the tests run over.
struct ManifoldEntry {
  std::string name;                   // "spd"
  std::string syntax;                 // "spd:n/affine-invariant"
  std::string dimension;              // "n(n+1)/2"
  std::string injectivity_radius;     // "infinite"
  std::string method;                 // "closed form", "log iterative", ...
  std::string data;                   // "covariance matrices, diffusion tensors"
  std::vector<std::string> examples;  // specs that the tests run over
  std::string metric;                 // "tr(P^-1 V P^-1 V)": the squared length of V at P
  // Which space of geomstats and of pymanopt is the same, and what its distances are to be multiplied by: "Sphere: 1".
  // Empty where they have none.
  std::string geomstats, pymanopt;
};
const std::vector<ManifoldEntry>& registered_manifolds();

// "sphere:2", "spd:3/affine-invariant", "2.5*sphere:2,euclidean:3^2", "(so:3,euclidean:3)^4". Throws Error with the
// nearest right spec.
ManifoldPtr parse_manifold(const std::string& spec);

// Weighted product: distances of factor j are multiplied by weights[j].
ManifoldPtr product_manifold(std::vector<ManifoldPtr> factors, std::vector<double> weights);

// Free functions on top of the two classes.
double distance(const Manifold& manifold, ConstVectorRef p, ConstVectorRef q);
Vector log_coords(const TangentSpace& space, ConstVectorRef q);      // one point
Vector exp_point(const TangentSpace& space, ConstVectorRef coords);  // one point

}  // namespace WGP_PUBLIC
