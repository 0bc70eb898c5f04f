// What the commands that use a model share: latents from a table, and rows that go to a table or to JSON as they come.
#pragma once

#include <algorithm>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/points.h"
#include "io/bytes/output_file.h"
#include "wgp/model_file.h"
#include "wgp/row_form.h"

namespace wgp::cli {

inline constexpr Index model_rows_at_once = 1024;  // N kernel values for each
// Many rows where the model deals with them in its own blocks: about a million numbers.
inline Index many_rows_at_once(const Manifold& manifold) {
  return std::clamp<Index>(1000000 / manifold.ambient_dim(), model_rows_at_once, 65536);
}

// The operands that may be "-" are at most one.
void check_standard_input(const std::vector<std::string>& paths);

// --encoder.
Encoder encoder_from(const Arguments& arguments, const std::string& otherwise = "density");
// The same, with what the model was fitted for.
Encoder encoder_from(const Arguments& arguments, const LoadedModel& loaded);

// The form that predictions are written in: that of the table the model was fitted to. Predictions of a gplvm are no
// points, so they stand as the ambient numbers they are.
RowFormPtr form_of(const LoadedModel& loaded);

// A table of latents: as wide as the model's latent space, or with columns x1, x2, ... among others, as wgp encode
// writes. Or an image whose channels they are.
class LatentTable {
 public:
  // Voxels of an image that were no points have no latents.
  enum class Gaps { left_out, kept };  // kept: as NaN
  // flags: --decimal, --rows and --every, where they go for latents as well.
  LatentTable(const std::string& path, const std::string& columns, Index latent_dim, Gaps gaps = Gaps::left_out,
              const TableFlags& flags = {});
  const std::string& path() const { return path_; }
  const TableReader& reader() const { return *reader_; }
  bool read(Index max_rows, Matrix& X);  // one latent per column; errors for what is not finite
  Matrix read_all();
  const std::vector<Index>& block_voxels() const { return voxels_; }  // of the columns that read() gave last

 private:
  std::string path_;
  std::unique_ptr<TableReader> reader_;
  std::vector<Index> chosen_;
  Gaps gaps_;
  const NiftiTable* image_ = nullptr;  // the reader, where it reads one
  std::vector<Index> voxels_;
};

// --at LATENTS: a latent for each row of the input, of which those are taken that were kept. --decimal, --rows and
// --every say how both are read.
Matrix latents_of_rows(const Arguments& arguments, Index latent_dim, const PointSet& set, const std::string& input);

// Rows of points of which some have none, because the prediction leaves the domain of the manifold or overflows: those
// are NaN, counted, named on standard error, and have a status in the JSON object.
class PointStatus {
 public:
  explicit PointStatus(const Arguments& arguments) : json_(arguments.has("json")) {}
  // The next block of rows; the columns from `first` on of those without a point, or with a number that is not finite,
  // become NaN.
  void add(const ExpReport& report, MatrixRef rows, Index first);
  void add_to(Json& more) const;
  void say(const Messages& messages) const;
  bool any_outside() const { return outside_.count > 0; }  // under --strict this is exit 4

 private:
  bool json_;
  Index rows_ = 0;
  OddRows outside_;
  std::vector<LogStatus> status_;  // for the JSON object only
};

// Predictions as rows: the point in the model's row form, sd, the standard deviation of data in each tangent direction,
// and the conformal radii of a model that has them.
class DecodedRows {
 public:
  explicit DecodedRows(const LoadedModel& loaded);
  const std::vector<std::string>& columns() const { return columns_; }
  // PointStatus::add goes between: it may make a point NaN, which has its radii all the same.
  Matrix rows(const Prediction& prediction) const;
  void add_radii(MatrixRef rows) const;

 private:
  RowFormPtr form_;
  std::vector<std::string> columns_;
  std::vector<double> radii_;
};

// Which numbers of a row are its point. A file of landmarks takes these alone; all other numbers it would show as one
// landmark more.
struct PointColumns {
  Index first, count;
};

// A table of numbers that are no points, such as scores and distances. A file of landmarks is wrong usage.
std::unique_ptr<TableWriter> create_number_table(const std::string& path, const std::vector<std::string>& names);

// Rows go to the table and, under --json, into the array "rows" of one object.
class RowOutput {
 public:
  RowOutput(const Arguments& arguments, const std::vector<std::string>& names,
            const std::vector<std::string>& text_names = {}, std::optional<PointColumns> points = {});
  // Whether the table is a file of landmarks and has not got all numbers.
  bool left_out() const { return landmarks_.has_value(); }
  // ids: of a file of landmarks, where the rows have none of their own.
  void write(ConstMatrixRef rows, const std::vector<std::vector<std::string>>& text = {},
             const std::vector<std::string>& ids = {});
  void close(const Json& more);  // further fields of the object

 private:
  std::unique_ptr<TableWriter> table_;
  std::optional<OutputFile> json_;
  std::optional<PointColumns> landmarks_;
  bool first_ = true;
};

}  // namespace wgp::cli
