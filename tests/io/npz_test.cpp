// NPZ against archives written by hand and by this library; gzip beside it. numpy's own files:
// tests/cli/numpy_test.cpp.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>

#include "io/bytes/archive.h"
#include "io/sample_files.h"
#include "io/tables/npy_bytes.h"
#include "packed.h"

namespace wgp {
namespace {

using test::deflated;
using test::error_of;
using test::gzip;
using test::rows_of;
using Rows = std::vector<std::vector<double>>;

std::string number(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}
// An archive of one deflated entry that claims to unpack to `size` bytes.
std::string zip(const std::string& name, const std::string& bytes, std::uint64_t size) {
  const std::string packed = deflated(bytes, -MAX_WBITS);
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  const std::string fields = number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4) + number(crc, 4) +
                             number(packed.size(), 4) + number(size, 4) + number(name.size(), 2) + number(0, 2);
  const std::string local = "PK\x03\x04" + fields + name + packed;
  const std::string directory = "PK\x01\x02" + number(20, 2) + fields + std::string(14, '\0') + name;
  return local + directory + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) + number(directory.size(), 4) +
         number(local.size(), 4) + number(0, 2);
}

class Npz : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-npz-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string bytes(const std::string& name) const {
    std::ostringstream content;
    content << std::ifstream(path(name), std::ios::binary).rdbuf();
    return content.str();
  }
  std::string archive(const std::vector<ArchiveEntry>& entries) const {
    write_archive(path("archive"), entries);
    return bytes("archive");
  }
  std::string directory_;
};

Matrix table() {
  Matrix X(2, 3);
  X << 1, 2, 3, 4, 5, 6;
  return X;
}
const Rows table_rows = {{1, 4}, {2, 5}, {3, 6}};

TEST_F(Npz, ReadsTheOnlyArray) {
  const std::string npz = archive({{"notes.txt", "hello"}, {"X.npy", npy_of_columns(table())}});
  EXPECT_EQ(rows_of(npz, "t"), table_rows);
  const auto reader = parse_table(npz, "t");
  EXPECT_EQ(reader->format(), "npz");
  EXPECT_EQ(*reader->rows(), 3);
  EXPECT_EQ(reader->shape(), std::vector<Index>{2});
  TableOptions options;
  options.columns = "2";
  EXPECT_EQ(rows_of(npz, "t", options), (Rows{{4}, {5}, {6}}));
}

TEST_F(Npz, SeveralArraysAreChosenFrom) {
  const std::string npz = archive({{"X.npy", npy_of_columns(table())}, {"y.npy", npy_of_vector(Vector::Ones(3))}});
  EXPECT_EQ(error_of(npz, "t.npz"), "t.npz: holds several arrays: X (3, 2), y (3,); choose one with --array NAME");
  TableOptions options;
  options.array = "X";
  EXPECT_EQ(rows_of(npz, "t", options), table_rows);
  options.array = "y.npy";
  EXPECT_EQ(rows_of(npz, "t", options), (Rows{{1}, {1}, {1}}));
  options.array = "Z";
  EXPECT_EQ(error_of(npz, "t.npz", options), "t.npz: no array 'Z'; it holds X (3, 2), y (3,)");
}

TEST_F(Npz, WhatIsNoNpzIsNamed) {
  EXPECT_NE(error_of(archive({{"xl/sheet.xml", "<a/>"}}), "t").find("a zip archive without .npy arrays"),
            std::string::npos);
  EXPECT_NE(error_of(archive({}), "t").find("without .npy arrays"), std::string::npos);
  EXPECT_NE(error_of(archive({{"X.npy", "text"}}), "t").find("t: X.npy: not an NPY array: it starts with 'text'"),
            std::string::npos);
  const std::string array = npy_of_columns(table());
  EXPECT_NE(
      error_of(archive({{"X.npy", array.substr(0, array.size() - 1)}}), "t").find("X.npy: truncated: shape (3, 2)"),
      std::string::npos);
  EXPECT_NE(error_of(archive({{"X.npy", array + "x"}}), "t").find("X.npy: too long"), std::string::npos);
  std::string absurd = array;
  absurd.replace(absurd.find("(3, 2), }"), 32, "(1000000000000000000, 2), }     ");
  EXPECT_NE(error_of(archive({{"X.npy", absurd}}), "t").find("too large"), std::string::npos);
  absurd.replace(absurd.find("(1000"), 32, "(1000000000000, 2), }           ");
  EXPECT_NE(error_of(archive({{"X.npy", absurd}}), "t").find("truncated"), std::string::npos);
}

TEST_F(Npz, AWrongByteIsNoticed) {
  for (const std::string& npz :
       {archive({{"X.npy", npy_of_columns(table())}}), zip("X.npy", npy_of_columns(table()), 128 + 48)}) {
    ASSERT_EQ(rows_of(npz, "t"), table_rows);
    const std::size_t data = npz.find("NUMPY") != std::string::npos ? npz.find("NUMPY") : 40;
    for (std::size_t i = data; i < npz.find("PK\x01\x02"); ++i) {
      std::string damaged = npz;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
      // The last byte of a deflated stream may have bits to spare.
      if (error_of(damaged, "t") == "no error") {
        EXPECT_EQ(rows_of(damaged, "t"), table_rows) << i;
        EXPECT_EQ(i + 1, npz.find("PK\x01\x02"));
      }
    }
  }
}

