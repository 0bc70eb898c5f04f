// The table of manifolds: it drives parsing, `wgp manifolds`, the documentation and the tests.
#include "geometry/registry.h"

#include "geometry/factories.h"

namespace wgp {
namespace {

ManifoldBuilder one_size(ManifoldPtr (*make)(Index)) {
  return [make](const std::vector<Index>& sizes) { return make(sizes[0]); };
}
ManifoldBuilder two_sizes(ManifoldPtr (*make)(Index, Index)) {
  return [make](const std::vector<Index>& sizes) { return make(sizes[0], sizes[1]); };
}

std::vector<RegistryLine> make_registry() {
  const std::string closed = "closed form";
  return {
      {{"euclidean", "euclidean:n", "n", "infinite", closed, "plain vectors", {"euclidean:1", "euclidean:3"}},
       "",
       "n",
       one_size(make_euclidean)},
      {{"sphere",
        "sphere:n",
        "n",
        "pi",
        closed,
        "directions, compositions (square roots)",
        {"sphere:1", "sphere:2", "sphere:5"}},
       "",
       "n",
       one_size(make_sphere)},
      {{"hyperbolic",
        "hyperbolic:n",
        "n",
        "infinite",
        closed,
        "hierarchies; hyperboloid coordinates",
        {"hyperbolic:1", "hyperbolic:2", "hyperbolic:4"}},
       "",
       "n",
       one_size(make_hyperbolic)},
      {{"torus", "torus:n", "n", "pi", closed, "angles in radians", {"torus:1", "torus:3"}},
       "",
       "n",
       one_size(make_torus)},
      {{"spd",
        "spd:n",
        "n(n+1)/2",
        "infinite",
        closed + ", flat",
        "covariances, diffusion tensors; log-Euclidean",
        {"spd:1", "spd:2", "spd:3", "spd:5"}},
       "log-euclidean",
       "n",
       one_size(make_spd_log_euclidean)},
      {{"spd",
        "spd:n/affine-invariant",
        "n(n+1)/2",
        "infinite",
        closed,
        "the same, invariant under mixing of the variables",
        {"spd:2/affine-invariant", "spd:3/affine-invariant", "spd:5/affine-invariant"}},
       "affine-invariant",
       "n",
       one_size(make_spd_affine_invariant)},
      {{"spd",
        "spd:n/log-cholesky",
        "n(n+1)/2",
        "infinite",
        closed + ", flat",
        "the same, fast; depends on the order of the variables",
        {"spd:2/log-cholesky", "spd:4/log-cholesky"}},
       "log-cholesky",
       "n",
       one_size(make_spd_log_cholesky)},
      {{"spd",
        "spd:n/bures-wasserstein",
        "n(n+1)/2",
        "sqrt(smallest eigenvalue)",
        "transport by ODE, the rest closed form",
        "the same, optimal transport of Gaussians; incomplete",
        {"spd:2/bures-wasserstein", "spd:3/bures-wasserstein"}},
       "bures-wasserstein",
       "n",
       one_size(make_spd_bures_wasserstein)},
      {{"kendall",
        "kendall:k",
        "2k-4",
        "pi/2",
        closed,
        "planar shapes of k landmarks: x1 y1 x2 y2 ...",
        {"kendall:3", "kendall:5", "kendall:20"}},
       "",
       "k",
       one_size(make_kendall)},
      {{"kendall3d",
        "kendall3d:k",
        "3k-7",
        "depends on the shape",
        "transport by ODE, the rest closed form",
        "spatial shapes of k landmarks: x1 y1 z1 x2 ...",
        {"kendall3d:4", "kendall3d:6"}},
       "",
       "k",
       one_size(make_kendall3d)},
      {{"so",
        "so:n",
        "n(n-1)/2",
        "pi",
        closed,
        "rotations; so:3 also as quaternions w x y z",
        {"so:2", "so:3", "so:4", "so:5"}},
       "",
       "n",
       one_size(make_so)},
      {{"se", "se:3", "6", "pi", closed, "rigid motions: rotation (9 or quaternion), translation", {"se:3"}},
       "",
       "3",
       [](const std::vector<Index>&) { return make_se3(); }},
      {{"grassmann",
        "grassmann:nxp",
        "p(n-p)",
        "pi/2",
        closed,
        "p-dimensional subspaces of R^n",
        {"grassmann:3x1", "grassmann:5x2", "grassmann:5x3"}},
       "",
       "nxp",
       two_sizes(make_grassmann)},
      {{"stiefel",
        "stiefel:nxp",
        "p(2n-p-1)/2",
        "at least 0.894 pi",
        "log iterative",
        "orthonormal p-frames in R^n",
        {"stiefel:3x1", "stiefel:4x2", "stiefel:5x3"}},
       "",
       "nxp",
       two_sizes(make_stiefel)},
      {{"correlation",
        "correlation:n",
        "n(n-1)/2",
        "infinite",
        "exp iterative, flat",
        "correlation matrices; off-log",
        {"correlation:2", "correlation:4"}},
       "off-log",
       "n",
       one_size(make_correlation_off_log)},
      {{"correlation",
        "correlation:n/log-cholesky",
        "n(n-1)/2",
        "infinite",
        closed + ", flat",
        "the same; depends on the order of the variables",
        {"correlation:3/log-cholesky", "correlation:4/log-cholesky"}},
       "log-cholesky",
       "n",
       one_size(make_correlation_log_cholesky)},
  };
}

}  // namespace

const std::vector<RegistryLine>& registry() {
  static const std::vector<RegistryLine> lines = make_registry();
  return lines;
}

const std::vector<ManifoldEntry>& registered_manifolds() {
  static const std::vector<ManifoldEntry> entries = [] {
    std::vector<ManifoldEntry> list;
    for (const RegistryLine& line : registry()) list.push_back(line.entry);
    list.push_back({"product",
                    "A,B",
                    "dim A + dim B",
                    "the smallest of the factors'",
                    "as the factors",
                    "several kinds of data side by side",
                    {"sphere:2,euclidean:2", "2.5*sphere:2,spd:2/affine-invariant"}});
    list.push_back({"power", "A^n", "n dim A", "that of A", "as A", "n points of one kind", {"sphere:2^3", "so:3^2"}});
    list.push_back({"scaled",
                    "2.5*A",
                    "dim A",
                    "2.5 times that of A",
                    "as A",
                    "distances in other units",
                    {"0.5*sphere:2", "3*kendall:4"}});
    return list;
  }();
  return entries;
}

}  // namespace wgp
