// wgp geom: streams blocks of rows through one operation, in constant memory.
#include <algorithm>
#include <array>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/commands/geom_operations.h"
#include "cli/output/model_tables.h"
#include "core/spelling.h"
#include "io/bytes/number.h"
#include "io/bytes/output_file.h"
#include "wgp/row_form.h"

namespace wgp::cli {
namespace {

constexpr Index rows_at_once = 4096;

const GeomOperation& operation_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& operation : geom_operations()) {
    if (operation.name == name) return operation;
    names.push_back(operation.name);
  }
  const std::string guess = nearest(name, names);
  throw UsageError(fmt::format(
      "unknown operation {}; {}", quote_text(name),
      guess.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", guess)));
}

void check_usage(const GeomOperation& operation, const Arguments& arguments) {
  const auto& words = arguments.operands();
  if (words.size() != operation.operands.size() + 1)
    throw UsageError(fmt::format("{} takes {}: wgp geom {}", operation.name,
                                 plural(static_cast<Index>(operation.operands.size()), "file"), operation.usage));
  if (operation.has_base()) {
    arguments.required("base", fmt::format("wgp geom {}", operation.usage));
  } else if (arguments.has("base")) {
    throw UsageError(fmt::format("{} has no base: wgp geom {}", operation.name, operation.usage));
  }
  if (std::count(words.begin() + 1, words.end(), "-") + (arguments.text("base") == "-" ? 1 : 0) > 1)
    throw UsageError("standard input (-) can be read once only");
}

// Rows go to the table and, under --json, into one object as they come.
class GeomOutput {
 public:
  GeomOutput(const Arguments& arguments, const GeomOperation& operation, const Manifold& manifold,
             const std::vector<std::string>& names, const std::vector<Index>& shape) {
    if (arguments.has("output") || !arguments.has("json"))
      table_ = names.size() == 1 && shape.empty() ? create_number_table(arguments.text("output"), names)
                                                  : create_table(arguments.text("output"), names, shape);
    if (arguments.has("json")) {
      json_.emplace("-");
      json_->write(fmt::format("{{\"operation\":{},\"manifold\":{},\"rows\":[", Json(operation.name).dump(),
                               Json(manifold.spec()).dump()));
    }
  }

  void write(ConstMatrixRef rows) {
    if (table_) table_->write(rows);
    if (!json_) return;
    for (Index i = 0; i < rows.cols(); ++i) {
      json_->write((rows_written_ > 0 ? "," : "") + to_json(rows.col(i)).dump());
      ++rows_written_;
    }
  }

  void close(const std::vector<LogStatus>& status, Index dropped) {
    if (json_) {
      json_->write("],\"status\":[");
      for (std::size_t i = 0; i < status.size(); ++i)
        json_->write(fmt::format("{}\"{}\"", i > 0 ? "," : "", to_string(status[i])));
      json_->write(fmt::format("],\"dropped\":{}}}\n", dropped));
    }
    if (table_) table_->close();
    if (json_) json_->commit();
  }

 private:
  std::unique_ptr<TableWriter> table_;
  std::optional<OutputFile> json_;
  Index rows_written_ = 0;
};

class GeomRun {
 public:
  explicit GeomRun(const Arguments& arguments)
      : arguments_(arguments),
        messages_(arguments),
        operation_(operation_named(arguments.operands()[0])),
        manifold_((check_usage(operation_, arguments), manifold_from(arguments))),
        reading_(input_options(arguments, *manifold_)) {
    if (operation_.has_base()) base_.emplace(arguments.text("base"), manifold_, reading_);
    for (std::size_t k = 0; k < operation_.operands.size(); ++k)
      operands_.push_back(
          std::make_unique<PointTable>(arguments.operands()[k + 1], manifold_, reading_, operation_.operands[k]));
    std::vector<OpenedInput> inputs;
    if (base_) inputs.push_back({base_->reader(), base_->path()});
    for (const auto& operand : operands_) inputs.push_back({operand->reader(), operand->path()});
    check_input_flags(reading_.input, inputs);
    // A base of one row serves all rows.
    const std::size_t first = base_ && inputs[0].reader.rows() == 1 ? 1 : 0;
    for (std::size_t k = first + 1; k < inputs.size(); ++k)
      check_same_voxels({inputs[first].reader, inputs[first].path}, {inputs[k].reader, inputs[k].path},
                        reading_.input.image);
  }

  int run() {
    GeomOutput output = make_output();
    if (base_) read_first_base();
    std::vector<PointBlock> blocks(operands_.size());
    while (read_operands(blocks)) {
      const Index count = blocks[0].rows.cols();
      if (base_ && !single_) read_base(count);
      GeomResult result = compute(blocks, count);
      output.write(keep_valid(blocks, result));
      rows_ += count;
    }
    if (base_ && !single_) check_base_ended();
    if (written_ == 0) throw Error(fmt::format("{}: no valid row is left", operands_[0]->path()));
    output.close(statuses_, dropped_);
    return report();
  }

 private:
  bool is_scalar() const { return operation_.kind == GeomKind::dist || operation_.kind == GeomKind::logdet; }
  // The last operand gives its form to the output: V, Q, W or X.
  const RowForm& output_form() const { return operands_.back()->form(); }

  GeomOutput make_output() const {
    if (is_scalar()) return {arguments_, operation_, *manifold_, {operation_.name}, {}};
    const bool points = operation_.kind == GeomKind::exp || operation_.kind == GeomKind::project;
    return {arguments_, operation_, *manifold_,
            points ? point_names(*manifold_, output_form()) : tangent_names(*manifold_, output_form()),
            operands_.back()->shape()};
  }

  // A base of one row serves all rows.
  void read_first_base() {
    base_->read(rows_at_once, base_block_);
    if (base_block_.rows.cols() > 1) return;
    if (!base_block_.defects[0].empty())
      throw_invalid_row(base_->path(), 0, base_block_.defects[0], tolerance_advice(reading_));
    single_ = manifold_->at(base_block_.points.col(0));
  }

  // The blocks of all tables go in step: the first base block was read with the same number of rows.
  void read_base(Index count) {
    if (rows_ > 0 && !base_->read(rows_at_once, base_block_)) base_block_.rows.resize(0, 0);
    if (base_block_.rows.cols() != count) mismatch(*base_, base_block_.rows.cols(), *operands_[0], count);
  }

  bool read_operands(std::vector<PointBlock>& blocks) {
    const bool more = operands_[0]->read(rows_at_once, blocks[0]);
    for (std::size_t k = 1; k < operands_.size(); ++k) {
      const Index here = more ? blocks[0].rows.cols() : 0;
      const Index there = operands_[k]->read(rows_at_once, blocks[k]) ? blocks[k].rows.cols() : 0;
      if (here != there) mismatch(*operands_[0], here, *operands_[k], there);
    }
    return more;
  }

  void check_base_ended() {
    PointBlock rest;
    if (base_->read(rows_at_once, rest)) mismatch(*base_, rest.rows.cols(), *operands_[0], 0);
  }

  // Counts what is left of both tables, so that the message can name the totals.
  [[noreturn]] void mismatch(PointTable& a, Index more_of_a, PointTable& b, Index more_of_b) const {
    const auto total = [this](PointTable& table, Index more) {
      PointBlock block;
      Index rows = rows_ + more;
      while (more > 0 && table.read(rows_at_once, block)) rows += block.rows.cols();
      return rows;
    };
    const Index rows_a = total(a, more_of_a), rows_b = total(b, more_of_b);
    throw Error(fmt::format("{} has {}, but {} has {}; they must match{}", a.path(), plural(rows_a, "row"), b.path(),
                            plural(rows_b, "row"), base_ ? " (a base may also have one row, used for all)" : ""));
  }

  GeomResult compute(const std::vector<PointBlock>& blocks, Index count) const {
    const RowForm& form = output_form();
    GeomResult result(is_scalar() ? 1 : form.width(), count);
    if (!base_) {
      for (Index i = 0; i < count; ++i)
        if (blocks[0].defects[static_cast<std::size_t>(i)].empty())
          result.rows.col(i) = form.from_point(blocks[0].points.col(i));
      return result;
    }
    GeomBatch batch;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      if (operation_.operands[k] == PointTable::Content::tangents) {
        batch.tangents = &blocks[k];
        batch.tangent_form = &operands_[k]->form();
      } else {
        batch.points = &blocks[k];
      }
    }
    const auto apply = [&](const TangentSpace& space, Index base_column, Index first, Index columns) {
      batch.first = first;
      batch.count = columns;
      apply_geom(operation_.kind, *manifold_, space, base_block_.rows.col(base_column), base_->form(), form, batch,
                 result);
    };
    // Invalid rows are dropped afterwards but must not reach the geometry: their points are zeros.
    const auto valid = [&](Index i) {
      const auto at = static_cast<std::size_t>(i);
      return (single_ || base_block_.defects[at].empty()) &&
             std::all_of(blocks.begin(), blocks.end(),
                         [&](const PointBlock& block) { return block.defects[at].empty(); });
    };
    for (Index i = 0; i < count;) {
      Index end = i;
      while (end < count && valid(end)) ++end;
      if (single_) {
        if (end > i) apply(*single_, 0, i, end - i);
      } else {
        for (Index j = i; j < end; ++j) apply(*manifold_->at(base_block_.points.col(j)), j, j, 1);
      }
      i = end + 1;
    }
    return result;
  }

  // Throws for rows that turned out not to be tangent, or drops every row with a defect in some table.
  Matrix keep_valid(const std::vector<PointBlock>& blocks, const GeomResult& result) {
    Matrix kept(result.rows.rows(), result.rows.cols());
    Index count = 0;
    for (Index i = 0; i < result.rows.cols(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (!result.defects[at].empty() && reading_.invalid == InputOptions::InvalidRows::reject)
        throw Error(fmt::format("{}: row {}: {}\n(--drop-invalid skips such rows)", operands_.back()->path(),
                                rows_ + i + 1, result.defects[at]));
      const bool bad = !result.defects[at].empty() || (base_ && !single_ && !base_block_.defects[at].empty()) ||
                       std::any_of(blocks.begin(), blocks.end(),
                                   [&](const PointBlock& block) { return !block.defects[at].empty(); });
      if (bad) {
        ++dropped_;
        continue;
      }
      kept.col(count++) = result.rows.col(i);
      ++written_;
      if (arguments_.has("json")) statuses_.push_back(result.status[at]);
      if (result.status[at] != LogStatus::ok) odd_[static_cast<std::size_t>(result.status[at])].add(rows_ + i);
    }
    kept.conservativeResize(Eigen::NoChange, count);
    return kept;
  }

  int report() const {
    const auto say = [&](LogStatus status, const char* what) {
      const OddRows& odd = odd_[static_cast<std::size_t>(status)];
      if (odd.count > 0) messages_.say("{} {} ({})", plural(odd.count, "row"), what, row_list(odd.first));
    };
    if (dropped_ > 0) messages_.say("{} dropped", plural(dropped_, "invalid row"));
    say(LogStatus::near_cut, "near the cut locus of the base: the direction is ill-conditioned");
    say(LogStatus::cut_locus, "on the cut locus of the base: one of several shortest geodesics was taken");
    say(LogStatus::not_converged, "not converged");
    say(LogStatus::outside_domain, "outside the domain: no geodesic of the manifold leads there");
    const bool failed = odd_[static_cast<std::size_t>(LogStatus::not_converged)].count > 0 ||
                        odd_[static_cast<std::size_t>(LogStatus::outside_domain)].count > 0;
    return failed && arguments_.has("strict") ? exit_not_converged : exit_done;
  }

  const Arguments& arguments_;
  Messages messages_;
  const GeomOperation& operation_;
  ManifoldPtr manifold_;
  InputOptions reading_;
  std::optional<PointTable> base_;
  std::vector<std::unique_ptr<PointTable>> operands_;
  PointBlock base_block_;
  std::unique_ptr<const TangentSpace> single_;
  Index rows_ = 0, written_ = 0, dropped_ = 0;
  std::vector<LogStatus> statuses_;  // for --json only
  std::array<OddRows, 5> odd_;       // by status
};

}  // namespace

int run_geom(const Arguments& arguments) { return GeomRun(arguments).run(); }

}  // namespace wgp::cli
