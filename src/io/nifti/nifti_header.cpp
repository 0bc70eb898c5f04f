#include "io/nifti/nifti_header.h"

#include "core/format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "io/bytes/number.h"

namespace wgp {
namespace {

constexpr int first_cifti_intent = 3000, last_cifti_intent = 3099;
constexpr std::size_t size1 = nifti1_size, size2 = nifti2_size;
constexpr std::string_view magic1_pair{"ni1\0", 4}, magic2_pair{"ni2\0\r\n\032\n", 8};
constexpr std::string_view magic1 = nifti1_magic, magic2 = nifti2_magic;

template <class T>
T swap_bytes(T value) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(T));
  std::reverse(bytes.begin(), bytes.end());
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// Numbers at fixed places of a header.
class Fields {
 public:
  Fields(std::string_view bytes, bool swapped) : bytes_(bytes), swapped_(swapped) {}
  template <class T>
  T at(std::size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return swapped_ ? swap_bytes(value) : value;
  }

 private:
  std::string_view bytes_;
  bool swapped_;
};

// The two versions hold the same things at other places and in other widths.
struct RawHeader {
  std::array<std::int64_t, 8> dim{};
  std::array<double, 8> pixdim{};
  int intent = 0, datatype = 0, bits = 0, units = 0, qform = 0, sform = 0;
  double start = 0, slope = 0, intercept = 0;
  std::array<double, 6> quaternion{};
  std::array<double, 12> affine{};
};

RawHeader read_version1(const Fields& fields) {
  RawHeader raw;
  for (std::size_t i = 0; i < 8; ++i) {
    raw.dim[i] = fields.at<std::int16_t>(40 + 2 * i);
    raw.pixdim[i] = fields.at<float>(76 + 4 * i);
  }
  raw.intent = fields.at<std::int16_t>(68);
  raw.datatype = fields.at<std::int16_t>(70);
  raw.bits = fields.at<std::int16_t>(72);
  raw.start = fields.at<float>(108);
  raw.slope = fields.at<float>(112);
  raw.intercept = fields.at<float>(116);
  raw.units = fields.at<std::uint8_t>(123);
  raw.qform = fields.at<std::int16_t>(252);
  raw.sform = fields.at<std::int16_t>(254);
  for (std::size_t i = 0; i < 6; ++i) raw.quaternion[i] = fields.at<float>(256 + 4 * i);
  for (std::size_t i = 0; i < 12; ++i) raw.affine[i] = fields.at<float>(280 + 4 * i);
  return raw;
}

RawHeader read_version2(const Fields& fields) {
  RawHeader raw;
  for (std::size_t i = 0; i < 8; ++i) {
    raw.dim[i] = fields.at<std::int64_t>(16 + 8 * i);
    raw.pixdim[i] = fields.at<double>(104 + 8 * i);
  }
  raw.intent = fields.at<std::int32_t>(504);
  raw.datatype = fields.at<std::int16_t>(12);
  raw.bits = fields.at<std::int16_t>(14);
  raw.start = static_cast<double>(fields.at<std::int64_t>(168));
  raw.slope = fields.at<double>(176);
  raw.intercept = fields.at<double>(184);
  raw.units = fields.at<std::int32_t>(500);
  raw.qform = fields.at<std::int32_t>(344);
  raw.sform = fields.at<std::int32_t>(348);
  for (std::size_t i = 0; i < 6; ++i) raw.quaternion[i] = fields.at<double>(352 + 8 * i);
  for (std::size_t i = 0; i < 12; ++i) raw.affine[i] = fields.at<double>(400 + 8 * i);
  return raw;
}

struct NumberType {
  int code;
  char kind;  // 0: not a single number
  std::size_t bytes;
  const char* name;
};
constexpr std::array<NumberType, 17> number_types = {{
    {2, 'u', 1, "uint8"},
    {4, 'i', 2, "int16"},
    {8, 'i', 4, "int32"},
    {16, 'f', 4, "float32"},
    {64, 'f', 8, "float64"},
    {256, 'i', 1, "int8"},
    {512, 'u', 2, "uint16"},
    {768, 'u', 4, "uint32"},
    {1024, 'i', 8, "int64"},
    {1280, 'u', 8, "uint64"},
    {1, 0, 0, "single bits"},
    {32, 0, 8, "complex numbers"},
    {128, 0, 3, "RGB colours"},
    {1536, 'f', 16, "float128"},
    {1792, 0, 16, "complex numbers"},
    {2048, 0, 32, "complex numbers"},
    {2304, 0, 4, "RGBA colours"},
}};

NpyHeader number_type(const RawHeader& raw, bool big_endian, const std::string& file) {
  const auto* found = std::find_if(number_types.begin(), number_types.end(),
                                   [&](const NumberType& type) { return type.code == raw.datatype; });
  if (found == number_types.end())
    throw Error(fmt::format("{}: damaged NIfTI header: there is no data type {}", file, raw.datatype));
  if (found->kind == 0) throw Error(fmt::format("{}: holds {}; convert it to float32 first", file, found->name));
  // The type says how many bits there are; some programs leave 0 beside it.
  if (raw.bits != 0 && raw.bits != static_cast<int>(8 * found->bytes))
    throw Error(fmt::format("{}: damaged NIfTI header: {} bits for a number of type {}, which has {}", file, raw.bits,
                            found->name, 8 * found->bytes));
  NpyHeader numbers;
  numbers.kind = found->kind;
  numbers.item = found->bytes;
  numbers.big_endian = big_endian;
  return numbers;
}

void set_dimensions(const RawHeader& raw, NiftiHeader& header, const std::string& file) {
  if (raw.dim[0] < 1 || raw.dim[0] > 7)
    throw Error(fmt::format("{}: damaged NIfTI header: {} axes; images have 1 to 7", file, raw.dim[0]));
  std::vector<Index> sizes;
  for (std::size_t axis = 1; axis <= static_cast<std::size_t>(raw.dim[0]); ++axis) {
    // An axis of channels that has no length has one entry, as in programs that leave unused axes 0.
    const bool none = axis > 3 && raw.dim[axis] == 0;
    if (none) header.notes.push_back(fmt::format("axis {} has the length 0, which is taken as 1", axis));
    sizes.push_back(none ? 1 : raw.dim[axis]);
  }
  check_image_size(sizes, header, file);
}

void set_scaling(const RawHeader& raw, NiftiHeader& header, const std::string& file) {
  // A slope of zero means no scaling; so does NaN, which nibabel leaves in the headers of unscaled images.
  if (raw.slope == 0 || std::isnan(raw.slope)) return;
  if (!std::isfinite(raw.slope) || !std::isfinite(raw.intercept))
    throw Error(
        fmt::format("{}: damaged NIfTI header: the scaling {} x + {} is not finite", file, raw.slope, raw.intercept));
  header.slope = raw.slope;
  header.intercept = raw.intercept;
}

[[noreturn]] void refuse(std::string_view head, const std::string& file) {
  if (head.size() < size1) throw Error(fmt::format("{}: truncated: {} bytes, no NIfTI header", file, head.size()));
  throw Error(fmt::format("{}: not a NIfTI image: it starts with {}", file, quote_text(head.substr(0, 8))));
}

}  // namespace

