// NPY readers against bytes written out by hand, and the writer against the reader.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "wgp/io.h"

namespace wgp {
namespace {

std::string preamble(const std::string& dictionary, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) bytes += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
  return bytes + dictionary;
}
std::string npy(const std::string& descr, const std::string& shape, const std::string& data, bool fortran = false,
                int major = 1) {
  return preamble("{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                      ", 'shape': " + shape + ", }\n",
                  major) +
         data;
}
template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
  }
  return bytes;
}
std::string swapped(std::string bytes, std::size_t item) {
  for (std::size_t i = 0; i < bytes.size(); i += item)
    std::reverse(bytes.begin() + static_cast<long>(i), bytes.begin() + static_cast<long>(i + item));
  return bytes;
}
Matrix values(const std::string& bytes, const TableOptions& options = {}) {
  const auto reader = parse_table(bytes, "t.npy", options);
  return read_rest(*reader).values.transpose();
}
std::string error_of(const std::string& bytes) {
  try {
    values(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
Matrix rows(std::initializer_list<std::initializer_list<double>> list) { return Matrix(list); }

TEST(Npy, ReadsTheBytesThatNumpyWrites) {
  // numpy.save of numpy.array([[1.5, -2], [0, 1e300]]), byte for byte.
  std::string bytes = "\x93NUMPY";
  bytes += std::string("\x01\x00\x76\x00", 4);
  std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }";
  dictionary.append(117 - dictionary.size(), ' ');
  bytes += dictionary + "\n";
  bytes += std::string("\x00\x00\x00\x00\x00\x00\xf8\x3f\x00\x00\x00\x00\x00\x00\x00\xc0", 16);
  bytes += std::string("\x00\x00\x00\x00\x00\x00\x00\x00\x9c\x75\x00\x88\x3c\xe4\x37\x7e", 16);
  EXPECT_EQ(values(bytes), rows({{1.5, -2}, {0, 1e300}}));
}

TEST(Npy, ReadsEveryNumberType) {
  const Matrix signed_rows = rows({{1, -2}}), unsigned_rows = rows({{1, 200}});
  EXPECT_EQ(values(npy("<f4", "(1, 2)", bytes_of<float>({1, -2}))), signed_rows);
  EXPECT_EQ(values(npy(">f4", "(1, 2)", swapped(bytes_of<float>({1, -2}), 4))), signed_rows);
  EXPECT_EQ(values(npy("<f8", "(1, 2)", bytes_of<double>({1, -2}))), signed_rows);
  EXPECT_EQ(values(npy(">f8", "(1, 2)", swapped(bytes_of<double>({1, -2}), 8))), signed_rows);
  EXPECT_EQ(values(npy("|i1", "(1, 2)", bytes_of<std::int8_t>({1, -2}))), signed_rows);
  EXPECT_EQ(values(npy("<i2", "(1, 2)", bytes_of<std::int16_t>({1, -2}))), signed_rows);
  EXPECT_EQ(values(npy(">i4", "(1, 2)", swapped(bytes_of<std::int32_t>({1, -2}), 4))), signed_rows);
  EXPECT_EQ(values(npy("<i8", "(1, 2)", bytes_of<std::int64_t>({1, -2}))), signed_rows);
  EXPECT_EQ(values(npy("|u1", "(1, 2)", bytes_of<std::uint8_t>({1, 200}))), unsigned_rows);
  EXPECT_EQ(values(npy(">u2", "(1, 2)", swapped(bytes_of<std::uint16_t>({1, 200}), 2))), unsigned_rows);
  EXPECT_EQ(values(npy("<u8", "(1, 1)", bytes_of<std::uint64_t>({1ull << 63}))), rows({{9223372036854775808.0}}));
  EXPECT_EQ(values(npy("|b1", "(1, 2)", std::string("\x00\x01", 2))), rows({{0, 1}}));
  // Half precision: 1, -2, the smallest subnormal, the largest number.
  EXPECT_EQ(values(npy("<f2", "(1, 4)", bytes_of<std::uint16_t>({0x3c00, 0xc000, 0x0001, 0x7bff}))),
            rows({{1, -2, std::ldexp(1.0, -24), 65504}}));
  // x87 extended: -1.5 and 2^-20.
  const std::string extended(
      "\0\0\0\0\0\0\0\xc0\xff\xbf\0\0\0\0\0\0"
      "\0\0\0\0\0\0\0\x80\xeb\x3f\0\0\0\0\0\0",
      32);
  EXPECT_EQ(values(npy("<f16", "(1, 2)", extended)), rows({{-1.5, std::ldexp(1.0, -20)}}));
  EXPECT_EQ(values(npy(">f16", "(1, 2)", swapped(extended, 16))), rows({{-1.5, std::ldexp(1.0, -20)}}));
}

TEST(Npy, ReadsEveryShapeOrderAndVersion) {
  const std::string six = bytes_of<double>({1, 2, 3, 4, 5, 6});
  for (int major : {1, 2, 3}) EXPECT_EQ(values(npy("<f8", "(2, 3)", six, false, major)), rows({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(values(npy("<f8", "(2L, 3L)", six)), rows({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(values(npy("<f8", "(2, 3)", six, true)), rows({{1, 3, 5}, {2, 4, 6}}));
  EXPECT_EQ(values(npy("<f8", "(6,)", six)).rows(), 6);
  EXPECT_EQ(values(npy("<f8", "(1, 3, 2)", six)), rows({{1, 2, 3, 4, 5, 6}}));
  // a[i, j, k] at i + 1 (j + 3 k): row-major 111 112 121 122 131 132 of Fortran order 1..6.
  EXPECT_EQ(values(npy("<f8", "(1, 3, 2)", six, true)), rows({{1, 4, 2, 5, 3, 6}}));
  const auto reader = parse_table(npy("<f8", "(1, 3, 2)", six), "t", {});
  EXPECT_EQ(reader->shape(), (std::vector<Index>{3, 2}));
  EXPECT_EQ(*reader->rows(), 1);
  EXPECT_EQ(parse_table(npy("<f8", "(6,)", six), "t", {})->shape(), std::vector<Index>{});
  TableOptions options;
  options.columns = "3,1";
  EXPECT_EQ(values(npy("<f8", "(2, 3)", six), options), rows({{3, 1}, {6, 4}}));
}

TEST(Npy, RefusesWhatItCannotRead) {
  const std::string eight = bytes_of<double>({1});
  const auto refused = [&](const std::string& bytes, const std::string& why) {
    EXPECT_NE(error_of(bytes).find(why), std::string::npos) << error_of(bytes);
    EXPECT_EQ(error_of(bytes).rfind("t.npy: ", 0), 0u) << error_of(bytes);
  };
  refused(npy("<f8", "(2, 3)", eight), "truncated: shape (2, 3) needs 48 bytes after the header, the file has 8");
  refused(npy("<f8", "(1, 1)", eight + "x"), "1 bytes after the end of the array");
  refused(npy("<f8", "(1000000000000000000, 3)", eight), "too large");
  refused(npy("<f8", "(1000000000000000000, 1000000000000000000)", eight), "too large");
  refused(npy("<f8", "(99999999999999999999, 3)", eight), "beyond 2^63");
  refused(npy("<f8", "(1000000000000, 3)", eight), "truncated");
  refused(npy("<f8", "(1, 999999999999)", eight), "too large");
  refused(npy("<f8", "()", eight), "a single number");
  refused(npy("<f8", "(0, 3)", ""), "no rows");
  refused(npy("<f8", "(3, 0)", ""), "no rows");
  refused(npy("<f8", "(-1, 3)", eight), "damaged header");
  refused(npy("<c16", "(1, 1)", eight + eight), "complex");
  refused(npy("|O", "(1, 1)", eight), "Python objects");
  refused(npy("<U3", "(1, 1)", eight), "text");
  refused(npy("<M8[ns]", "(1, 1)", eight), "times");
  refused(npy("<f7", "(1, 1)", eight), "unknown");
  refused(npy("", "(1, 1)", eight), "unknown");
  refused(preamble("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }\n") + eight, "structured");
  refused(preamble("{'descr': '<f8', 'fortran_order': False}\n") + eight, "without descr, fortran_order and shape");
  refused(preamble("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,)}\n") + eight, "neither True nor False");
  refused(preamble("{'descr': '<f8', 'color': 'red', 'fortran_order': False, 'shape': (1,)}\n") + eight,
          "the key 'color'");
  refused(preamble("not a dictionary") + eight, "damaged header");
  refused(npy("<f8", "(1, 1)", eight, false, 4), "NPY version 4");
  refused(npy("<f8", "(1, 1)", bytes_of<double>({NAN})), "row 1, column 1: not finite: nan");
  refused("just text\n", "not an NPY file");
  const std::string huge_header = std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12) + "{}";
  refused(huge_header, "a header of 2147483647 bytes");
}

TEST(Npy, SurvivesTruncationAndDamageAnywhere) {
  const std::string whole = npy("<f8", "(2, 3)", bytes_of<double>({1, 2, 3, 4, 5, 6}));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(error_of(whole.substr(0, size)), "no error") << size;
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      error_of(damaged);
    }
}

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-io-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory_), {}));
  }
  std::string directory_;
};

TEST_F(Files, EveryFormatRoundTrips) {
  Matrix table = Matrix::Random(4, 10);
  table(0, 0) = 1e-310;
  table(1, 0) = 0.1;
  for (const char* name : {"t.csv", "t.tsv", "t.npy", "t"}) {
    const auto writer = create_table(path(name), {"a", "b,c", "d", "e"});
    writer->write(table.leftCols(3));
    writer->write(table.rightCols(7));
    writer->close();
    EXPECT_EQ(read_table(path(name)).values, table) << name;
  }
  EXPECT_EQ(open_table(path("t.csv"))->names()[1], "b,c");
  EXPECT_EQ(count(), 4u);
}

TEST_F(Files, NpyKeepsTheShapeOfRows) {
  const auto writer = create_table(path("t.npy"), {"a", "b", "c", "d"}, {2, 2});
  writer->write(Matrix::Random(4, 3));
  writer->close();
  EXPECT_EQ(open_table(path("t.npy"))->shape(), (std::vector<Index>{2, 2}));
  EXPECT_EQ(std::filesystem::file_size(path("t.npy")) % 64, (256 + 3 * 4 * 8) % 64);
  const auto one = create_table(path("d.npy"), {"dist"});
  one->write(Matrix::Random(1, 3));
  one->close();
  EXPECT_EQ(open_table(path("d.npy"))->shape(), std::vector<Index>{});
}

TEST_F(Files, FortranOrderIsReadFromFilesInBlocks) {
  std::ofstream(path("f.npy"), std::ios::binary)
      << npy("<i4", "(5, 2)", bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), true);
  const auto reader = open_table(path("f.npy"));
  TableBlock block;
  ASSERT_TRUE(reader->read(2, block));
  EXPECT_EQ(block.values, rows({{1, 2}, {6, 7}}));
  ASSERT_TRUE(reader->read(2, block));
  ASSERT_TRUE(reader->read(2, block));
  EXPECT_EQ(block.values, rows({{5}, {10}}));
  EXPECT_FALSE(reader->read(2, block));
}

