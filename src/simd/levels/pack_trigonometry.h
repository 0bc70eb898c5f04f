// Sine, cosine and arc tangent of eight doubles at once, to about one unit in the last place.
//
// Minimax polynomials on the reduced range with the classical coefficients (Ng 1992, published in FreeBSD's msun).
#pragma once

#include "simd/levels/pack.h"

namespace wgp::WGP_SIMD {

struct SineCosine {
  Pack sine, cosine;
};

// For |x| up to 1e5: x - k pi/2 is formed in three parts, exact for k < 2^17; larger arguments are the caller's
// business.
inline constexpr double largest_angle = 1e5;
inline SineCosine sine_cosine(const Pack& x) {
  constexpr double to_integer = 0x1.8p52;  // adding and subtracting it rounds to the nearest integer
  const Pack k = (x * 0x1.45f306dc9c883p-1 + to_integer) - to_integer;
  // pi/2 in pieces of 33 bits.
  Pack r = x - k * 0x1.921fb544p+0;
  r -= k * 0x1.0b4611a6p-34;
  r -= k * 0x1.3198a2e037073p-69;
  const Pack z = r * r;
  const Pack sine = r + r * z *
                            (-1.66666666666666324348e-01 +
                             z * (8.33333333332248946124e-03 +
                                  z * (-1.98412698298579493134e-04 +
                                       z * (2.75573137070700676789e-06 +
                                            z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const Pack cosine =
      1 - (0.5 * z - z * z *
                         (4.16666666666666019037e-02 +
                          z * (-1.38888888888741095749e-03 +
                               z * (2.48015872894767294178e-05 +
                                    z * (-2.75573143513906633035e-07 +
                                         z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))))));
  // The quadrant k mod 4: odd ones swap sine and cosine; 2 and 3 negate the sine, 1 and 2 the cosine.
  const Pack quarter = k * 0.25;
  const Pack whole = (quarter + to_integer) - to_integer;
  const Pack rest = (quarter - whole) * 4;  // in -2, -1, 0, 1, 2
  const PackMask odd = abs(rest) == 1;
  const Pack s = select(odd, cosine, sine), c = select(odd, sine, cosine);
  const PackMask negative_sine = (rest == -1) | (abs(rest) == 2), negative_cosine = (rest == 1) | (abs(rest) == 2);
  return {select(negative_sine, -s, s), select(negative_cosine, -c, c)};
}

// atan2(y, x) for y >= 0: the angle in [0, pi] of the point (x, y), not both zero.
inline Pack upper_angle(const Pack& y, const Pack& x) {
  const Pack size = abs(x);
  // The angle is base + atan(top / bottom) with |top / bottom| <= 7/16, from the nearest of 0, atan(1/2), pi/4,
  // atan(3/2) and pi/2; the low parts keep the sum exact to the last bit.
  Pack top = y, bottom = size, base = broadcast8(0), low = broadcast8(0);
  const auto use = [&](const PackMask& mask, const Pack& t, const Pack& b, double high_part, double low_part) {
    top = select(mask, t, top);
    bottom = select(mask, b, bottom);
    base = select(mask, broadcast8(high_part), base);
    low = select(mask, broadcast8(low_part), low);
  };
  use(16 * y >= 7 * size, 2 * y - size, 2 * size + y, 4.63647609000806093515e-01, 2.26987774529616870924e-17);
  use(16 * y >= 11 * size, y - size, y + size, 7.85398163397448278999e-01, 3.06161699786838301793e-17);
  use(16 * y >= 19 * size, y - 1.5 * size, size + 1.5 * y, 9.82793723247329054082e-01, 1.39033110312309984516e-17);
  use(16 * y >= 39 * size, -size, y, 1.57079632679489655800e+00, 6.12323399573676603587e-17);
  const Pack t = top / bottom, z = t * t;
  const Pack polynomial = z * (3.33333333333329318027e-01 +
                               z * (-1.99999999998764832476e-01 +
                                    z * (1.42857142725034663711e-01 +
                                         z * (-1.11111104054623557880e-01 +
                                              z * (9.09088713343650656196e-02 +
                                                   z * (-7.69187620504482999495e-02 +
                                                        z * (6.66107313738753120669e-02 +
                                                             z * (-5.83357013379057348645e-02 +
                                                                  z * (4.97687799461593236017e-02 +
                                                                       z * (-3.65315727442169155270e-02 +
                                                                            z * 1.62858201153657823623e-02))))))))));
  const Pack angle = base + (low + (t - t * polynomial));
  return select(x < 0, (3.14159265358979311600e+00 - (angle - 1.22464679914735317720e-16)), angle);
}

}  // namespace wgp::WGP_SIMD
