#include "cli/input/point_ids.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "cli/input/fit_flags.h"
#include "cli/input/label_file.h"
#include "cli/input/mirror_images.h"
#include "cli/input/shrink_flags.h"
#include "io/bytes/line_reader.h"
#include "io/bytes/number.h"

namespace wgp::cli {
namespace {

const std::vector<std::string> voxel_columns = {"i", "j", "k"};

bool is_image(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored) && is_nifti_file(path);
}

// The columns of a file that can be opened twice; none if it cannot be opened at all, which its reader will say.
// text: a column that is to be read as text, or none.
std::vector<TableColumn> columns_of(const Arguments& arguments, const InputFiles& files, const std::string& selection,
                                    const std::string& text = "") {
  std::error_code ignored;
  if (files.first() == "-" || !std::filesystem::is_regular_file(files.first(), ignored)) return {};
  TableOptions options;
  options.columns = selection;
  options.array = arguments.text("array");
  if (!text.empty()) options.text_columns = {text};
  options.non_finite = TableOptions::NonFinite::keep;
  try {
    return open_input(files, options, input_flags_from(arguments), nullptr, nullptr)->columns();
  } catch (const std::exception&) {
    return {};
  }
}

bool is_number(const std::string& column) { return column.find_first_not_of("0123456789") == std::string::npos; }

// By name or number.
bool has_columns(const std::vector<TableColumn>& columns, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
    return is_number(one) ? std::stoul(one) <= columns.size()
                          : std::any_of(columns.begin(), columns.end(),
                                        [&](const TableColumn& column) { return column.name == one; });
  });
}

// What --columns would have to be to choose the same: by names where they have any that can be told apart, else by
// numbers.
std::string selection_of(const TableReader& reader) {
  const std::vector<TableColumn> columns = reader.columns();
  std::vector<std::string> names, numbers;
  std::set<std::string> different;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (!columns[j].selected) continue;
    names.push_back(columns[j].name);
    numbers.push_back(std::to_string(j + 1));
    if (!is_number(columns[j].name) && columns[j].name.find_first_of(",:\"") == std::string::npos)
      different.insert(columns[j].name);
  }
  return fmt::format("{}", fmt::join(different.size() == names.size() ? names : numbers, ","));
}

// The first two that are the same, or {0, 0}.
std::pair<std::size_t, std::size_t> same_ids(const std::vector<std::string>& ids) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (const auto [before, fresh] = seen.emplace(ids[i], i); !fresh) return {before->second, i};
  return {0, 0};
}

bool are_ids(const std::vector<std::string>& ids) {
  return !ids.empty() && same_ids(ids).second == 0 &&
         std::none_of(ids.begin(), ids.end(), [](const std::string& id) { return is_missing(id); });
}

template <class T>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<Index>& which) {
  std::vector<T> some;
  for (const Index i : which) some.push_back(all[static_cast<std::size_t>(i)]);
  return some;
}

// A column's own name where it was given by number.
std::string name_of_column(const TableReader& reader, const std::string& column) {
  if (!is_number(column)) return column;
  const auto columns = reader.columns();
  const auto at = static_cast<std::size_t>(std::stoul(column));
  return at >= 1 && at <= columns.size() && !columns[at - 1].name.empty() ? columns[at - 1].name : column;
}

// ---- joining: for each point of the model the row of the table that is its own

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw Error(
      fmt::format("{}: its rows cannot be matched with the model's points: {}. wgp fit --id COL keeps ids in a model; "
                  "--by-row takes the rows in the order of the points",
                  file, why));
}

// As the fit has read it, but for what the command line says.
InputOptions reading_of_data(const Arguments& arguments, const LoadedModel& loaded) {
  InputOptions reading;
  reading.columns = arguments.text("columns", loaded.notes.columns);
  reading.array = arguments.text("array");
  reading.input = input_flags_from(arguments);
  reading.shrinkage = arguments.has("shrink") ? shrinkage_from(arguments, loaded.model.manifold())
                                              : shrinkage_of(loaded.notes.shrink, loaded.notes.samples);
  if (loaded.notes.reflected && !loaded.model.lift().is_embedded())
    reading.reflect_towards = mirror_reference(loaded.model);
  reading.channels = loaded.notes.channels;
  reading.channels_of = "the model";
  return reading;
}

