// Arrays that SciPy writes and images that pynrrd writes, as these libraries read them themselves.
#include <gtest/gtest.h>

#include "io/nifti/nifti.h"
#include "io/sample_files.h"
#include "python_peer.h"

namespace wgp {
namespace {

using PythonReaders = test::PythonPeer;

TEST_F(PythonReaders, ArraysOfSciPyReadAsTheirNpy) {
  if (!has("scipy.io")) GTEST_SKIP() << "python3 has no SciPy here (Debian: python3-scipy)";
  run(R"(
import scipy.io
r = np.random.default_rng(2)
for kind in ('f8', 'f4', 'i4', 'u1', 'i2', 'u2'):
    a = (r.normal(size=(4, 4, 30)) * 9 + 90).astype(kind)
    for packed in (False, True):
        scipy.io.savemat('%s_%d.mat' % (kind, packed), {'A': a, 'fs': 250.0, 'name': 'x', 'cells': np.array([[1, 'a']], object)},
                         do_compression=packed)
    b = scipy.io.loadmat(kind + '_1.mat')['A']
    np.save(kind + '.npy', np.moveaxis(b, 2, 0))
    np.save(kind + '_2.npy', np.moveaxis(b, 1, 0))
)");
  for (const std::string kind : {"f8", "f4", "i4", "u1", "i2", "u2"})
    for (const char* packed : {"_0.mat", "_1.mat"}) {
      EXPECT_EQ(read_table(path(kind + packed)).values, read_table(path(kind + ".npy")).values) << kind;
      TableOptions second;
      second.sample_axis = 2;
      EXPECT_EQ(read_table(path(kind + packed), second).values, read_table(path(kind + "_2.npy")).values) << kind;
    }
}

TEST_F(PythonReaders, TensorsOfPynrrdReadAsTheirNpy) {
  if (!has("nrrd", "pynrrd typing_extensions nptyping"))
    GTEST_SKIP() << "python3 has no pynrrd, and PyPI is not reached";
  run(R"(
import nrrd
r = np.random.default_rng(2)
a = r.normal(size=(4, 3, 2, 3, 3))
d = a @ a.swapaxes(-1, -2) + np.eye(3)
none = [np.nan] * 3
head = {'space': 'right-anterior-superior', 'space directions': np.array([none, [2, 0, 0], [0, 2, 0], [0, 0, 2]]),
        'space origin': np.zeros(3), 'measurement frame': np.eye(3)}
six = np.stack([d[..., 0, 0], d[..., 0, 1], d[..., 0, 2], d[..., 1, 1], d[..., 1, 2], d[..., 2, 2]])
kinds = ['3D-symmetric-matrix', 'space', 'space', 'space']
for encoding in ('raw', 'gzip', 'ascii'):
    nrrd.write(encoding + '.nrrd', six, {**head, 'kinds': kinds, 'encoding': encoding})
nrrd.write('masked.nrrd', np.concatenate([np.ones((1, 4, 3, 2)), six]), {**head, 'kinds': ['3D-masked-symmetric-matrix'] + kinds[1:]})
nrrd.write('single.nhdr', six.astype('f4'), {**head, 'kinds': kinds, 'encoding': 'raw'}, detached_header=True)
again, _ = nrrd.read('gzip.nrrd')
t = again.reshape(6, -1, order='F')
np.save('rows.npy', np.stack([t[0], t[1], t[3], t[2], t[4], t[5]], -1))
)");
  const Matrix expected = read_table(path("rows.npy")).values;
  for (const char* name : {"raw.nrrd", "gzip.nrrd", "masked.nrrd", "single.nhdr"}) {
    const Matrix rows = read_rest(*open_nifti(open_bytes(path(name)))).values;
    ASSERT_EQ(rows.rows(), expected.rows()) << name;
    ASSERT_EQ(rows.cols(), expected.cols()) << name;
    EXPECT_LT((rows - expected).cwiseAbs().maxCoeff(), std::string(name) == "single.nhdr" ? 1e-5 : 1e-13) << name;
  }
  try {
    open_nifti(open_bytes(path("ascii.nrrd")));
    ADD_FAILURE() << "numbers as text";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("encoded as 'ascii'; save them as raw or gzip"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace wgp
