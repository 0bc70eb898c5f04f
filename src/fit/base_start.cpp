#include "fit/base_start.h"
#include "core/random_streams.h"
#include "fit/settings.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/decompositions.h"

namespace wgp {
namespace {

double smallest_margin(const Manifold& manifold, ConstVectorRef centre, ConstMatrixRef targets) {
  Matrix coords(manifold.dim(), targets.cols());
  return manifold.at(centre)->log(targets, coords).smallest_margin();
}

Vector centre_for(const Manifold& manifold, ConstVectorRef mean, ConstMatrixRef targets) {
  if (manifold.injectivity_radius() == infinity) return mean;
  Vector best = mean;
  double most = smallest_margin(manifold, mean, targets);
  if (most > settings::safe_margin * manifold.injectivity_radius()) return best;
  Random random(0, stream::centre_candidates);
  for (int candidate = 0; candidate < settings::centres_tried; ++candidate) {
    const Vector centre = manifold.random_point(random);
    const double margin = smallest_margin(manifold, centre, targets);
    if (margin > most) {
      most = margin;
      best = centre;
    }
  }
  return best;
}

// Logarithms along the order of one latent: of each target the preimage that is nearest to the one before.
Matrix continued_logs(const TangentSpace& space, ConstVectorRef along, ConstMatrixRef targets) {
  const Index N = targets.cols();
  std::vector<Index> order(static_cast<std::size_t>(N));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return along[a] < along[b]; });
  Matrix Xi(space.dim(), N);
  space.log(targets, Xi);
  if (space.injectivity_radius() == infinity) return Xi;
  // From the middle outwards, where the logarithm is least in doubt.
  const Index middle = N / 2;
  for (const Index direction : {Index{1}, Index{-1}})
    for (Index k = middle + direction; k >= 0 && k < N; k += direction) {
      const Index i = order[static_cast<std::size_t>(k)], before = order[static_cast<std::size_t>(k - direction)];
      const double radius = Xi.col(before).norm() + space.injectivity_radius();
      const Preimages preimages = space.preimages(targets.col(i), radius);
      Index nearest = 0;
      if (preimages.countable && preimages.coords.cols() > 0)
        (preimages.coords.colwise() - Xi.col(before)).colwise().squaredNorm().minCoeff(&nearest);
      if (preimages.coords.cols() > 0) Xi.col(i) = preimages.coords.col(nearest);
    }
  return Xi;
}

}  // namespace

std::vector<Index> piece_counts(const LatentSpace& latent, Index N) {
  if (latent.dim() == 2) return {settings::pieces_of_surfaces};
  if (latent.dim() > 2) return {settings::pieces_of_volumes};
  std::vector<Index> counts;
  for (const Index pieces : settings::pieces_of_curves)
    if (N >= settings::points_a_piece * pieces) counts.push_back(pieces);
  if (counts.empty()) counts.push_back(settings::fewest_pieces);
  return counts;
}

BasisPtr base_functions(BasepointKind kind, const LatentSpace& latent, ConstMatrixRef X, Index pieces) {
  if (kind == BasepointKind::geodesic) return linear_basis(latent);
  if (kind != BasepointKind::spline) return nullptr;
  std::vector<SplineAxis> axes;
  for (Index j = 0; j < latent.dim(); ++j) {
    const double low = X.row(j).minCoeff(), high = X.row(j).maxCoeff();
    if (latent.is_angle(j))
      axes.push_back({true, 0, 0, std::max(pieces, settings::fewest_pieces)});
    else
      axes.push_back({false, low, std::max(high, low + 1e-6), pieces});
  }
  return spline_basis(axes);
}

Basepoint base_through(const ManifoldPtr& manifold, ConstVectorRef mean, const BasisPtr& basis,
                       const LatentSpace& latent, ConstMatrixRef X, ConstMatrixRef targets) {
  if (!basis) return Basepoint(manifold, mean);
  const Vector centre = centre_for(*manifold, mean, targets);
  const auto space = manifold->at(centre);
  Matrix Xi(manifold->dim(), targets.cols());
  if (latent.dim() == 1 && latent.angles() == 0)
    Xi = continued_logs(*space, X.row(0).transpose(), targets);
  else
    space->log(targets, Xi);
  const Matrix Phi = basis->values(X), D = basis->roughness();
  Matrix normal = Phi * Phi.transpose();
  const double size = normal.trace() / static_cast<double>(normal.rows());
  normal += settings::start_smoothing * size * (D.transpose() * D);
  normal.diagonal().array() += settings::start_shrinkage * size;
  const Matrix C = Cholesky(normal).solve(Phi * Xi.transpose()).transpose();
  return Basepoint(manifold, centre, basis, C);
}

}  // namespace wgp
