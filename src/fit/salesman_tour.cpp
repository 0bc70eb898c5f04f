#include "fit/salesman_tour.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wgp {
namespace {

constexpr int most_passes = 50;
constexpr Index longest_stretch = 3;

class Tour {
 public:
  explicit Tour(const Matrix& distance) : D_(distance), N_(distance.cols()) {
    std::vector<bool> visited(static_cast<std::size_t>(N_), false);
    Index here = 0;
    for (Index step = 0; step < N_; ++step) {
      visited[static_cast<std::size_t>(here)] = true;
      order_.push_back(here);
      Index nearest = -1;
      for (Index i = 0; i < N_; ++i)
        if (!visited[static_cast<std::size_t>(i)] && (nearest < 0 || D_(i, here) < D_(nearest, here))) nearest = i;
      here = nearest;
    }
    least_gain_ = 1e-12 * tour_length(D_, order_);
  }
  Tour(const Matrix& distance, std::vector<Index> order)
      : D_(distance), N_(distance.cols()), order_(std::move(order)), least_gain_(1e-12 * tour_length(D_, order_)) {}

  void shorten() {
    if (N_ < 5) return;
    for (int pass = 0; pass < most_passes; ++pass) {
      const bool reversed = reverse_stretches(), moved = move_stretches();
      if (!reversed && !moved) return;
    }
  }

  std::vector<Index> order() && { return std::move(order_); }

 private:
  Index at(Index k) const { return order_[static_cast<std::size_t>(k < N_ ? k : k - N_)]; }

  bool reverse_stretches() {
    bool any = false;
    for (Index i = 0; i + 2 < N_; ++i)
      for (Index j = i + 2; j < N_; ++j) {
        const Index a = at(i), b = at(i + 1), c = at(j), d = at(j + 1);
        if (a == d || D_(a, c) + D_(b, d) >= D_(a, b) + D_(c, d) - least_gain_) continue;
        std::reverse(order_.begin() + i + 1, order_.begin() + j + 1);
        any = true;
      }
    return any;
  }

  // The tour is turned so that the stretch in question stands behind its first point.
  bool move_stretches() {
    bool any = false;
    for (Index length = 1; length <= std::min(longest_stretch, N_ - 3); ++length)
      for (Index turn = 0; turn < N_; ++turn) {
        std::rotate(order_.begin(), order_.begin() + 1, order_.end());
        any |= move_first_stretch(length);
      }
    return any;
  }

  bool move_first_stretch(Index length) {
    const Index before = at(0), first = at(1), last = at(length), after = at(length + 1);
    const double gain = D_(before, first) + D_(last, after) - D_(before, after) - least_gain_;
    Index best = -1;
    double least = gain;
    bool turned = false;
    for (Index k = length + 1; k < N_; ++k) {
      const Index left = at(k), right = at(k + 1);
      const double same = D_(left, first) + D_(last, right) - D_(left, right);
      const double other = D_(left, last) + D_(first, right) - D_(left, right);
      if (std::min(same, other) >= least) continue;
      least = std::min(same, other);
      turned = other < same;
      best = k;
    }
    if (best < 0) return false;
    if (turned) std::reverse(order_.begin() + 1, order_.begin() + 1 + length);
    std::rotate(order_.begin() + 1, order_.begin() + 1 + length, order_.begin() + best + 1);
    return true;
  }

  const Matrix& D_;
  Index N_;
  std::vector<Index> order_;
  double least_gain_ = 0;
};

}  // namespace

double tour_length(const Matrix& distance, const std::vector<Index>& tour) {
  double length = 0;
  for (std::size_t k = 0; k < tour.size(); ++k) length += distance(tour[k], tour[(k + 1) % tour.size()]);
  return length;
}

std::vector<Index> short_tour(const Matrix& distance) {
  Tour tour(distance);
  tour.shorten();
  return std::move(tour).order();
}

std::vector<Index> shortened(const Matrix& distance, std::vector<Index> order) {
  Tour tour(distance, std::move(order));
  tour.shorten();
  return std::move(tour).order();
}

Vector place_along_tour(const Matrix& distance, Way way) {
  const bool closed = way == Way::closed;
  const Index N = distance.cols();
  // An open way is a tour through one more point, which is at no distance from any.
  const Index more = closed ? 0 : 1;
  Matrix extended = Matrix::Zero(N + more, N + more);
  extended.bottomRightCorner(N, N) = distance;
  std::vector<Index> tour = short_tour(extended);
  if (!closed) {
    std::rotate(tour.begin(), std::find(tour.begin(), tour.end(), Index{0}), tour.end());
    tour.erase(tour.begin());
  }
  Vector place(N);
  double length = 0;
  for (std::size_t k = 0; k < tour.size(); ++k) {
    place[tour[k] - more] = length;
    length += extended(tour[k], tour[(k + 1) % tour.size()]);
  }
  if (closed) return place * (2 * std::numbers::pi / length);
  place.array() -= place.mean();
  return place * (std::sqrt(static_cast<double>(N)) / place.norm());
}

}  // namespace wgp
