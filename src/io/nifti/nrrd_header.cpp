#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "core/format.h"
#include "io/bytes/line_reader.h"
#include "io/bytes/number.h"
#include "io/nifti/other_headers.h"

namespace wgp {
namespace {

using NrrdFields = std::map<std::string, std::string>;

[[noreturn]] void damaged(const std::string& file, const std::string& what) {
  throw Error(fmt::format("{}: damaged NRRD header: {}", file, what));
}

// Lines "field: value" up to an empty one, or to the end of a header of its own. end: where the data start.
NrrdFields read_fields(std::string_view head, const std::string& file, std::size_t& end) {
  NrrdFields fields;
  std::size_t at = std::min(head.find('\n'), head.size());
  end = head.size();
  bool blank = false;
  while (at < head.size() && !blank) {
    ++at;
    const std::size_t stop = std::min(head.find('\n', at), head.size());
    const std::string_view line = trim(head.substr(at, stop - at));
    at = stop;
    blank = line.empty() && stop < head.size();
    if (blank) end = stop + 1;
    const auto colon = line.find(':');
    if (line.starts_with('#') || colon == std::string_view::npos || line.substr(colon).starts_with(":=")) continue;
    std::string key = to_lower(trim(line.substr(0, colon)));
    if (key == "datafile") key = "data file";
    if (!fields.emplace(key, std::string(trim(line.substr(colon + 1)))).second) damaged(file, key + " stands twice");
  }
  if (!blank && fields.count("data file") == 0)
    throw Error(fmt::format("{}: truncated: no empty line ends its NRRD header", file));
  return fields;
}

std::string field(const NrrdFields& fields, const char* key, const char* otherwise) {
  const auto found = fields.find(key);
  if (found == fields.end() && otherwise == nullptr) return "";
  return found == fields.end() ? otherwise : found->second;
}

void set_nrrd_type(const NrrdFields& fields, NiftiHeader& header, const std::string& file) {
  struct Type {
    char kind;
    std::size_t bytes;
    std::vector<std::string> names;
  };
  static const std::vector<Type> types = {
      {'f', 4, {"float"}},
      {'f', 8, {"double"}},
      {'i', 1, {"signed char", "int8", "int8_t"}},
      {'u', 1, {"uchar", "unsigned char", "uint8", "uint8_t"}},
      {'i', 2, {"short", "short int", "signed short", "signed short int", "int16", "int16_t"}},
      {'u', 2, {"ushort", "unsigned short", "unsigned short int", "uint16", "uint16_t"}},
      {'i', 4, {"int", "signed int", "int32", "int32_t"}},
      {'u', 4, {"uint", "unsigned int", "uint32", "uint32_t"}},
      {'i',
       8,
       {"longlong", "long long", "long long int", "signed long long", "signed long long int", "int64", "int64_t"}},
      {'u', 8, {"ulonglong", "unsigned long long", "unsigned long long int", "uint64", "uint64_t"}}};
  const std::string name = field(fields, "type", "");
  for (const Type& type : types)
    if (std::find(type.names.begin(), type.names.end(), name) != type.names.end()) {
      header.numbers.kind = type.kind;
      header.numbers.item = type.bytes;
      const std::string endian = to_lower(field(fields, "endian", ""));
      const std::string encoding = to_lower(field(fields, "encoding", ""));
      const bool is_text = encoding == "ascii" || encoding == "text" || encoding == "txt" || encoding == "hex";
      if (type.bytes > 1 && endian != "little" && endian != "big" && !is_text)  // text is refused below
        damaged(file, fmt::format("endian is {}; little or big is needed", quote_text(endian)));
      header.numbers.big_endian = endian == "big";
      return;
    }
  throw Error(fmt::format("{}: holds numbers of type {}; convert them to float (unu convert -t float)", file,
                          quote_text(name)));
}

// "(1,0,0)" as three numbers; nothing for "none".
using Three = std::array<double, 3>;
std::vector<std::optional<Three>> vectors_of(const std::string& text, const char* key, const std::string& file) {
  std::vector<std::optional<Three>> vectors;
  std::string_view rest = trim(text);
  while (!rest.empty()) {
    if (rest.starts_with("none")) {
      vectors.push_back(std::nullopt);
      rest = trim(rest.substr(4));
      continue;
    }
    const auto close = rest.find(')');
    if (!rest.starts_with('(') || close == std::string_view::npos)
      damaged(file, fmt::format("{}: {} is no vector", key, quote_text(rest)));
    const auto words = split_words(rest.substr(1, close - 1));
    Three vector{};
    if (words.size() != 3) damaged(file, fmt::format("{}: vectors of space have three numbers", key));
    for (std::size_t i = 0; i < 3; ++i) {
      const auto number = parse_number(words[i]);
      if (!number || !std::isfinite(*number))
        damaged(file, fmt::format("{}: {} is no number", key, quote_text(words[i])));
      vector[i] = *number;
    }
    vectors.push_back(vector);
    rest = trim(rest.substr(close + 1));
  }
  return vectors;
}

// The signs that lead from the file's space to right, anterior, superior; nothing for other spaces.
std::optional<Three> signs_of(const std::string& space) {
  const std::string name = to_lower(space);
  if (name == "right-anterior-superior" || name == "ras") return Three{1, 1, 1};
  if (name == "left-posterior-superior" || name == "lps") return Three{-1, -1, 1};
  if (name == "left-anterior-superior" || name == "las") return Three{-1, 1, 1};
  return std::nullopt;
}

// Of the axis that is not of space: its place, and what it holds.
struct ValueAxis {
  std::optional<std::size_t> place;
  std::string kind;
};

ValueAxis find_value_axis(const NrrdFields& fields, const std::vector<Index>& sizes,
                          const std::vector<std::optional<Three>>& directions, const std::string& file) {
  const std::size_t axes = sizes.size();
  ValueAxis axis;
  const std::string kinds = field(fields, "kinds", "");
  const auto words = split_words(kinds);
  if (!words.empty() && words.size() != axes) damaged(file, fmt::format("{} kinds of {} axes", words.size(), axes));
  const auto is_of_space = [&](std::size_t j) {
    const std::string kind = words.empty() ? "" : to_lower(words[j]);
    if (kind == "domain" || kind == "space") return true;
    if (!directions.empty()) return directions[j].has_value();
    return axes == 3 || (kind.empty() && axes < 4);
  };
  for (std::size_t j = 0; j < axes; ++j) {
    if (is_of_space(j)) continue;
    if (axis.place)
      throw Error(
          fmt::format("{}: several axes that are not of space{}; one axis of tensors and three of space are "
                      "needed (kinds: or space directions: say which)",
                      file, words.empty() ? ", or none that says it is" : ""));
    axis.place = j;
    axis.kind = words.empty() ? "" : to_lower(words[j]);
  }
  if (axes != (axis.place ? 4U : 3U))
    throw Error(fmt::format("{}: {} axes of space; three are needed", file, axes - (axis.place ? 1 : 0)));
  return axis;
}

using Square = Eigen::Matrix3d;

// What makes T' = A T A^T of the numbers of T: of nine row by row, or of the six of its upper triangle.
Matrix congruence(const Square& A, bool whole) {
  Matrix nine(9, 9);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j)
      for (Index k = 0; k < 3; ++k)
        for (Index l = 0; l < 3; ++l) nine(3 * i + j, 3 * k + l) = A(i, k) * A(j, l);
  if (whole) return nine;
  constexpr std::array<Index, 6> upper = {0, 1, 2, 4, 5, 8}, mirrored = {0, 3, 6, 4, 7, 8};
  Matrix six(6, 6);
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t c = 0; c < 6; ++c)
      six(static_cast<Index>(r), static_cast<Index>(c)) =
          nine(upper[r], upper[c]) + (upper[c] == mirrored[c] ? 0 : nine(upper[r], mirrored[c]));
  return six;
}

