#include "geometry/sphere_batch.h"

#include "linalg/lanes_trigonometry.h"

namespace wgp {
namespace {

using lanes::Lanes;
using lanes::pick;

typedef double Unaligned __attribute__((vector_size(lanes::count * sizeof(double)), aligned(8), may_alias));
Lanes eight(const double* x) { return *reinterpret_cast<const Unaligned*>(x); }
void put_eight(const Lanes& value, double* x) { *reinterpret_cast<Unaligned*>(x) = value; }

// Eight neighbouring columns of two or three numbers, by shuffles.
void split(const double* x, Lanes (&y)[2]) {
  const Lanes a = eight(x), b = eight(x + 8);
  y[0] = pick<0, 2, 4, 6, 8, 10, 12, 14>(a, b);
  y[1] = pick<1, 3, 5, 7, 9, 11, 13, 15>(a, b);
}
void split(const double* x, Lanes (&y)[3]) {
  const Lanes a = eight(x), b = eight(x + 8), c = eight(x + 16);
  y[0] = pick<0, 1, 2, 3, 4, 5, 10, 13>(pick<0, 3, 6, 9, 12, 15, 0, 0>(a, b), c);
  y[1] = pick<0, 1, 2, 3, 4, 8, 11, 14>(pick<1, 4, 7, 10, 13, 0, 0, 0>(a, b), c);
  y[2] = pick<0, 1, 2, 3, 4, 9, 12, 15>(pick<2, 5, 8, 11, 14, 0, 0, 0>(a, b), c);
}
void join(const Lanes (&y)[2], double* x) {
  put_eight(pick<0, 8, 1, 9, 2, 10, 3, 11>(y[0], y[1]), x);
  put_eight(pick<4, 12, 5, 13, 6, 14, 7, 15>(y[0], y[1]), x + 8);
}
void join(const Lanes (&y)[3], double* x) {
  const Lanes low = pick<0, 8, 1, 9, 2, 10, 3, 11>(y[0], y[1]);  // x0 y0 x1 y1 x2 y2 x3 y3
  const Lanes high = pick<4, 12, 5, 13, 6, 14, 7, 15>(y[0], y[1]);
  put_eight(pick<0, 1, 8, 2, 3, 9, 4, 5>(low, y[2]), x);
  const Lanes middle = pick<10, 6, 7, 11, 0, 0, 12, 0>(low, y[2]);
  put_eight(pick<0, 1, 2, 3, 8, 9, 6, 10>(middle, high), x + 8);
  put_eight(pick<3, 13, 4, 5, 14, 6, 7, 15>(high, y[2]), x + 16);
}

// Columns first..first+count-1 of X as D registers; missing columns repeat the last one.
template <int D>
void load(ConstMatrixRef X, Index first, Index count, Lanes (&x)[D]) {
  if constexpr (D == 2 || D == 3)
    if (count == lanes::count && X.outerStride() == D) return split(X.data() + first * D, x);
  for (Index lane = 0; lane < lanes::count; ++lane) {
    const double* column = X.data() + (first + std::min(lane, count - 1)) * X.outerStride();
    for (int j = 0; j < D; ++j) x[j][lane] = column[j];
  }
}
template <int D>
void store(const Lanes (&x)[D], MatrixRef X, Index first, Index count) {
  if constexpr (D == 2 || D == 3)
    if (count == lanes::count && X.outerStride() == D) return join(x, X.data() + first * D);
  for (Index lane = 0; lane < count; ++lane) {
    double* column = X.data() + (first + lane) * X.outerStride();
    for (int j = 0; j < D; ++j) column[j] = x[j][lane];
  }
}
template <int D>
Lanes dot(const Vector& a, const Lanes (&x)[D]) {
  Lanes sum = a[0] * x[0];
  for (int j = 1; j < D; ++j) sum += a[j] * x[j];
  return sum;
}
template <int D>
Lanes squared_norm(const Lanes (&x)[D]) {
  Lanes sum = x[0] * x[0];
  for (int j = 1; j < D; ++j) sum += x[j] * x[j];
  return sum;
}
template <int D>
Lanes norm(const Lanes (&x)[D]) {
  return lanes::sqrt(squared_norm<D>(x));
}

void store_some(const Lanes& x, double* to, Index count) {
  if (count == lanes::count) return put_eight(x, to);
  for (Index lane = 0; lane < count; ++lane) to[lane] = x[lane];
}

// body(first, count) for every group of up to eight columns.
template <class Body>
void for_groups(Index columns, Body body) {
  for (Index first = 0; first < columns; first += lanes::count)
    body(first, std::min<Index>(lanes::count, columns - first));
}

template <int D>
[[gnu::always_inline]] inline Lanes angle_to(const Vector& p, const Lanes (&q)[D]) {
  Lanes difference[D], sum[D];
  for (int j = 0; j < D; ++j) {
    difference[j] = q[j] - p[j];
    sum[j] = q[j] + p[j];
  }
  // tan(theta/2) = sqrt(a / b), written with one root and without 0/0.
  const Lanes a = squared_norm<D>(difference), b = squared_norm<D>(sum), root = lanes::sqrt(a * b);
  const lanes::Mask near = a <= b;
  return 2 * lanes::upper_angle(lanes::select(near, root, a), lanes::select(near, b, root));
}

template <int D>
struct LogGroup {
  Lanes theta, sine, coordinates[D - 1];

