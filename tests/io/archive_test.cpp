// Zip archives and the NPY arrays in them: against themselves, against damage, against Python's zipfile and numpy.
#include "io/bytes/archive.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "io/tables/npy_bytes.h"
#include "wgp/io.h"

namespace wgp {

bool operator==(const ArchiveEntry& a, const ArchiveEntry& b) { return a.name == b.name && a.bytes == b.bytes; }

namespace {

using Entries = std::vector<ArchiveEntry>;

std::string file_bytes(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

class Archives : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-archive-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory_), {}));
  }

  std::string written(const Entries& entries) const {
    write_archive(path("written"), entries);
    return file_bytes(path("written"));
  }
  Entries read(const std::string& bytes) const {
    std::filesystem::remove(path("t.wgp"));  // some file systems flush a file that is overwritten: 3 ms each time
    std::ofstream(path("t.wgp"), std::ios::binary) << bytes;
    return read_archive(path("t.wgp"));
  }
  // The message without the file's name, which must stand first.
  std::string error_of(const std::string& bytes) const {
    try {
      read(bytes);
    } catch (const Error& error) {
      const std::string message = error.what(), start = path("t.wgp") + ": ";
      EXPECT_EQ(message.rfind(start, 0), 0u) << message;
      return message.substr(start.size());
    }
    return "no error";
  }

  // Whether there is a Python to run; runs the script in the test's directory, where it must not raise.
  static bool has_python([[maybe_unused]] const std::string& module) {
#ifdef WGP_PYTHON
    return std::system(("\"" WGP_PYTHON "\" -c 'import " + module + "' 2>/dev/null").c_str()) == 0;
#else
    return false;
#endif
  }
  void python([[maybe_unused]] const std::string& script) const {
#ifdef WGP_PYTHON
    std::ofstream(path("script.py")) << script;
    EXPECT_EQ(std::system(("cd '" + directory_ + "' && \"" WGP_PYTHON "\" script.py").c_str()), 0) << script;
#endif
  }

  std::string directory_;
};

std::string all_bytes() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}
Entries sample() {
  return {
      {"model.json", "{\"format\": 1}"}, {"empty", ""}, {"arrays/x.npy", all_bytes()}, {"gr\xc3\xb6\xc3\x9f\x65", "s"}};
}

// "a/b.txt" with 12 times "wrapped ", deflated by Python's zipfile, and a comment with the mark of an archive's end.
std::string deflated_by_python() {
  return std::string(
      "\x50\x4b\x03\x04\x14\x00\x00\x00\x08\x00\x05\x39\xa6\x58\x4b\xef\xe5\x04\x0d\x00\x00\x00\x60\x00\x00\x00"
      "\x07\x00\x00\x00\x61\x2f\x62\x2e\x74\x78\x74\x2b\x2f\x4a\x2c\x28\x48\x4d\x51\x28\xa7\x11\x0d\x00\x50\x4b"
      "\x01\x02\x14\x03\x14\x00\x00\x00\x08\x00\x05\x39\xa6\x58\x4b\xef\xe5\x04\x0d\x00\x00\x00\x60\x00\x00\x00"
      "\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x01\x00\x00\x00\x00\x61\x2f\x62\x2e\x74\x78\x74\x50"
      "\x4b\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00\x35\x00\x00\x00\x32\x00\x00\x00\x11\x00\x50\x4b\x05\x06\x20"
      "\x69\x6e\x20\x61\x20\x63\x6f\x6d\x6d\x65\x6e\x74",
      142);
}

TEST_F(Archives, RoundTrip) {
  for (const Entries& entries : {Entries{}, Entries{{"only", ""}}, sample(), Entries{{"a/b/c", "1"}, {"a/b", "2"}}})
    EXPECT_EQ(read(written(entries)), entries);
  EXPECT_EQ(written({}).size(), 22u);
}

TEST_F(Archives, SameContentGivesTheSameBytes) {
  const std::string first = written(sample());
  EXPECT_EQ(written(sample()), first);
  Entries other = sample();
  other[2].bytes[7] = 'x';
  EXPECT_NE(written(other), first);
}

TEST_F(Archives, AppearCompleteOrNotAtAll) {
  write_archive(path("t.wgp"), sample());
  EXPECT_THROW(write_archive(path("t.wgp"), {{"x", "1"}, {"x", "2"}}), Error);
  EXPECT_THROW(write_archive(path("none/t.wgp"), sample()), Error);
  EXPECT_EQ(read_archive(path("t.wgp")), sample());
  EXPECT_EQ(count(), 1u);
}

