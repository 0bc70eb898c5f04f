// MAT-files of version 5, written here by hand in both byte orders, plain and packed.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "io/sample_files.h"

namespace wgp {
namespace {

using test::error_of;
using test::rows_of;
using Rows = std::vector<std::vector<double>>;

class MatWriter {
 public:
  enum class Order { little, big };
  explicit MatWriter(Order order) : big_(order == Order::big) {
    bytes_ = "MATLAB 5.0 MAT-file, by hand";
    bytes_.resize(124, ' ');
    bytes_ += big_ ? std::string("\1\0MI", 4) : std::string("\0\1IM", 4);
  }
  template <class T>
  std::string number(T value) const {
    std::string raw(sizeof(T), '\0');
    std::memcpy(raw.data(), &value, sizeof(T));
    if (big_) std::reverse(raw.begin(), raw.end());
    return raw;
  }
  std::string element(std::uint32_t type, const std::string& content) const {
    std::string bytes = number(type) + number(static_cast<std::uint32_t>(content.size())) + content;
    bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
    return bytes;
  }
  // Up to four bytes, within the tag.
  std::string small(std::uint32_t type, std::string content) const {
    const std::string tag = number(static_cast<std::uint32_t>(content.size()) << 16 | type);
    content.resize(4, '\0');
    return tag + content;
  }
  template <class T>
  std::string matrix(const std::string& name, const std::vector<std::int32_t>& shape, std::uint32_t type,
                     const std::vector<T>& numbers, std::uint32_t flags = 6) const {
    std::string sizes, data;
    for (const auto size : shape) sizes += number(size);
    for (const T value : numbers) data += number(value);
    return element(14, element(6, number(flags) + number(std::uint32_t{0})) + element(5, sizes) +
                           (name.size() <= 4 ? small(1, name) : element(1, name)) +
                           (data.size() <= 4 ? small(type, data) : element(type, data)));
  }
  std::string packed(const std::string& matrix) const {
    std::string out(compressBound(matrix.size()), '\0');
    uLongf size = out.size();
    EXPECT_EQ(compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(matrix.data()),
                       matrix.size()),
              Z_OK);
    out.resize(size);
    return number(std::uint32_t{15}) + number(static_cast<std::uint32_t>(size)) + out;
  }
  std::string file(const std::string& elements) const { return bytes_ + elements; }

 private:
  bool big_;
  std::string bytes_;
};

TableOptions array(const std::string& name, Index axis = 0) {
  TableOptions options = test::keep_all();
  options.array = name;
  options.sample_axis = axis;
  return options;
}
std::vector<double> count_to(int n) {
  std::vector<double> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 1.0);
  return numbers;
}
const MatWriter little(MatWriter::Order::little), big(MatWriter::Order::big);

TEST(Mat, ReadsMatricesByRows) {
  const Rows expected = {{1, 4}, {2, 5}, {3, 6}};
  for (const MatWriter& writer : {little, big}) {
    const std::string plain = writer.matrix<double>("points", {3, 2}, 9, count_to(6));
    for (const std::string& element : {plain, writer.packed(plain)})
      EXPECT_EQ(rows_of(writer.file(element), "t"), expected);
    // Doubles that are stored in a smaller type, and other classes.
    EXPECT_EQ(rows_of(writer.file(writer.matrix<std::uint8_t>("x", {3, 2}, 2, {1, 2, 3, 4, 5, 6})), "t"), expected);
    EXPECT_EQ(rows_of(writer.file(writer.matrix<std::int16_t>("x", {3, 2}, 3, {1, 2, 3, 4, 5, 6}, 10)), "t"), expected);
    EXPECT_EQ(rows_of(writer.file(writer.matrix<float>("x", {3, 2}, 7, {1, 2, 3, 4, 5, 6}, 7)), "t"), expected);
    EXPECT_EQ(rows_of(writer.file(writer.matrix<std::uint8_t>("b", {2, 1}, 2, {0, 1}, 9 | 0x200)), "t"),
              (Rows{{0}, {1}}));
  }
  const auto reader = parse_table(little.file(little.matrix<double>("points", {3, 2}, 9, count_to(6))), "t");
  EXPECT_EQ(reader->format(), "mat");
  EXPECT_EQ(reader->rows(), 3);
}