void set_tensors(const NrrdFields& fields, const ValueAxis& axis, const std::optional<Three>& signs,
                 NiftiHeader& header, const std::string& file) {
  struct Kind {
    std::string_view name;
    Index numbers;
    bool masked, whole;
  };
  constexpr std::array<Kind, 4> kinds = {{{"3d-symmetric-matrix", 6, false, false},
                                          {"3d-masked-symmetric-matrix", 7, true, false},
                                          {"3d-matrix", 9, false, true},
                                          {"3d-masked-matrix", 10, true, true}}};
  const auto* kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& one) { return one.name == axis.kind; });
  const bool has_frame = fields.count("measurement frame") > 0;
  if (kind == kinds.end()) return;
  if (header.channels != kind->numbers)
    damaged(file, fmt::format("{} numbers on an axis of the kind {}, which has {}", header.channels, axis.kind,
                              kind->numbers));
  header.masked = kind->masked;
  if (kind->masked) --header.channels;
  if (!kind->whole) header.stated_order = TensorOrder::fsl;
  header.stated_by = fmt::format("the kind of its axis ({}) says", axis.kind);
  if (!has_frame) {
    header.notes.push_back("it says no measurement frame; its tensors are taken as they stand");
    return;
  }
  const std::string frame = field(fields, "measurement frame", "");
  const auto columns = vectors_of(frame, "measurement frame", file);
  if (columns.size() != 3 || std::any_of(columns.begin(), columns.end(), [](const auto& one) { return !one; }))
    damaged(file, "the measurement frame must have three vectors");
  Square A;
  for (Index c = 0; c < 3; ++c)
    for (Index r = 0; r < 3; ++r)
      A(r, c) = (*columns[static_cast<std::size_t>(c)])[static_cast<std::size_t>(r)] *
                (signs ? (*signs)[static_cast<std::size_t>(r)] : 1);
  const Square G = A.transpose() * A;
  if (!((G - Square::Identity()).norm() <= 1e-3))
    throw Error(fmt::format("{}: its measurement frame is no rotation; which tensors are meant is not clear", file));
  header.mix = congruence(A, kind->whole);
  header.notes.push_back(signs ? "tensors are turned by its measurement frame, to right, anterior, superior"
                               : "tensors are turned by its measurement frame");
}

