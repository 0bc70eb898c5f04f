// What a fit adds to the evidence: log priors and costs. Each is a function of the parameters and of the lifted
// vectors, with its gradient; they add up.
//
// To add one: derive from Term and put it into FitProblem::terms where the fit's plan is carried out.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "evidence/parameters.h"
#include "wgp/basepoint.h"
#include "wgp/kernel.h"
#include "wgp/lift.h"

namespace wgp {

// Where terms are evaluated. V: the lifted vectors, in units of their scale; empty where the lift stays.
struct TermPoint {
  const Parameters& parameters;
  const Matrix& V;
};
struct TermGradient {
  Parameters by;  // of the same shape; u and theta whether free or not
  Matrix V;       // as TermPoint::V
};

class Term {
 public:
  virtual ~Term() = default;
  virtual double value(const TermPoint& at) const = 0;
  virtual void add_gradient(const TermPoint& at, TermGradient& gradient) const = 0;
};
using TermPtr = std::shared_ptr<const Term>;
using Terms = std::vector<TermPtr>;

// N(0, 1/precision) on plain latents, or on their differences to their mean; uniform on the circle for angles.
enum class LatentsAbout { origin, mean };
TermPtr latent_prior(const LatentSpace& latent, double precision, LatentsAbout about = LatentsAbout::origin);
// Log-normal, median 1, sd 1/2, on length-scales over angles; null if there are none.
TermPtr angle_length_prior(const Kernel& kernel);
// Normal on the logarithm of the noise variance, without its constant.
TermPtr noise_prior(double log_mean, double log_sd);

// What keeps a base point that is fitted at its work, which is to be near the data and no more.
//   follow      v_i ~ N(0, sd^2): a process that can bend as it likes could carry the whole signal, with base points
//   far
//               from the data that squeeze the noise where dExp is small. The likelihood likes that, new points do not.
//   roughness   differences D c of neighbouring coefficients ~ N(0, sd^2): a base point that chases noise is rough
//   coefficients  ~ N(0, sd^2)
//   beyond      a steep cost beyond a share of the injectivity radius, where the density of a wrapped Gaussian is
//               unbounded
//   lengths     a steep cost on length-scales below a least one: a process that wriggles from point to point makes room
//               for latents in any order
TermPtr follow_term(double sd);
TermPtr roughness_term(Matrix D, double sd);
TermPtr coefficient_prior(double sd);
TermPtr beyond_term(double radius);  // of injectivity, in units of V
TermPtr short_length_term(const Kernel& kernel, double least_log_length);

// Where latents have distributions and the base point follows them: what their spread costs the evidence. An evidence
// sees vectors at the means of the latents alone, v(x) = v(mu) - C phi(x) + C phi(mu) to first order, so that along
// each coordinate with standard deviation s
//   -(1/2) |C (phi(mu + s) - phi(mu - s)) / 2|^2 / noise
// is missing in it. What base point and process move together by is left out, as is the curvature of the manifold:
// the base point carries nearly all of the signal. Without this term every latent would be free to be uncertain.
TermPtr base_spread_term(BasisPtr basis);

double sum_of(const Terms& terms, const TermPoint& at);
void add_gradients(const Terms& terms, const TermPoint& at, TermGradient& gradient);

}  // namespace wgp
