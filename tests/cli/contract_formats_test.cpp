// Every row of the table of formats: what is read, and what is written.
#include "contract.h"
#include "nifti_by_hand.h"

namespace wgp::test {
namespace {

class FormatTable : public Contract {
 protected:
  bool has_numpy() const { return shell(std::string(WGP_PYTHON) + " -c 'import numpy'").exit_code == 0; }
  Outcome python(const std::string& code) const {
    write("script.py", "import numpy as np\n" + code);
    return shell(std::string(WGP_PYTHON) + " script.py");
  }
  const Rows rows_ = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
};

TEST_F(FormatTable, TablesOfText) {
  const std::string expected = "1,0,0\n0,1,0\n0,0,1\n";
  for (const std::string text :
       {"1,0,0\n0,1,0\n0,0,1\n", "a,b,c\n1,0,0\n0,1,0\n0,0,1\n", "1\t0\t0\n0\t1\t0\n0\t0\t1\n",
        "\"a\",\"b, too\",c\n\"1\",0,0\n0,\"1\",0\n0,0,1\n", "a\tb\tc\n1\t0\t0\n0\t1\t0\n0\t0\t1\n"}) {
    write("t", text);
    const std::string out = wgp("convert t --quiet").out;
    EXPECT_EQ(out.substr(out.find('\n') + 1), expected) << text;
  }
  write("more.csv", "id,x,y,z\n7,1,0,0\n8,0,1,0\n9,0,0,1\n");
  const std::string chosen = wgp("convert more.csv --columns x:z --quiet").out;
  EXPECT_EQ(chosen, "x,y,z\n" + expected);
}

TEST_F(FormatTable, Numpy) {
  if (!has_numpy()) GTEST_SKIP() << "python3 has no numpy here";
  const Outcome made = python(
      "from numpy.lib import format as f\n"
      "a = np.eye(3)\n"
      "for i, t in enumerate('f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 ?'.split()):\n"
      "  for o in '<>':\n"
      "    np.save(f't{i}{o}.npy'.replace('<', 'l').replace('>', 'b'), a.astype(o + t if t[0] != '?' else t))\n"
      "for v in ((1, 0), (2, 0), (3, 0)):\n"
      "  f.write_array(open(f'v{v[0]}.npy', 'wb'), a, version=v)\n"
      "np.save('fortran.npy', np.asfortranarray(np.arange(6.0).reshape(3, 2)))\n"
      "np.save('ncc.npy', np.stack([np.eye(2), 2 * np.eye(2)]))\n"
      "np.save('nk2.npy', np.arange(12.0).reshape(2, 3, 2))\n"
      "np.savez('a.npz', points=a)\n"
      "np.savez_compressed('b.npz', points=a)\n");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  int read_files = 0;
  for (const auto& name : files()) {
    if (!name.ends_with(".npy") && !name.ends_with(".npz")) continue;
    const Outcome outcome = wgp("convert " + name + " --quiet");
    ASSERT_EQ(outcome.exit_code, 0) << name << outcome.err;
    if (name == "fortran.npy")
      expect_rows(outcome.out, {{0, 1}, {2, 3}, {4, 5}});
    else if (name == "ncc.npy")
      expect_rows(outcome.out, {{1, 0, 0, 1}, {2, 0, 0, 2}});
    else if (name == "nk2.npy")
      expect_rows(outcome.out, {{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}});
    else
      expect_rows(outcome.out, rows_);
    ++read_files;
  }
  EXPECT_EQ(read_files, 32);
  // Written: CSV, NPY, NPZ.
  write("t.csv", csv(rows_));
  for (const std::string ending : {"csv", "npy", "npz"}) expect_done("convert t.csv -o out." + ending);
  const Outcome checked = python(
      "assert (np.load('out.npy') == np.eye(3)).all()\n"
      "assert (np.load('out.npz')['points'] == np.eye(3)).all()\n"
      "assert (np.genfromtxt('out.csv', delimiter=',', skip_header=1) == np.eye(3)).all()\n");
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
}

TEST_F(FormatTable, TensorImages) {
  const auto expected = numbers([&] {
    write("order.nii", tensor_image(symmatrix_order));
    return wgp("convert order.nii --tensor-order symmatrix --quiet").out;
  }());
  EXPECT_EQ(expected.size(), 3u);
  for (const auto& [name, order] :
       {std::pair{"symmatrix", symmatrix_order}, {"fsl", fsl_order}, {"mrtrix", mrtrix_order}}) {
    write("order.nii", tensor_image(order));
    EXPECT_EQ(numbers(wgp("convert order.nii --quiet --tensor-order " + std::string(name)).out), expected) << name;
    const Outcome found = wgp("convert order.nii");
    EXPECT_EQ(numbers(found.out), expected) << name;
    EXPECT_NE(found.err.find(std::string("tensor order ") + name), std::string::npos) << found.err;
  }
  // The intent code says it; scl_slope multiplies; a packed file is the same.
  std::string image = tensor_image(symmatrix_order);
  put(image, 68, std::int16_t{1005});
  put(image, 112, 2.0f);
  write("scaled.nii", image);
  const Outcome scaled = wgp("convert scaled.nii");
  EXPECT_NE(scaled.err.find("intent code"), std::string::npos) << scaled.err;
  EXPECT_EQ(numbers(scaled.out)[1][0], 2 * expected[1][0]);
  ASSERT_EQ(shell("gzip -k scaled.nii").exit_code, 0);
  EXPECT_EQ(wgp("convert scaled.nii.gz").out, scaled.out);
  // --mask, and maps with the input's affine: tests/cli/tensor_image_test.cpp has more.
  write("mask.nii", nifti1<std::uint8_t>({2, 2, 1}, 2, std::vector<std::uint8_t>{1, 0, 1, 0}));
  EXPECT_EQ(numbers(wgp("convert scaled.nii --mask mask.nii").out).size(), 2u);
}

TEST_F(FormatTable, Landmarks) {
  write("t.tps", "LM=2\n0 0\n1.5 0\nID=a\n");
  write("t.nts", "1 1L 4 0 DIM=2\na\n0 0 1.5 0\n");
  write("t.txt", "[individuals]\n1\n[landmarks]\n2\n[dimensions]\n2\n[names]\na\n[rawpoints]\n0 0\n1.5 0\n");
  write("t.csv", "x1,y1,x2,y2\n0,0,1.5,0\n");
  for (const std::string file : {"t.tps", "t.nts", "t.txt", "t.csv"}) {
    EXPECT_EQ(wgp("convert " + file + " --quiet").out, "x1,y1,x2,y2\n0,0,1.5,0\n") << file;
    expect_done("convert " + file + " -o out.tps");
    EXPECT_EQ(read("out.tps").rfind("LM=2\n0 0\n1.5 0\n", 0), 0u) << read("out.tps");
  }
}

TEST_F(FormatTable, Motion) {
  write("walk.bvh",
        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation "
        "Xrotation\nJOINT lfemur\n{\nOFFSET 1 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd Site\n{\nOFFSET 0 -3 "
        "0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 90 0 0 0 0 0\n");
  write("07_01.amc", ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 90\nlfemur 0\n");
  write("07.asf",
        ":version 1.10\n:units\nangle deg\n:root\norder TX TY TZ RX RY RZ\naxis XYZ\nposition 0 0 0\norientation 0 0 "
        "0\n:bonedata\nbegin\nid 1\nname lfemur\ndirection 0 -1 0\nlength 3\naxis 0 0 0 XYZ\ndof rx\nend\n:hierarchy\n"
        "begin\nroot lfemur\nend\n");
  ASSERT_EQ(shell("gzip -k walk.bvh 07_01.amc").exit_code, 0);
  for (const std::string file : {"walk.bvh", "walk.bvh.gz", "07_01.amc", "07_01.amc.gz --skeleton 07.asf"}) {
    const std::string convert = "convert " + file + " --bone lfemur --quiet ";
    expect_rows(wgp(convert).out, {{1, 0, 0}});  // the root's quarter turn takes -y to x
    expect_rows(wgp(convert + "--frame root").out, {{0, -1, 0}});
    expect_rows(wgp(convert + "--as rotation").out, {{0, -1, 0, 1, 0, 0, 0, 0, 1}});
    expect_done("geom project --manifold sphere:2 " + file + " --bone lfemur");
    expect_done("geom project --manifold so:3 " + file + " --bone lfemur");
  }
  expect_rows(shell("cat walk.bvh | wgp convert - --bone lfemur --quiet").out, {{1, 0, 0}});
}

TEST_F(FormatTable, Models) {
  write("d.csv", csv(directions(12)));
  expect_done("fit d.csv --manifold sphere:2 --latent 1 --effort quick -o m.wgp");
  if (!has_numpy()) GTEST_SKIP() << "python3 has no numpy here";
  const Outcome opened = python(
      "import json\n"
      "m = np.load('m.wgp')\n"
      "assert m['points'].shape == (12, 3) and m['X'].shape == (12, 1)\n"
      "j = json.loads(m['model.json'])\n"
      "for k in 'format_version manifold kernel parameters fit program'.split(): assert k in j, k\n");
  EXPECT_EQ(opened.exit_code, 0) << opened.err;
}

}  // namespace
}  // namespace wgp::test
