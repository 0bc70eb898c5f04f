#include "linalg/sweep.h"

#include <unistd.h>

#include <cmath>

namespace wgp {
namespace {

Index round_up(Index n, Index unit) { return (n + unit - 1) / unit * unit; }

// Small matrices take small blocks: the work inside of blocks runs slower than the updates. Matrices that the
// third-level cache does not hold take large ones: each block brings all of the matrix from main memory once and writes
// it back.
Index block_size(Index n, int vec_size) {
  return n <= 200 ? 48 : n <= 1500 ? 96 : n <= 3000 ? 192 : 48 * std::max(vec_size, 4);
}

// W_J of several panels that stay in half of the second-level cache while rows stream past them. What it is cut into
// does not change what is computed.
Index cached_doubles() {
  static const Index half = [] {
    Index bytes = 0;
#if defined(_SC_LEVEL2_CACHE_SIZE)
    bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return std::clamp<Index>(bytes / 2, 1 << 18, 1 << 20) / static_cast<Index>(sizeof(double));
  }();
  return half;
}

}  // namespace

PanelMatrix::PanelMatrix(Index n, Index appended, const SimdKernels& kernels)
    : n_(n), appended_(appended), rows_(kernels.sweep.rows), columns_(round_up(n, kernels.sweep.vec_size)) {
  offset_ = {0};
  for (Index s = 0; s * rows_ < n + appended; ++s) offset_.push_back(offset_.back() + rows_ * columns(s));
  data_ = Vector::Zero(offset_.back());
}

Sweep::Sweep(Index n, Index appended, Executor* executor, RunControl* control, const SimdKernels& kernels)
    : kernels_(kernels.sweep),
      block_(round_up(std::min(block_size(n, kernels_.vec_size), round_up(n, kernels_.rows)), kernels_.rows)),
      executor_(executor),
      control_(control),
      L_(block_ * block_),
      Lt_(block_ * block_),
      inverse_(block_),
      W_(Vector::Zero(round_up(n + appended, kernels_.rows) * block_)),
      P_(kernels_.rows * block_ * (executor ? executor->workers() : 1)),
      tile_(kernels_.rows * kernels_.rows * (executor ? executor->workers() : 1)),
      quadratics_((n + appended + kernels_.rows - 1) / kernels_.rows),
      work_{block_, L_.data(), Lt_.data(), inverse_.data(), W_.data(), P_.data(), tile_.data(), quadratics_.data()} {}

bool Sweep::run(PanelMatrix& A, SweepGoal goal) {
  const FlushToZero guard;
  const PanelView view = A.view();
  const Index pivots = A.pivot_panels(), n = A.size(), rows = kernels_.rows;
  const bool whole = goal == SweepGoal::invert;
  log_det_ = 0;
  quadratics_.setZero();
  for (Index first = 0; first < pivots; first += block_ / rows) {
    if (control_) control_->check();
    const Index last = std::min(first + block_ / rows, pivots);
    const Index size = std::min(n, last * rows) - first * rows;
    const SweepBlock block{first, last, size, round_up(size, kernels_.vec_size)};
    if (!kernels_.factor_block(view, work_, block, log_det_)) return false;
    const Index above = whole ? first : 0;
    if (whole) kernels_.transpose_factor(work_, block);
    each_flushed(executor_, above + A.panels() - last, [&](Index i, int worker) {
      if (i < above)
        kernels_.solve_above(view, work_, block, i, worker);
      else
        kernels_.solve_below(view, work_, block, goal, i - above + last);
    });
    if (last == pivots && n % rows != 0 && A.appended() > 0) kernels_.solve_mixed(view, work_, block, goal);
    update(A, view, block, goal);
  }
  quadratic_ = quadratics_.sum();
  return std::isfinite(log_det_) && std::isfinite(quadratic_);
}

void Sweep::update(const PanelMatrix& A, const PanelView& view, const SweepBlock& block, SweepGoal goal) {
  const Index pivots = A.pivot_panels();
  const Index chunk = std::max<Index>(4, cached_doubles() / (kernels_.rows * block_));
  bool inverted = goal == SweepGoal::factor;
  for (Index begin = inverted ? block.last : 0; begin < pivots; begin += chunk) {
    if (control_) control_->check();
    const Index end = std::min(begin + chunk, pivots), more = inverted ? 0 : 1;
    each_flushed(executor_, A.panels() - begin + more, [&](Index i, int worker) {
      if (i < more)
        kernels_.invert_block(view, work_, block, worker);
      else
        kernels_.update_rows(view, work_, block, goal, begin, end, begin + i - more);
    });
    inverted = true;
  }
}

}  // namespace wgp
