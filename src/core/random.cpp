#include "wgp/random.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace wgp {

std::uint64_t Random::bits() {
  if (left_ == 0) {
    const auto word = [](std::uint64_t x, int shift) { return static_cast<std::uint32_t>(x >> shift); };
    const r123::Philox4x32::ctr_type counter = {
        {word(block_, 0), word(block_, 32), word(stream_, 0), word(stream_, 32)}};
    const r123::Philox4x32::key_type key = {{word(seed_, 0), word(seed_, 32)}};
    const auto out = r123::Philox4x32()(counter, key);
    buffer_[0] = (std::uint64_t{out[1]} << 32) | out[0];
    buffer_[1] = (std::uint64_t{out[3]} << 32) | out[2];
    ++block_;
    left_ = 2;
  }
  return buffer_[--left_];
}

double Random::uniform() {
  // 52 random bits and a half: symmetric about 1/2, and neither end is reachable.
  return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52;
}

double Random::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2 * std::log(uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

Index Random::below(Index n) {
  // The high half of a 64 x 64 bit product is uniform up to a bias of n / 2^64.
  __extension__ using Wide = unsigned __int128;
  return static_cast<Index>((static_cast<Wide>(bits()) * static_cast<Wide>(n)) >> 64);
}

Vector Random::normals(Index n) { return normals(n, 1); }

Matrix Random::normals(Index rows, Index cols) {
  Matrix draws(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) draws(i, j) = normal();
  return draws;
}

}  // namespace wgp
