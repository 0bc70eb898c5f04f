// What the registry calls: one factory per manifold and metric. Each validates its sizes.
#pragma once

#include "wgp/manifold.h"

namespace wgp {

ManifoldPtr make_euclidean(Index n);
ManifoldPtr make_sphere(Index n);
ManifoldPtr make_hyperbolic(Index n);
ManifoldPtr make_torus(Index n);
ManifoldPtr make_spd_log_euclidean(Index n);
ManifoldPtr make_spd_affine_invariant(Index n);
ManifoldPtr make_spd_log_cholesky(Index n);
ManifoldPtr make_spd_bures_wasserstein(Index n);
ManifoldPtr make_kendall(Index landmarks);
ManifoldPtr make_kendall3d(Index landmarks);
ManifoldPtr make_so(Index n);
ManifoldPtr make_se3();
ManifoldPtr make_grassmann(Index n, Index p);
ManifoldPtr make_stiefel(Index n, Index p);
ManifoldPtr make_correlation_off_log(Index n);
ManifoldPtr make_correlation_log_cholesky(Index n);

}  // namespace wgp
