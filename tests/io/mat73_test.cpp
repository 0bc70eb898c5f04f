// MAT-files of version 7.3, made by h5py as MATLAB makes them (corpus: mat73), and by h5py anew where it is installed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "io/sample_files.h"

namespace wgp {
namespace {

using test::error_of;
using test::rows_of;
using Rows = std::vector<std::vector<double>>;

std::string sample(const std::string& name) {
  for (const test::SampleFile& file : test::sample_files("mat73"))
    if (file.name == name) return file.bytes;
  return "";
}
bool built_without() { return error_of(sample("packed.mat"), "t.mat").find("built without") != std::string::npos; }
TableOptions array(const std::string& name, Index axis = 0) {
  TableOptions options = test::keep_all();
  options.array = name;
  options.sample_axis = axis;
  return options;
}

TEST(Mat73, WithoutTheLibrarySaysWhatHelps) {
  if (!built_without()) GTEST_SKIP() << "wgp is built with libmatio here";
  const std::string error = error_of(sample("packed.mat"), "t.mat");
  for (const char* piece : {"t.mat: ", "version 7.3", "-DWGP_MATIO=ON", "libmatio-dev", "'-v7'"})
    EXPECT_NE(error.find(piece), std::string::npos) << error;
}

class Mat73WithLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    if (built_without()) GTEST_SKIP() << "wgp is built without libmatio (-DWGP_MATIO=ON) here";
  }
};

TEST_F(Mat73WithLibrary, IsReadByRows) {
  Rows expected;
  for (int i = 0; i < 7; ++i) expected.push_back({3.0 * i, 3.0 * i + 1, 3.0 * i + 2});
  EXPECT_EQ(rows_of(sample("packed.mat"), "t.mat"), expected);  // the single number beside it is passed over
  Rows columns(3);
  for (const auto& row : expected)
    for (std::size_t j = 0; j < 3; ++j) columns[j].push_back(row[j]);
  EXPECT_EQ(rows_of(sample("packed.mat"), "t.mat", array("X", 2)), columns);
  const auto table = parse_table(sample("matrices.mat"), "t.mat");
  EXPECT_EQ(table->shape(), (std::vector<Index>{4, 4}));
  EXPECT_EQ(table->rows(), 10);
  EXPECT_EQ(table->format(), "mat");
  EXPECT_EQ(read_rest(*table).values.cols(), 10);
}

// libmatio opens names alone: bytes that have none go through a file in TMPDIR, of which nothing is left.
TEST_F(Mat73WithLibrary, BytesWithoutANameNeedAPlace) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  setenv("TMPDIR", "/no/such/folder", 1);
  const std::string error = error_of(sample("packed.mat"), "t.mat");
  EXPECT_NE(error.find("t.mat: cannot be copied to /no/such/folder/wgp-"), std::string::npos) << error;
  EXPECT_NE(error.find("TMPDIR"), std::string::npos) << error;
  std::string pattern = "/tmp/wgp-mat73-XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  setenv("TMPDIR", pattern.c_str(), 1);
  EXPECT_EQ(rows_of(sample("packed.mat"), "t.mat").size(), 7u);
  EXPECT_NE(error_of(sample("packed.mat").substr(0, 2000), "t.mat"), "no error");
  EXPECT_TRUE(std::filesystem::is_empty(pattern));
  std::filesystem::remove_all(pattern);
  if (kept.empty())
    unsetenv("TMPDIR");
  else
    setenv("TMPDIR", kept.c_str(), 1);
}

TEST_F(Mat73WithLibrary, SaysWhatIsWrong) {
  EXPECT_NE(error_of(sample("packed.mat"), "t.mat", array("Y")).find("t.mat: no array 'Y'; it holds X (7 x 3), fs"),
            std::string::npos);
  EXPECT_NE(error_of(sample("packed.mat"), "t.mat", array("X", 3)).find("it has no axis 3"), std::string::npos);
  const std::string whole = sample("matrices.mat");
  for (std::size_t size : {11u, 127u, 128u, 500u, 600u, 1500u, 3000u, 3800u}) {
    const std::string error = error_of(whole.substr(0, size), "t.mat");
    EXPECT_NE(error.find("t.mat: "), std::string::npos) << size;
    EXPECT_NE(error.find("runcated"), std::string::npos) << size << error;
  }
}

