#include "cli/input/points.h"
#include "cli/input/channels.h"
#include "cli/input/row_order.h"
#include "cli/input/shrink_flags.h"
#include "geometry/spd_common.h"
#include "statistics/covariance_rank.h"
#include "statistics/mirror_images.h"
#include "wgp/row_form.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace wgp::cli {
namespace {

std::string forms_text(const Manifold& manifold) {
  std::string text;
  for (const auto& form : row_forms(manifold))
    text += fmt::format("{}{} ({})", text.empty() ? "" : " or ", form->width(), form->name());
  return text;
}

std::string columns_text(const std::vector<TableColumn>& columns) {
  constexpr std::size_t shown = 20;
  std::string text;
  for (std::size_t j = 0; j < std::min(shown, columns.size()); ++j)
    text += fmt::format("{}{}{}{}{}", j > 0 ? ", " : "", j + 1, columns[j].name.empty() ? "" : " ", columns[j].name,
                        columns[j].numeric ? "" : " (text)");
  return columns.size() > shown ? text + ", ..." : text;
}

// A name without its digits: p11 and p12 belong together.
std::string stem_of(const TableColumn& column) {
  std::string stem = column.name;
  std::erase_if(stem, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  return stem;
}

// Of numeric columns whose names belong together the first that are as many as one of these forms takes, else the last
// that are enough for the narrowest: what to advise. first:last, from 1.
std::string likely_columns(const std::vector<TableColumn>& columns, const std::vector<RowFormPtr>& forms,
                           Index narrowest) {
  const auto first_that_differs = [&](std::size_t from) {
    std::size_t to = from;
    while (to < columns.size() && columns[to].numeric && stem_of(columns[to]) == stem_of(columns[from])) ++to;
    return std::max(to, from + 1);
  };
  for (std::size_t first = 0, end = 0; first < columns.size(); first = end) {
    end = first_that_differs(first);
    if (columns[first].numeric && !stem_of(columns[first]).empty())
      for (const RowFormPtr& form : forms)
        if (form->width() == static_cast<Index>(end - first)) return fmt::format("{}:{}", first + 1, end);
  }
  auto end = static_cast<Index>(columns.size());
  while (end > narrowest && !std::all_of(columns.begin() + end - narrowest, columns.begin() + end,
                                         [](const TableColumn& column) { return column.numeric; }))
    --end;
  return fmt::format("{}:{}", end - narrowest + 1, end);
}

RowFormPtr form_of_width(const Manifold& manifold, const TableReader& reader, const std::string& path) {
  Index narrowest = 0;
  for (const auto& form : row_forms(manifold)) {
    if (form->width() == reader.width()) return form;
    if (narrowest == 0 || form->width() < narrowest) narrowest = form->width();
  }
  const auto columns = reader.columns();
  std::string advice;
  if (narrowest < static_cast<Index>(columns.size()))
    advice = fmt::format("; choose with --columns, e.g. --columns {}",
                         manifold.spec() == "se:3" && reader.width() == 8 && columns.front().name.empty()
                             ? "5:8,2:4 --quaternion xyzw for a TUM trajectory"
                             : likely_columns(columns, row_forms(manifold), narrowest));
  throw Error(fmt::format("{}: {} in each row, but {} takes {}; the columns are {}{}", path,
                          plural(reader.width(), "number"), manifold.spec(), forms_text(manifold),
                          columns_text(columns), advice));
}

}  // namespace

std::vector<std::string> take_ids(std::vector<std::vector<std::string>>& text, std::size_t columns) {
  std::vector<std::string> ids;
  if (columns == 0) return ids;
  const std::size_t first = text.size() - columns;
  ids = std::move(text[first]);
  for (std::size_t j = first + 1; j < text.size(); ++j)
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] += "," + text[j][i];
  text.resize(first);
  return ids;
}

