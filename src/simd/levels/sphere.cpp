// Small spheres, eight points at a time: see simd/sphere_kernels.h.
#include "simd/sphere_kernels.h"

#include "simd/levels/column_packs.h"
#include "simd/levels/pack_trigonometry.h"
#include "simd/levels/tables.h"
#include "simd/levels/vector.h"

namespace wgp::WGP_SIMD {
namespace {

template <int D>
[[gnu::always_inline]] inline Pack angle_to(const double* p, const Pack (&q)[D]) {
  Pack difference[D], sum[D];
  for (int j = 0; j < D; ++j) {
    difference[j] = q[j] - p[j];
    sum[j] = q[j] + p[j];
  }
  // tan(theta/2) = sqrt(a / b), written with one root and without 0/0.
  const Pack a = squared_norm<D>(difference), b = squared_norm<D>(sum), root = sqrt(a * b);
  const PackMask near = a <= b;
  return 2 * upper_angle(select(near, root, a), select(near, b, root));
}

template <int D>
struct LogGroup {
  Pack theta, sine, coordinates[D - 1];

  LogGroup(const SphereBase& base, Pack (&q)[D]) : theta(angle_to<D>(base.p, q)) {
    // Twice: the first projection leaves a normal part of size eps, which matters for q near p.
    for (int pass = 0; pass < 2; ++pass) {
      const Pack along = dot<D>(base.p, q);
      for (int j = 0; j < D; ++j) q[j] -= along * base.p[j];
    }
    sine = length<D>(q);
    const Pack scale = select(sine > 0, theta / sine, broadcast8(1));
    const Pack reflected = dot<D>(base.w, q);
    for (int j = 1; j < D; ++j) coordinates[j - 1] = scale * (q[j] - reflected * base.w[j]);
  }
};

template <int D>
SphereExtremes log_columns(const SphereBase& base, const ConstColumns& points, const Columns& coords, double* angles,
                           double* sines) {
  Pack largest{}, smallest = broadcast8(1);
  for_eights(points.cols, [&](Index first, Index count) {
    Pack q[D];
    load_columns<D>(points, first, count, q);
    const LogGroup<D> log(base, q);
    store_columns<D - 1>(log.coordinates, coords, first, count);
    store_some(log.theta, angles + first, count);
    store_some(log.sine, sines + first, count);
    largest = select(log.theta > largest, log.theta, largest);
    smallest = select(log.sine < smallest, log.sine, smallest);
  });
  return {as_eigen(largest).maxCoeff(), as_eigen(smallest).minCoeff()};
}

template <int D>
void sum_columns(const SphereBase& base, const ConstColumns& points, const double* weights, SphereSums& sums) {
  Pack total[D - 1] = {}, squares{}, longest{};
  for_eights(points.cols, [&](Index first, Index count) {
    Pack q[D], w{};
    load_columns<D>(points, first, count, q);
    if (count == pack_size)
      w = load8(weights + first);
    else
      for (Index lane = 0; lane < count; ++lane) w[lane] = weights[first + lane];
    const LogGroup<D> log(base, q);
    for (int j = 0; j < D - 1; ++j) total[j] += w * log.coordinates[j];
    squares += w * (log.theta * log.theta);
    longest = select(log.theta > longest, log.theta, longest);
  });
  for (int j = 0; j < D - 1; ++j) sums.weighted[j] = as_eigen(total[j]).sum();
  sums.squares = as_eigen(squares).sum();
  sums.longest = as_eigen(longest).maxCoeff();
}

template <int D>
void exp_columns(const SphereBase& base, const ConstColumns& coords, const Columns& points) {
  for_eights(coords.cols, [&](Index first, Index count) {
    Pack v[D - 1], point[D];
    load_columns<D - 1>(coords, first, count, v);
    const Pack theta = length<D - 1>(v);
    SineCosine turn = sine_cosine(theta);
    if (any(theta > largest_angle))
      for (int lane = 0; lane < pack_size; ++lane) {
        turn.sine[lane] = std::sin(theta[lane]);
        turn.cosine[lane] = std::cos(theta[lane]);
      }
    const Pack scale = select(theta > 0, turn.sine / theta, broadcast8(1));
    Pack reflected = base.w[1] * v[0];
    for (int j = 2; j < D; ++j) reflected += base.w[j] * v[j - 1];
    point[0] = turn.cosine * base.p[0] - scale * reflected * base.w[0];
    for (int j = 1; j < D; ++j) point[j] = turn.cosine * base.p[j] + scale * (v[j - 1] - reflected * base.w[j]);
    const Pack inverse = 1 / length<D>(point);
    for (int j = 0; j < D; ++j) point[j] *= inverse;
    store_columns<D>(point, points, first, count);
  });
}

template <int D>
void distance_columns(const SphereBase& base, const ConstColumns& points, double* angles) {
  for_eights(points.cols, [&](Index first, Index count) {
    Pack q[D];
    load_columns<D>(points, first, count, q);
    const Pack theta = angle_to<D>(base.p, q);
    store_some(theta, angles + first, count);
  });
}

SphereExtremes sphere_log(const SphereBase& base, const ConstColumns& points, const Columns& coords, double* angles,
                          double* sines) {
  switch (base.dim) {
    case 2:
      return log_columns<2>(base, points, coords, angles, sines);
    case 3:
      return log_columns<3>(base, points, coords, angles, sines);
    default:
      return log_columns<4>(base, points, coords, angles, sines);
  }
}

void sphere_log_sums(const SphereBase& base, const ConstColumns& points, const double* weights, SphereSums& sums) {
  switch (base.dim) {
    case 2:
      return sum_columns<2>(base, points, weights, sums);
    case 3:
      return sum_columns<3>(base, points, weights, sums);
    default:
      return sum_columns<4>(base, points, weights, sums);
  }
}

void sphere_exp(const SphereBase& base, const ConstColumns& coords, const Columns& points) {
  switch (base.dim) {
    case 2:
      return exp_columns<2>(base, coords, points);
    case 3:
      return exp_columns<3>(base, coords, points);
    default:
      return exp_columns<4>(base, coords, points);
  }
}

void sphere_distance(const SphereBase& base, const ConstColumns& points, double* angles) {
  switch (base.dim) {
    case 2:
      return distance_columns<2>(base, points, angles);
    case 3:
      return distance_columns<3>(base, points, angles);
    default:
      return distance_columns<4>(base, points, angles);
  }
}

}  // namespace

const SphereKernels sphere_kernels = {sphere_log, sphere_log_sums, sphere_exp, sphere_distance};

}  // namespace wgp::WGP_SIMD