class H5py : public Mat73WithLibrary {
 protected:
  void SetUp() override {
    Mat73WithLibrary::SetUp();
    if (IsSkipped()) return;
    if (std::system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0)
      GTEST_SKIP() << "python3 has no h5py here (Debian: python3-h5py)";
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-h5py-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  // As MATLAB writes: axes in the other order, a class for each array, and a header of 512 bytes.
  void python(const std::string& script) const {
    std::ofstream(folder_ + "/script.py") << R"(
import h5py, numpy as np
def text(at, name, value):
    t = h5py.h5t.C_S1.copy(); t.set_size(len(value)); t.set_strpad(h5py.h5t.STR_NULLTERM)
    h5py.h5a.create(at.id, name, t, h5py.h5s.create(h5py.h5s.SCALAR)).write(np.array(value, 'S%d' % len(value)), mtype=t)
classes = {'f8': b'double', 'f4': b'single', 'i4': b'int32', 'u1': b'uint8', 'i8': b'int64', 'i2': b'int16'}
def save(path, arrays, **how):
    with h5py.File(path, 'w', userblock_size=512) as f:
        for name, a in arrays.items():
            text(f.create_dataset(name, data=a.T, **how), b'MATLAB_class', classes[a.dtype.str[1:]])
    with open(path, 'r+b') as f:
        f.write(b'MATLAB 7.3 MAT-file'.ljust(116) + bytes(8) + b'\x00\x02IM')
)" << script;
    ASSERT_EQ(std::system(("cd '" + folder_ + "' && /usr/bin/python3 script.py").c_str()), 0);
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

TEST_F(H5py, EveryTypeAndAxisReadsAsItsNpy) {
  python(R"(
r = np.random.default_rng(5)
for kind in ('f8', 'f4', 'i4', 'u1', 'i8', 'i2'):
    a = (r.normal(size=(3, 4, 500)) * 50 + 60).astype(kind)
    save(kind + '.mat', {'A': a}, chunks=(50, 2, 3), compression='gzip', shuffle=True)
    save(kind + '_plain.mat', {'A': a})
    for axis in range(3):
        np.save('%s_%d.npy' % (kind, axis + 1), np.moveaxis(a, axis, 0))
)");
  for (const std::string kind : {"f8", "f4", "i4", "u1", "i8", "i2"})
    for (const Index axis : {1, 2, 3}) {
      const TableBlock expected = read_table(path(kind + "_" + std::to_string(axis) + ".npy"));
      for (const char* layout : {".mat", "_plain.mat"}) {
        const auto table = open_table(path(kind + layout), array("A", axis));
        TableBlock first;
        ASSERT_TRUE(table->read(2, first));
        EXPECT_EQ(first.values, expected.values.leftCols(2));
        EXPECT_EQ(read_rest(*table).values, expected.values.rightCols(expected.values.cols() - 2)) << kind << axis;
        const auto again = open_table(path(kind + layout), array("A", axis));
        again->skip(1);
        EXPECT_EQ(read_rest(*again).values, expected.values.rightCols(expected.values.cols() - 1));
      }
    }
}

// A file of a few kilobytes may claim any size.
TEST_F(H5py, ClaimsOfHostileFilesAreRefused) {
  python(R"(
for n in (2 ** 20, 2 ** 33):
    with h5py.File('%d.mat' % n, 'w', userblock_size=512) as f:
        text(f.create_dataset('A', shape=(n, n), chunks=(64, 64), dtype='f8'), b'MATLAB_class', b'double')
    with open('%d.mat' % n, 'r+b') as f:
        f.write(b'MATLAB 7.3 MAT-file'.ljust(116) + bytes(8) + b'\x00\x02IM')
with h5py.File('odd.mat', 'w', userblock_size=512) as f:
    f.create_dataset('bare', data=np.ones((3, 2)))
    text(f.create_dataset('words', data=np.ones((3, 2), 'u2')), b'MATLAB_class', b'char')
    text(f.create_dataset('nothing', data=np.zeros(2, 'u8')), b'MATLAB_class', b'double')
    f['nothing'].attrs['MATLAB_empty'] = np.uint8(1)
    text(f.create_group('s'), b'MATLAB_class', b'struct')
    text(f.create_dataset('z', data=np.ones((3, 2), [('real', 'f8'), ('imag', 'f8')])), b'MATLAB_class', b'double')
with open('odd.mat', 'r+b') as f:
    f.write(b'MATLAB 7.3 MAT-file'.ljust(116) + bytes(8) + b'\x00\x02IM')
)");
  const auto error_of_file = [&](const std::string& name, const std::string& wanted = "") -> std::string {
    try {
      read_rest(*open_table(path(name), array(wanted)));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(error_of_file("1048576.mat").find("far larger than the file"), std::string::npos);
  EXPECT_NE(error_of_file("8589934592.mat"), "no error");  // too large for libmatio itself
  const std::string odd = error_of_file("odd.mat");
  EXPECT_NE(odd.find("no array of numbers is a table"), std::string::npos) << odd;
  for (const char* piece : {"words (text)", "z (complex numbers)", "s (a structure)"})
    EXPECT_NE(odd.find(piece), std::string::npos) << odd;
  for (const char* name : {"bare", "words", "nothing", "s", "z"})
    EXPECT_NE(error_of_file("odd.mat", name).find("is no table of numbers"), std::string::npos) << name;
}

}  // namespace
}  // namespace wgp
