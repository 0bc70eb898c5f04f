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

std::vector<Index> valid_columns(const PointBlock& block) {
  std::vector<Index> valid;
  for (std::size_t i = 0; i < block.defects.size(); ++i)
    if (block.defects[i].empty()) valid.push_back(static_cast<Index>(i));
  return valid;
}

// Which rows have points, and their texts: the whole table is read through.
void look_through(PointTable& table, PointSet& set, const Messages& messages) {
  std::vector<Index> dropped;
  PointBlock block;
  while (table.read(rows_at_once, block)) {
    set.file_rows += block.points.cols();
    for (Index i = 0; i < block.points.cols(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (!block.defects[at].empty()) {
        dropped.push_back(block.first_row + i);
        continue;
      }
      set.row_of.push_back(block.first_row + i);
      if (!block.ids.empty()) set.ids.push_back(std::move(block.ids[at]));
      for (std::size_t j = 0; j < set.text.size(); ++j) set.text[j].push_back(std::move(block.text[j][at]));
    }
  }
  if (!dropped.empty())
    messages.say("{}: {} dropped ({})", table.path(), plural(static_cast<Index>(dropped.size()), "invalid row"),
                 row_list(dropped));
}

// first: which point the next valid row is.
void write_own(PointTable& table, Index first, SpreadColumns& columns) {
  const Executor::Range own = columns.own();
  PointBlock block;
  while (first < own.last && table.read(std::min(rows_at_once, own.last - first), block)) {
    const std::vector<Index> valid = valid_columns(block);
    const auto count = static_cast<Index>(valid.size());
    const Index from = std::clamp<Index>(own.first - first, 0, count);
    if (from < count) columns.write(first + from, block.points(Eigen::all, valid).rightCols(count - from));
    first += count;
  }
}

}  // namespace

PointSet read_spread_points(const std::string& path, const ManifoldPtr& manifold, const InputOptions& options,
                            const Messages& messages) {
  PointSet set;
  std::shared_ptr<SpreadColumns> columns;
  together([&] {
    auto table = std::make_unique<PointTable>(path, manifold, options);
    table->check_flags();
    const bool says_all = table->reader().rows() && options.invalid == InputOptions::InvalidRows::reject &&
                          options.text_columns.empty() && options.id_columns.empty();
    set.text.resize(options.text_columns.size());
    if (says_all)
      set.file_rows = *table->reader().rows();
    else
      look_through(*table, set, messages);
    const Index N = says_all ? set.file_rows : static_cast<Index>(set.row_of.size());
    if (!is_large(*manifold, N)) return;
    set.form = table->form_pointer();
    set.shape = table->shape();
    set.image = options.input.image;
    if (!says_all) {
      InputOptions again = options;
      again.messages.reset();  // everything is said
      table = std::make_unique<PointTable>(path, manifold, again);
    }
    set.reader = table->reader_pointer();
    columns = std::make_shared<SpreadColumns>(manifold->ambient_dim(), N);
    if (says_all) table->skip(columns->own().first);
    write_own(*table, says_all ? columns->own().first : 0, *columns);
  });
  if (!columns) return read_points(path, manifold, options, messages);
  set.file = columns;
  return set;
}

}  // namespace wgp::cli