std::optional<std::array<double, 12>> NiftiGrid::place() const {
  if (sform_code > 0) return affine;
  if (qform_code <= 0) return std::nullopt;
  // nifti1.h, method 2: a rotation by the unit quaternion (a, b, c, d), the third axis perhaps turned round, edges.
  double b = quaternion[0], c = quaternion[1], d = quaternion[2], a = 1 - (b * b + c * c + d * d);
  if (a < 1e-7) {  // half a turn, up to rounding
    const double norm = std::sqrt(b * b + c * c + d * d);
    b /= norm, c /= norm, d /= norm, a = 0;
  } else {
    a = std::sqrt(a);
  }
  const double i = pixdim[1], j = pixdim[2], k = pixdim[0] < 0 ? -pixdim[3] : pixdim[3];
  return std::array<double, 12>{(a * a + b * b - c * c - d * d) * i,
                                2 * (b * c - a * d) * j,
                                2 * (b * d + a * c) * k,
                                quaternion[3],  //
                                2 * (b * c + a * d) * i,
                                (a * a + c * c - b * b - d * d) * j,
                                2 * (c * d - a * b) * k,
                                quaternion[4],  //
                                2 * (b * d - a * c) * i,
                                2 * (c * d + a * b) * j,
                                (a * a + d * d - b * b - c * c) * k,
                                quaternion[5]};
}