ManifoldPtr manifold_from(const Arguments& arguments) {
  const std::string spec = arguments.required("manifold", "wgp manifolds lists them, wgp check INPUT guesses");
  try {
    return parse_manifold(spec);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

InputOptions input_options(const Arguments& arguments, const Manifold& manifold) {
  InputOptions options;
  options.columns = arguments.text("columns");
  options.array = arguments.text("array");
  options.tolerance = arguments.number("tolerance", manifold.default_tolerance(), 0, 1e300);
  if (arguments.has("drop-invalid")) options.invalid = InputOptions::InvalidRows::keep;
  options.input = input_flags_from(arguments);
  options.shrinkage = shrinkage_from(arguments, manifold);
  options.channels = channels_from(arguments, manifold);
  options.messages.emplace(arguments);
  return options;
}

PointTable::PointTable(const InputFiles& files, ManifoldPtr manifold, const InputOptions& options, Content content)
    : path_(files.name()), manifold_(std::move(manifold)), options_(options), content_(content) {
  TableOptions of_table;
  of_table.columns = options.columns;
  of_table.array = options.array;
  of_table.text_columns = options.text_columns;
  of_table.text_columns.insert(of_table.text_columns.end(), options.id_columns.begin(), options.id_columns.end());
  if (options.invalid == InputOptions::InvalidRows::keep) of_table.non_finite = TableOptions::NonFinite::keep;
  reader_ =
      open_input(files, of_table, options.input, manifold_.get(), options.messages ? &*options.messages : nullptr);
  image_ = dynamic_cast<const NiftiTable*>(reader_.get());
  several_ = dynamic_cast<const SeveralFiles*>(reader_.get());
  form_ = form_of_width(*manifold_, *reader_, path_);
  check_row_order(*reader_, *manifold_, *form_, path_);
  channels_ = options.channels;
  if (const auto own = reader_->channel_names(); static_cast<Index>(own.size()) == channel_count(*manifold_)) {
    check_same_channels(own, path_, channels_, options.channels_of);
    channels_ = own;
  }
}

std::string PointTable::defect_of(ConstVectorRef row, VectorRef point) const {
  const std::vector<Index> shape = reader_->shape();
  const bool landmarks = shape.size() == 2 && (shape[1] == 2 || shape[1] == 3) && shape[0] * shape[1] == row.size();
  for (Index j = 0; j < row.size(); ++j)
    if (std::isnan(row[j]) && landmarks && !reader_->names().empty())
      return fmt::format("landmark {} is missing", j / shape[1] + 1);
  if (content_ == Content::tangents) {
    for (Index j = 0; j < row.size(); ++j)
      if (!std::isfinite(row[j])) return fmt::format("not finite: {} in its number {}", row[j], j + 1);
    return "";
  }
  std::optional<double> tolerance;
  if (content_ == Content::points) tolerance = options_.tolerance;
  std::function<Vector(Vector)> treat;
  if (options_.shrinkage.by != Shrinkage::By::none)
    treat = [&](const Vector& x) {
      return as_column(shrunk(as_matrix(x, covariance_size(*manifold_)), options_.shrinkage));
    };
  const std::string defect = point_of_row(*manifold_, *form_, row, tolerance, point, treat);
  return defect.empty() ? defect : with_channels(defect, channels_);
}

bool PointTable::reflect_where_nearer(VectorRef point) const {
  if (!is_mirror_image(*manifold_, point, *options_.reflect_towards)) return false;
  point = mirrored(Vector(point), landmark_coordinates(*manifold_)).col(0).eval();
  return true;
}

bool PointTable::read(Index max_rows, PointBlock& block) {
  TableBlock table;
  if (!reader_->read(max_rows, table)) return false;
  block.first_row = table.first_row;
  block.ids = take_ids(table.text, options_.id_columns.size());
  block.text = std::move(table.text);
  block.rows = std::move(table.values);
  block.voxels = image_ != nullptr ? image_->block_voxels() : std::vector<Index>();
  block.reflected = 0;
  block.defects.assign(static_cast<std::size_t>(block.rows.cols()), "");
  block.points = Matrix::Zero(content_ == Content::tangents ? 0 : manifold_->ambient_dim(), block.rows.cols());
  for (Index i = 0; i < block.rows.cols(); ++i) {
    std::string defect = defect_of(block.rows.col(i), block.points.col(i));
    if (defect.empty()) {
      if (options_.reflect_towards) block.reflected += reflect_where_nearer(block.points.col(i));
      continue;
    }
    if (image_ != nullptr) defect = voxel_text(image_->grid(), block.voxels[static_cast<std::size_t>(i)]) + defect;
    if (several_ != nullptr) defect = several_->voxel_of(i) + defect;
    if (options_.invalid == InputOptions::InvalidRows::reject) {
      const SeveralFiles::Place at = place(block.first_row + i);
      throw_invalid_row(at.path, at.row, defect, advice_for(block.rows.col(i)));
    }
    block.points.col(i).setZero();
    block.defects[static_cast<std::size_t>(i)] = std::move(defect);
  }
  return true;
}

// What would help with this very row: a tolerance does nothing for a matrix that is not positive definite.
std::string PointTable::advice_for(ConstVectorRef row) const {
  try {
    const Vector x = form_->to_point(row);
    if (const Index n = covariance_size(*manifold_); n > 0 && options_.shrinkage.by == Shrinkage::By::none)
      if (const Index rank = covariance_rank(as_matrix(x, n)); rank > 0 && rank < n)
        return fmt::format(
            "its rank is {} of {}, all smaller eigenvalues are rounding: --shrink oas --samples N or --shrink A makes "
            "such matrices positive definite, wgp convert --rank R reduces them to R dimensions, --drop-invalid skips "
            "them; wgp check {} --manifold {} says more",
            rank, n, options_.columns.empty() ? path_ : path_ + " --columns " + options_.columns, manifold_->spec());
    constexpr double anything = 1e300;
    if (content_ == Content::points && !manifold_->defect(x, anything)) return tolerance_advice(options_);
  } catch (const Error&) {
  }
  return "--drop-invalid skips such rows";
}

std::string tolerance_advice(const InputOptions& options) {
  return fmt::format("--drop-invalid skips such rows, --tolerance T allows larger defects than {:g}",
                     options.tolerance);
}

void throw_invalid_row(const std::string& path, Index zero_based_row, const std::string& defect,
                       const std::string& advice) {
  throw Error(fmt::format("{}: row {}: {}\n({})", path, zero_based_row + 1, defect, advice));
}

void say_dropped(const PointTable& table, const std::vector<Index>& rows, const Messages& messages) {
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
    const std::string path = table.place(rows[first]).path;
    std::vector<Index> of_file;
    for (; last < rows.size() && table.place(rows[last]).path == path; ++last)
      of_file.push_back(table.place(rows[last]).row);
    messages.say("{}: {} dropped ({})", path, plural(static_cast<Index>(of_file.size()), "invalid row"),
                 row_list(of_file));
  }
}

std::vector<Index> PointBlock::valid() const {
  std::vector<Index> columns;
  for (std::size_t i = 0; i < defects.size(); ++i)
    if (defects[i].empty()) columns.push_back(static_cast<Index>(i));
  return columns;
}

void take_rows(PointBlock& block, const std::vector<Index>& valid, PointSet& set, std::vector<Index>& dropped) {
  set.file_rows += block.points.cols();
  if (static_cast<Index>(valid.size()) < block.points.cols())
    for (Index i = 0; i < block.points.cols(); ++i)
      if (!block.defects[static_cast<std::size_t>(i)].empty()) dropped.push_back(block.first_row + i);
  for (const Index i : valid) {
    const auto at = static_cast<std::size_t>(i);
    set.row_of.push_back(block.first_row + i);
    if (!block.ids.empty()) set.ids.push_back(std::move(block.ids[at]));
    for (std::size_t j = 0; j < set.text.size(); ++j) set.text[j].push_back(std::move(block.text[j][at]));
  }
}

PointSet read_points(const InputFiles& files, const ManifoldPtr& manifold, const InputOptions& options,
                     const Messages& messages, WhereTo where) {
  constexpr Index rows_at_once = 4096;
  constexpr std::size_t most_numbers = std::size_t{1} << 23;  // 64 MB
  PointTable table(files, manifold, options);
  table.check_flags();
  PointSet set;
  set.form = table.form_pointer();
  set.shape = table.shape();
  set.channels = table.channels();
  set.reader = table.reader_pointer();
  set.image = options.input.image;
  set.text.resize(options.text_columns.size());
  std::vector<double> numbers;
  std::vector<Index> dropped;
  PointBlock block;
  Index reflected = 0;
  std::shared_ptr<ColumnFile> file;
  const auto as_columns = [&] {
    const Index ambient = manifold->ambient_dim();
    return Eigen::Map<const Matrix>(numbers.data(), ambient, static_cast<Index>(numbers.size()) / ambient);
  };
  while (table.read(rows_at_once, block)) {
    if (where == WhereTo::file_if_many && (file || numbers.size() > most_numbers)) {
      if (!file) file = std::make_shared<ColumnFile>(manifold->ambient_dim());
      file->append(as_columns());
      numbers.clear();
      numbers.shrink_to_fit();
    }
    reflected += block.reflected;
    const std::vector<Index> valid = block.valid();
    for (const Index i : valid) {
      const auto point = block.points.col(i);
      numbers.insert(numbers.end(), point.begin(), point.end());
    }
    take_rows(block, valid, set, dropped);
  }
  if (file) file->append(as_columns());
  set.file = file;
  if (as_columns().cols() == 0 && !file)
    throw Error(fmt::format("{}: none of the rows is a point of {}", table.path(), manifold->spec()));
  if (reflected > 0) messages.say("{}: {} reflected", table.path(), plural(reflected, "row"));
  say_dropped(table, dropped, messages);
  if (!file) set.points = as_columns();
  return set;
}

void write_point_maps(const std::string& path, const std::string& input, const PointSet& set,
                      const std::vector<std::string>& channels, const std::string& description,
                      ConstMatrixRef numbers) {
  const NiftiTable* image = image_for_maps(path, *set.reader, input);
  NiftiMaps maps(path, image->grid(), {channels, description});
  const std::vector<Index> voxels = image->voxels();
  std::vector<Index> of_points;
  for (Index i = 0; i < numbers.cols(); ++i) of_points.push_back(voxels[static_cast<std::size_t>(set.row(i))]);
  maps.write(numbers, of_points);
  maps.close();
}

std::vector<std::string> point_names(const Manifold& manifold, const RowForm& form) {
  std::vector<std::string> names = ambient_names(manifold);
  const auto width = static_cast<std::size_t>(form.width());
  if (form.name() == row_forms(manifold).front()->name()) return names;
  if (form.name() == "quaternion") return {"w", "x", "y", "z"};
  if (form.name() == "quaternion and translation") return {"w", "x", "y", "z", "tx", "ty", "tz"};
  std::vector<std::string> chosen;
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(names.size()))));
  if (n * n == names.size() && n * (n + 1) / 2 == width) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) chosen.push_back(names[i * n + j]);
  } else {
    for (std::size_t i = 1; i <= width; ++i) chosen.push_back(fmt::format("x{}", i));
  }
  return chosen;
}

std::vector<std::string> tangent_names(const Manifold& manifold, const RowForm& form) {
  std::vector<std::string> names = point_names(manifold, form);
  for (auto& name : names) name = "v_" + name;
  return names;
}

Matrix points_to_rows(const RowForm& form, ConstMatrixRef points) {
  Matrix rows(form.width(), points.cols());
  for (Index i = 0; i < points.cols(); ++i) rows.col(i) = form.from_point(points.col(i));
  return rows;
}

}  // namespace wgp::cli
