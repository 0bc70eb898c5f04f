// Markups of 3D Slicer: control points in space, a specimen a file (.fcsv), or one for each markup in it (.mrk.json).
//
// Both say in which axes their coordinates are: LPS or RAS. x and y of RAS change their signs here, so that all files
// are in LPS, as Slicer writes them by default. Points that are not placed ("undefined", "missing") are NaN. Text
// column: labels, those of the points, with commas between.
#include <algorithm>
#include <array>
#include <limits>

#include "core/format.h"
#include "io/bytes/bounded_json.h"
#include "io/bytes/number.h"
#include "io/landmarks/landmark_reader.h"
#include "io/tables/readers.h"

namespace wgp {
namespace {

constexpr std::size_t longest_markups = std::size_t{1} << 24;
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// What x and y are multiplied with to be those of LPS.
double sign_of_axes(const std::string& system, const std::string& file) {
  if (system == "LPS" || system == "1") return 1;
  if (system == "RAS" || system == "0") return -1;
  throw Error(fmt::format("{}: coordinates in {}; LPS or RAS is needed (save the markups in one of them)", file,
                          quote_text(system)));
}

void add_point(double x, double y, double z, double sign, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), {sign * x, sign * y, z});
}

class MarkupSource final : public SpecimenSource {
 public:
  MarkupSource(const std::string& file, std::string format, std::vector<Specimen> specimens)
      : SpecimenSource(memory_bytes("", file)), format_(std::move(format)), specimens_(std::move(specimens)) {}
  std::string format() const override { return format_; }
  Index dimension() const override { return 3; }
  std::vector<std::string> text_names() const override { return {"labels"}; }
  std::optional<Index> count() const override { return static_cast<Index>(specimens_.size()); }
  bool next(Specimen& specimen) override {
    if (next_ == specimens_.size()) return false;
    specimen = std::move(specimens_[next_++]);
    return true;
  }

 private:
  std::string format_;
  std::vector<Specimen> specimens_;
  std::size_t next_ = 0;
};

std::string whole_text(ByteSource& source) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  std::string text;
  while (true) {
    const std::size_t before = text.size();
    if (before > longest_markups)
      throw Error(fmt::format("{}: more than {} MiB of markups", source.name(), longest_markups >> 20));
    text.resize(before + piece);
    const std::size_t got = source.read(text.data() + before, piece);
    text.resize(before + got);
    if (got < piece) return text;
  }
}

// ---- .mrk.json

using Json = nlohmann::ordered_json;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Specimen specimen_of(const Json& markup, std::size_t number, const std::string& file) {
  const std::string where = fmt::format("{}: markup {}", file, number);
  if (!markup.is_object()) throw Error(where + " is no object");
  const std::string type = text_of(markup, "type");
  if (type == "ROI" || type == "Plane")
    throw Error(fmt::format("{} is of type {}; fiducials, lines, angles and curves have points that are landmarks",
                            where, type));
  const auto points = markup.find("controlPoints");
  if (points == markup.end() || !points->is_array() || points->empty()) throw Error(where + " has no controlPoints");
  const std::string system = text_of(markup, "coordinateSystem");
  const double sign = sign_of_axes(system.empty() ? "LPS" : system, file);
  Specimen specimen;
  specimen.line = 1;
  std::vector<std::string> labels;
  for (const Json& point : *points) {
    labels.push_back(point.is_object() ? text_of(point, "label") : "");
    const std::string status = point.is_object() ? text_of(point, "positionStatus") : "";
    if (!status.empty() && status != "defined") {
      add_point(missing, missing, missing, 1, specimen.numbers);
      continue;
    }
    const auto position = point.is_object() ? point.find("position") : point.end();
    if (!point.is_object() || position == point.end() || !position->is_array() || position->size() != 3 ||
        !std::all_of(position->begin(), position->end(), [](const Json& one) { return one.is_number(); }))
      throw Error(fmt::format("{}: point {} has no position of three numbers", where, labels.size()));
    add_point((*position)[0].get<double>(), (*position)[1].get<double>(), (*position)[2].get<double>(), sign,
              specimen.numbers);
  }
  specimen.text = {fmt::format("{}", fmt::join(labels, ","))};
  return specimen;
}

