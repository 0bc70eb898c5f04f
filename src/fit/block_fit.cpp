#include "wgp/block_fit.h"

#include <optional>
#include <utility>

#include "core/conversation.h"
#include "core/format.h"
#include "fit/block_messages.h"
#include "fit/large_fit.h"

namespace wgp {
namespace {

// All points, as the fit knows them: by asking.
class PointsInBlocks final : public LargePoints, private PointsElsewhere, private ColumnBlocks {
 public:
  PointsInBlocks(const Manifold& manifold, Index count, const FitOptions& options, const Conversation::Ask& ask)
      : manifold_(manifold), options_(options), count_(count), ask_(ask) {}

  Index count() const override { return count_; }
  void attach(FitSession&) override {}
  Matrix points(const std::vector<Index>& members) const override { return some(BlockTask::points, members); }
  void check() override { asked(question(BlockTask::check)); }
  Vector sum_of_logarithms(const Vector& base) override {
    BlockQuestion about = question(BlockTask::logarithms);
    about.units.base = base;
    return asked(about).sum;
  }
  LiftCounts lift(const VectorUnits& units) override {
    units_ = units;
    return asked(question(BlockTask::lift)).counts;
  }
  const ColumnBlocks& vectors() const override { return *this; }

  std::unique_ptr<NormalPasses> passes(const KernelSpectrum& spectrum, Index d) override {
    d_ = d;
    return std::make_unique<NormalPasses>(spectrum, static_cast<PointsElsewhere&>(*this), d);
  }
  PassState begin_on_grid(NormalPasses& passes, GridEngine&, const GridState& found) override {
    BlockQuestion about = question(BlockTask::begin_on_grid);
    about.grid = GridNumbers::of(found, d_);
    asked(about);
    return passes.begin(found.theta, found.noise);
  }
  PassState begin_at_nearest(NormalPasses& passes, const Known& known) override {
    BlockQuestion about = question(BlockTask::begin_at_nearest);
    about.known = known;
    asked(about);
    return passes.begin(known.theta, known.noise);
  }
  std::vector<Index> skipped(const PassState&) override { return asked(question(BlockTask::skipped)).members; }
  Latents latents(const PassState&, const std::vector<Index>& members) override {
    const Matrix both = some(BlockTask::latents, members);
    const Index q = both.rows() / 2;
    return {both.topRows(q), both.bottomRows(q)};
  }

 private:
  // ---- of passes
  BlockExtents extents() override { return asked(question(BlockTask::extents)).extents; }
  BlockSums sums(const Lattice& lattice) override { return asked(on_lattice(BlockTask::sums, lattice)).sums.at(0); }
  BlockSums move(const Lattice& lattice, const PassWeights& weights) override {
    BlockQuestion about = on_lattice(BlockTask::move, lattice);
    about.weights = weights;
    return asked(about).sums.at(0);
  }
  std::vector<BlockSums> sums_of_folds(const Lattice& lattice, int folds) override {
    BlockQuestion about = on_lattice(BlockTask::sums_of_folds, lattice);
    about.folds = folds;
    return asked(about).sums;
  }

  // ---- of vectors
  Index rows() const override { return manifold_.dim(); }
  void read(Index, MatrixRef) const override { throw Error("vectors in blocks are not read here"); }
  Matrix gathered(const std::vector<Index>& members) const override { return some(BlockTask::vectors, members); }

  BlockQuestion question(BlockTask task) const {
    BlockQuestion about;
    about.format = block_format();
    about.points = count_;
    about.task = static_cast<int>(task);
    about.angles = options_.latent.angles();
    about.plain = options_.latent.plain_count();
    about.kernel = options_.kernel.spec();
    about.lengths = static_cast<int>(options_.lengths);
    about.units = units_;
    return about;
  }
  BlockQuestion on_lattice(BlockTask task, const Lattice& lattice) const {
    BlockQuestion about = question(task);
    about.periods = lattice.periods();
    about.modes = lattice.modes().cast<double>();
    return about;
  }
  // members: in order.
  Matrix some(BlockTask task, const std::vector<Index>& members) const {
    BlockQuestion about = question(task);
    about.members = members;
    BlockAnswer answer = asked(about);
    if (answer.members != members) throw Error("some of the points are in no block, or in several");
    return std::move(answer.columns);
  }
  BlockAnswer asked(BlockQuestion about) const {
    about.step = step_++;
    auto sums = read_block_message<BlockSumsMessage>(ask_(packed(about)), "the sums over blocks are");
    return sums.sums.take_whole();
  }

