#include "cli/input/spread_points.h"

#include <algorithm>

#include "cli/ranks.h"
#include "core/rank_columns.h"
#include "evidence/normal_passes.h"
#include "fit/large_fit.h"

namespace wgp::cli {
namespace {

constexpr Index rows_at_once = 4096;

// This process's points in a temporary file, and all of them together.
class SpreadColumns final : public ColumnBlocks {
 public:
  SpreadColumns(Index rows, Index count)
      : file_(rows),
        own_(NormalPasses::own_points(Executor(1, rank_exchange()), count)),
        columns_(file_, own_, rank_exchange()) {
    file_.resize(count);
  }
  Executor::Range own() const { return own_; }
  void write(Index first, ConstMatrixRef points) { file_.write(first, points); }

  Index rows() const override { return columns_.rows(); }
  Index count() const override { return columns_.count(); }
  void read(Index first, MatrixRef into) const override { columns_.read(first, into); }
  Matrix gathered(const std::vector<Index>& members) const override { return columns_.gathered(members); }

 private:
  ColumnFile file_;
  const Executor::Range own_;
  RankColumns columns_;
};

// Which rows have points, and their texts: the whole table is read through. Gives those that have none.
std::vector<Index> look_through(PointTable& table, PointSet& set) {
  std::vector<Index> dropped;
  PointBlock block;
  while (table.read(rows_at_once, block)) take_rows(block, block.valid(), set, dropped);
  return dropped;
}

// first: which point the next valid row is.
void write_own(PointTable& table, Index first, SpreadColumns& columns) {
  const Executor::Range own = columns.own();
  PointBlock block;
  while (first < own.last && table.read(std::min(rows_at_once, own.last - first), block)) {
    const std::vector<Index> valid = block.valid();
    const auto count = static_cast<Index>(valid.size());
    const Index from = std::clamp<Index>(own.first - first, 0, count);
    if (from < count) columns.write(first + from, block.points(Eigen::all, valid).rightCols(count - from));
    first += count;
  }
}

}  // namespace

PointSet read_spread_points(const InputFiles& files, const ManifoldPtr& manifold, const InputOptions& options,
                            const Messages& messages) {
  PointSet set;
  std::shared_ptr<SpreadColumns> columns;
  together([&] {
    auto table = std::make_unique<PointTable>(files, manifold, options);
    table->check_flags();
    const bool says_all = table->reader().rows() && options.invalid == InputOptions::InvalidRows::reject &&
                          options.text_columns.empty() && options.id_columns.empty();
    set.text.resize(options.text_columns.size());
    std::vector<Index> dropped;
    if (says_all)
      set.file_rows = *table->reader().rows();
    else
      dropped = look_through(*table, set);
    const Index N = says_all ? set.file_rows : static_cast<Index>(set.row_of.size());
    if (!is_large(*manifold, N)) return;  // all of it is read, and said, again
    say_dropped(*table, dropped, messages);
    set.form = table->form_pointer();
    set.shape = table->shape();
    set.channels = table->channels();
    set.image = options.input.image;
    if (!says_all) {
      InputOptions again = options;
      again.messages.reset();  // everything is said
      table = std::make_unique<PointTable>(files, manifold, again);
    }
    set.reader = table->reader_pointer();
    columns = std::make_shared<SpreadColumns>(manifold->ambient_dim(), N);
    if (says_all) table->skip(columns->own().first);
    write_own(*table, says_all ? columns->own().first : 0, *columns);
  });
  if (!columns) {
    InputOptions again = options;
    again.messages.reset();  // what was found out of the files is said
    return read_points(files, manifold, again, messages);
  }
  set.file = columns;
  return set;
}

}  // namespace wgp::cli
