#include "fit/block_messages.h"

#include <cmath>

#include "wgp/block_fit.h"

namespace wgp {

static_assert(PointBlock::multiple == NormalPasses::points_at_once);

std::string block_format() { return "wgp blocks 1"; }

Index blocks_of(Index points) { return (points + PointBlock::multiple - 1) / PointBlock::multiple; }

GridNumbers GridNumbers::of(const GridState& state, Index d) {
  const Lattice& lattice = state.plan->lattice;
  return {state.theta,
          state.sums.mass,
          lattice.periods(),
          state.sums.pull,
          lattice.modes().cast<double>(),
          state.noise,
          state.sums.count,
          state.sums.squares,
          state.sums.other,
          state.outliers,
          state.plan->mode == Neglected::dropped,
          d};
}

GridState GridNumbers::state(const LatentSpace& latent) const {
  GridState state;
  state.theta = theta;
  state.noise = noise;
  state.sums = {mass, pull, count, squares, other};
  state.outliers = outliers;
  state.plan = {Lattice(latent, periods, modes.cast<int>()), dropped ? Neglected::dropped : Neglected::penalised};
  return state;
}

void BlockAnswer::add(const BlockAnswer& next) {
  counts.add(next.counts);
  if (sum.size() > 0) sum += next.sum;
  if (!next.members.empty()) {
    Matrix both(next.columns.rows(), columns.cols() + next.columns.cols());
    if (columns.cols() > 0) both.leftCols(columns.cols()) = columns;
    both.rightCols(next.columns.cols()) = next.columns;
    columns = std::move(both);
    members.insert(members.end(), next.members.begin(), next.members.end());
  }
  if (extents.low.size() > 0) extents.add(next.extents);
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(next.sums[k]);
}

std::string add_block_sums(const std::string& a, const std::string& b) {
  constexpr const char* what = "the sums over blocks are";
  auto first = read_block_message<BlockSumsMessage>(a, what), second = read_block_message<BlockSumsMessage>(b, what);
  if (first.step != second.step || first.points != second.points)
    throw Error(fmt::format("sums of step {} over {} points and of step {} over {} points do not belong together",
                            first.step, first.points, second.step, second.points));
  first.sums.check();
  second.sums.check();
  first.sums.add(std::move(second.sums));
  return packed(first);
}

}  // namespace wgp
