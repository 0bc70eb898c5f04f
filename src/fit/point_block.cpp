// The part of a fit in blocks that is done where the points are: each question answered from the block's points, their
// vectors and latents, 128 points after 128 points, as fit/large_points.cpp does it for points that are here.
#include <algorithm>
#include <mutex>

#include "core/format.h"
#include "fit/all_points.h"
#include "fit/block_messages.h"
#include "fit/points.h"
#include "wgp/block_fit.h"

namespace wgp {

struct PointBlock::Content {
  ManifoldPtr manifold;
  Index first;
  Matrix points;

  // The vectors at this base point, each in its units. The last ones are remembered.
  std::shared_ptr<const Matrix> vectors(const VectorUnits& units, LiftCounts* counts = nullptr) {
    const std::lock_guard lock(mutex);
    if (!known || units.base != known_units.base || units.scale != known_units.scale || counts) {
      const Basepoint lift(manifold, units.base);
      Matrix V(lift.dim(), points.cols());
      for (Index begin = 0; begin < points.cols(); begin += multiple) {
        const Index count = std::min(multiple, points.cols() - begin);
        const Lifted found = lift.lift(Matrix(), without_defects(*manifold, points.middleCols(begin, count)));
        V.middleCols(begin, count) = found.V / units.scale;
        if (counts) counts[begin / multiple] = LiftCounts::of(found.report);
      }
      known = std::make_shared<const Matrix>(std::move(V));
      known_units = units;
    }
    return known;
  }

  std::mutex mutex;
  VectorUnits known_units;
  std::shared_ptr<const Matrix> known;
};

PointBlock::PointBlock(ManifoldPtr manifold, Index first, Matrix points) : content_(std::make_shared<Content>()) {
  if (first < 0 || first % multiple != 0)
    throw Error(fmt::format("a block begins at point {}, but blocks begin at multiples of {}", first, multiple));
  if (points.cols() < 1 || points.rows() != manifold->ambient_dim())
    throw Error(fmt::format("a block has {} points of {} numbers, but points of {} have {} (one point per column)",
                            points.cols(), points.rows(), manifold->spec(), manifold->ambient_dim()));
  content_->manifold = std::move(manifold);
  content_->first = first;
  content_->points = std::move(points);
}

Index PointBlock::first() const { return content_->first; }
Index PointBlock::count() const { return content_->points.cols(); }

namespace {

// One step of one block.
class BlockStep {
 public:
  BlockStep(const ManifoldPtr& manifold, Index first, const Matrix& points, const BlockQuestion& question,
            PointLatents& latents)
      : manifold_(manifold),
        first_(first),
        points_(points),
        question_(question),
        latents_(latents),
        latent_(question.angles, question.plain) {}

  // V: null where the task needs none.
  void prepare(const Matrix* V) {
    V_ = V;
    if (question_.modes.rows() > 0) lattice_.emplace(latent_, question_.periods, question_.modes.cast<int>());
    if (task() == BlockTask::begin_on_grid) begin_on_grid();
    if (task() == BlockTask::begin_at_nearest) begin_at_nearest();
  }

  BlockAnswer answer(Index term) {
    const Index begin = term * PointBlock::multiple - first_;
    const Index count = std::min(PointBlock::multiple, points_.cols() - begin);
    const auto P = points_.middleCols(begin, count);
    BlockAnswer answer;
    switch (task()) {
      case BlockTask::points:
        some(begin, count, points_, answer);
        break;
      case BlockTask::check:
        check_points(*manifold_, P, first_ + begin);
        break;
      case BlockTask::logarithms:
        answer.sum =
            Basepoint(manifold_, question_.units.base).lift(Matrix(), without_defects(*manifold_, P)).V.rowwise().sum();
        break;
      case BlockTask::vectors:
        some(begin, count, *V_, answer);
        break;
      case BlockTask::extents:
        answer.extents = BlockExtents::of(latents_.X.middleCols(begin, count), latents_.S.middleCols(begin, count));
        break;
      case BlockTask::sums:
      case BlockTask::move:
      case BlockTask::sums_of_folds:
        passes(begin, count, answer);
        break;
      case BlockTask::skipped:
        for (Index i = begin; i < begin + count; ++i)
          if (latents_.skips(i)) answer.members.push_back(first_ + i);
        answer.columns.resize(0, static_cast<Index>(answer.members.size()));
        break;
      case BlockTask::latents: {
        Matrix both(latents_.X.rows() + latents_.S.rows(), latents_.X.cols());
        both << latents_.X, latents_.S;
        some(begin, count, both, answer);
        break;
      }
      case BlockTask::lift:
      case BlockTask::begin_on_grid:
      case BlockTask::begin_at_nearest:
        break;
    }
    return answer;
  }

 private:
  BlockTask task() const { return static_cast<BlockTask>(question_.task); }

  // Of the members among these columns.
  void some(Index begin, Index count, const Matrix& columns, BlockAnswer& answer) const {
    const auto from = std::ranges::lower_bound(question_.members, first_ + begin),
               to = std::ranges::lower_bound(question_.members, first_ + begin + count);
    answer.members.assign(from, to);
    std::vector<Index> own = answer.members;
    for (Index& n : own) n -= first_;
    answer.columns = columns(Eigen::all, own);
  }