std::vector<Index> rows_by_ids(const std::vector<std::string>& ids, const std::vector<std::string>& of_table,
                               const std::string& file, const std::string& column) {
  std::map<std::string, Index> rows;
  std::set<std::string> twice;
  for (std::size_t i = 0; i < of_table.size(); ++i)
    if (!rows.emplace(of_table[i], static_cast<Index>(i)).second) twice.insert(of_table[i]);
  std::vector<Index> found;
  std::vector<std::string> missing;
  for (const std::string& id : ids) {
    if (twice.count(id) > 0)
      throw Error(
          fmt::format("{}: several rows have the {} {}; an id is one row's alone", file, column, quote_text(id)));
    const auto row = rows.find(id);
    if (row == rows.end())
      missing.push_back(id);
    else
      found.push_back(row->second);
  }
  if (!missing.empty())
    throw Error(fmt::format("{}: no row has the {} {}{}, which the model holds", file, column,
                            quote_text(missing.front()),
                            missing.size() == 1 ? "" : fmt::format(" (nor {} others)", missing.size() - 1)));
  return found;
}

// Each point is looked for among the rows with nearly the same first number. Rows that are equal points are taken in
// their order.
std::vector<Index> rows_by_points(ConstMatrixRef points, ConstMatrixRef of_table, const std::string& file) {
  const auto close = [&](Index point, Index row) {
    return (points.col(point) - of_table.col(row)).norm() <= 1e-9 * points.col(point).norm();
  };
  std::vector<Index> order(static_cast<std::size_t>(of_table.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return of_table(0, a) < of_table(0, b); });
  std::vector<bool> used(order.size());
  std::vector<Index> found;
  for (Index i = 0; i < points.cols(); ++i) {
    const double slack = 1e-9 * points.col(i).norm();
    auto at = std::lower_bound(order.begin(), order.end(), points(0, i) - slack,
                               [&](Index row, double value) { return of_table(0, row) < value; });
    Index best = -1;
    for (; at != order.end() && of_table(0, *at) <= points(0, i) + slack; ++at)
      if (!used[static_cast<std::size_t>(*at)] && close(i, *at) && (best < 0 || *at < best)) best = *at;
    if (best < 0) refuse(file, fmt::format("the model holds no ids, and its point {} is none of the rows", i + 1));
    used[static_cast<std::size_t>(best)] = true;
    found.push_back(best);
  }
  return found;
}

// All rows of the table that the model was fitted to, or just those of its points.
std::vector<Index> rows_in_order(const LoadedModel& loaded, Index rows, const std::string& file) {
  const Index N = loaded.model.parts().X.cols();
  const std::vector<Index>& known = loaded.notes.rows;
  if (!known.empty() && rows > known.back()) return known;
  if (rows != N)
    throw Error(
        fmt::format("{}: {}, but the model was fitted to {}; give the table it was fitted to, without the rows "
                    "that were dropped",
                    file, plural(rows, "row"), plural(N, "point")));
  std::vector<Index> all(static_cast<std::size_t>(N));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

std::vector<std::string> labels_by_points(const Arguments& arguments, const InputFiles& files,
                                          const std::string& column, const LoadedModel& loaded,
                                          const std::string& file) {
  if (!loaded.model.parts().has_points()) refuse(file, "the model holds neither ids nor points");
  InputOptions reading = reading_of_data(arguments, loaded);
  reading.text_columns = {column};
  reading.tolerance = 1e300;  // what the fit forgave is not known; a row that is none of its points is not found
  reading.invalid = InputOptions::InvalidRows::keep;
  PointSet set;
  try {
    set = read_points(files, loaded.model.parts().manifold, reading, Messages(arguments));
  } catch (const Error& error) {
    refuse(file, fmt::format("the model holds no ids, and the points themselves are not there ({})", error.what()));
  }
  if (set.text.empty()) refuse(file, "it has no column of labels");
  return chosen(set.text[0], rows_by_points(loaded.model.parts().P, set.points, file));
}

}  // namespace