TEST_F(Npz, BombsAreRefusedUnread) {
  std::string zeros = npy_of_columns(Matrix::Zero(2, 1));
  zeros.replace(zeros.find("(1, 2), }"), 20, "(1500000, 2), }     ");
  zeros.append(16 * 1500000 - 16, '\0');
  const std::string bomb = zip("X.npy", zeros, zeros.size());
  ASSERT_LT(bomb.size(), zeros.size() / 500);
  EXPECT_NE(error_of(bomb, "t").find("like a zip bomb"), std::string::npos);
  EXPECT_THROW(read_archive(memory_bytes(bomb, "t")), Error);
  // Less is unpacked than promised, or more.
  const std::string array = npy_of_columns(table());
  EXPECT_NE(error_of(zip("X.npy", array, array.size() - 8), "t"), "no error");
  EXPECT_NE(error_of(zip("X.npy", array, array.size() + 8), "t"), "no error");
  EXPECT_NE(error_of(zip("X.npy", array, 4000000000u), "t").find("cannot have been deflated"), std::string::npos);
}

TEST_F(Npz, IsWrittenAndReadBack) {
  const Matrix values = Matrix::Random(4, 1000);
  for (const char* name : {"a.npz", "b.npz"}) {
    const auto writer = create_table(path(name), {"a", "b", "c", "d"}, {2, 2});
    writer->write(values.leftCols(1));
    writer->write(values.rightCols(999));
    writer->close();
  }
  EXPECT_EQ(read_table(path("a.npz")).values, values);
  EXPECT_EQ(open_table(path("a.npz"))->shape(), (std::vector<Index>{2, 2}));
  EXPECT_EQ(bytes("a.npz"), bytes("b.npz"));
  const auto entries = read_archive(path("a.npz"));
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].name, "points.npy");
  EXPECT_THROW(create_table("/dev/null/t.npz", {"a"}), Error);
}

TEST_F(Npz, TextColumnsAreArrays) {
  const std::vector<std::vector<std::string>> labels = {{"cat", "d\xc3\xb6g", "\xf0\x9f\x90\x88 \xe7\x8c\xab"},
                                                        {"", "b", "ccc"}};
  const auto writer = create_table(path("t.npz"), {"x", "y", "species", "site"});
  writer->write(table(), labels);
  writer->close();
  TableOptions options;
  options.text_columns = {"species", "site"};
  const TableBlock block = read_table(path("t.npz"), options);
  EXPECT_EQ(block.values, table());
  EXPECT_EQ(block.text, labels);
  EXPECT_EQ(open_table(path("t.npz"))->columns()[2].name, "species");
  options.text_columns = {"points"};
  EXPECT_NE(error_of(bytes("t.npz"), "t", options).find("no array of 3 texts called 'points'"), std::string::npos);
  options = {};
  options.array = "site";
  EXPECT_NE(error_of(bytes("t.npz"), "t", options), "no error");
}

TEST_F(Npz, AnUnfinishedOneLeavesNothing) {
  create_table(path("t.npz"), {"x", "y"})->write(table());
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST(Gzip, UnpacksEveryFormat) {
  EXPECT_EQ(rows_of(gzip("1,4\n2,5\n3,6\n"), "t.csv.gz"), table_rows);
  EXPECT_EQ(rows_of(gzip(npy_of_columns(table())), "t.npy.gz"), table_rows);
  EXPECT_EQ(rows_of(gzip("LM=1\n1 4\n"), "t.tps.gz"), (Rows{{1, 4}}));
  EXPECT_EQ(rows_of(gzip("1,4\n") + gzip("2,5\n3,6\n"), "t"), table_rows);
  EXPECT_EQ(parse_table(gzip("1 1 2 0\n3 4\n"), "t.NTS.gz")->format(), "nts");
  std::string longer;
  for (int i = 0; i < 100000; ++i) longer += std::to_string(i) + "," + std::to_string(i * 7 % 977) + "\n";
  const Rows rows = rows_of(gzip(longer), "t.csv.gz");
  ASSERT_EQ(rows.size(), 100000u);
  EXPECT_EQ(rows[77777][0], 77777);
}

TEST(Gzip, DamageIsNoticed) {
  for (const std::string& content : {std::string("1,4\n2,5\n3,6\n"), npy_of_columns(table())}) {
    const std::string packed = gzip(content);
    for (std::size_t size = 1; size < packed.size(); ++size)
      EXPECT_NE(error_of(packed.substr(0, size), "t"), "no error") << size;
    for (std::size_t i = 10; i < packed.size(); ++i) {
      std::string damaged = packed;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
      // Eight bytes of sum and length follow the stream, whose last byte may have bits to spare.
      if (i + 9 == packed.size() && error_of(damaged, "t") == "no error")
        EXPECT_EQ(rows_of(damaged, "t"), table_rows);
      else
        EXPECT_NE(error_of(damaged, "t"), "no error") << i;
    }
    EXPECT_NE(error_of(packed + "x", "t"), "no error");
  }
  EXPECT_NE(error_of(gzip(gzip("1,2\n")), "t").find("gzip twice"), std::string::npos);
  EXPECT_NE(error_of(gzip(""), "t").find("is empty"), std::string::npos);
  std::string repeated;
  for (int i = 0; i < 1500000; ++i) repeated += "1,2\n";
  EXPECT_NE(error_of(gzip(repeated), "t").find("gzip bomb"), std::string::npos);
}

}  // namespace
}  // namespace wgp
