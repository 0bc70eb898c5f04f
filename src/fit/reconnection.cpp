#include "fit/reconnection.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace wgp {
namespace {

// Of a near pass: along the curve so many times the distance, and this share of its length.
constexpr double least_detour = 3, least_share = 0.08;
constexpr double apart = 0.1;  // of the nodes, between two passes
constexpr Index coarse_nodes = 100;

struct Lengths {
  Vector at;
  double whole;
};
Lengths lengths_along(ConstMatrixRef curve, CurveEnds ends) {
  const Index G = curve.cols();
  Lengths lengths{Vector::Zero(G), 0};
  for (Index g = 1; g < G; ++g) lengths.at[g] = lengths.at[g - 1] + (curve.col(g) - curve.col(g - 1)).norm();
  lengths.whole = lengths.at[G - 1];
  if (ends == CurveEnds::closed) lengths.whole += (curve.col(0) - curve.col(G - 1)).norm();
  return lengths;
}

bool is_detour(const Lengths& lengths, CurveEnds ends, Index a, Index b, double distance) {
  double along = lengths.at[b] - lengths.at[a];
  if (ends == CurveEnds::closed) along = std::min(along, lengths.whole - along);
  return along > least_detour * distance && along > least_share * lengths.whole;
}

}  // namespace

std::vector<std::pair<Index, Index>> near_passes(ConstMatrixRef curve, CurveEnds ends, double reach, std::size_t most) {
  const Index G = curve.cols();
  const Lengths lengths = lengths_along(curve, ends);
  std::vector<std::tuple<double, Index, Index>> near;
  for (Index a = 0; a < G; ++a)
    for (Index b = a + 1; b < G; ++b) {
      const double distance = (curve.col(a) - curve.col(b)).norm();
      if (distance < reach && is_detour(lengths, ends, a, b, distance)) near.emplace_back(distance, a, b);
    }
  std::sort(near.begin(), near.end());
  std::vector<std::pair<Index, Index>> chosen;
  const double least = apart * static_cast<double>(G);
  const auto apart_along = [&](Index i, Index j) {
    const double steps = std::abs(static_cast<double>(i - j));
    return ends == CurveEnds::closed ? std::min(steps, static_cast<double>(G) - steps) : steps;
  };
  for (const auto& [distance, a, b] : near) {
    const bool fresh = std::none_of(chosen.begin(), chosen.end(), [&, first = a, second = b](const auto& other) {
      // A pass over the seam of a closed curve has its ends the other way round.
      return (apart_along(first, other.first) < least && apart_along(second, other.second) < least) ||
             (apart_along(first, other.second) < least && apart_along(second, other.first) < least);
    });
    if (fresh) chosen.emplace_back(a, b);
    if (chosen.size() == most) break;
  }
  return chosen;
}

bool goes_across(ConstMatrixRef curve, CurveEnds ends, double reach) {
  constexpr double least_sine = 0.5;
  const Index G = curve.cols();
  // Along as much of the curve as the passes are wide.
  const auto direction = [&](Index g) {
    const auto node = [&](Index k) {
      return curve.col(ends == CurveEnds::closed ? (k % G + G) % G : std::clamp<Index>(k, 0, G - 1));
    };
    Index step = 1;
    while (step < G / 20 && (node(g + step) - node(g - step)).norm() < 2 * reach) ++step;
    return Vector(node(g + step) - node(g - step)).normalized();
  };
  for (const auto& [a, b] : near_passes(curve, ends, reach, static_cast<std::size_t>(G))) {
    const double cosine = direction(a).dot(direction(b));
    if (!(1 - cosine * cosine >= least_sine * least_sine)) return false;
  }
  return true;
}

int crossings(ConstMatrixRef curve, CurveEnds ends, double reach) {
  const Index stride = std::max<Index>(1, curve.cols() / coarse_nodes), n = curve.cols() / stride;
  Matrix coarse(curve.rows(), n);
  for (Index k = 0; k < n; ++k) coarse.col(k) = curve.col(k * stride);
  const Lengths lengths = lengths_along(coarse, ends);
  Eigen::Matrix<char, Eigen::Dynamic, Eigen::Dynamic> near = decltype(near)::Zero(n, n);
  for (Index a = 0; a < n; ++a)
    for (Index b = a + 1; b < n; ++b) {
      const double distance = (coarse.col(a) - coarse.col(b)).norm();
      near(a, b) = distance < reach && is_detour(lengths, ends, a, b, distance);
    }
  // Neighbouring pairs are one crossing.
  int count = 0;
  std::vector<std::pair<Index, Index>> open;
  for (Index a = 0; a < n; ++a)
    for (Index b = a + 1; b < n; ++b) {
      if (!near(a, b)) continue;
      ++count;
      open.assign(1, {a, b});
      near(a, b) = 0;
      while (!open.empty()) {
        const auto [i, j] = open.back();
        open.pop_back();
        for (Index x = i - 2; x <= i + 2; ++x)
          for (Index y = j - 2; y <= j + 2; ++y) {
            if (ends == CurveEnds::open && (x < 0 || y < 0 || x >= n || y >= n)) continue;
            const Index first = std::min((x + n) % n, (y + n) % n), second = std::max((x + n) % n, (y + n) % n);
            if (!near(first, second)) continue;
            near(first, second) = 0;
            open.emplace_back(first, second);
          }
      }
    }
  return count;
}

}  // namespace wgp