std::vector<std::string> id_columns_of(const Arguments& arguments, const InputFiles& files) {
  if (arguments.has("id")) return split_list(arguments.text("id"));
  if (is_image(files.first())) return voxel_columns;
  for (const TableColumn& column : columns_of(arguments, files, arguments.text("columns"))) {
    const std::string name = to_lower(column.name);
    if ((name == "id" || name == "name") && !(column.selected && column.numeric)) return {column.name};
  }
  return {};
}

std::vector<std::string> shared_id_columns(const Arguments& arguments, const std::string& path,
                                           const std::vector<std::string>& id_columns) {
  const bool by_name = !id_columns.empty() && std::none_of(id_columns.begin(), id_columns.end(), is_number);
  return by_name && has_columns(columns_of(arguments, path, ""), id_columns) ? id_columns : std::vector<std::string>();
}

void check_same_ids(const std::vector<std::string>& ids, const std::string& path, const PointSet& set,
                    const std::string& input) {
  if (ids.empty() || set.ids.empty()) return;
  for (std::size_t i = 0; i < set.ids.size(); ++i) {
    const auto row = static_cast<std::size_t>(set.row_of[i]);
    if (ids[row] != set.ids[i])
      throw Error(fmt::format("{} and {} go side by side, but row {} is {} in one and {} in the other; sort them alike",
                              path, input, row + 1, quote_text(ids[row]), quote_text(set.ids[i])));
  }
}

void qualify_ids(const Arguments& arguments, PointSet& set, std::vector<std::string>& id_columns) {
  const auto* several = dynamic_cast<const SeveralFiles*>(set.reader.get());
  if (several == nullptr || arguments.has("id") || set.ids.empty() || same_ids(set.ids).second == 0) return;
  for (std::size_t i = 0; i < set.ids.size(); ++i) set.ids[i] = several->place(set.row_of[i]).path + "," + set.ids[i];
  id_columns.insert(id_columns.begin(), file_column);
}

void check_ids(const Arguments& arguments, const PointSet& set) {
  if (!arguments.has("id") || are_ids(set.ids)) return;
  const auto [a, b] = same_ids(set.ids);
  const auto* several = dynamic_cast<const SeveralFiles*>(set.reader.get());
  if (several != nullptr && b > 0) {
    const SeveralFiles::Place of_a = several->place(set.row_of[a]), of_b = several->place(set.row_of[b]);
    throw Error(
        fmt::format("--id {}: row {} of {} and row {} of {} have the same id {}; --id {},{} puts the file before it",
                    arguments.text("id"), of_a.row + 1, of_a.path, of_b.row + 1, of_b.path, quote_text(set.ids[a]),
                    file_column, arguments.text("id")));
  }
  throw Error(b > 0 ? fmt::format("--id {}: rows {} and {} have the same id {}", arguments.text("id"),
                                  set.row_of[a] + 1, set.row_of[b] + 1, quote_text(set.ids[a]))
                    : fmt::format("--id {}: some row has none", arguments.text("id")));
}

void note_points(const Arguments& arguments, const PointSet& set, const std::vector<std::string>& id_columns,
                 const std::vector<Index>& training, ModelNotes& notes) {
  std::vector<Index> which = training;
  if (which.empty()) {
    which.resize(static_cast<std::size_t>(set.count()));
    std::iota(which.begin(), which.end(), Index{0});
  }
  notes.columns = arguments.has("columns") ? arguments.text("columns") : selection_of(*set.reader);
  std::vector<Index> rows;
  for (const Index point : which) rows.push_back(set.row(point));
  if (rows.back() + 1 != static_cast<Index>(rows.size()) || static_cast<Index>(rows.size()) != set.file_rows)
    notes.rows = rows;
  std::vector<std::string> ids = set.ids.empty() ? set.ids : chosen(set.ids, which);
  std::string column = fmt::format("{}", fmt::join(id_columns, ","));
  if (!are_ids(ids) && !set.text.empty() && !label_file(arguments.text("labels"))) {
    ids = chosen(set.text[0], which);
    column = arguments.text("labels");
  }
  if (!are_ids(ids)) return;
  notes.ids = ids;
  notes.id_column = name_of_column(*set.reader, column);
}