TEST_F(Archives, RefuseImpossibleNames) {
  EXPECT_THROW(written({{"", "1"}}), Error);
  EXPECT_THROW(written({{std::string("a\0b", 3), "1"}}), Error);
  EXPECT_THROW(written({{std::string(65536, 'n'), "1"}}), Error);
  const Entries longest = {{std::string(65535, 'n'), "1"}};
  EXPECT_EQ(read(written(longest)), longest);
  EXPECT_EQ(count(), 2u);
}

TEST_F(Archives, MoreEntriesThanSixteenBitsCount) {
  Entries entries;
  for (int i = 0; i < 70000; ++i) entries.push_back({std::to_string(i), i % 1000 == 0 ? "x" : ""});
  const std::string bytes = written(entries);
  EXPECT_TRUE(read(bytes) == entries);
  if (has_python("zipfile"))
    python(
        "import zipfile\nz = zipfile.ZipFile('written')\nassert z.testzip() is None\nassert len(z.namelist()) == "
        "70000");
  // The zip64 records between directory and end, byte by byte.
  const std::size_t end64 = bytes.size() - 22 - 20 - 56;
  for (std::size_t i = end64; i < bytes.size(); ++i) {
    if (i >= end64 + 4 && i < end64 + 16) continue;  // the record's size and versions
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_NE(error_of(damaged), "no error") << i - end64;
  }
}

TEST_F(Archives, DeflatedEntriesAreRead) {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "wrapped ";
  EXPECT_EQ(read(deflated_by_python()), (Entries{{"a/b.txt", text}}));
}

TEST_F(Archives, TruncationAnywhereIsAnError) {
  for (const std::string& whole : {written(sample()), deflated_by_python(), written({})})
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_NE(error_of(whole.substr(0, size)), "no error") << size;
      if (size > 0) {
        EXPECT_NE(error_of(whole.substr(size)), "no error") << size;
      }
    }
}

// A wrong byte is an error, except where it says nothing about the entries: dates, versions, attributes. There the
// entries must be unharmed.
TEST_F(Archives, EveryWrongByteIsAnErrorOrHarmless) {
  const std::string whole = written(sample());
  std::vector<bool> harmless(whole.size(), false);
  const auto mark = [&](std::size_t from, std::size_t size) {
    for (std::size_t i = from; i < from + size; ++i) harmless[i] = true;
  };
  for (std::size_t i = 0; i + 4 < whole.size(); ++i) {
    if (whole.compare(i, 4, "PK\x03\x04") == 0) {
      mark(i + 4, 4);   // version, flags
      mark(i + 10, 4);  // time, date
    }
    if (whole.compare(i, 4, "PK\x01\x02") == 0) {
      mark(i + 4, 6);   // versions, flags
      mark(i + 12, 4);  // time, date
      mark(i + 36, 6);  // attributes
    }
  }
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int change : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      if (error_of(damaged) != "no error") continue;
      EXPECT_TRUE(harmless[i]) << i << " " << change;
      EXPECT_EQ(read(damaged), sample()) << i << " " << change;
    }
}

TEST_F(Archives, DamageNeverCrashesNorChangesAnEntry) {
  std::mt19937 random(1);
  for (const std::string& whole : {written(sample()), deflated_by_python()}) {
    const Entries entries = read(whole);
    for (int round = 0; round < 3000; ++round) {
      std::string damaged = whole;
      for (std::size_t i = 1 + random() % 4; i-- > 0;) {
        const std::size_t at = random() % damaged.size();
        switch (random() % 3) {
          case 0:
            damaged[at] = static_cast<char>(random() & 0xff);
            break;
          case 1:
            damaged.erase(at, 1 + random() % 8);
            break;
          default:
            damaged.insert(at, damaged.substr(random() % damaged.size(), 1 + random() % 40));
        }
        if (damaged.empty()) damaged = "P";
      }
      if (error_of(damaged) == "no error") {
        EXPECT_EQ(read(damaged), entries) << round;
      }
    }
  }
}

