#include "evaluate/split.h"

#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace wgp {
namespace {

using Word = std::uint32_t;
using Wide = unsigned __int128;

// NumPy's SeedSequence (after O'Neill's seed_seq_fe): spreads a seed over a pool of four words, then draws words.
class SeedPool {
 public:
  explicit SeedPool(std::uint64_t seed) {
    // The seed as little-endian words, without leading zeros, filled up with zeros.
    const std::array<Word, 4> entropy = {static_cast<Word>(seed), static_cast<Word>(seed >> 32), 0, 0};
    Word constant = 0x43b0d7e5;
    const auto hashed = [&constant](Word value) {
      value ^= constant;
      constant *= 0x931e8875;
      value *= constant;
      return value ^ (value >> 16);
    };
    for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i] = hashed(entropy[i]);
    for (std::size_t from = 0; from < pool_.size(); ++from)
      for (std::size_t to = 0; to < pool_.size(); ++to)
        if (from != to) {
          const Word mixed = pool_[to] * 0xca01f9dd - hashed(pool_[from]) * 0x4973f715;
          pool_[to] = mixed ^ (mixed >> 16);
        }
  }

  std::array<std::uint64_t, 4> words() const {
    std::array<std::uint64_t, 4> state{};
    Word constant = 0x8b51f9dd;
    for (std::size_t i = 0; i < 8; ++i) {
      Word value = pool_[i % 4] ^ constant;
      constant *= 0x58f38ded;
      value *= constant;
      value ^= value >> 16;
      state[i / 2] |= static_cast<std::uint64_t>(value) << (i % 2 == 0 ? 0 : 32);
    }
    return state;
  }

 private:
  std::array<Word, 4> pool_{};
};

// PCG XSL RR 128/64 (O'Neill 2014).
class Pcg64 {
 public:
  explicit Pcg64(std::uint64_t seed) {
    const auto words = SeedPool(seed).words();
    const Wide start = (static_cast<Wide>(words[0]) << 64) | words[1];
    increment_ = (((static_cast<Wide>(words[2]) << 64) | words[3]) << 1) | 1;
    step();
    state_ += start;
    step();
  }

  std::uint64_t next() {
    step();
    const auto folded = static_cast<std::uint64_t>(state_ >> 64) ^ static_cast<std::uint64_t>(state_);
    const auto rotation = static_cast<unsigned>(state_ >> 122);
    return (folded >> rotation) | (folded << ((64 - rotation) & 63));
  }

  // Halves of 64-bit draws, the lower one first.
  Word next_word() {
    if (has_half_) {
      has_half_ = false;
      return half_;
    }
    const std::uint64_t both = next();
    half_ = static_cast<Word>(both >> 32);
    has_half_ = true;
    return static_cast<Word>(both);
  }

  // Uniform on 0 .. largest: draws as many bits as needed until they are in range.
  std::uint64_t up_to(std::uint64_t largest) {
    const std::uint64_t mask = std::bit_ceil(largest + 1) - 1;
    while (true) {
      const std::uint64_t drawn = (largest <= 0xffffffff ? next_word() : next()) & mask;
      if (drawn <= largest) return drawn;
    }
  }

 private:
  void step() {
    constexpr Wide multiplier = (static_cast<Wide>(0x2360ed051fc65da4) << 64) | 0x4385df649fccf645;
    state_ = state_ * multiplier + increment_;
  }

  Wide state_ = 0, increment_ = 0;
  Word half_ = 0;
  bool has_half_ = false;
};

}  // namespace

std::vector<Index> permutation(Index size, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), Index{0});
  Pcg64 random(seed);
  for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random.up_to(i)]);
  return order;
}

Split random_split(Index size, double train_share, std::uint64_t seed) {
  const std::vector<Index> order = permutation(size, seed);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(std::floor(train_share * static_cast<double>(size)));
  return {{order.begin(), middle}, {middle, order.end()}};
}

Matrix take_columns(ConstMatrixRef points, const std::vector<Index>& chosen) {
  Matrix taken(points.rows(), static_cast<Index>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i) taken.col(static_cast<Index>(i)) = points.col(chosen[i]);
  return taken;
}

}  // namespace wgp