  LogGroup(const SphereBase& base, Lanes (&q)[D]) : theta(angle_to<D>(base.p, q)) {
    // Twice: the first projection leaves a normal part of size eps, which matters for q near p.
    for (int pass = 0; pass < 2; ++pass) {
      const Lanes along = dot<D>(base.p, q);
      for (int j = 0; j < D; ++j) q[j] -= along * base.p[j];
    }
    sine = norm<D>(q);
    const Lanes scale = lanes::select(sine > 0, theta / sine, lanes::broadcast(1));
    const Lanes reflected = dot<D>(base.w, q);
    for (int j = 1; j < D; ++j) coordinates[j - 1] = scale * (q[j] - reflected * base.w[j]);
  }
};

template <int D>
void log_columns(const SphereBase& base, ConstMatrixRef points, MatrixRef coords, VectorRef angles, VectorRef sines) {
  for_groups(points.cols(), [&](Index first, Index count) {
    Lanes q[D];
    load<D>(points, first, count, q);
    const LogGroup<D> log(base, q);
    store<D - 1>(log.coordinates, coords, first, count);
    store_some(log.theta, angles.data() + first, count);
    store_some(log.sine, sines.data() + first, count);
  });
}

template <int D>
void sum_columns(const SphereBase& base, ConstMatrixRef points, ConstVectorRef weights, LogSums& sums) {
  Lanes total[D - 1] = {}, squares{}, longest{};
  for_groups(points.cols(), [&](Index first, Index count) {
    Lanes q[D], w{};
    load<D>(points, first, count, q);
    if (count == lanes::count)
      w = eight(weights.data() + first);
    else
      for (Index lane = 0; lane < count; ++lane) w[lane] = weights[first + lane];
    const LogGroup<D> log(base, q);
    for (int j = 0; j < D - 1; ++j) total[j] += w * log.coordinates[j];
    squares += w * (log.theta * log.theta);
    longest = lanes::select(log.theta > longest, log.theta, longest);
  });
  sums.weighted.resize(D - 1);
  for (int j = 0; j < D - 1; ++j) sums.weighted[j] = lanes::packet(total[j]).sum();
  sums.squares = lanes::packet(squares).sum();
  sums.longest = lanes::packet(longest).maxCoeff();
}

template <int D>
void exp_columns(const SphereBase& base, ConstMatrixRef coords, MatrixRef points) {
  for_groups(coords.cols(), [&](Index first, Index count) {
    Lanes v[D - 1], point[D];
    load<D - 1>(coords, first, count, v);
    const Lanes theta = norm<D - 1>(v);
    lanes::SineCosine turn = lanes::sine_cosine(theta);
    if (lanes::any(theta > lanes::largest_angle))
      for (int lane = 0; lane < lanes::count; ++lane) {
        turn.sine[lane] = std::sin(theta[lane]);
        turn.cosine[lane] = std::cos(theta[lane]);
      }
    const Lanes scale = lanes::select(theta > 0, turn.sine / theta, lanes::broadcast(1));
    Lanes reflected = base.w[1] * v[0];
    for (int j = 2; j < D; ++j) reflected += base.w[j] * v[j - 1];
    point[0] = turn.cosine * base.p[0] - scale * reflected * base.w[0];
    for (int j = 1; j < D; ++j) point[j] = turn.cosine * base.p[j] + scale * (v[j - 1] - reflected * base.w[j]);
    const Lanes inverse = 1 / norm<D>(point);
    for (int j = 0; j < D; ++j) point[j] *= inverse;
    store<D>(point, points, first, count);
  });
}

template <int D>
void distance_columns(const SphereBase& base, ConstMatrixRef points, VectorRef angles) {
  for_groups(points.cols(), [&](Index first, Index count) {
    Lanes q[D];
    load<D>(points, first, count, q);
    const Lanes theta = angle_to<D>(base.p, q);
    store_some(theta, angles.data() + first, count);
  });
}

}  // namespace

void sphere_log_batch(const SphereBase& base, ConstMatrixRef points, MatrixRef coords, VectorRef angles,
                      VectorRef sines) {
  switch (base.p.size()) {
    case 2:
      return log_columns<2>(base, points, coords, angles, sines);
    case 3:
      return log_columns<3>(base, points, coords, angles, sines);
    default:
      return log_columns<4>(base, points, coords, angles, sines);
  }
}

void sphere_log_sums_batch(const SphereBase& base, ConstMatrixRef points, ConstVectorRef weights, LogSums& sums) {
  switch (base.p.size()) {
    case 2:
      return sum_columns<2>(base, points, weights, sums);
    case 3:
      return sum_columns<3>(base, points, weights, sums);
    default:
      return sum_columns<4>(base, points, weights, sums);
  }
}

void sphere_exp_batch(const SphereBase& base, ConstMatrixRef coords, MatrixRef points) {
  switch (base.p.size()) {
    case 2:
      return exp_columns<2>(base, coords, points);
    case 3:
      return exp_columns<3>(base, coords, points);
    default:
      return exp_columns<4>(base, coords, points);
  }
}

void sphere_distance_batch(const SphereBase& base, ConstMatrixRef points, VectorRef angles) {
  switch (base.p.size()) {
    case 2:
      return distance_columns<2>(base, points, angles);
    case 3:
      return distance_columns<3>(base, points, angles);
    default:
      return distance_columns<4>(base, points, angles);
  }
}

}  // namespace wgp
