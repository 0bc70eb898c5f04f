#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/format.h"
#include "io/bytes/line_reader.h"
#include "io/bytes/number.h"
#include "io/nifti/other_headers.h"

namespace wgp {
namespace {

constexpr std::string_view mif_magic = "mrtrix image";

struct MifText {
  std::size_t end = 0;  // of the header
  std::vector<Index> sizes;
  std::vector<double> edges;
  std::vector<std::string> layout;
  std::vector<double> transform, scaling;
  std::string type, place;
};

std::vector<double> numbers_of(std::string_view text, const std::string& what, const std::string& file) {
  std::vector<double> numbers;
  for (const auto word : split_words(text)) {
    const auto number = parse_number(word);
    if (!number)
      throw Error(fmt::format("{}: damaged MRtrix header: {}: {} is no number", file, what, quote_text(word)));
    numbers.push_back(*number);
  }
  return numbers;
}

MifText read_text(std::string_view head, const std::string& file) {
  MifText text;
  bool ended = false;
  std::size_t at = std::min(head.find('\n'), head.size());
  while (!ended && at < head.size()) {
    const std::size_t end = head.find('\n', at + 1);
    if (end == std::string_view::npos) break;
    const std::string_view line = trim(head.substr(at + 1, end - at - 1));
    at = end;
    ended = line == "END";
    if (ended) text.end = end + 1;
    const auto colon = line.find(':');
    if (ended || colon == std::string_view::npos) continue;
    const std::string key = to_lower(trim(line.substr(0, colon)));
    const std::string_view value = trim(line.substr(colon + 1));
    if (key == "dim") {
      for (const auto word : split_words(value)) text.sizes.push_back(parse_count(word).value_or(0));
    } else if (key == "vox") {
      // Axes that are not of space have no length, which is nan.
      for (const auto word : split_words(value)) text.edges.push_back(parse_number(word).value_or(1));
    } else if (key == "layout") {
      for (const auto word : split_words(value)) text.layout.emplace_back(word);
    } else if (key == "transform") {
      const auto row = numbers_of(value, key, file);
      text.transform.insert(text.transform.end(), row.begin(), row.end());
    } else if (key == "scaling") {
      text.scaling = numbers_of(value, key, file);
    } else if (key == "datatype") {
      text.type = value;
    } else if (key == "file") {
      text.place = value;
    }
  }
  if (!ended)
    throw Error(fmt::format("{}: truncated: its MRtrix header has no END{}", file,
                            head.size() < longest_text_header ? "" : " within a megabyte"));
  return text;
}

void set_mif_type(const std::string& type, NiftiHeader& header, const std::string& file) {
  std::string name = type;
  header.numbers.big_endian = std::endian::native == std::endian::big;
  if (name.ends_with("LE") || name.ends_with("BE")) {
    header.numbers.big_endian = name.ends_with("BE");
    name.resize(name.size() - 2);
  }
  struct Type {
    std::string_view name;
    char kind;
    std::size_t bytes;
  };
  constexpr std::array<Type, 11> types = {{{"Float32", 'f', 4},
                                           {"Float64", 'f', 8},
                                           {"Int8", 'i', 1},
                                           {"UInt8", 'u', 1},
                                           {"Int16", 'i', 2},
                                           {"UInt16", 'u', 2},
                                           {"Int32", 'i', 4},
                                           {"UInt32", 'u', 4},
                                           {"Int64", 'i', 8},
                                           {"UInt64", 'u', 8},
                                           {"Bit", 'u', 1}}};
  const auto* found = std::find_if(types.begin(), types.end(), [&](const Type& one) { return one.name == name; });
  if (found == types.end())
    throw Error(fmt::format("{}: holds numbers of type {}; convert it with mrconvert -datatype float32", file,
                            quote_text(type)));
  header.numbers.kind = found->kind;
  header.numbers.item = found->bytes;
  header.layout->bits = name == "Bit";
}

// The distance between neighbours on each axis, from the ranks and signs of the layout: "-0,-1,+2,+3".
// One axis behind those of space counts the channels; all others have the length 1.
void set_layout(const MifText& text, NiftiHeader& header, const std::string& file) {
  const std::size_t axes = text.sizes.size();
  std::vector<std::size_t> rank(axes);
  std::vector<bool> turned(axes), seen(axes);
  const auto wrong = [&] {
    return Error(fmt::format("{}: damaged MRtrix header: layout {} of {} axes", file,
                             quote_text(fmt::format("{}", fmt::join(text.layout, ","))), axes));
  };
  if (text.layout.size() != axes) throw wrong();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::string_view word = text.layout[axis];
    turned[axis] = word.starts_with('-');
    if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
    const auto place = parse_count(word);
    if (!place || *place >= static_cast<Index>(axes) || seen[static_cast<std::size_t>(*place)]) throw wrong();
    seen[static_cast<std::size_t>(*place)] = true;
    rank[static_cast<std::size_t>(*place)] = axis;
  }
  std::size_t channels = 3;
  for (std::size_t axis = 3; axis < axes; ++axis) {
    if (text.sizes[axis] == 1) continue;
    if (text.sizes[channels] > 1 && channels != axis)
      throw Error(fmt::format("{}: an image of {}; behind the axes of space only one may be longer than 1", file,
                              nifti_size_text(text.sizes)));
    channels = axis;
  }
  std::int64_t step = 1;
  NiftiLayout& layout = *header.layout;
  for (const std::size_t axis : rank) {
    const std::int64_t size = text.sizes[axis];
    if (turned[axis]) layout.first += (size - 1) * step;
    const std::int64_t signed_step = turned[axis] ? -step : step;
    if (axis < 3) layout.step[axis] = signed_step;
    if (axis == channels) layout.channel_step = signed_step;
    step *= size;
  }
}

}  // namespace