TEST_F(Archives, MessagesNameTheEntryAndTheDefect) {
  const std::string whole = written(sample());
  const auto refused = [&](const std::string& bytes, const std::string& why) {
    EXPECT_NE(error_of(bytes).find(why), std::string::npos) << error_of(bytes);
  };
  const auto changed = [&](std::size_t at, char to) {
    std::string bytes = whole;
    bytes[at] = to;
    return bytes;
  };
  refused("", "not a zip archive: the file is empty");
  refused("x,y\n1,2\n", "not a zip archive: it starts with 'x,y\\x0a'");
  refused(whole.substr(0, whole.size() / 2), "a truncated zip archive");
  refused(changed(whole.find("format"), 'F'), "entry 'model.json': wrong checksum: ");
  const std::size_t entry = whole.find("PK\x01\x02");
  refused(changed(entry + 10, 12), "entry 'model.json': compression method 12; stored (0) and deflated (8)");
  refused(changed(entry + 8, 1), "entry 'model.json': encrypted");
  refused(changed(entry + 24, 99), "entry 'model.json': 99 bytes are stored in 13");
  refused(changed(entry + 45, 1), "reach beyond the entries' end");
  refused(changed(entry + 46, 'M'), "entry 'Model.json': its header calls it 'model.json'");
  const std::size_t second = whole.find("PK\x01\x02", entry + 1);
  refused(changed(second + 42, 0), "entry 'empty': it overlaps entry 'model.json'");
  std::string bomb = deflated_by_python();
  bomb[bomb.find("PK\x01\x02") + 27] = 0x7f;
  refused(bomb, "entry 'a/b.txt': 2130706528 bytes cannot have been deflated to 13");
  std::string garbled = deflated_by_python();
  garbled[30 + 7] ^= 0x04;  // the first byte of the deflated data: a block of another kind
  refused(garbled, "entry 'a/b.txt': its deflated data do not give 96 bytes");
  std::string fewer = whole;
  fewer[whole.size() - 14] = fewer[whole.size() - 12] = 3;
  refused(fewer, "bytes after the 3 entries of its directory");
  refused("x" + whole, "a damaged zip archive: a directory of 218 bytes at 424 does not end at 643");
  EXPECT_THROW(read_archive(directory_), Error);
  EXPECT_THROW(read_archive(path("none")), Error);
}

TEST_F(Archives, OfPythonsZipfileAreRead) {
  if (!has_python("zipfile")) GTEST_SKIP() << "no Python: compile with WGP_PYTHON=\"path of python3\"";
  const std::string script = R"(import zipfile, sys
class Pipe:
    def __init__(self, name): self.file = open(name, 'wb')
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
def fill(archive):
    archive.writestr('folder/', b'')
    archive.writestr('folder/long.txt', b'0123456789' * 20000)
    archive.writestr('empty', b'')
    archive.writestr('gr\u00fc\u00dfe', bytes(range(256)))
for name, method in ('stored', zipfile.ZIP_STORED), ('deflated', zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(name, 'w', method) as archive: fill(archive)
# Sizes behind the data, as to a pipe.
with zipfile.ZipFile(Pipe('piped'), 'w', zipfile.ZIP_DEFLATED) as archive: fill(archive)
with zipfile.ZipFile('bzip2', 'w', zipfile.ZIP_BZIP2) as archive: fill(archive)
# Everything of more than ten bytes by zip64.
zipfile.ZIP64_LIMIT = 10
with zipfile.ZipFile('zip64', 'w', zipfile.ZIP_DEFLATED) as archive: fill(archive)
)";
  python(script);
  std::string digits;
  for (int i = 0; i < 20000; ++i) digits += "0123456789";
  const Entries expected = {
      {"folder/", ""}, {"folder/long.txt", digits}, {"empty", ""}, {"gr\xc3\xbc\xc3\x9f\x65", all_bytes()}};
  for (const char* name : {"stored", "deflated", "piped", "zip64"})
    EXPECT_TRUE(read_archive(path(name)) == expected) << name;
  EXPECT_LT(std::filesystem::file_size(path("deflated")), 5000u);
  EXPECT_NE(error_of(file_bytes(path("bzip2"))).find("compression method 12"), std::string::npos);
  for (const char* name : {"piped", "zip64"}) {
    const std::string bytes = file_bytes(path(name));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
      if (error_of(damaged) == "no error") {
        EXPECT_TRUE(read(damaged) == expected) << name << " " << i;
      }
      EXPECT_NE(error_of(bytes.substr(0, i)), "no error") << name << " " << i;
    }
  }
}

TEST_F(Archives, AreReadByPythonsZipfile) {
  if (!has_python("zipfile")) GTEST_SKIP() << "no Python: compile with WGP_PYTHON=\"path of python3\"";
  written(sample());
  python(R"(import zipfile
archive = zipfile.ZipFile('written')
assert archive.testzip() is None
assert archive.namelist() == ['model.json', 'empty', 'arrays/x.npy', 'gr\u00f6\u00dfe'], archive.namelist()
assert archive.read('arrays/x.npy') == bytes(range(256))
assert archive.getinfo('empty').date_time == (1980, 1, 1, 0, 0, 0)
assert archive.getinfo('empty').external_attr >> 16 == 0o100644
)");
}

