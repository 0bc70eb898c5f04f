#include "core/format.h"

#include <algorithm>

#include "core/spelling.h"
#include "gp/kernels.h"

namespace wgp {

const std::vector<KernelEntry>& registered_kernels() {
  static const std::vector<KernelEntry> entries = {
      {"rbf", "s^2 exp(-rho^2/2)", "smooth maps; the default"},
      {"matern32", "s^2 (1 + r) exp(-r), r = sqrt(3) rho", "rough maps, once differentiable"},
      {"matern52", "s^2 (1 + r + r^2/3) exp(-r), r = sqrt(5) rho", "maps that are twice differentiable"},
      {"periodic", "s^2 exp(-2 sin^2((t-t')/2)/l^2)", "closed curves; latents are angles"},
      {"linear", "s^2 x.x'", "principal geodesics, trends"},
      {"constant", "s^2", "an unknown offset, in sums"},
  };
  return entries;
}

void Kernel::cov_lower(ConstVectorRef theta, ConstMatrixRef X, MatrixRef K) const {
  K.triangularView<Eigen::Lower>() = cov(theta, X, X);
}

void Kernel::pull_back_lower(ConstVectorRef theta, ConstMatrixRef X, ConstMatrixRef K, ConstMatrixRef G,
                             VectorRef d_theta, MatrixRef d_X) const {
  const Matrix whole_K = K.selfadjointView<Eigen::Lower>(), whole_G = G.selfadjointView<Eigen::Lower>();
  Matrix through_a = Matrix::Zero(X.rows(), X.cols());
  pull_back(theta, X, X, whole_K, whole_G, d_theta, through_a);
  d_X += 2 * through_a;
}

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

KernelPtr make_one(const std::string& name, const LatentSpace& latent, LengthScales scales) {
  if (name == "linear") return make_linear(latent);
  if (name == "constant") return make_constant(latent);
  if (name == "rbf" || name == "matern32" || name == "matern52") return make_stationary(name, latent, scales);
  if (name == "periodic") {
    if (latent.angles() == 0) throw Error("kernel 'periodic' needs latent coordinates that are angles");
    return make_stationary(name, latent, scales);
  }
  std::vector<std::string> names;
  for (const KernelEntry& entry : registered_kernels()) names.push_back(entry.name);
  const std::string guess = nearest(name, names);
  throw Error(fmt::format("there is no kernel '{}'{}; there are {}", name,
                          guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess), fmt::join(names, ", ")));
}

}  // namespace

KernelPtr parse_kernel(const std::string& spec, const LatentSpace& latent, LengthScales scales) {
  std::vector<KernelPtr> terms;
  for (const std::string& term : split(spec, '+')) {
    std::vector<KernelPtr> factors;
    for (const std::string& name : split(term, '*')) factors.push_back(make_one(name, latent, scales));
    terms.push_back(factors.size() == 1 ? factors[0] : make_product(factors));
  }
  return terms.size() == 1 ? terms[0] : make_sum(terms);
}

}  // namespace wgp
