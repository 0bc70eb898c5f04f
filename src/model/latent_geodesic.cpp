// Discrete geodesics of the latent space: the energy sum_j D_j' G(middle of segment j) D_j, D_j = x_{j+1} - x_j, over
// the inner nodes. Differences of it are local, so a gradient by central differences costs a few metrics a node.
#include <cmath>
#include <optional>
#include <vector>

#include "core/constants.h"
#include "core/format.h"

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

LatentGeodesic path_to(const Model& model, ConstVectorRef from, ConstVectorRef to, Index nodes, LatentPath kind) {
  const Index q = model.latent_dim();
  PathEnergy energy(model, from, to, nodes);
  Vector straight(q * (nodes - 2));
  for (Index j = 1; j + 1 < nodes; ++j)
    straight.segment((j - 1) * q, q) = from + static_cast<double>(j) / static_cast<double>(nodes - 1) * (to - from);
  energy.value(straight);
  LatentGeodesic found;
  found.straight_length = energy.length();
  found.converged = true;
  if (kind == LatentPath::shortest) {
    OptimiseOptions options;
    options.max_iterations = 300;
    options.gradient_tolerance = 1e-5 * std::max(1e-300, found.straight_length * found.straight_length);
    const OptimiseResult result = minimise(energy, straight, options);
    energy.value(result.x);
    found.converged = result.stop == StopReason::gradient_small || result.stop == StopReason::progress_small;
  }
  found.nodes = energy.path();
  found.length = energy.length();
  return found;
}

// `to` as it is reached from `from` the short way round each angle, and the other ways.
std::vector<Vector> ends_of_ways(const LatentSpace& latent, ConstVectorRef from, ConstVectorRef to) {
  constexpr Index most_angles_both_ways = 2;
  Vector nearest = to;
  for (Index j = 0; j < latent.angles(); ++j) nearest[j] = from[j] + std::remainder(to[j] - from[j], 2 * pi);
  std::vector<Vector> ends = {nearest};
  if (latent.angles() > most_angles_both_ways) return ends;
  for (Index j = 0; j < latent.angles(); ++j)
    for (std::size_t k = ends.size(); k-- > 0;) {
      Vector other = ends[k];
      other[j] -= std::copysign(2 * pi, nearest[j] - from[j]);
      ends.push_back(other);
    }
  return ends;
}

}  // namespace

LatentGeodesic latent_geodesic(const Model& model, ConstVectorRef from, ConstVectorRef to, Index nodes,
                               LatentPath kind) {
  const Index q = model.latent_dim();
  if (from.size() != q || to.size() != q)
    throw Error(
        fmt::format("latents of this model have {} coordinates, but {} and {} were given", q, from.size(), to.size()));
  if (nodes < 3) throw Error(fmt::format("a path of {} nodes cannot bend: at least 3 are needed", nodes));
  std::optional<LatentGeodesic> best;
  for (const Vector& end : ends_of_ways(model.parts().latent, from, to)) {
    LatentGeodesic found = path_to(model, from, end, nodes, kind);
    if (!best || found.length < best->length) best = std::move(found);
  }
  return std::move(*best);
}

}  // namespace wgp