bool is_mif(std::string_view head) { return head.starts_with(mif_magic); }

NiftiHeader parse_mif_header(std::string_view head, const std::string& file) {
  const MifText text = read_text(head, file);
  NiftiHeader header;
  header.format = "mif";
  header.layout.emplace();
  if (text.sizes.size() < 3)
    throw Error(
        fmt::format("{}: damaged MRtrix header: dim has {} axes; at least 3 are needed", file, text.sizes.size()));
  set_mif_type(text.type, header, file);
  check_image_size(text.sizes, header, file);
  set_layout(text, header, file);
  if (header.layout->bits) header.data_bytes = (header.data_bytes + 7) / 8;
  if (!text.scaling.empty()) {
    if (text.scaling.size() != 2 || !std::isfinite(text.scaling[0]) || !std::isfinite(text.scaling[1]))
      throw Error(fmt::format("{}: damaged MRtrix header: scaling is not an offset and a factor", file));
    header.intercept = text.scaling[0];
    header.slope = text.scaling[1];
  }
  const auto place = split_words(text.place);
  const auto start = place.size() == 2 ? parse_count(place[1]) : std::nullopt;
  if (place.empty() || place[0] != "." || !start || *start < static_cast<Index>(mif_magic.size()))
    throw Error(fmt::format("{}: its numbers are in {}; a single file is needed: mrconvert {} tensors.mif", file,
                            quote_text(text.place), file));
  if (static_cast<std::size_t>(*start) < text.end)
    throw Error(
        fmt::format("{}: damaged MRtrix header: its numbers would begin at byte {}, within the header of {} bytes",
                    file, *start, text.end));
  header.data_start = static_cast<std::uint64_t>(*start);
  NiftiGrid& grid = header.grid;
  grid.units = 2;  // mm
  for (std::size_t axis = 0; axis < 3 && axis < text.edges.size(); ++axis) {
    if (!(text.edges[axis] > 0 && std::isfinite(text.edges[axis])))
      throw Error(fmt::format("{}: damaged MRtrix header: voxels of length {} along axis {}", file, text.edges[axis],
                              axis + 1));
    grid.pixdim[axis + 1] = text.edges[axis];
  }
  if (text.transform.size() >= 12 &&
      std::all_of(text.transform.begin(), text.transform.end(), [](double x) { return std::isfinite(x); })) {
    grid.sform_code = 1;
    for (std::size_t i = 0; i < 12; ++i) {
      const std::size_t column = i % 4;
      grid.affine[i] = text.transform[i] * (column < 3 ? grid.pixdim[column + 1] : 1);
    }
  } else if (!text.transform.empty()) {
    throw Error(fmt::format("{}: damaged MRtrix header: transform has {} numbers; three rows of four are right", file,
                            text.transform.size()));
  }
  grid.doubles = header.numbers.kind == 'f' && header.numbers.item == 8;
  header.stated_order = TensorOrder::mrtrix;
  header.stated_by = "it is an image of MRtrix, whose tensors are";
  return header;
}

}  // namespace wgp
