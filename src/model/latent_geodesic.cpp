// Discrete geodesics of the latent space: the energy sum_j D_j' G(middle of segment j) D_j, D_j = x_{j+1} - x_j, over
// the inner nodes. Differences of it are local, so a gradient by central differences costs a few metrics a node.
#include "core/format.h"

#include <cmath>

#include "wgp/model.h"
#include "wgp/optimise.h"

namespace wgp {
namespace {

class PathEnergy final : public Objective {
 public:
  PathEnergy(const Model& model, ConstVectorRef from, ConstVectorRef to, Index nodes)
      : model_(model), path_(from.size(), nodes) {
    path_.col(0) = from;
    path_.col(nodes - 1) = to;
  }
  double value(ConstVectorRef x) override {
    path_.middleCols(1, path_.cols() - 2).reshaped() = x;
    double energy = 0;
    for (Index j = 0; j + 1 < path_.cols(); ++j) energy += segment(path_.col(j), path_.col(j + 1));
    return energy * static_cast<double>(path_.cols() - 1);
  }
  void gradient(VectorRef gradient) override {
    constexpr double h = 1e-5;
    const Index q = path_.rows();
    for (Index j = 1; j + 1 < path_.cols(); ++j)
      for (Index k = 0; k < q; ++k) {
        Vector above = path_.col(j), below = path_.col(j);
        above[k] += h;
        below[k] -= h;
        const double change = segment(path_.col(j - 1), above) + segment(above, path_.col(j + 1)) -
                              segment(path_.col(j - 1), below) - segment(below, path_.col(j + 1));
        gradient[(j - 1) * q + k] = change / (2 * h) * static_cast<double>(path_.cols() - 1);
      }
  }
  double length() const {
    double sum = 0;
    for (Index j = 0; j + 1 < path_.cols(); ++j) sum += std::sqrt(segment(path_.col(j), path_.col(j + 1)));
    return sum;
  }
  const Matrix& path() const { return path_; }

 private:
  double segment(ConstVectorRef a, ConstVectorRef b) const {
    const Vector step = b - a;
    return step.dot(model_.latent_metric((a + b) / 2) * step);
  }
  const Model& model_;
  Matrix path_;
};

}  // namespace

LatentGeodesic latent_geodesic(const Model& model, ConstVectorRef from, ConstVectorRef to, Index nodes) {
  const Index q = model.latent_dim();
  if (from.size() != q || to.size() != q)
    throw Error(
        fmt::format("latents of this model have {} coordinates, but {} and {} were given", q, from.size(), to.size()));
  if (nodes < 3) throw Error(fmt::format("a path of {} nodes cannot bend: at least 3 are needed", nodes));
  PathEnergy energy(model, from, to, nodes);
  Vector straight(q * (nodes - 2));
  for (Index j = 1; j + 1 < nodes; ++j)
    straight.segment((j - 1) * q, q) = from + static_cast<double>(j) / static_cast<double>(nodes - 1) * (to - from);
  energy.value(straight);
  LatentGeodesic found;
  found.straight_length = energy.length();
  OptimiseOptions options;
  options.max_iterations = 300;
  options.gradient_tolerance = 1e-5 * std::max(1e-300, found.straight_length * found.straight_length);
  const OptimiseResult result = minimise(energy, straight, options);
  energy.value(result.x);
  found.nodes = energy.path();
  found.length = energy.length();
  found.converged = result.stop == StopReason::gradient_small || result.stop == StopReason::progress_small;
  return found;
}

}  // namespace wgp