TEST_F(Archives, AreReadByNumpy) {
  if (!has_python("numpy")) GTEST_SKIP() << "no Python with numpy: compile with WGP_PYTHON=\"path of python3\"";
  const double tiny = std::numeric_limits<double>::denorm_min();
  Matrix X(2, 3);
  X << 1, 2, -0.0, 0.1, tiny, 1e300;
  Vector x(3);
  x << std::nan(""), HUGE_VAL, -HUGE_VAL;
  write_archive(path("t.wgp"), {{"model.json", "{\"format\": 1}"},
                                {"X.npy", npy_of_columns(X)},
                                {"part/x.npy", npy_of_vector(x)},
                                {"none.npy", npy_of_columns(Matrix(4, 0))}});
  python(R"(import io, numpy as np
with np.load('t.wgp') as archive:
    X, x, none = archive['X'], archive['part/x'], archive['none']
    assert archive['model.json'] == b'{"format": 1}'
    assert sorted(archive.files) == ['X', 'model.json', 'none', 'part/x'], archive.files
assert X.dtype == np.dtype('<f8') and X.shape == (3, 2) and X.flags.c_contiguous
assert X.tolist() == [[1, 0.1], [2, 5e-324], [-0.0, 1e300]] and np.signbit(X[2, 0])
assert x.shape == (3,) and np.isnan(x[0]) and x[1] == np.inf and x[2] == -np.inf
assert none.shape == (0, 4)
# The same bytes as numpy.save.
import zipfile
for name, array in ('X', X), ('part/x', x), ('none', none):
    buffer = io.BytesIO()
    np.save(buffer, array)
    assert zipfile.ZipFile('t.wgp').read(name + '.npy') == buffer.getvalue(), name
np.savez('stored.npz', X=X, x=x)
np.savez_compressed('deflated.npz', X=X, x=x)
)");
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const Entries entries = read_archive(path(name));
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].name, "X.npy");
    EXPECT_EQ(columns_of_npy(entries[0].bytes, "X"), X);
    EXPECT_EQ(npy_of_vector(vector_of_npy(entries[1].bytes, "x")), npy_of_vector(x));
  }
}

TEST_F(Archives, BeyondFourGigabytes) {
  if (!std::getenv("WGP_LARGE_TESTS"))
    GTEST_SKIP() << "needs 9 GB of memory and of disk: set WGP_LARGE_TESTS=1 to run it";
  // A large entry, one behind it (a large offset), and the sizes at the border of 32 bits.
  for (const std::uint64_t size : {0xfffffffeull, 0xffffffffull, 0x100000000ull}) {
    Entries entries = {{"small", "1"}, {"large", std::string(size, 'x')}, {"behind", "2"}};
    entries[1].bytes[size - 2] = 'y';
    write_archive(path("t.wgp"), entries);
    EXPECT_TRUE(read_archive(path("t.wgp")) == entries) << size;
    entries.clear();
    if (has_python("zipfile"))
      python(
          "import zipfile\nz = zipfile.ZipFile('t.wgp')\nassert z.testzip() is None\nassert "
          "z.getinfo('large').file_size == " +
          std::to_string(size) + "\nassert z.read('behind') == b'2'");
  }
}

// ---- arrays

std::vector<std::uint64_t> bits(ConstMatrixRef X) {
  std::vector<std::uint64_t> all;
  for (Index i = 0; i < X.cols(); ++i)
    for (Index j = 0; j < X.rows(); ++j) all.push_back(std::bit_cast<std::uint64_t>(X(j, i)));
  return all;
}
std::string npy(const std::string& dictionary, const std::string& data) {
  std::string bytes = "\x93NUMPY";
  bytes += {1, 0, static_cast<char>(dictionary.size()), 0};
  return bytes + dictionary + data;
}
std::string npy(const std::string& descr, const std::string& shape, const std::string& data, const char* fortran) {
  return npy("{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + "}", data);
}

