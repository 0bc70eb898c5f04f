// Images of MRtrix and NRRD, written here by hand: the same tensors as in NIfTI images, in whatever order they stand.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/format.h"
#include "image_bytes.h"
#include "nifti_by_hand.h"
#include "packed.h"

namespace wgp {
namespace {

using test::gzip, test::image_error, test::image_values, test::open_image;

constexpr Index nx = 3, ny = 2, nz = 2, voxels = nx * ny * nz;

// A tensor as the rows of wgp have it, xx xy yy xz yz zz; voxel 4 is empty.
std::vector<double> tensor(Index v) {
  if (v == 4) return std::vector<double>(6, 0);
  const double a = 0.5 * static_cast<double>(v);
  return {3 + std::sin(a), 0.5 * std::cos(a), 2, -0.25 * std::sin(2 * a), 0.125, 1 + 0.25 * std::cos(3 * a)};
}
Matrix expected() {
  Matrix rows(voxels - 1, 6);
  for (Index v = 0, r = 0; v < voxels; ++v)
    if (v != 4) rows.row(r++) = Eigen::Map<const Eigen::RowVectorXd>(tensor(v).data(), 6);
  return rows;
}

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}
// channels[c][v] with strides: where(x, y, z, c) says the place of a number.
template <class Where>
std::string laid_out(const std::vector<std::vector<double>>& channels, Where where) {
  std::vector<double> numbers(channels.size() * static_cast<std::size_t>(voxels));
  for (std::size_t c = 0; c < channels.size(); ++c)
    for (Index v = 0; v < voxels; ++v)
      numbers.at(static_cast<std::size_t>(where(v % nx, v / nx % ny, v / nx / ny, static_cast<Index>(c)))) =
          channels[c][static_cast<std::size_t>(v)];
  return bytes_of(numbers);
}
std::vector<std::vector<double>> channels_of(const std::vector<std::size_t>& entries) {
  std::vector<std::vector<double>> channels;
  for (const std::size_t entry : entries) {
    channels.emplace_back();
    for (Index v = 0; v < voxels; ++v) channels.back().push_back(tensor(v)[entry]);
  }
  return channels;
}
const std::vector<std::size_t> of_mrtrix = {0, 2, 5, 1, 3, 4}, of_nrrd = {0, 1, 3, 2, 4, 5};

std::string mif(const std::string& layout, const std::string& data, const std::string& more = "",
                const std::string& type = "Float64LE", const std::string& dim = "3,2,2,6") {
  const std::string start =
      "mrtrix image\ndim: " + dim + "\nvox: 2,2.5,3,nan\nlayout: " + layout + "\ndatatype: " + type + "\n" + more;
  std::string header;
  for (std::size_t offset = 0; header.size() != offset || offset == 0;) {
    offset = header.empty() ? start.size() + 20 : header.size();
    header = start + fmt::format("file: . {}\nEND\n", offset);
    header.resize(std::max(header.size(), offset), '\0');
  }
  return header + data;
}
std::string plain_mif(const std::string& more = "") {
  const auto place = [](Index x, Index y, Index z, Index c) { return x + nx * (y + ny * (z + nz * c)); };
  return mif("+0,+1,+2,+3", laid_out(channels_of(of_mrtrix), place), more);
}
std::string nrrd(const std::string& fields, const std::string& data, const std::string& sizes = "6 3 2 2") {
  return "NRRD0005\n# by hand\ntype: double\ndimension: 4\nsizes: " + sizes +
         "\nendian: little\nencoding: raw\nspace origin: (1,2,3)\nkey:=value\n" + fields + "\n" + data;
}
const std::string six = "kinds: 3D-symmetric-matrix domain domain domain\n";
const std::string along_axes = "space: right-anterior-superior\nspace directions: none (2,0,0) (0,2.5,0) (0,0,3)\n";
const std::string identity_frame = "measurement frame: (1,0,0) (0,1,0) (0,0,1)\n";
std::string interleaved(const std::vector<std::vector<double>>& channels) {
  const auto count = static_cast<Index>(channels.size());
  return laid_out(channels,
                  [count](Index x, Index y, Index z, Index c) { return c + count * (x + nx * (y + ny * z)); });
}
std::string plain_nrrd() { return nrrd(six + along_axes + identity_frame, interleaved(channels_of(of_nrrd))); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(MrtrixImages, AreReadInEveryLayout) {
  EXPECT_EQ(image_values(plain_mif()), expected());
  EXPECT_EQ(image_values(gzip(plain_mif())), expected());
  const auto channels = channels_of(of_mrtrix);
  EXPECT_EQ(image_values(mif("-0,-1,+2,+3", laid_out(channels,
                                                     [](Index x, Index y, Index z, Index c) {
                                                       return (nx - 1 - x) + nx * ((ny - 1 - y) + ny * (z + nz * c));
                                                     }))),
            expected());
  EXPECT_EQ(image_values(mif("+1,-3,+2,+0",
                             laid_out(channels, [](Index x, Index y, Index z,
                                                   Index c) { return c + 6 * (x + nx * (z + nz * (ny - 1 - y))); }))),
            expected());
  // What mrconvert makes of NIfTI images of symmetric matrices: an axis of length 1 before that of the channels.
  const auto place = [](Index x, Index y, Index z, Index c) { return x + nx * (y + ny * (z + nz * c)); };
  EXPECT_EQ(image_values(mif("+0,+1,+2,+3,+4", laid_out(channels, place), "", "Float64LE", "3,2,2,1,6")), expected());
  const auto table = open_image(plain_mif());
  EXPECT_EQ(table->format(), "mif");
  EXPECT_TRUE(table->holds_tensors());
  EXPECT_NE(table->notes().front().find("mrtrix"), std::string::npos) << table->notes().front();
  EXPECT_EQ(parse_table(plain_mif(), "t")->format(), "mif");
}

TEST(MrtrixImages, LieWhereTheirTransformSays) {
  const auto table =
      open_image(mif("+0,+1,+2,+3",
                     laid_out(channels_of(of_mrtrix),
                              [](Index x, Index y, Index z, Index c) { return x + nx * (y + ny * (z + nz * c)); }),
                     "transform: 1,0,0,-10\ntransform: 0,0,-1,20\ntransform: 0,1,0,30\nscaling: 0,1\n"));
  const auto place = table->grid().place();
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(*place, (std::array<double, 12>{2, 0, 0, -10, 0, 0, -3, 20, 0, 2.5, 0, 30}));
}

TEST(MrtrixImages, OfBitsAndScaledIntegers) {
  // 12 voxels, the highest bit first: every third.
  const auto bits = open_image(mif("+0,+1,+2", std::string("\x92\x40", 2), "", "Bit", "3,2,2"));
  EXPECT_EQ(bits->voxels(), (std::vector<Index>{0, 3, 6, 9}));
  std::vector<std::int16_t> numbers(12);
  for (std::size_t v = 0; v < 12; ++v) numbers[v] = static_cast<std::int16_t>(v);
  const Matrix scaled = image_values(mif("+0,+1,+2", bytes_of(numbers), "scaling: 1,0.5\n", "Int16LE", "3,2,2"));
  EXPECT_EQ(scaled(3, 0), 2.5);
}

TEST(MrtrixImages, RefuseWhatCannotBeRead) {
  const auto refused = [](const std::string& bytes, const std::string& why) {
    EXPECT_NE(image_error(bytes).find(why), std::string::npos) << image_error(bytes);
  };
  const std::string image = plain_mif();
  refused(image.substr(0, 60), "truncated: its MRtrix header has no END");
  refused(image.substr(0, image.size() - 1), "truncated: its header promises");
  refused(replaced(image, "+0,+1,+2,+3", "+0,+1,+2,+2"), "layout '+0,+1,+2,+2' of 4 axes");
  refused(replaced(image, "+0,+1,+2,+3", "+0,+1,+2"), "layout");
  refused(replaced(replaced(image, "3,2,2,6", "3,2,2,2,3"), "+2,+3", "+2,+3,+4"),
          "an image of 3 x 2 x 2 x 2 x 3; behind the axes of space only one may be longer than 1");
  refused(replaced(image, "dim: 3,2,2,6", "dim: 3,0,2,6"), "axis 2 has the length 0");
  refused(replaced(image, "dim: 3,2,2,6", "dim: 3,99999999999,99999999999,6"), "too large to be read");
  refused(replaced(image, "dim: 3,2,2,6", "dim: 3,2,2,700000"), "at most 65536");
  refused(replaced(image, "Float64LE", "CFloat32LE"), "mrconvert -datatype float32");
  refused(replaced(image, "file: . ", "file: a.dat "), "a single file is needed");
  const std::size_t offset_at = image.find("file: . ") + 8;
  refused(std::string(image).replace(offset_at, image.find('\n', offset_at) - offset_at, "20"), "within the header");
  for (const std::string wrong : {"nan", "0", "-2", "inf"})
    refused(replaced(image, "vox: 2,", "vox: " + wrong + ","), "along axis 1");
  refused(plain_mif("transform: 1,2\n"), "transform has 2 numbers");
}

TEST(Nrrd, TensorsOfEveryKind) {
  EXPECT_EQ(image_values(plain_nrrd()), expected());
  const auto table = open_image(plain_nrrd());
  EXPECT_EQ(table->format(), "nrrd");
  EXPECT_EQ(*table->grid().place(), (std::array<double, 12>{2, 0, 0, 1, 0, 2.5, 0, 2, 0, 0, 3, 3}));
  // Where the axis of tensors is the last, as in NIfTI.
  EXPECT_EQ(
      image_values(nrrd("kinds: space space space 3D-symmetric-matrix\nspace: RAS\nspace directions: (1,0,0) (0,1,0) "
                        "(0,0,1) none\n",
                        laid_out(channels_of(of_nrrd),
                                 [](Index x, Index y, Index z, Index c) { return x + nx * (y + ny * (z + nz * c)); }),
                        "3 2 2 6")),
      expected());
  // With a confidence: what is below one half holds nothing, whatever its numbers are.
  auto masked = channels_of(of_nrrd);
  masked.insert(masked.begin(), std::vector<double>(voxels, 1));
  masked[0][4] = 0.25;
  for (std::size_t c = 1; c < 7; ++c) masked[c][4] = 5;
  EXPECT_EQ(image_values(nrrd("kinds: 3D-masked-symmetric-matrix domain domain domain\n" + along_axes + identity_frame,
                              interleaved(masked), "7 3 2 2")),
            expected());
  const Matrix whole = image_values(nrrd("kinds: 3D-matrix domain domain domain\n" + along_axes + identity_frame,
                                         interleaved(channels_of({0, 1, 3, 1, 2, 4, 3, 4, 5})), "9 3 2 2"));
  EXPECT_EQ(whole.cols(), 9);
  EXPECT_EQ(whole.col(5), expected().col(4));
}

TEST(Nrrd, MeasurementFramesTurnTensors) {
  // T' = A T A^T with A = diag(-1, -1, 1) M for the axes left, posterior, superior.
  const Eigen::Matrix3d M{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
  const Eigen::Matrix3d A = Eigen::Vector3d(-1, -1, 1).asDiagonal() * M;
  const Matrix turned = image_values(
      nrrd(six + "space: left-posterior-superior\nspace directions: none (2,0,0) (0,2.5,0) (0,0,3)\nmeasurement frame: "
                 "(0,1,0) (-1,0,0) (0,0,1)\n",
           interleaved(channels_of(of_nrrd))));
  const Matrix plain = expected();
  for (Index i = 0; i < plain.rows(); ++i) {
    const auto t = plain.row(i);
    const Eigen::Matrix3d T{{t[0], t[1], t[3]}, {t[1], t[2], t[4]}, {t[3], t[4], t[5]}};
    const Eigen::Matrix3d R = A * T * A.transpose();
    const Eigen::RowVectorXd wanted{{R(0, 0), R(1, 0), R(1, 1), R(2, 0), R(2, 1), R(2, 2)}};
    EXPECT_LT((turned.row(i) - wanted).norm(), 1e-14) << i;
  }
  const auto grid = open_image(nrrd(six + "space: LPS\nspace directions: none (2,0,0) (0,2.5,0) (0,0,3)\n",
                                    interleaved(channels_of(of_nrrd))))
                        ->grid();
  EXPECT_EQ(*grid.place(), (std::array<double, 12>{-2, 0, 0, -1, 0, -2.5, 0, -2, 0, 0, 3, 3}));
}

class NrrdFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-nrrd-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream((folder_ / name).string(), std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  static Matrix values_of(const std::string& path) {
    return read_rest(*open_nifti(open_bytes(path))).values.transpose();
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(NrrdFiles, PackedAndDetachedData) {
  const std::string fields = six + along_axes + identity_frame, data = interleaved(channels_of(of_nrrd));
  const std::string in_gzip = replaced(nrrd(fields, gzip(data)), "encoding: raw", "encoding: gzip");
  EXPECT_EQ(image_values(in_gzip), expected());
  EXPECT_EQ(values_of(write("a.nrrd", in_gzip)), expected());
  write("a.raw", "1234567" + data);
  EXPECT_EQ(values_of(write("a.nhdr", nrrd(fields + "byte skip: 7\ndata file: a.raw\n", ""))), expected());
  EXPECT_EQ(values_of(write("b.nhdr", nrrd(fields + "byte skip: -1\ndatafile: a.raw", ""))), expected());
  write("a.raw.gz", gzip(data));
  EXPECT_EQ(values_of(write("c.nhdr", replaced(nrrd(fields + "data file: a.raw.gz\n", ""), "raw\n", "gz\n"))),
            expected());
  EXPECT_THROW(values_of(write("d.nhdr", nrrd(fields + "data file: none.raw\n", ""))), Error);
}

TEST(Nrrd, RefusesWhatIsNotClear) {
  const auto refused = [](const std::string& bytes, const std::string& why) {
    EXPECT_NE(image_error(bytes).find(why), std::string::npos) << image_error(bytes);
  };
  const std::string image = plain_nrrd();
  refused(image.substr(0, 80), "truncated: no empty line ends");
  refused(image.substr(0, image.size() - 1), "truncated: its header promises");
  refused(replaced(image, "6 3 2 2", "6 3 2 0"), "axis 3 has the length 0");
  refused(replaced(image, "6 3 2 2", "6 3 2"), "3 sizes, but dimension: is '4'");
  refused(replaced(image, "sizes: 6", "sizes: 7"), "7 numbers on an axis of the kind 3d-symmetric-matrix");
  refused(replaced(image, "encoding: raw", "encoding: bzip2"), "unu save -f nrrd -e gzip");
  refused(replaced(image, "type: double", "type: block"), "type 'block'");
  refused(replaced(image, "endian: little\n", ""), "endian is ''");
  refused(replaced(image, "(2,0,0)", "(2,0)"), "three numbers");
  refused(replaced(image, "measurement frame: (1,0,0)", "measurement frame: (2,0,0)"), "is no rotation");
  refused(replaced(replaced(image, six, ""), along_axes, ""), "several axes that are not of space");
  refused(replaced(image, "key:=value", "data file: LIST"), "several files");
  // Numbers that are tensors in another order than their kind says.
  auto other = channels_of(of_mrtrix);
  refused(nrrd(six + along_axes, interleaved(other)), "the kind of its axis (3d-symmetric-matrix) says fsl");
}

TEST(OtherImages, SurviveDamageAnywhere) {
  std::mt19937 random(5);
  for (const std::string& whole : {plain_mif(), plain_nrrd()}) {
    for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_NE(image_error(whole.substr(0, size)), "no error");
    for (int i = 0; i < 3000; ++i) {
      std::string damaged = whole;
      for (std::size_t k = 1 + random() % 3; k-- > 0;) damaged[random() % 400] = static_cast<char>(random());
      image_error(damaged);
    }
  }
}

}  // namespace
}  // namespace wgp