bool lies_at_same_place(const NiftiGrid& a, const NiftiGrid& b) {
  const auto of_a = a.place(), of_b = b.place();
  if (!of_a || !of_b) return true;
  // Positions are affine in (i, j, k), so that no voxel differs by more than the corners do.
  const double edge = std::min({std::abs(a.pixdim[1]), std::abs(a.pixdim[2]), std::abs(a.pixdim[3])});
  for (int corner = 0; corner < 8; ++corner) {
    double squared = 0;
    for (std::size_t row = 0; row < 3; ++row) {
      double difference = (*of_a)[4 * row + 3] - (*of_b)[4 * row + 3];
      for (std::size_t axis = 0; axis < 3; ++axis)
        if ((corner >> axis & 1) != 0)
          difference += ((*of_a)[4 * row + axis] - (*of_b)[4 * row + axis]) * static_cast<double>(a.size[axis] - 1);
      squared += difference * difference;
    }
    if (!(std::sqrt(squared) <= 0.1 * edge)) return false;
  }
  return true;
}

Index NiftiTurn::voxel(const std::array<Index, 3>& position, const std::array<Index, 3>& size) const {
  std::array<Index, 3> other{};
  for (std::size_t n = 0; n < 3; ++n) other[axis[n]] = back[n] ? size[axis[n]] - 1 - position[n] : position[n];
  return other[0] + size[0] * (other[1] + size[1] * other[2]);
}

std::optional<NiftiTurn> turn_between(const NiftiGrid& a, const NiftiGrid& b) {
  if (a.size == b.size && lies_at_same_place(a, b)) return NiftiTurn();
  const auto place = b.place();
  if (!place || !a.place()) return std::nullopt;
  NiftiTurn turn;
  do {
    for (unsigned signs = 0; signs < 8; ++signs) {
      NiftiGrid turned = b;
      turned.sform_code = 1;
      turned.affine = *place;
      for (std::size_t n = 0; n < 3; ++n) {
        turn.back[n] = (signs >> n & 1) != 0;
        const std::size_t from = turn.axis[n];
        turned.size[n] = b.size[from];
        for (std::size_t row = 0; row < 3; ++row) {
          const double step = (*place)[4 * row + from];
          turned.affine[4 * row + n] = turn.back[n] ? -step : step;
          if (turn.back[n]) turned.affine[4 * row + 3] += step * static_cast<double>(b.size[from] - 1);
        }
      }
      if (turned.size == a.size && lies_at_same_place(a, turned)) return turn;
    }
  } while (std::next_permutation(turn.axis.begin(), turn.axis.end()));
  return std::nullopt;
}

bool is_nifti(std::string_view head) {
  if (head.size() >= size1 && (head.substr(344, 4) == magic1 || head.substr(344, 4) == magic1_pair)) return true;
  return head.size() >= 12 && (head.substr(4, 8) == magic2 || head.substr(4, 8) == magic2_pair);
}

NiftiHeader parse_nifti_header(std::string_view head, const std::string& file) {
  if (head.size() < 12) refuse(head, file);
  const auto first = Fields(head, false).at<std::int32_t>(0);
  const bool swapped = first == swap_bytes(std::int32_t{size1}) || first == swap_bytes(std::int32_t{size2});
  const std::size_t size = static_cast<std::size_t>(swapped ? swap_bytes(first) : first);
  if (size != size1 && size != size2) refuse(head, file);
  if (head.size() < size) throw Error(fmt::format("{}: truncated in the NIfTI header", file));
  const bool version2 = size == size2;
  const std::string_view magic = version2 ? head.substr(4, 8) : head.substr(344, 4);
  const bool pair = magic == (version2 ? magic2_pair : magic1_pair);
  if (!pair && magic != (version2 ? magic2 : magic1))
    throw Error(fmt::format("{}: not a NIfTI image, perhaps an older ANALYZE header; convert it to .nii", file));

  const Fields fields(head, swapped);
  const RawHeader raw = version2 ? read_version2(fields) : read_version1(fields);
  if (raw.intent >= first_cifti_intent && raw.intent <= last_cifti_intent)
    throw Error(
        fmt::format("{}: a CIFTI file (intent {}): brain surfaces and single voxels, which are no image on a grid; "
                    "wb_command -cifti-separate makes images and surfaces of it",
                    file, raw.intent));
  NiftiHeader header;
  header.numbers = number_type(raw, swapped != (std::endian::native == std::endian::big), file);
  set_dimensions(raw, header, file);
  set_scaling(raw, header, file);
  header.intent = raw.intent;
  const bool usual = !pair && raw.start == 0;
  const double first_byte = pair ? 0 : static_cast<double>(size + 4), start = usual ? first_byte : raw.start;
  if (!(start >= first_byte) || start > 1e15 || start != std::floor(start))
    throw Error(
        fmt::format("{}: damaged NIfTI header: data at byte {}; they start at {} or later", file, start, first_byte));
  if (usual) header.notes.push_back(fmt::format("its header does not say where data start; taken is byte {}", start));
  header.data = pair ? NiftiHeader::Data::beside : usual ? NiftiHeader::Data::usual : NiftiHeader::Data::stated;
  header.data_start = static_cast<std::uint64_t>(start);
  NiftiGrid& grid = header.grid;
  std::copy_n(raw.pixdim.begin(), 4, grid.pixdim.begin());
  grid.units = raw.units & 0xff;
  grid.qform_code = raw.qform;
  grid.sform_code = raw.sform;
  grid.quaternion = raw.quaternion;
  grid.affine = raw.affine;
  grid.version2 = version2;
  grid.doubles = header.numbers.kind == 'f' && header.numbers.item == 8;
  return header;
}

