#include "cli/output/model_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/tables/formats.h"
#include "wgp/row_form.h"

namespace wgp::cli {

void check_standard_input(const std::vector<std::string>& paths) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) throw UsageError("standard input (-) can be read once only");
}

Encoder encoder_from(const Arguments& arguments, const std::string& otherwise) {
  const std::string name = arguments.choice("encoder", otherwise, {"density", "projection"});
  return name == "density" ? Encoder::density : Encoder::projection;
}

Encoder encoder_from(const Arguments& arguments, const LoadedModel& loaded) {
  return encoder_from(arguments, loaded.notes.encoder.empty() ? "density" : loaded.notes.encoder);
}

RowFormPtr form_of(const LoadedModel& loaded) {
  const auto forms = row_forms(loaded.model.manifold());
  if (loaded.model.on_manifold())
    for (const auto& form : forms)
      if (form->name() == loaded.notes.row_form) return form;
  return forms.front();
}

LatentTable::LatentTable(const std::string& path, const std::string& columns, Index q, Gaps gaps,
                         const TableFlags& flags)
    : path_(path == "-" ? "standard input" : path), gaps_(gaps) {
  TableOptions options;
  options.columns = columns;
  options.decimal = flags.decimal;
  options.non_finite = TableOptions::NonFinite::keep;  // other columns may hold what they like
  if (is_nifti_file(path)) {
    NiftiOptions image;
    image.table = options;
    image.content = NiftiOptions::Content::channels;
    auto table = open_nifti(open_bytes(nifti_header_path(path)), image);
    image_ = table.get();
    reader_ = std::move(table);
  } else {
    reader_ = open_table(path, options);
  }
  if (!flags.rows.all()) reader_ = std::make_unique<ChosenRows>(std::move(reader_), path_, flags.rows);
  const std::vector<std::string> names = reader_->names();
  for (Index j = 0; j < q; ++j) {
    if (reader_->width() == q) {
      chosen_.push_back(j);
      continue;
    }
    const auto found = std::find(names.begin(), names.end(), fmt::format("x{}", j + 1));
    if (found == names.end())
      throw Error(fmt::format("{}: {} in each row, but the model has {}; choose with --columns, e.g. --columns 1:{}",
                              path_, plural(reader_->width(), "number"), plural(q, "latent coordinate"), q));
    chosen_.push_back(found - names.begin());
  }
}

bool LatentTable::read(Index max_rows, Matrix& X) {
  TableBlock block;
  if (!reader_->read(max_rows, block)) return false;
  X = block.values(chosen_, Eigen::all);
  if (image_ != nullptr) {
    voxels_ = image_->block_voxels();
    std::vector<Index> known;
    for (Index i = 0; i < X.cols(); ++i)
      if (!X.col(i).array().isNaN().all()) known.push_back(i);
    if (gaps_ == Gaps::kept) return true;
    X = Matrix(X(Eigen::all, known));
    for (std::size_t k = 0; k < known.size(); ++k) voxels_[k] = voxels_[static_cast<std::size_t>(known[k])];
    voxels_.resize(known.size());
  }
  for (Index i = 0; i < X.cols(); ++i)
    for (Index j = 0; j < X.rows(); ++j)
      if (!std::isfinite(X(j, i)))
        throw Error(fmt::format("{}: row {}: not finite: {} as latent coordinate {}", path_,
                                place_of(*reader_, path_, block.first_row + i).row + 1, X(j, i), j + 1));
  return true;
}

Matrix latents_of_rows(const Arguments& arguments, Index q, const PointSet& set, const std::string& input) {
  LatentTable table(arguments.text("at"), "", q, LatentTable::Gaps::kept, table_flags_from(arguments));
  check_same_voxels({table.reader(), table.path()}, {*set.reader, input}, set.image);
  const Matrix X = table.read_all();
  if (X.cols() != set.file_rows)
    throw Error(fmt::format("{} has {}, but {} has {}; they must match", table.path(), plural(X.cols(), "row"), input,
                            plural(set.file_rows, "row")));
  return X(Eigen::all, set.row_of);
}

Matrix LatentTable::read_all() {
  const auto q = static_cast<Index>(chosen_.size());
  Matrix X;
  std::vector<double> numbers;
  while (read(model_rows_at_once, X)) numbers.insert(numbers.end(), X.data(), X.data() + X.size());
  return Eigen::Map<const Matrix>(numbers.data(), q, static_cast<Index>(numbers.size()) / q);
}

