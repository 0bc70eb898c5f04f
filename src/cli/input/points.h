// Rows of a table become points of a manifold, checked once and projected; points become rows again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/arguments.h"
#include "cli/input/inputs.h"
#include "cli/output/messages.h"
#include "core/column_file.h"
#include "statistics/shrinkage.h"
#include "wgp/io.h"
#include "wgp/manifold.h"
#include "wgp/row_form.h"

namespace wgp::cli {

using RowFormPtr = std::shared_ptr<const RowForm>;

// --manifold; a wrong spec is wrong usage.
ManifoldPtr manifold_from(const Arguments& arguments);

// --columns, --array, --tolerance, --drop-invalid; the flags of images and motion.
struct InputOptions {
  enum class InvalidRows { reject, keep };
  std::string columns, array;
  std::vector<std::string> text_columns, id_columns;  // id_columns: one column each
  double tolerance = 0;
  InvalidRows invalid = InvalidRows::reject;  // keep: PointBlock::defects says what is wrong
  InputFlags input;
  Shrinkage shrinkage;                // of covariance matrices
  std::vector<std::string> channels;  // names of the rows and columns of matrices, by --channels or as a model has them
  std::string channels_of = "--channels";  // who says so
  std::optional<Vector> reflect_towards;   // landmarks are reflected where that brings them nearer to this shape
  std::optional<Messages> messages;        // where to say what was assumed of a file
};
InputOptions input_options(const Arguments& arguments, const Manifold& manifold);

struct PointBlock {
  Matrix rows;                       // as they stand in the file
  Matrix points;                     // on the manifold; zero where there is a defect
  std::vector<std::string> defects;  // per row, empty if it is fine
  std::vector<std::vector<std::string>> text;
  std::vector<std::string> ids;  // with commas between where they have several columns; empty without id_columns
  std::vector<Index> voxels;     // of an image's rows
  Index first_row = 0;
  Index reflected = 0;               // rows that were turned towards InputOptions::reflect_towards
  std::vector<Index> valid() const;  // the columns without a defect
};

// One table whose rows have one of the manifold's row forms, told by their width.
class PointTable {
 public:
  enum class Content { points, raw, tangents };  // raw: points yet to be projected; tangents: only finite is checked
  PointTable(const InputFiles& files, ManifoldPtr manifold, const InputOptions& options,
             Content content = Content::points);

  const std::string& path() const { return path_; }
  const RowForm& form() const { return *form_; }
  RowFormPtr form_pointer() const { return form_; }
  std::vector<Index> shape() const { return reader_->shape(); }
  // By name, from InputOptions or the file; or none.
  const std::vector<std::string>& channels() const { return channels_; }
  const TableReader& reader() const { return *reader_; }
  std::shared_ptr<const TableReader> reader_pointer() const { return reader_; }
  // Wrong usage if there are flags for another kind of file.
  void check_flags() const { check_input_flags(options_.input, {{*reader_, path_}}); }
  bool read(Index max_rows, PointBlock& block);
  void skip(Index rows) { reader_->skip(rows); }
  SeveralFiles::Place place(Index row) const { return place_of(*reader_, path_, row); }

 private:
  std::string defect_of(ConstVectorRef row, VectorRef point) const;
  bool reflect_where_nearer(VectorRef point) const;
  std::string advice_for(ConstVectorRef row) const;

  std::string path_;
  ManifoldPtr manifold_;
  InputOptions options_;
  Content content_;
  std::shared_ptr<TableReader> reader_;
  std::vector<std::string> channels_;
  // The reader, where it reads an image, or several files.
  const NiftiTable* image_ = nullptr;
  const SeveralFiles* several_ = nullptr;
  RowFormPtr form_;
};

// The last columns of text, taken out and joined by commas.
std::vector<std::string> take_ids(std::vector<std::vector<std::string>>& text, std::size_t columns);

// "data.csv: row 17: not positive definite, ...", and what can be done.
[[noreturn]] void throw_invalid_row(const std::string& path, Index zero_based_row, const std::string& defect,
                                    const std::string& advice);
std::string tolerance_advice(const InputOptions& options);
// What --drop-invalid has left out of a table, file by file.
void say_dropped(const PointTable& table, const std::vector<Index>& rows, const Messages& messages);

// All points of a table; invalid rows are errors or, under --drop-invalid, dropped and counted on standard error.
struct PointSet {
  Matrix points;
  std::shared_ptr<const ColumnBlocks> file;  // instead, where they are too many for memory and WhereTo allows it
  Index count() const { return file ? file->count() : points.cols(); }
  RowFormPtr form;
  std::vector<Index> shape;
  std::vector<std::string> channels;  // PointTable::channels()
  std::vector<std::vector<std::string>> text;
  std::vector<std::string> ids;
  std::vector<Index> row_of;  // each point's row in the file, 0-based; empty with a file: all in order
  SeveralFiles::Place place(Index point, const std::string& path) const { return place_of(*reader, path, row(point)); }
  Index row(Index point) const { return row_of.empty() ? point : row_of[static_cast<std::size_t>(point)]; }
  Index file_rows = 0;                        // with the dropped ones
  std::shared_ptr<const TableReader> reader;  // that gave them
  ImageFlags image;                           // that it was opened with
};
// The rows of a block that are points: their places, ids and texts go to the set, which has no points of them yet.
void take_rows(PointBlock& block, const std::vector<Index>& valid, PointSet& set, std::vector<Index>& dropped);
enum class WhereTo { memory, file_if_many };
PointSet read_points(const InputFiles& files, const ManifoldPtr& manifold, const InputOptions& options,
                     const Messages& messages, WhereTo where = WhereTo::memory);

// Numbers of each point as maps on the grid of the image that the points are voxels of; others are NaN. Wrong usage if
// they are of no image, or of several.
void write_point_maps(const std::string& path, const std::string& input, const PointSet& set,
                      const std::vector<std::string>& channels, const std::string& description, ConstMatrixRef numbers);

// Column names of points and of tangent vectors in a row form.
std::vector<std::string> point_names(const Manifold& manifold, const RowForm& form);
std::vector<std::string> tangent_names(const Manifold& manifold, const RowForm& form);
Matrix points_to_rows(const RowForm& form, ConstMatrixRef points);

}  // namespace wgp::cli
