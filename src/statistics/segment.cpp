#include "statistics/segment.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>

namespace wgp {

Segment::Segment(const Manifold& manifold, ConstVectorRef a, ConstVectorRef b)
    : manifold_(manifold), start_(manifold.at(a)), unit_(log_coords(*start_, b)), length_(unit_.norm()) {
  if (length_ > 0) unit_ /= length_;
}

Vector Segment::point(double arc_length) const { return exp_point(*start_, arc_length * unit_); }

Segment::Slope Segment::slope_at(ConstVectorRef y, double s) const {
  const Vector along = s * unit_;
  const auto space = manifold_.at(exp_point(*start_, along));
  const Vector velocity = space->to_coords(start_->transport(along, unit_));
  const Vector gap = log_coords(*space, y);
  const double second = -velocity.dot(space->jacobi(gap)->dlog_base(velocity).col(0));
  return {gap.norm(), -gap.dot(velocity), second};
}

SegmentProjection Segment::project(ConstVectorRef y, double s, double low, double high, double tolerance) const {
  if (length_ == 0) return {0, start_->distance(y)[0]};
  SegmentProjection last{s, infinity};
  bool low_seen = false, high_seen = false;  // is phi' known to point inwards there?
  for (int iteration = 0; iteration < 60; ++iteration) {
    const Slope slope = slope_at(y, s);
    last = {s, slope.distance};
    if (slope.first == 0) break;
    if (slope.first > 0) {
      high = s;
      high_seen = true;
    } else {
      low = s;
      low_seen = true;
    }
    if (high <= low) break;  // the minimum is an end
    double next = slope.second > 0 ? s - slope.first / slope.second : (slope.first > 0 ? low : high);
    if (next <= low) next = low_seen ? (low + high) / 2 : low;
    if (next >= high) next = high_seen ? (low + high) / 2 : high;
    const double step = std::abs(next - s);
    s = next;
    if (step > tolerance) continue;
    last.arc_length = s;
    break;
  }
  return last;
}

SegmentProjection project_on_segment(const Manifold& manifold, ConstVectorRef a, ConstVectorRef b, ConstVectorRef y) {
  const Index D = manifold.ambient_dim();
  if (a.size() != D || b.size() != D || y.size() != D)
    throw Error(fmt::format("points of {} have {} numbers, but {}, {} and {} were given", manifold.spec(), D, a.size(),
                            b.size(), y.size()));
  const Segment segment(manifold, a, b);
  const double L = segment.length();
  if (L == 0) return {0, segment.start().distance(y)[0]};
  // Where geodesics meet again, d(gamma(s), y) may have several minima: look before descending. Without a cut locus
  // the ends and the middle are enough.
  const double inj = segment.start().injectivity_radius();
  const Index pieces = static_cast<Index>(std::clamp(std::ceil(8 * L / inj), 2.0, 64.0));
  const auto there = manifold.at(y);
  Matrix probes(D, pieces + 1);
  const auto at = [&](Index k) { return L * static_cast<double>(k) / static_cast<double>(pieces); };
  for (Index k = 0; k <= pieces; ++k) probes.col(k) = segment.point(at(k));
  const Vector distances = there->distance(probes);
  Index nearest = 0;
  distances.minCoeff(&nearest);
  const double low = at(std::max(nearest - 1, Index{0})), high = at(std::min(nearest + 1, pieces));
  return segment.project(y, at(nearest), low, high, 1e-15 * L);
}

}  // namespace wgp