TEST_F(Files, AnUnfinishedWriterLeavesNothing) {
  write_file(path("t.csv"), "old");
  {
    const auto writer = create_table(path("t.csv"), {"a"});
    writer->write(Matrix::Zero(1, 5));
  }
  EXPECT_EQ(count(), 1u);
  EXPECT_EQ(std::filesystem::file_size(path("t.csv")), 3u);
}

TEST_F(Files, SkipRowsWithoutReadingThem) {
  const Matrix all = Matrix::Random(3, 50);
  for (const bool fortran : {false, true}) {
    std::string data(sizeof(double) * 150, '\0');
    const Matrix stored = fortran ? Matrix(all.transpose()) : all;
    std::memcpy(data.data(), stored.data(), data.size());
    const std::string bytes = npy("<f8", "(50, 3)", data, fortran);
    std::ofstream(path("t.npy"), std::ios::binary) << bytes;
    const auto reader = open_table(path("t.npy"));
    TableBlock block;
    reader->skip(7);
    ASSERT_TRUE(reader->read(2, block));
    EXPECT_EQ(block.first_row, 7);
    EXPECT_EQ(block.values, all.middleCols(7, 2));
    reader->skip(30);
    ASSERT_TRUE(reader->read(100, block));
    EXPECT_EQ(block.values, all.rightCols(11));
    reader->skip(5);
    EXPECT_FALSE(reader->read(1, block));
  }
  // Where all must be read, and beyond the end.
  const auto text = parse_table("a,b\n1,2\n3,4\n5,6\n", "t.csv");
  TableBlock block;
  text->skip(2);
  ASSERT_TRUE(text->read(9, block));
  EXPECT_EQ(block.first_row, 2);
  EXPECT_EQ(block.values, Matrix(rows({{5, 6}}).transpose()));
  text->skip(9);
  EXPECT_FALSE(text->read(1, block));
}

TEST_F(Files, WriteErrorsAreErrors) {
  EXPECT_THROW(create_table(path("missing/t.csv"), {"a"}), Error);
  EXPECT_THROW(create_table(path(""), {"a"}), Error);
  EXPECT_THROW(create_table(path("t.xlsx"), {"a"}), Error);
  const auto writer = create_table(path("t.csv"), {"a"});
  EXPECT_THROW(writer->write(Matrix::Zero(2, 1)), Error);
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_THROW(write_file("/dev/full", std::string(1 << 20, 'x')), Error);
    EXPECT_THROW(write_file("/dev/full", "x"), Error);
  }
}

TEST_F(Files, MissingFilesAndDirectoriesAreNamed) {
  const auto message = [](const std::string& file) -> std::string {
    try {
      open_table(file);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(path("none.csv")), path("none.csv") + ": no such file");
  EXPECT_NE(message(directory_).find("is a directory"), std::string::npos);
}

}  // namespace
}  // namespace wgp