void check_image_size(const std::vector<Index>& sizes, NiftiHeader& header, const std::string& file) {
  std::uint64_t bytes = header.numbers.item;
  bool too_large = false;
  for (std::size_t axis = 1; axis <= sizes.size(); ++axis) {
    const Index size = sizes[axis - 1];
    if (size < 1)
      throw Error(fmt::format("{}: damaged {} header: axis {} has the length {}", file,
                              header.format == "nifti" ? "NIfTI"
                              : header.format == "mif" ? "MRtrix"
                                                       : "NRRD",
                              axis, size));
    header.dimensions.push_back(size);
    too_large = too_large || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes) ||
                bytes > std::uint64_t{INT64_MAX} / 2;
    if (too_large) continue;
    if (axis <= 3)
      header.grid.size[axis - 1] = size;
    else
      header.channels *= size;
  }
  const std::string size = nifti_size_text(header.dimensions);
  if (too_large) throw Error(fmt::format("{}: an image of {} is too large to be read", file, size));
  if (header.channels > 65536)
    throw Error(fmt::format("{}: an image of {} has {} numbers a voxel; at most 65536 can be read", file, size,
                            header.channels));
  header.data_bytes = bytes;
}

std::vector<std::string> nifti_kept_words(std::string_view extensions, std::string_view mark, bool big_endian) {
  std::vector<std::string> names;
  if (extensions.size() < 4 || extensions[0] == 0) return names;
  extensions.remove_prefix(4);
  while (extensions.size() >= 8) {
    const Fields fields(extensions, big_endian != (std::endian::native == std::endian::big));
    const auto size = fields.at<std::int32_t>(0);
    if (size < 8 || static_cast<std::size_t>(size) > extensions.size()) return names;
    std::string_view text = extensions.substr(8, static_cast<std::size_t>(size) - 8);
    if (fields.at<std::int32_t>(4) == nifti_comment_code && text.starts_with(mark)) {
      text.remove_prefix(mark.size());
      text = text.substr(0, text.find('\0'));
      while (!(text = trim(text)).empty()) {
        const auto end = std::min(text.find(' '), text.size());
        names.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
      }
      return names;
    }
    extensions.remove_prefix(static_cast<std::size_t>(size));
  }
  return names;
}

std::string nifti_size_text(const std::vector<Index>& dimensions) {
  return fmt::format("{}", fmt::join(dimensions, " x "));
}

std::string nifti_units_text(int units) {
  constexpr std::array<const char*, 8> lengths = {"", "m", "mm", "um", "", "", "", ""};
  constexpr std::array<const char*, 8> times = {"", "s", "ms", "us", "Hz", "ppm", "rad/s", ""};
  const std::string length = lengths[static_cast<std::size_t>(units & 7)];
  const std::string time = times[static_cast<std::size_t>(units >> 3 & 7)];
  if (length.empty() && time.empty()) return "no unit";
  return length.empty() || time.empty() ? length + time : length + ", " + time;
}

}  // namespace wgp