  const Manifold& manifold_;
  const FitOptions& options_;
  const Index count_;
  const Conversation::Ask& ask_;
  VectorUnits units_;
  Index d_ = 0;
  mutable Index step_ = 0;
};

void check_options(Index count, const FitOptions& options) {
  if (count < 2)
    throw Error(fmt::format("a model needs at least 2 points, but there is {}", count == 1 ? "1" : "none"));
  if (const std::string why = why_not_in_passes(options); !why.empty())
    throw Error("a fit over blocks is made in passes, which is not possible here: " + why);
  if (options.ranks) throw Error("a fit over blocks has no ranks: blocks may be anywhere, and one process drives it");
  if (options.latent.dim() >= count)
    throw Error(fmt::format("{} points for {} latent coordinates; there must be more points than coordinates", count,
                            options.latent.dim()));
  parse_kernel(options.kernel.spec(), options.latent, options.lengths);  // as blocks will do
}

}  // namespace

namespace {

void check_not_failed(const std::string& why) {
  if (!why.empty()) throw Error("the fit has ended without a result, and a new one must be begun: " + why);
}

}  // namespace

struct BlockFit::State {
  State(ManifoldPtr manifold, Index count, FitOptions options)
      : manifold_(std::move(manifold)), options_(std::move(options)), conversation_([this, count](const auto& ask) {
          PointsInBlocks points(*manifold_, count, options_, ask);
          result_ = large_fit(manifold_, static_cast<LargePoints&>(points), options_);
        }) {}

  ManifoldPtr manifold_;
  FitOptions options_;
  std::optional<FitResult> result_;
  std::string failed_;  // what ended the fit before it had a result
  Conversation conversation_;
};

BlockFit::BlockFit(ManifoldPtr manifold, Index count, FitOptions options) {
  check_options(count, options);
  state_ = std::make_unique<State>(std::move(manifold), count, std::move(options));
}
BlockFit::BlockFit(BlockFit&&) noexcept = default;
BlockFit& BlockFit::operator=(BlockFit&&) noexcept = default;
BlockFit::~BlockFit() = default;

bool BlockFit::done() const { return state_->conversation_.over(); }

const std::string& BlockFit::parameters() const {
  check_not_failed(state_->failed_);
  if (done()) throw Error("the fit is done: there is nothing left to ask");
  return state_->conversation_.question();
}

void BlockFit::step(const std::string& bytes) {
  const auto question = read_block_message<BlockQuestion>(parameters(), "the parameters of a block's step are");
  const auto sums = read_block_message<BlockSumsMessage>(bytes, "the sums over blocks are");
  if (sums.step != question.step || sums.points != question.points)
    throw Error(fmt::format("sums of step {} over {} points were given, but step {} over {} points is to come",
                            sums.step, sums.points, question.step, question.points));
  sums.sums.check();
  if (const auto [first, last] = sums.sums.missing(); last > 0)
    throw Error(fmt::format("the points {} to {} are missing from the sums", first * PointBlock::multiple,
                            std::min(last * PointBlock::multiple, question.points) - 1));
  try {
    state_->conversation_.answer(bytes);
  } catch (const std::exception& error) {
    state_->failed_ = error.what();
    throw;
  } catch (...) {
    state_->failed_ = "something that is no std::exception was thrown";
    throw;
  }
}

FitResult BlockFit::result() const {
  check_not_failed(state_->failed_);
  if (!state_->result_) throw Error("the fit is not done: its last step is still to come");
  return *state_->result_;
}

}  // namespace wgp
