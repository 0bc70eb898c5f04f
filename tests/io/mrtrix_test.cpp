// Images exchanged with MRtrix, where its commands are installed.
#include <array>
#include <cmath>
#include <map>

#include "io/nifti/nifti.h"
#include "io/sample_files.h"
#include "python_peer.h"

namespace wgp {
namespace {

class Mrtrix : public test::PythonPeer {
 protected:
  void SetUp() override {
    PythonPeer::SetUp();
    if (std::system("mrconvert -version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no mrconvert here (Debian: mrtrix3)";
    if (!has("nibabel")) GTEST_SKIP() << "python3 has no nibabel here";
  }
  std::unique_ptr<NiftiTable> open(const std::string& name, const NiftiOptions& options = {}) const {
    return open_nifti(open_bytes(path(name)), options);
  }

  // The numbers of voxels by where these lie, in hundredths of a millimetre.
  using Places = std::map<std::array<long, 3>, std::vector<double>>;
  Places by_place(const std::string& name, const std::string& mask = "") const {
    NiftiOptions options;
    if (!mask.empty()) options.mask = path(mask);
    const auto table = open(name, options);
    const Matrix values = read_rest(*table).values;
    const std::vector<Index> voxels = table->voxels();
    const auto place = table->grid().place();
    Places places;
    if (!place) return places;
    for (std::size_t n = 0; n < voxels.size(); ++n) {
      const auto position = table->grid().position(voxels[n]);
      std::array<long, 3> at{};
      for (std::size_t row = 0; row < 3; ++row) {
        double sum = (*place)[4 * row + 3];
        for (std::size_t axis = 0; axis < 3; ++axis)
          sum += (*place)[4 * row + axis] * static_cast<double>(position[axis]);
        at[row] = std::lround(100 * sum + 0.137);  // off the places that would be rounded either way
      }
      const auto column = values.col(static_cast<Index>(n));
      places[at] = {column.begin(), column.end()};
    }
    return places;
  }
  static void expect_same(const Places& found, const Places& expected, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [at, numbers] : expected) {
      const auto same = found.find(at);
      ASSERT_NE(same, found.end()) << at[0] << ' ' << at[1] << ' ' << at[2];
      ASSERT_EQ(same->second.size(), numbers.size());
      for (std::size_t j = 0; j < numbers.size(); ++j) EXPECT_NEAR(same->second[j], numbers[j], tolerance);
    }
  }
};

// Tensors in MRtrix's order on an oblique grid of 5 x 4 x 3 voxels, empty in the first slice.
const std::string image = R"(
import nibabel as nib
r = np.random.default_rng(3)
a = r.normal(size=(5, 4, 3, 3, 3))
d = a @ a.swapaxes(-1, -2) + np.eye(3)
d[:, :, 0] = 0
mrtrix = np.stack([d[..., i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))], -1)
affine = np.diag([-2., 2.5, 3, 1])
turn = np.array([[np.cos(.3), -np.sin(.3), 0], [np.sin(.3), np.cos(.3), 0], [0, 0, 1]])
affine[:3, :3] = turn @ affine[:3, :3]
affine[:3, 3] = [80, -70, -50]
nib.save(nib.Nifti1Image(mrtrix, affine), 'dt.nii')
nib.save(nib.Nifti1Image((d[..., 0, 0] > 2).astype('u1'), affine), 'mask.nii')
)";

TEST_F(Mrtrix, ItsImagesReadAsTheirNifti) {
  run(image);
  shell(R"(
mrconvert -quiet dt.nii plain.mif
mrconvert -quiet dt.nii packed.mif.gz
mrconvert -quiet dt.nii volumes.mif -strides 2,3,4,1
mrconvert -quiet dt.nii turned.mif -strides -3,1,-2,4
mrconvert -quiet dt.nii big.mif -datatype float64be
mrconvert -quiet dt.nii single.mif -datatype float32le
mrconvert -quiet dt.nii singlebig.mif -datatype float32be
mrconvert -quiet mask.nii bits.mif -datatype bit
mrconvert -quiet mask.nii turnedbits.mif -datatype bit -strides 3,-1,2
mrcalc -quiet dt.nii 1000 -mult -round scaled.mif -datatype int16le
mrconvert -quiet scaled.mif scaled.nii
)");
  EXPECT_EQ(by_place("plain.mif").size(), 40u);
  for (const std::string name :
       {"plain.mif", "packed.mif.gz", "volumes.mif", "turned.mif", "big.mif", "single.mif", "singlebig.mif"})
    expect_same(by_place(name), by_place("dt.nii"), name.starts_with("single") ? 1e-6 : 0);
  expect_same(by_place("scaled.mif"), by_place("scaled.nii"), 0);
  for (const std::string name : {"bits.mif", "turnedbits.mif"}) {
    expect_same(by_place(name), by_place("mask.nii"), 0);
    // Voxels of mask and image have other numbers, but lie at the same places.
    for (const std::string one : {"dt.nii", "plain.mif", "turned.mif"})
      expect_same(by_place(one, name), by_place("dt.nii", "mask.nii"), 0);
  }
  for (const std::string one : {"plain.mif", "turned.mif"})
    expect_same(by_place(one, "mask.nii"), by_place("dt.nii", "mask.nii"), 0);
  EXPECT_LT(by_place("plain.mif", "mask.nii").size(), 40u);
}

TEST_F(Mrtrix, ReadsTheMapsThatAreWritten) {
  run(image);
  const auto table = open("dt.nii");
  const Matrix tensors = read_rest(*table).values;
  NiftiGrid grid = table->grid();
  grid.doubles = true;
  NiftiMaps maps(path("maps.nii.gz"), grid,
                 {TensorForm{TensorOrder::mrtrix}.channel_names(), "tensors", TensorForm{TensorOrder::mrtrix}});
  maps.write(tensors(std::vector<Index>{0, 2, 5, 1, 3, 4}, Eigen::all), table->voxels());
  maps.close();
  shell("mrconvert -quiet maps.nii.gz maps.mif");  // x, y, z, 1, 6
  expect_same(by_place("maps.mif"), by_place("dt.nii"), 0);
}

}  // namespace
}  // namespace wgp