// ---- .fcsv

constexpr std::string_view fcsv_start = "# Markups fiducial file";
constexpr std::string_view fcsv_columns = "id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID";

// The value of "# KEY = VALUE"; empty if the line is another one.
std::string_view value_of(std::string_view line, std::string_view key) {
  line = trim(line.substr(1));
  if (!line.starts_with(key)) return {};
  line = trim(line.substr(key.size()));
  return line.starts_with('=') ? trim(line.substr(1)) : std::string_view();
}

Specimen read_fcsv(LineReader& lines) {
  FieldSplitter splitter(',');
  const auto words = [&](std::string_view line) {
    std::vector<std::string> all;
    for (const auto field : splitter.split(line)) all.emplace_back(field);
    return all;
  };
  std::vector<std::string> columns = words(fcsv_columns);
  std::string system = "RAS";  // of files that do not say it
  Specimen specimen;
  std::vector<std::string> labels;
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty()) continue;
    if (line.starts_with('#')) {
      if (const auto text = value_of(line, "CoordinateSystem"); !text.empty()) system = text;
      if (const auto text = value_of(line, "columns"); !text.empty()) columns = words(text);
      continue;
    }
    if (labels.empty()) specimen.line = lines.number();
    const std::vector<std::string> fields = words(line);
    const auto field = [&](std::string_view name) -> std::string {
      const auto at = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
      return at < columns.size() && at < fields.size() ? fields[at] : "";
    };
    std::array<double, 3> point{};
    for (std::size_t j = 0; j < 3; ++j) {
      const std::string axis(1, "xyz"[j]), text = field(axis);
      const auto number = parse_number(text);
      if (!number && !is_missing(text)) lines.fail(fmt::format("{} is no coordinate {}", quote_text(text), axis));
      if (!number && text.empty()) lines.fail(fmt::format("has no coordinate {}", axis));
      point[j] = number.value_or(missing);
    }
    add_point(point[0], point[1], point[2], 1, specimen.numbers);
    labels.push_back(field("label"));
  }
  if (labels.empty()) throw Error(fmt::format("{}: has no points", lines.file()));
  const double sign = sign_of_axes(system, lines.file());
  for (std::size_t i = 0; i < specimen.numbers.size(); ++i)
    if (i % 3 < 2) specimen.numbers[i] *= sign;
  specimen.text = {fmt::format("{}", fmt::join(labels, ","))};
  return specimen;
}

}  // namespace

bool is_mrk_json(std::string_view head) {
  return first_line(head, "").starts_with('{') && head.find("\"markups\"") != std::string_view::npos;
}

std::unique_ptr<TableReader> open_mrk_json(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  const std::string file = source->name();
  const Json json = parse_bounded_json(whole_text(*source), longest_markups);
  if (json.is_discarded()) throw Error(fmt::format("{}: is not JSON, or is cut off", file));
  const auto markups = json.is_object() ? json.find("markups") : json.end();
  if (!json.is_object() || markups == json.end() || !markups->is_array() || markups->empty())
    throw Error(fmt::format("{}: has no markups", file));
  std::vector<Specimen> specimens;
  for (const Json& markup : *markups) specimens.push_back(specimen_of(markup, specimens.size() + 1, file));
  return landmark_table(std::make_unique<MarkupSource>(file, "mrk.json", std::move(specimens)), options);
}

bool is_fcsv(std::string_view head) { return first_line(head, "").starts_with(fcsv_start); }

std::unique_ptr<TableReader> open_fcsv(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  const std::string file = source->name();
  LineReader lines(std::move(source));
  std::vector<Specimen> specimens{read_fcsv(lines)};
  return landmark_table(std::make_unique<MarkupSource>(file, "fcsv", std::move(specimens)), options);
}

}  // namespace wgp
