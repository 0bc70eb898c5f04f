// Rotations of space, eight at a time: see simd/rotation_kernels.h.
#include "simd/rotation_kernels.h"

#include "simd/levels/column_packs.h"
#include "simd/levels/pack_trigonometry.h"
#include "simd/levels/tables.h"

namespace wgp::WGP_SIMD {
namespace {

// Unit quaternions cosine + sine u, the cosine not negative.
struct HalfTurns {
  Pack cosine, vector[3], sine;
};

// Of R'Q, from B = R'(Q - R), by which rotations near R lose no digits. The rows of 4 q q' are the quaternion times
// each of its components; the largest one divides best (Shepperd).
HalfTurns half_turns(const double* R, const ConstColumns& points, Index first, Index count) {
  Pack D[9];
  load_columns<9>(points, first, count, D);
  for (int j = 0; j < 9; ++j) D[j] -= R[j];
  Pack B[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) B[i][j] = R[i] * D[j] + R[3 + i] * D[3 + j] + R[6 + i] * D[6 + j];

  const Pack wx = B[2][1] - B[1][2], wy = B[0][2] - B[2][0], wz = B[1][0] - B[0][1];
  const Pack xy = B[0][1] + B[1][0], xz = B[0][2] + B[2][0], yz = B[1][2] + B[2][1];
  const Pack products[4][4] = {{4 + (B[0][0] + B[1][1] + B[2][2]), wx, wy, wz},
                               {wx, B[0][0] - B[1][1] - B[2][2], xy, xz},
                               {wy, xy, B[1][1] - B[2][2] - B[0][0], yz},
                               {wz, xz, yz, B[2][2] - B[0][0] - B[1][1]}};
  Pack square = products[0][0], q[4];
  for (int j = 0; j < 4; ++j) q[j] = products[0][j];
  for (int i = 1; i < 4; ++i) {
    const PackMask larger = products[i][i] > square;
    square = select(larger, products[i][i], square);
    for (int j = 0; j < 4; ++j) q[j] = select(larger, products[i][j], q[j]);
  }
  const Pack inverse = 0.5 / sqrt(square), scale = select(q[0] < 0, -inverse, inverse);
  HalfTurns turns;
  turns.cosine = scale * q[0];
  for (int j = 0; j < 3; ++j) turns.vector[j] = scale * q[1 + j];
  turns.sine = length<3>(turns.vector);
  return turns;
}

void rotation_log(const double* R, const ConstColumns& points, const Columns& coords, double* cosines,
                  double* margins) {
  for_eights(points.cols, [&](Index first, Index count) {
    HalfTurns turns = half_turns(R, points, first, count);
    const Pack angle = 2 * upper_angle(turns.sine, turns.cosine);
    const Pack scale = select(turns.sine > 0, angle / turns.sine, broadcast8(2));
    for (int j = 0; j < 3; ++j) turns.vector[j] *= scale;
    store_columns<3>(turns.vector, coords, first, count);
    store_some(turns.cosine, cosines + first, count);
    store_some(2 * upper_angle(turns.cosine, turns.sine), margins + first, count);
  });
}

void rotation_distance(const double* R, const ConstColumns& points, double* angles) {
  for_eights(points.cols, [&](Index first, Index count) {
    const HalfTurns turns = half_turns(R, points, first, count);
    store_some(2 * upper_angle(turns.sine, turns.cosine), angles + first, count);
  });
}

}  // namespace

const RotationKernels rotation_kernels = {rotation_log, rotation_distance};

}  // namespace wgp::WGP_SIMD
