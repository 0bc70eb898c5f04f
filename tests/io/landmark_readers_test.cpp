// Landmarks exchanged with libraries that read them too: Slicer's own (slicerio), and ktch for TPS.
#include <cmath>

#include "io/sample_files.h"
#include "python_peer.h"

namespace wgp {
namespace {

using LandmarkReaders = test::PythonPeer;

// What slicerio says of a file: a row with the numbers as they stand, and the axes that they are in.
TEST_F(LandmarkReaders, MarkupsAreThoseOfSlicer) {
  if (!has("slicerio.markups", "slicerio pynrrd typing_extensions nptyping"))
    GTEST_SKIP() << "python3 has no slicerio, and PyPI is not reached";
  run(R"(
from slicerio import fcsv_to_markups_json, read_markups_fcsv
r = np.random.default_rng(4)
points = r.normal(size=(7, 3)) * 60
columns = 'id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID'
def write(name, system, version, tail):
    with open(name, 'w') as f:
        f.write('# Markups fiducial file version = %s\n# CoordinateSystem = %s\n# columns = %s\n' % (version, system, columns))
        for i, p in enumerate(points):
            f.write('vtkMRMLMarkupsFiducialNode_%d,%r,%r,%r,0,0,0,1,1,1,0,F-%d,,%s\n' % (i, *map(float, p), i, tail))
write('lps.fcsv', 'LPS', '5.11', 'vtkMRMLScalarVolumeNode1,2,0')
write('ras.fcsv', 'RAS', '4.13', '')
write('one.fcsv', '1', '4.10', '')
write('zero.fcsv', '0', '4.10', '')
for name in ('lps', 'ras', 'one', 'zero'):
    fcsv_to_markups_json(name + '.fcsv')
    one = read_markups_fcsv(name + '.fcsv')['markups'][0]
    p = np.array([c['position'] for c in one['controlPoints']])
    if one['coordinateSystem'] == 'RAS': p[:, :2] *= -1
    if name == 'one': assert one['coordinateSystem'] == 'LPS'
    np.save(name + '.npy', p.reshape(1, -1))
    assert [c['label'] for c in one['controlPoints']] == ['F-%d' % i for i in range(7)]
)");
  for (const std::string name : {"lps", "ras", "one", "zero"}) {
    const Matrix expected = read_table(path(name + ".npy")).values;
    for (const char* ending : {".fcsv", ".mrk.json"}) {
      TableOptions options = test::keep_all();
      options.text_columns = {"labels"};
      const TableBlock block = read_table(path(name + ending), options);
      EXPECT_EQ(block.values, expected) << name << ending;
      EXPECT_EQ(block.text[0], (std::vector<std::string>{"F-0,F-1,F-2,F-3,F-4,F-5,F-6"})) << name << ending;
    }
  }
}

// ktch imports much that its reader of TPS does not need: the module alone is loaded.
const std::string ktch = R"(
import importlib.util, sys, types
for name in ('ktch', 'ktch.io'):
    spec = importlib.util.find_spec(name)
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = list(spec.submodule_search_locations)
if importlib.util.find_spec('pandas') is None:
    sys.modules['pandas'] = types.ModuleType('pandas')
    sys.modules['pandas'].DataFrame = type('DataFrame', (), {})
from ktch.io._tps import read_tps, write_tps
)";

TEST_F(LandmarkReaders, TpsOfKtchAndBack) {
  if (!has("importlib.util, sys; sys.exit(importlib.util.find_spec(\"ktch\") is None)", "ktch"))
    GTEST_SKIP() << "python3 has no ktch, and PyPI is not reached";
  run(ktch + R"(
r = np.random.default_rng(4)
flat, space, curve = r.normal(size=(6, 5, 2)), r.normal(size=(6, 5, 3)), r.normal(size=(6, 4, 2))
names = ['wing %d' % i for i in range(6)]
write_tps('plain.tps', flat, image_path=['w%d.jpg' % i for i in range(6)], idx=names, comments='by hand')
write_tps('space.tps', space, idx=names)
write_tps('scaled.tps', flat, idx=names, scale=[0.5 + i for i in range(6)])
write_tps('curves.tps', flat, idx=names, semilandmarks=[[c[:3], c[3:]] for c in curve])
np.save('plain.npy', np.array([s.landmarks for s in read_tps('plain.tps')]).reshape(6, -1))
np.save('space.npy', np.array([s.landmarks for s in read_tps('space.tps')]).reshape(6, -1))
np.save('scaled.npy', np.array([s.landmarks * s.scale for s in read_tps('scaled.tps')]).reshape(6, -1))
np.save('curves.npy', np.array([np.concatenate([s.landmarks] + s.curves) for s in read_tps('curves.tps')]).reshape(6, -1))
)");
  TableOptions options;
  options.text_columns = {"id"};
  const std::vector<std::string> names = {"wing 0", "wing 1", "wing 2", "wing 3", "wing 4", "wing 5"};
  for (const std::string name : {"plain", "space", "scaled", "curves"}) {
    const TableBlock block = read_table(path(name + ".tps"), options);
    EXPECT_EQ(block.values, read_table(path(name + ".npy")).values) << name;
    EXPECT_EQ(block.text[0], names) << name;
  }
  const Matrix values = read_table(path("plain.npy")).values;
  const auto writer =
      create_table(path("ours.tps"), {"x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4", "x5", "y5", "id", "image"});
  writer->write(values, {names, std::vector<std::string>(6, "w.jpg")});
  writer->close();
  run(ktch + R"(
found = read_tps('ours.tps')
assert [s.specimen_name for s in found] == ['wing %d' % i for i in range(6)]
assert [s.image_path for s in found] == ['w.jpg'] * 6
assert (np.array([s.landmarks for s in found]).reshape(6, -1) == np.load('plain.npy')).all()
)");
}

}  // namespace
}  // namespace wgp