TEST(Mat, TheAxisOfSamples) {
  // a(i, j, k) = i + 2 (j - 1) + 4 (k - 1), with i, j, k from 1 on.
  const std::string file = little.file(little.matrix<double>("a", {2, 2, 3}, 9, count_to(12)));
  EXPECT_EQ(rows_of(file, "t"), (Rows{{1, 3, 2, 4}, {5, 7, 6, 8}, {9, 11, 10, 12}}));
  EXPECT_EQ(parse_table(file, "t")->shape(), (std::vector<Index>{2, 2}));
  EXPECT_EQ(rows_of(file, "t", array("", 3)), rows_of(file, "t"));
  EXPECT_EQ(rows_of(file, "t", array("", 1)), (Rows{{1, 5, 9, 3, 7, 11}, {2, 6, 10, 4, 8, 12}}));
  EXPECT_EQ(rows_of(file, "t", array("", 2)), (Rows{{1, 5, 9, 2, 6, 10}, {3, 7, 11, 4, 8, 12}}));
  EXPECT_EQ(rows_of(little.file(little.matrix<double>("a", {3, 2, 2}, 9, count_to(12))), "t")[0],
            (std::vector<double>{1, 7, 4, 10}));
  const std::string matrix = little.file(little.matrix<double>("a", {2, 3}, 9, count_to(6)));
  EXPECT_EQ(rows_of(matrix, "t", array("", 2)), (Rows{{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(error_of(matrix, "t", array("", 3)), "t: a is 2 x 3; it has no axis 3 that could count samples");
  EXPECT_EQ(error_of(little.file(little.matrix<double>("a", {2, 3, 2}, 9, count_to(12))), "t"),
            "t: a is 2 x 3 x 2; say with --sample-axis which axis counts the samples, from 1 on");
  EXPECT_NE(error_of(little.file(little.matrix<double>("a", {2, 2, 2}, 9, count_to(8))), "t").find("--sample-axis"),
            std::string::npos);
}

TEST(Mat, ArraysAreChosenByName) {
  const std::string points = little.matrix<double>("points", {3, 2}, 9, count_to(6));
  const std::string rate = little.matrix<double>("rate", {1, 1}, 9, {250});
  const std::string text = little.matrix<std::uint16_t>("title", {1, 2}, 4, {65, 66}, 4);
  EXPECT_EQ(rows_of(little.file(rate + text + points), "t").size(), 3U);
  const std::string two =
      little.file(points + little.packed(little.matrix<double>("other", {2, 2}, 9, count_to(4))) + text);
  EXPECT_EQ(error_of(two, "t"),
            "t: holds several arrays: points (3 x 2), other (2 x 2), title (text); choose one with --array NAME");
  EXPECT_EQ(rows_of(two, "t", array("other")), (Rows{{1, 3}, {2, 4}}));
  EXPECT_NE(error_of(two, "t", array("none")).find("no array 'none'; it holds points (3 x 2)"), std::string::npos);
  EXPECT_NE(error_of(two, "t", array("title")).find("title is no table of numbers (text)"), std::string::npos);
  EXPECT_NE(error_of(little.file(little.matrix<double>("z", {2, 2}, 9, count_to(4), 6 | 0x800)), "t").find("complex"),
            std::string::npos);
  EXPECT_EQ(error_of(little.file(""), "t"), "t: holds no arrays");
}

TEST(Mat, RefusesWhatIsDamaged) {
  const auto refused = [](const std::string& bytes, const std::string& why) {
    EXPECT_NE(error_of(bytes, "t").find(why), std::string::npos) << error_of(bytes, "t");
  };
  refused(little.file(little.matrix<double>("a", {3, 3}, 9, count_to(6))), "a of 3 x 3 needs 72 bytes, it has 48");
  refused(little.file(little.matrix<double>("a", {2000000000, 2000000000, 2000000000, 4}, 9, count_to(6))),
          "needs 18446744073709551615 bytes, it has 48");
  EXPECT_NE(
      error_of(little.file(little.matrix<double>("a", {2000000000, 2000000000}, 9, count_to(6))), "t").find("needs"),
      std::string::npos);
  refused(little.file(little.matrix<double>("a", {-3, 2}, 9, count_to(6))),
          "no array of numbers is a table: a (empty)");
  refused(little.file(little.matrix<double>("a", {3, 2}, 17, count_to(6))), "numbers of the type 17");
  std::string packed = little.packed(little.matrix<double>("a", {3, 2}, 9, count_to(6)));
  packed[40] = static_cast<char>(packed[40] ^ 0x55);
  EXPECT_NE(error_of(little.file(packed), "t"), "no error");
  const std::string newer = "MATLAB 7.3 MAT-file, Platform: GLNXA64" + std::string(600, ' ');
  for (const char* name : {"t", "t.mat"}) EXPECT_NE(error_of(newer, name).find("7.3"), std::string::npos) << name;
}

}  // namespace
}  // namespace wgp
