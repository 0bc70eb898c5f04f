// Images exchanged with nibabel, where it is installed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "io/nifti/nifti.h"

namespace wgp {
namespace {

class Nibabel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("/usr/bin/python3 -c 'import nibabel' 2>/dev/null") != 0)
      GTEST_SKIP() << "python3 has no nibabel here";
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-nibabel-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  // Runs a script in the folder; its output.
  std::string python(const std::string& script) const {
    std::ofstream(path("script.py")) << "import nibabel as nib, numpy as np\n" << script;
    const int status = std::system(("cd '" + folder_ + "' && /usr/bin/python3 script.py >out.txt 2>&1").c_str());
    std::ifstream file(path("out.txt"));
    const std::string out{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(status, 0) << out;
    return out;
  }
  Matrix rows(const std::string& name) const {
    const auto table = open_nifti(open_bytes(path(name)));
    return read_rest(*table).values;
  }

 private:
  std::string folder_;
};

// A field of random tensors on 5 x 4 x 3 voxels, empty in the first slice, in every form that the tools write.
constexpr const char* fields = R"(
rng = np.random.default_rng(3)
a = rng.normal(size=(5, 4, 3, 3, 3))
d = a @ a.transpose(0, 1, 2, 4, 3) + np.eye(3)
d[:, :, 0] = 0
xx, xy, xz, yy, yz, zz = d[..., 0, 0], d[..., 0, 1], d[..., 0, 2], d[..., 1, 1], d[..., 1, 2], d[..., 2, 2]
symm = np.stack([xx, xy, yy, xz, yz, zz], -1)
fsl = np.stack([xx, xy, xz, yy, yz, zz], -1)
mrtrix = np.stack([xx, yy, zz, xy, xz, yz], -1)
affine = np.array([[-2., .1, 0, 80], [.1, 2.5, 0, -70], [0, 0, 3, -50], [0, 0, 0, 1]])
def header(kind, order='<', intent=None):
    h = kind.header_class(endianness=order); h.set_data_dtype(np.float64)
    if intent: h.set_intent(intent, (3,))
    return h
N1, N2 = nib.Nifti1Image, nib.Nifti2Image
nib.save(N1(fsl, affine, header(N1)), 'fsl.nii')
nib.save(N1(mrtrix, affine, header(N1)), 'mrtrix.nii.gz')
nib.save(N1(symm[:, :, :, None], affine, header(N1, '>', 'symmetric matrix')), 'symm_big.nii')
nib.save(N2(fsl, affine, header(N2)), 'fsl2.nii.gz')
nib.save(N2(mrtrix, affine, header(N2, '>')), 'mrtrix2_big.nii')
nib.save(N1(d.reshape(5, 4, 3, 9), affine, header(N1)), 'nine.nii')
np.savetxt('rows.txt', symm.reshape(60, 6, order='F')[20:], fmt='%.17g')
h = header(N1); h.set_data_dtype(np.int16)
image = N1(fsl, affine, h); nib.save(image, 'short.nii'); back = np.asarray(nib.load('short.nii').dataobj)
np.savetxt('short.txt', back[:, :, 1:][..., [0, 1, 3, 2, 4, 5]].reshape(40, 6, order='F'), fmt='%.17g')
)";

TEST_F(Nibabel, ReadsWhatNibabelWrites) {
  python(fields);
  const Matrix expected = read_table(path("rows.txt")).values;
  ASSERT_EQ(expected.cols(), 40);
  for (const char* name : {"fsl.nii", "mrtrix.nii.gz", "symm_big.nii", "fsl2.nii.gz", "mrtrix2_big.nii"})
    EXPECT_TRUE(rows(name) == expected) << name;
  const std::vector<Index> lower = {0, 3, 4, 6, 7, 8};
  EXPECT_TRUE(Matrix(rows("nine.nii")(lower, Eigen::all)) == expected);
  // int16 with a slope of its own: nibabel's numbers, which are float64 sums like these.
  const Matrix rounded = rows("short.nii"), same = read_table(path("short.txt")).values;
  EXPECT_LT((rounded - same).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT((rounded - expected).cwiseAbs().maxCoeff(), 1e-6);  // it was rounded
  const NiftiGrid grid = open_nifti(open_bytes(path("symm_big.nii")))->grid();
  EXPECT_EQ(grid.affine[3], 80);
  EXPECT_EQ(grid.affine[5], 2.5);
}

TEST_F(Nibabel, WritesWhatNibabelReads) {
  python(fields);
  const auto table = open_nifti(open_bytes(path("fsl2.nii.gz")));
  const Matrix tensors = read_rest(*table).values;
  for (const bool version2 : {false, true})
    for (const bool doubles : {false, true}) {
      NiftiGrid grid = table->grid();
      grid.version2 = version2;
      grid.doubles = doubles;
      const std::string end = std::string(version2 ? "2" : "1") + (doubles ? "d" : "f") + ".nii";
      NiftiMaps maps(path("maps" + end + ".gz"), grid, {{"x1", "x2", "x3", "x4", "x5", "x6"}, "six maps"});
      maps.write(tensors, table->voxels());
      maps.close();
      NiftiMaps image(path("tensors" + end), grid, {{"xx", "xy", "yy", "xz", "yz", "zz"}, "tensors", TensorForm{}});
      image.write(tensors, table->voxels());
      image.close();
    }
  EXPECT_EQ(python(std::string(fields) + R"(
for v in '12':
    for t in 'fd':
        m, s = nib.load('maps' + v + t + '.nii.gz'), nib.load('tensors' + v + t + '.nii')
        assert type(m) is (N1 if v == '1' else N2), type(m)
        assert m.shape == (5, 4, 3, 6) and s.shape == (5, 4, 3, 1, 6), (m.shape, s.shape)
        assert m.get_data_dtype() == (np.float32 if t == 'f' else np.float64)
        assert s.header.get_intent()[0] == 'symmetric matrix' and s.header.get_intent()[1] == (3.0,), s.header.get_intent()
        assert np.allclose(m.affine, affine) and np.allclose(s.affine, affine)
        assert m.header['descrip'].item() == b'six maps'
        assert m.header.extensions[0].get_content().rstrip(b'\0') == b'wgp channels: x1 x2 x3 x4 x5 x6'
        for a in (m.get_fdata(), s.get_fdata()[:, :, :, 0]):
            assert np.isnan(a[:, :, 0]).all()
            assert np.abs(a[:, :, 1:] - symm[:, :, 1:]).max() < (1e-6 if t == 'f' else 1e-15)
print('same')
)"),
            "same\n");
}

}  // namespace
}  // namespace wgp