  void passes(Index begin, Index count, BlockAnswer& answer) {
    const BlockSteps steps(*lattice_);
    std::vector<Index> here, members;
    for (Index i = begin; i < begin + count; ++i)
      if (!latents_.skips(i)) {
        here.push_back(i);
        members.push_back(first_ + i);
      }
    const Matrix V = (*V_)(Eigen::all, here);
    Matrix X = latents_.X(Eigen::all, here), S = latents_.S(Eigen::all, here);
    if (task() == BlockTask::sums) answer.sums = {steps.sums(V, X, S)};
    if (task() == BlockTask::sums_of_folds) answer.sums = steps.sums_of_folds(question_.folds, members, V, X, S);
    if (task() != BlockTask::move) return;
    Vector pace = latents_.pace(here);
    answer.sums = {steps.move(question_.weights, V, X, S, pace)};
    for (Index k = 0; k < X.cols(); ++k) {
      const Index i = here[static_cast<std::size_t>(k)];
      latents_.X.col(i) = X.col(k);
      latents_.S.col(i) = S.col(k);
      latents_.pace[i] = pace[k];
    }
  }

  void begin_on_grid() {
    const KernelPtr kernel = parse_kernel(question_.kernel, latent_, static_cast<LengthScales>(question_.lengths));
    const KernelSpectrum spectrum(latent_, *spectral_terms(*kernel, latent_), kernel->parameter_count());
    const Matrix none(V_->rows(), 0);
    GridEngine engine(spectrum, none, question_.grid.d, nullptr, nullptr);
    GridEngine::Codes codes = engine.codes(question_.grid.state(latent_), *V_);
    const double outliers = question_.grid.outliers;
    begin(std::move(codes.X), std::move(codes.S),
          outliers > 0 ? belong_to_nothing(codes.log_evidence, *V_, outliers) : std::vector<char>());
  }

  void begin_at_nearest() {
    const LargePoints::Known& known = question_.known;
    Executor executor;
    RunControl control;
    const std::vector<Index> nearest = nearest_columns(known.vectors, *V_, executor, control);
    begin(known.X(Eigen::all, nearest), known.S(Eigen::all, nearest), {});
  }

  void begin(Matrix X, Matrix S, std::vector<char> skipped) {
    keep_in_range(latent_, S);
    latents_ = {std::move(X), std::move(S), Vector::Ones(points_.cols()), std::move(skipped), nullptr};
  }

  const ManifoldPtr& manifold_;
  const Index first_;
  const Matrix& points_;
  const BlockQuestion& question_;
  PointLatents& latents_;
  const LatentSpace latent_;
  const Matrix* V_ = nullptr;
  std::optional<Lattice> lattice_;
};

bool needs_vectors(BlockTask task) {
  switch (task) {
    case BlockTask::vectors:
    case BlockTask::begin_on_grid:
    case BlockTask::begin_at_nearest:
    case BlockTask::sums:
    case BlockTask::move:
    case BlockTask::sums_of_folds:
      return true;
    default:
      return false;
  }
}

bool needs_latents(BlockTask task) { return task >= BlockTask::extents; }

}  // namespace

BlockPartial PointBlock::partial(const std::string& parameters, const std::string& latents) const {
  const auto question = read_block_message<BlockQuestion>(parameters, "the parameters of a block's step are");
  const Index end = first() + count();
  if (end > question.points || (count() % multiple != 0 && end != question.points))
    throw Error(fmt::format("a block has the points {} to {} of {}, but all blocks but the last have a multiple of {}",
                            first(), end - 1, question.points, multiple));
  if (question.task < 0 || question.task >= block_tasks) throw Error("these parameters are of another version of wgp");
  const auto task = static_cast<BlockTask>(question.task);
  BlockLatents state;
  if (needs_latents(task)) {
    state = read_block_message<BlockLatents>(latents, "the latents of a block are");
    if (state.latents.X.cols() != count() || state.latents.S.cols() != count() || state.latents.pace.size() != count())
      throw Error(fmt::format("latents of {} points were given to a block of {}: its own last ones are needed",
                              state.latents.X.cols(), count()));
  }
  std::vector<LiftCounts> counts(static_cast<std::size_t>(blocks_of(count())));
  std::shared_ptr<const Matrix> V;
  if (task == BlockTask::lift)
    content_->vectors(question.units, counts.data());
  else if (needs_vectors(task))
    V = content_->vectors(question.units);
  BlockStep step(content_->manifold, first(), content_->points, question, state.latents);
  step.prepare(V.get());
  const Index first_term = first() / multiple;
  BlockSumsMessage sums{block_format(), question.step, question.points,
                        TreeSums<BlockAnswer>(blocks_of(question.points))};
  sums.sums.make(first_term, first_term + blocks_of(count()), [&](Index term) {
    BlockAnswer answer = step.answer(term);
    answer.counts = counts[static_cast<std::size_t>(term - first_term)];
    return answer;
  });
  BlockPartial made{packed(sums), latents};
  if (task == BlockTask::begin_on_grid || task == BlockTask::begin_at_nearest || task == BlockTask::move) {
    state.format = block_format();
    made.latents = packed(state);
  }
  return made;
}

}  // namespace wgp