void set_place(const NrrdFields& fields, const ValueAxis& axis, const std::vector<std::optional<Three>>& directions,
               const std::optional<Three>& signs, NiftiGrid& grid, const std::string& file) {
  grid.units = 2;  // mm
  if (directions.empty()) {
    const std::string spacings = field(fields, "spacings", "");
    const auto words = split_words(spacings);
    std::size_t at = 1;
    for (std::size_t j = 0; j < words.size() && at < 4; ++j) {
      if (axis.place && j == *axis.place) continue;
      grid.pixdim[at++] = parse_number(words[j]).value_or(1);
    }
    return;
  }
  const auto origin = vectors_of(field(fields, "space origin", "(0,0,0)"), "space origin", file);
  if (origin.size() != 1 || !origin[0]) damaged(file, "space origin is no vector");
  grid.sform_code = signs ? 1 : 0;
  std::size_t column = 0;
  for (std::size_t j = 0; j < directions.size(); ++j) {
    if (axis.place && j == *axis.place) continue;
    if (!directions[j]) damaged(file, "an axis of space has no direction");
    const Three& d = *directions[j];
    grid.pixdim[column + 1] = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (std::size_t row = 0; row < 3; ++row) grid.affine[4 * row + column] = d[row] * (signs ? (*signs)[row] : 1);
    ++column;
  }
  for (std::size_t row = 0; row < 3; ++row) grid.affine[4 * row + 3] = (*origin[0])[row] * (signs ? (*signs)[row] : 1);
}

}  // namespace

bool is_nrrd(std::string_view head) { return head.size() > 8 && head.starts_with("NRRD000"); }

NiftiHeader parse_nrrd_header(std::string_view head, const std::string& file, NrrdData& data) {
  std::size_t end = 0;
  const NrrdFields fields = read_fields(head, file, end);
  NiftiHeader header;
  header.format = "nrrd";
  header.layout.emplace();
  set_nrrd_type(fields, header, file);
  std::vector<Index> sizes;
  const std::string of_sizes = field(fields, "sizes", "");
  for (const auto word : split_words(of_sizes)) sizes.push_back(parse_count(word).value_or(0));
  const auto dimension = parse_count(field(fields, "dimension", ""));
  if (!dimension || *dimension != static_cast<Index>(sizes.size()))
    damaged(file,
            fmt::format("{} sizes, but dimension: is {}", sizes.size(), quote_text(field(fields, "dimension", ""))));
  const auto directions = vectors_of(field(fields, "space directions", ""), "space directions", file);
  if (!directions.empty() && directions.size() != sizes.size())
    damaged(file, fmt::format("{} space directions of {} axes", directions.size(), sizes.size()));
  const ValueAxis axis = find_value_axis(fields, sizes, directions, file);
  const std::optional<Three> signs = signs_of(field(fields, "space", ""));

  // x, y, z are the axes of space in their order, wherever the other one stands.
  std::vector<Index> ordered;
  for (std::size_t j = 0; j < sizes.size(); ++j)
    if (!axis.place || j != *axis.place) ordered.push_back(sizes[j]);
  if (axis.place) ordered.push_back(sizes[*axis.place]);
  check_image_size(ordered, header, file);
  std::int64_t step = 1;
  std::size_t of_space = 0;
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    if (axis.place && j == *axis.place)
      header.layout->channel_step = step;
    else
      header.layout->step[of_space++] = step;
    step *= sizes[j];
  }
  set_tensors(fields, axis, signs, header, file);
  set_place(fields, axis, directions, signs, header.grid, file);
  header.grid.doubles = header.numbers.kind == 'f' && header.numbers.item == 8;

  const std::string encoding = to_lower(field(fields, "encoding", ""));
  data.packed = encoding == "gzip" || encoding == "gz";
  if (encoding != "raw" && !data.packed)
    throw Error(fmt::format("{}: its numbers are encoded as {}; save them as raw or gzip (unu save -f nrrd -e gzip)",
                            file, quote_text(encoding)));
  if (field(fields, "line skip", "0") != "0")
    throw Error(fmt::format("{}: line skip: is not read; save it anew", file));
  data.file = field(fields, "data file", "");
  if (data.file.find('%') != std::string::npos || data.file.starts_with("LIST"))
    throw Error(fmt::format("{}: its numbers are in several files; save them in one (unu save -f nrrd)", file));
  const std::string skip = field(fields, "byte skip", "0");
  data.at_end = skip == "-1" && !data.packed;
  const auto skipped = data.at_end ? Index{0} : parse_count(skip);
  if (!skipped || (data.packed && *skipped != 0)) damaged(file, "byte skip: " + quote_text(skip));
  header.data_start = (data.file.empty() && !data.packed ? end : 0) + static_cast<std::uint64_t>(*skipped);
  header.header_end = end;
  return header;
}

}  // namespace wgp
