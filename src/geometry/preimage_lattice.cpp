#include "geometry/preimage_lattice.h"

#include <cmath>
#include <limits>
#include <queue>
#include <vector>

#include "wgp/jacobi.h"

namespace wgp {
namespace {

// The values angle + period k by increasing size: angle, angle - period, angle + period, angle - 2 period, ...
double lattice_value(double angle, double period, int step) {
  const int k = (step + 1) / 2;
  return step % 2 == 1 ? angle - period * k : angle + period * k;
}

struct Candidate {
  double squared_length;
  std::vector<int> steps;
  std::size_t last;  // the last axis that was advanced: later ones only may follow, so that each is met once
  bool operator<(const Candidate& other) const { return squared_length > other.squared_length; }  // shortest on top
};

}  // namespace

PreimageLattice preimage_lattice(ConstVectorRef angle, double period, double radius) {
  const auto axes = static_cast<std::size_t>(angle.size());
  const double limit = radius * radius;
  std::vector<Vector> found;
  std::priority_queue<Candidate> queue;
  queue.push({angle.squaredNorm(), std::vector<int>(axes, 0), 0});
  while (!queue.empty() && static_cast<Index>(found.size()) < max_preimages) {
    const Candidate best = queue.top();
    queue.pop();
    Vector tau(angle.size());
    for (std::size_t a = 0; a < axes; ++a)
      tau[static_cast<Index>(a)] = lattice_value(angle[static_cast<Index>(a)], period, best.steps[a]);
    for (std::size_t a = best.last; a < axes; ++a) {
      Candidate next = best;
      ++next.steps[a];
      next.last = a;
      const auto i = static_cast<Index>(a);
      const double advanced = lattice_value(angle[i], period, next.steps[a]);
      next.squared_length += advanced * advanced - tau[i] * tau[i];
      if (next.squared_length <= limit) queue.push(std::move(next));
    }
    found.push_back(std::move(tau));
  }
  PreimageLattice lattice;
  lattice.complete = queue.empty();
  lattice.tau.resize(angle.size(), static_cast<Index>(found.size()));
  for (std::size_t i = 0; i < found.size(); ++i) lattice.tau.col(static_cast<Index>(i)) = found[i];
  return lattice;
}

double log_abs_shifted_S(double theta, double tau) {
  return theta == tau ? jacobi_log_abs_S(theta * theta) : std::log(std::abs(std::sin(theta) / tau));
}

double continuum_of_equal_angles(ConstVectorRef angle, double period) {
  double start = std::numeric_limits<double>::infinity();
  for (Index a = 0; a < angle.size(); ++a)
    for (Index b = 0; b < a; ++b)
      if (std::abs(angle[a] - angle[b]) < equal_angles)
        start = std::min(start, angle.squaredNorm() + period * (period - 2 * angle[a]));
  return std::sqrt(start);
}

}  // namespace wgp