void PointStatus::add(const ExpReport& report, MatrixRef rows, Index first) {
  std::vector<bool> lost(static_cast<std::size_t>(rows.cols()));
  for (const Index i : report.outside_domain) lost[static_cast<std::size_t>(i)] = true;
  for (Index i = 0; i < rows.cols(); ++i, ++rows_) {
    auto numbers = rows.col(i).tail(rows.rows() - first);
    const bool none = lost[static_cast<std::size_t>(i)] || !numbers.allFinite();
    if (none) {
      numbers.setConstant(std::numeric_limits<double>::quiet_NaN());
      outside_.add(rows_);
    }
    if (json_) status_.push_back(none ? LogStatus::outside_domain : LogStatus::ok);
  }
}

void PointStatus::add_to(Json& more) const {
  more["outside_domain"] = outside_.count;
  more["status"] = Json::array();
  for (const LogStatus status : status_) more["status"].push_back(to_string(status));
}

void PointStatus::say(const Messages& messages) const {
  if (outside_.count > 0)
    messages.say("{} outside the domain: the prediction there is no point ({})", plural(outside_.count, "row"),
                 row_list(outside_.first));
}

DecodedRows::DecodedRows(const LoadedModel& loaded)
    : form_(form_of(loaded)), columns_(point_names(loaded.model.manifold(), *form_)) {
  columns_.emplace_back("sd");
  for (const int percent : {50, 80, 90, 95})
    if (const auto radius = loaded.model.conformal_radius(percent / 100.0)) {
      radii_.push_back(*radius);
      columns_.push_back(fmt::format("radius{}", percent));
    }
}

Matrix DecodedRows::rows(const Prediction& prediction) const {
  Matrix rows(static_cast<Index>(columns_.size()), prediction.points.cols());
  rows.topRows(form_->width()) = points_to_rows(*form_, prediction.points);
  rows.row(form_->width()) = (prediction.variance.array() + prediction.noise).sqrt().transpose();
  return rows;
}

void DecodedRows::add_radii(MatrixRef rows) const {
  for (std::size_t k = 0; k < radii_.size(); ++k)
    rows.row(form_->width() + 1 + static_cast<Index>(k)).setConstant(radii_[k]);
}

namespace {

bool is_landmark_file(const std::string& path) { return format_to_write(path).name == "tps"; }

[[noreturn]] void refuse_landmark_file(const std::string& path, const std::string& name) {
  throw UsageError(
      fmt::format("--output {}: TPS holds landmarks, and has no place for {}; write .csv or .npy", path, name));
}

}  // namespace

std::unique_ptr<TableWriter> create_number_table(const std::string& path, const std::vector<std::string>& names) {
  if (is_landmark_file(path)) refuse_landmark_file(path, names.front());
  return create_table(path, names);
}

RowOutput::RowOutput(const Arguments& arguments, const std::vector<std::string>& names,
                     const std::vector<std::string>& text_names, std::optional<PointColumns> points) {
  std::vector<std::string> all = names;
  all.insert(all.end(), text_names.begin(), text_names.end());
  if (arguments.has("output") || !arguments.has("json")) {
    if (!text_names.empty() && arguments.text("output").ends_with(".npy"))
      throw UsageError(fmt::format("--output {}: NPY has no place for the text column {}; write .csv or .tsv",
                                   arguments.text("output"), text_names.front()));
    if (!is_landmark_file(arguments.text("output"))) {
      table_ = create_table(arguments.text("output"), all);
    } else {
      if (!points) refuse_landmark_file(arguments.text("output"), names.front());
      landmarks_ = points;
      const auto first = names.begin() + points->first;
      std::vector<std::string> of_points(first, first + points->count);
      of_points.emplace_back("id");
      table_ = create_table(arguments.text("output"), of_points);
    }
  }
  if (arguments.has("json")) {
    json_.emplace("-");
    json_->write(fmt::format("{{\"columns\":{},\"rows\":[", Json(all).dump()));
  }
}

void RowOutput::write(ConstMatrixRef rows, const std::vector<std::vector<std::string>>& text,
                      const std::vector<std::string>& ids) {
  if (table_ && !landmarks_) table_->write(rows, text);
  if (table_ && landmarks_) {
    const auto points = rows.middleRows(landmarks_->first, landmarks_->count);
    if (ids.empty())
      table_->write(points);
    else
      table_->write(points, {ids});
  }
  if (!json_) return;
  for (Index i = 0; i < rows.cols(); ++i) {
    Json row = to_json(rows.col(i));
    for (const auto& column : text) row.push_back(column[static_cast<std::size_t>(i)]);
    json_->write((first_ ? "" : ",") + row.dump(-1, ' ', false, Json::error_handler_t::replace));
    first_ = false;
  }
}

void RowOutput::close(const Json& more) {
  if (table_) table_->close();
  if (!json_) return;
  const std::string rest = more.dump();  // "{...}": its opening brace becomes the comma
  json_->write("]" + (more.empty() ? "}" : "," + rest.substr(1)) + "\n");
  json_->commit();
}

}  // namespace wgp::cli