std::vector<std::string> joined_labels(const Arguments& arguments, const InputFiles& files, const std::string& column,
                                       const LoadedModel& loaded) {
  const std::string file = files.name();
  const bool by_row = arguments.has("by-row");
  if (by_row && arguments.has("id")) throw UsageError("--id joins by ids, --by-row by rows: one of the two");
  if (arguments.has("id") && loaded.notes.ids.empty())
    throw UsageError("--id: the model holds no ids; wgp fit --id COL keeps them");
  std::vector<std::string> ids = split_list(arguments.text("id", loaded.notes.id_column));
  if (by_row || loaded.notes.ids.empty()) ids.clear();
  if (!ids.empty() && !arguments.has("id")) {
    const std::vector<TableColumn> columns = columns_of(arguments, files, "", column);
    if (!columns.empty() && !has_columns(columns, ids)) ids.clear();  // the points may be there
  }
  if (ids.empty() && !by_row) return labels_by_points(arguments, files, column, loaded, file);
  TableOptions options;
  options.array = arguments.text("array");
  options.text_columns = {column};
  options.text_columns.insert(options.text_columns.end(), ids.begin(), ids.end());
  options.non_finite = TableOptions::NonFinite::keep;  // the other columns may hold what they like
  TableBlock table = read_rest(*open_input(files, options, input_flags_from(arguments), nullptr, nullptr));
  const std::vector<std::string> of_table = take_ids(table.text, ids.size());
  const std::vector<std::string>& labels = table.text.at(0);
  return chosen(labels, by_row ? rows_in_order(loaded, static_cast<Index>(labels.size()), file)
                               : rows_by_ids(loaded.notes.ids, of_table, file, fmt::format("{}", fmt::join(ids, ","))));
}

FoundPoints points_of(const Arguments& arguments, const InputFiles& files, const std::string& label_column,
                      const LoadedModel& loaded, const Messages& messages) {
  const std::string file = files.name();
  if (arguments.has("by-row") && arguments.has("id"))
    throw UsageError("--id joins by ids, --by-row by rows: one of the two");
  if (arguments.has("id") && loaded.notes.ids.empty())
    throw UsageError("--id: the model holds no ids; wgp fit --id COL keeps them");
  InputOptions reading = reading_of_data(arguments, loaded);
  if (!label_column.empty()) reading.text_columns = {label_column};
  reading.tolerance = 1e300;  // what the fit forgave is not known
  reading.invalid = InputOptions::InvalidRows::keep;
  if (!loaded.notes.ids.empty() && !arguments.has("by-row")) {
    const std::vector<std::string> ids = split_list(arguments.text("id", loaded.notes.id_column));
    const std::vector<TableColumn> columns = columns_of(arguments, files, "", "");
    if (arguments.has("id") || columns.empty() || has_columns(columns, ids)) reading.id_columns = ids;
  }
  const PointSet set = read_points(files, loaded.model.parts().manifold, reading, messages, WhereTo::file_if_many);
  std::vector<Index> which;  // of the set
  if (!set.ids.empty()) {
    which = rows_by_ids(loaded.notes.ids, set.ids, file, fmt::format("{}", fmt::join(reading.id_columns, ",")));
  } else {
    for (const Index row : rows_in_order(loaded, set.file_rows, file)) {
      const auto at = std::lower_bound(set.row_of.begin(), set.row_of.end(), row);
      if (at == set.row_of.end() || *at != row)
        throw Error(
            fmt::format("{}: row {} is no point, but one of those that the model was fitted to", file, row + 1));
      which.push_back(at - set.row_of.begin());
    }
  }
  FoundPoints found;
  found.points = set.file ? set.file->gathered(which) : Matrix(set.points(Eigen::all, which));
  if (!label_column.empty()) {
    if (set.text.empty()) refuse(file, "it has no column of labels");
    found.labels = chosen(set.text[0], which);
  }
  return found;
}

}  // namespace wgp::cli
