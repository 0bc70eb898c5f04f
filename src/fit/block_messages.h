// What goes to and fro between a fit and blocks of its points (wgp/block_fit.h): a question to all blocks, what each
// answers, which adds up, and what a block keeps of its points.
#pragma once

#include <string>
#include <vector>

#include "core/packing.h"
#include "core/tree_sums.h"
#include "evidence/grid_engine.h"
#include "fit/large_points.h"

namespace wgp {

enum class BlockTask : int {
  points,            // which members are
  check,             // whether all are points of the manifold
  logarithms,        // their sum
  lift,              // makes vectors
  vectors,           // of members
  begin_on_grid,     // latents
  begin_at_nearest,  // latents
  extents,
  sums,
  move,  // latents by one pass
  sums_of_folds,
  skipped,  // points that belong to nothing
  latents,  // of members
};
inline constexpr int block_tasks = static_cast<int>(BlockTask::latents) + 1;

// The process of a grid, without what each point made of it.
struct GridNumbers {
  Vector theta, mass, periods;
  Matrix pull, modes;
  double noise = 1, count = 0, squares = 0, other = 0, outliers = 0;
  bool dropped = false;
  Index d = 0;
  static GridNumbers of(const GridState& state, Index d);
  GridState state(const LatentSpace& latent) const;
  void each_part(auto&& visitor) {
    visitor(theta, mass, periods, pull, modes, noise, count, squares, other, outliers, dropped, d);
  }
};

struct BlockQuestion {
  std::string format;  // of these messages
  Index step = 0, points = 0;
  int task = 0;
  Index angles = 0, plain = 1;
  std::string kernel;
  int lengths = 0;
  VectorUnits units;
  // What the task needs.
  std::vector<Index> members;
  Vector periods;
  Matrix modes;
  PassWeights weights;
  int folds = 0;
  GridNumbers grid;
  LargePoints::Known known;
  void each_part(auto&& visitor) {
    visitor(format, step, points, task, angles, plain, kernel, lengths, units, members, periods, modes, weights, folds,
            grid, known);
  }
};

struct BlockAnswer {
  LiftCounts counts;
  Vector sum;
  std::vector<Index> members;
  Matrix columns;  // of these
  BlockExtents extents;
  std::vector<BlockSums> sums;
  void each_part(auto&& visitor) { visitor(counts, sum, members, columns, extents, sums); }
  // What comes after it, of the same question.
  void add(const BlockAnswer& next);
};

struct BlockSumsMessage {
  std::string format;
  Index step = 0, points = 0;
  TreeSums<BlockAnswer> sums;
  void each_part(auto&& visitor) { visitor(format, step, points, sums); }
};

struct BlockLatents {
  std::string format;
  PointLatents latents;
  void each_part(auto&& visitor) { visitor(format, latents.X, latents.S, latents.pace, latents.skipped); }
};

// Of this build: bytes of another one are refused.
std::string block_format();
// A value of a message type. Error where the bytes are of something else. what: for that.
template <class Message>
Message read_block_message(const std::string& bytes, const char* what) {
  Message message;
  Unpacker unpacker(bytes);
  std::string why;
  try {
    unpacker(message);
    if (unpacker.at_end() && message.format == block_format()) return message;
  } catch (const Error&) {
  }
  throw Error(
      fmt::format("{} {} bytes that this version of wgp has not written as such: do all run the same wgp, and "
                  "is nothing cut short?",
                  what, bytes.size()));
}

Index blocks_of(Index points);

}  // namespace wgp
