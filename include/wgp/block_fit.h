// Very many points that are spread over blocks, anywhere: the fit in passes of wgp/fit.h as a conversation, for engines
// that share out work among machines. The fit says what it wants to know (parameters), every block says its part
// (partial), the parts are added up in any order (add), and the fit goes on with the sum (step):
//
//   BlockFit fit(manifold, N, options);
//   while (!fit.done()) {
//     std::string sums;
//     for (each block b) {
//       BlockPartial part = blocks[b].partial(fit.parameters(), latents[b]);
//       latents[b] = part.latents;
//       sums = sums.empty() ? part.sums : add_block_sums(sums, part.sums);
//     }
//     fit.step(sums);
//   }
//   FitResult result = fit.result();
//
// All that goes to and fro is bytes: parameters, sums and what a block keeps of its points from one step to the next
// (their latents). Nothing else is shared and nothing is kept in between, so a part that was lost is made again from
// the same bytes. The result is that of fit() on all points where that is made in passes, to the last byte, however the
// points are cut into blocks and whoever makes and adds up the parts.
#pragma once

#include <memory>
#include <string>

#include "wgp/fit.h"
#include "wgp/visibility.h"

namespace wgp WGP_PUBLIC {

struct BlockPartial {
  std::string sums;
  std::string latents;  // for the block's next step
};

// Some of the points, neighbours in their order, where they are worked on.
class PointBlock {
 public:
  // All blocks but the last have a multiple of so many points.
  static constexpr Index multiple = 128;
  // first: which of all points (from 0 on) the block's first one is, a multiple of the above. Copies share their
  // points; those that are given are checked as the fit goes along.
  PointBlock(ManifoldPtr manifold, Index first, Matrix points);
  Index first() const;
  Index count() const;

  // Of one step. latents: what this block's last step ended with; empty before the first. A function of its arguments
  // alone; vectors at the base point are remembered, since they take time. Many threads may call it at a time.
  BlockPartial partial(const std::string& parameters, const std::string& latents) const;

 private:
  struct Content;
  std::shared_ptr<Content> content_;
};

// Of different blocks, in one step. Associative and commutative, to the last bit.
std::string add_block_sums(const std::string& a, const std::string& b);

class BlockFit {
 public:
  // count: points of all blocks together. Error for options that a fit in passes does not have: a base point that is
  // fitted, point estimates of latents, more than three latent coordinates, and what looks at all points together.
  // Threads are those of the search, which looks at FitOptions::subsample points here; FitOptions::keep_going and
  // on_step are called while step() is at work, from another thread.
  BlockFit(ManifoldPtr manifold, Index count, FitOptions options);
  BlockFit(BlockFit&&) noexcept;
  BlockFit& operator=(BlockFit&&) noexcept;
  ~BlockFit();

  bool done() const;
  // What every block is to be asked next: some kilobytes, or as many as some of the points have. Not once it is done.
  const std::string& parameters() const;
  // With the sums over all blocks. Error, and as if nothing had happened, where they are of another step, or where
  // points are missing. Searches between some of the steps, which takes a while; what it throws itself (an Error for
  // points that are none, what keep_going threw) ends the fit: done() is true then, and all else says what ended it.
  void step(const std::string& sums);
  // Once it is done; a second time the same.
  FitResult result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace WGP_PUBLIC