TEST(NpyBytes, EveryBitRoundTrips) {
  Matrix X(3, 4);
  const std::uint64_t patterns[] = {0x7ff8000000000000, 0xfff8000000000000, 0x7ff8dead0000beef, 0x7ff0000000000001,
                                    0xfff0000000000123, 0x7ff0000000000000, 0xfff0000000000000, 0x0000000000000001,
                                    0x800fffffffffffff, 0x8000000000000000, 0x3fb999999999999a, 0x7fefffffffffffff};
  std::memcpy(X.data(), patterns, sizeof patterns);
  const Matrix Y = columns_of_npy(npy_of_columns(X), "X");
  EXPECT_EQ(Y.rows(), 3);
  EXPECT_EQ(Y.cols(), 4);
  EXPECT_EQ(bits(Y), bits(X));
  EXPECT_EQ(bits(Y), std::vector<std::uint64_t>(std::begin(patterns), std::end(patterns)));
  EXPECT_EQ(bits(columns_of_npy(npy_of_columns(X.bottomRows(2)), "X")), bits(X.bottomRows(2)));
  EXPECT_EQ(bits(vector_of_npy(npy_of_vector(X.reshaped()), "x")), bits(X));
}

TEST(NpyBytes, RowsOfTheArrayAreColumns) {
  Matrix X(2, 3);
  X << 1, 2, 3, 4, 5, 6;
  // The table reader knows nothing of this code.
  const std::string bytes = npy_of_columns(X);
  const auto reader = parse_table(bytes, "X.npy");
  EXPECT_EQ(*reader->rows(), 3);
  EXPECT_EQ(read_rest(*reader).values, X);
  EXPECT_EQ(bytes.size(), 128u + 48u);
  EXPECT_NE(bytes.find("'shape': (3, 2), }"), std::string::npos);
  EXPECT_NE(npy_of_vector(X.col(0)).find("'shape': (2,), }"), std::string::npos);
  EXPECT_EQ(columns_of_npy(npy_of_vector(X.col(0)), "x"), Matrix(X.col(0).transpose()));
}

TEST(NpyBytes, EmptyArraysKeepTheirShape) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{0, 0}, {0, 5}, {5, 0}}) {
    const Matrix X = columns_of_npy(npy_of_columns(Matrix(rows, cols)), "X");
    EXPECT_EQ(X.rows(), rows);
    EXPECT_EQ(X.cols(), cols);
  }
  EXPECT_EQ(vector_of_npy(npy_of_vector(Vector(0)), "x").size(), 0);
}

TEST(NpyBytes, RefusesOtherArrays) {
  const auto refused = [](const std::string& bytes, const std::string& why, bool vector = false) {
    try {
      vector ? Matrix(vector_of_npy(bytes, "m.wgp: X")) : columns_of_npy(bytes, "m.wgp: X");
      ADD_FAILURE() << why;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.rfind("m.wgp: X: ", 0), 0u) << message;
      EXPECT_NE(message.find(why), std::string::npos) << message;
    }
  };
  const std::string eight(8, '\0');
  refused("", "not an NPY array: it starts with ''");
  refused("text here", "not an NPY array: it starts with 'text h'");
  refused(npy("<f4", "(2,)", eight, "False"), "elements of type '<f4'; write little-endian float64");
  refused(npy(">f8", "(1,)", eight, "False"), "elements of type '>f8'");
  refused(npy("<i8", "(1,)", eight, "False"), "elements of type '<i8'");
  refused(npy("<c16", "(1,)", eight + eight, "False"), "complex");
  refused(npy("<f8", "(1, 1)", eight, "True"), "Fortran order");
  refused(npy("<f8", "()", eight, "False"), "an array of shape ()");
  refused(npy("<f8", "(1, 1, 1)", eight, "False"), "an array of shape (1, 1, 1)");
  refused(npy("<f8", "(1, 1)", eight, "False"), "an array of shape (1, 1); (n,) is expected", true);
  refused(npy("<f8", "(2, 3)", eight, "False"), "truncated: shape (2, 3) needs 48 bytes after the header, there are 8");
  refused(npy("<f8", "(1,)", eight + "x", "False"), "too long: shape (1,) needs 8 bytes after the header, there are 9");
  refused(npy("<f8", "(4611686018427387904, 4)", "", "False"), "too large");
  refused(npy("<f8", "(2305843009213693952,)", "", "False"), "too large", true);
  refused(npy("{'descr': 1}", eight), "damaged header");
  std::string version = npy("<f8", "(1,)", eight, "False");
  version[6] = 9;
  refused(version, "NPY version 9");
  const std::string whole = npy_of_vector(Vector::Ones(3));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    refused(whole.substr(0, size), "");
    refused(whole.substr(0, size), "", true);
  }
  // There is no checksum in NPY: damage may be read as other numbers, but must not crash.
  for (std::size_t i = 0; i < 128; ++i)
    for (int change = 1; change < 256; ++change) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      try {
        columns_of_npy(damaged, "X");
      } catch (const Error&) {
      }
    }
}

}  // namespace
}  // namespace wgp
