// Several files are one table: the rows of all of them, as if they stood in one file, and a column "file".
#include <cmath>

#include "core/format.h"
#include "io/nifti/nifti.h"
#include "nifti_by_hand.h"
#include "run_command.h"
#include "wgp/io.h"

namespace wgp::test {
namespace {

class SeveralFiles : public CommandTest {
 protected:
  // Of three rows each: a curve in the plane, which goes on from one file to the next.
  static std::string rows(int first, int count, const std::string& header = "name,x,y\n") {
    std::string text = header;
    for (int i = first; i < first + count; ++i)
      text += fmt::format("p{},{},{}\n", i, std::cos(0.2 * i), std::sin(0.3 * i));
    return text;
  }
  void write_parts() const {
    write("a.csv", rows(0, 8));
    write("b.csv", rows(8, 3));
    write("c.csv", rows(11, 14));
    write("whole.csv", rows(0, 25));
  }
  void python(const std::string& line) const {
    const Outcome outcome = shell(std::string(WGP_PYTHON) + " -c \"import numpy; " + line + "\"");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  static nlohmann::json object(const Outcome& outcome) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
};

constexpr const char* fit_flags = " --manifold euclidean:2 --columns x,y --latent 1 --effort quick --quiet -o ";

TEST_F(SeveralFiles, AreTheTableOfAllTheirRows) {
  write_parts();
  ASSERT_EQ(wgp(std::string("fit whole.csv") + fit_flags + "whole.wgp").exit_code, 0);
  ASSERT_EQ(wgp(std::string("fit a.csv b.csv c.csv") + fit_flags + "parts.wgp").exit_code, 0);
  EXPECT_TRUE(read("whole.wgp") == read("parts.wgp"));
  // Files of a directory, in the order of their names.
  std::filesystem::create_directory(path("rows"));
  for (const char* name : {"c.csv", "a.csv", "b.csv"})
    std::filesystem::copy(path(name), path("rows/" + std::string(name)));
  write("rows/.hidden", "no table");
  ASSERT_EQ(wgp(std::string("fit rows") + fit_flags + "directory.wgp").exit_code, 0);
  EXPECT_TRUE(read("whole.wgp") == read("directory.wgp"));

  for (const std::string command : {"score whole.wgp", "encode whole.wgp"})
    EXPECT_EQ(wgp(command + " a.csv b.csv c.csv --columns x,y").out, wgp(command + " whole.csv --columns x,y").out);
  for (const std::string command : {"pga", "mean", "curve", "evaluate --models nearest,pga --repeats 2"}) {
    const std::string flags = " --columns x,y --manifold euclidean:2";
    EXPECT_EQ(wgp(command + " a.csv b.csv c.csv" + flags).out, wgp(command + " whole.csv" + flags).out) << command;
  }
  EXPECT_EQ(wgp("convert rows --columns x,y").out, wgp("convert whole.csv --columns x,y").out);
  std::string numbers = "t\n";
  for (int i = 0; i < 25; ++i) numbers += std::to_string(i) + "\n";
  write("t.csv", numbers);
  for (const std::string points : {"whole.csv", "a.csv b.csv c.csv"})
    ASSERT_EQ(wgp("regress t.csv " + points + " --manifold euclidean:2 --columns x,y --quiet -o " +
                  points.substr(0, 1) + ".wgp")
                  .exit_code,
              0);
  EXPECT_TRUE(read("w.wgp") == read("a.wgp"));
}

TEST_F(SeveralFiles, HaveAColumnFile) {
  write_parts();
  ASSERT_EQ(wgp(std::string("fit a.csv b.csv c.csv --labels file") + fit_flags + "m.wgp").exit_code, 0);
  EXPECT_EQ(object(wgp("info m.wgp --json"))["label_column"], "file");
  const Outcome coded = wgp("encode m.wgp a.csv b.csv c.csv --columns x,y --labels file -o codes.csv");
  ASSERT_EQ(coded.exit_code, 0) << coded.err;
  const std::string codes = read("codes.csv");
  const auto count = [&](const std::string& end) {
    int found = 0;
    for (auto at = codes.find(end + "\n"); at != std::string::npos; at = codes.find(end + "\n", at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(",a.csv"), 8);
  EXPECT_EQ(count(",b.csv"), 3);
  EXPECT_EQ(count(",c.csv"), 14);
  // One that the files have themselves is theirs.
  write("own.csv", "file,x,y\nu,0,1\nv,1,0\n");
  write("other.csv", "file,x,y\nw,1,1\n");
  const Outcome own = wgp("pga own.csv other.csv --manifold euclidean:2 --columns x,y --labels file --quiet");
  EXPECT_NE(own.out.find(",w\n"), std::string::npos) << own.out << own.err;
  EXPECT_EQ(own.out.find("own.csv"), std::string::npos) << own.out;
}

TEST_F(SeveralFiles, IdsStayThoseOfOneRow) {
  write_parts();
  // Different ones are kept as they are; where two files have the same, all have their file before them.
  ASSERT_EQ(wgp(std::string("fit a.csv b.csv") + fit_flags + "m.wgp").exit_code, 0);
  EXPECT_EQ(wgp("morph m.wgp p2 p9 --steps 5").exit_code, 0);
  write("again.csv", rows(4, 9));
  ASSERT_EQ(wgp(std::string("fit a.csv again.csv") + fit_flags + "m.wgp").exit_code, 0);
  EXPECT_TRUE(fails(wgp("morph m.wgp p2 p9"), 3, {"no point 'p2'", "file,name"}));
  EXPECT_EQ(wgp("morph m.wgp a.csv,p2 again.csv,p9 --steps 5").exit_code, 0);
  EXPECT_TRUE(fails(wgp(std::string("fit a.csv again.csv --id name") + fit_flags + "n.wgp"), 3,
                    {"row 5 of a.csv and row 1 of again.csv", "'p4'", "--id file,name"}));
  ASSERT_EQ(wgp(std::string("fit a.csv again.csv --id file,name") + fit_flags + "n.wgp").exit_code, 0);
  EXPECT_TRUE(read("n.wgp") == read("m.wgp"));
  // They are found again whatever the order.
  const Outcome page = wgp("report m.wgp --data again.csv a.csv --labels file -o r.html");
  EXPECT_EQ(page.exit_code, 0) << page.err;
  ASSERT_EQ(wgp("report m.wgp --labels file -o r.html --data again.csv a.csv").exit_code, 0);
  EXPECT_NE(read("r.html").find("again.csv"), std::string::npos);
  EXPECT_TRUE(fails(wgp("report m.wgp a.csv -o r.html"), 2, {"'a.csv'", "--data"}));
}

TEST_F(SeveralFiles, WhatIsWrongHasItsFileAndRow) {
  write_parts();
  write("bad.csv", "name,x,y\nq1,0,1\nq2,nan,0\n");
  const std::string flags = " --manifold euclidean:2 --columns x,y";
  EXPECT_TRUE(fails(wgp("pga a.csv bad.csv c.csv" + flags), 3, {"bad.csv", "row 2"}));
  const Outcome dropped = wgp("pga a.csv bad.csv c.csv --drop-invalid" + flags);
  EXPECT_EQ(dropped.exit_code, 0);
  EXPECT_NE(dropped.err.find("bad.csv: 1 invalid row dropped (row 2)"), std::string::npos) << dropped.err;
  const Outcome checked = wgp("check a.csv bad.csv" + flags);
  EXPECT_EQ(checked.exit_code, 3);
  EXPECT_NE(checked.out.find("bad.csv, row 2: "), std::string::npos) << checked.out;
  const auto json = nlohmann::json::parse(wgp("check a.csv bad.csv --json" + flags).out);
  EXPECT_EQ(json["invalid"][0]["file"], "bad.csv");
  EXPECT_EQ(json["invalid"][0]["row"], 2);
  EXPECT_EQ(json["rows"], 10);

  write("sphere.csv", "1,0,0\n0,1,0\n");
  write("off.csv", "0,0,1\n0,3,4\n");
  EXPECT_TRUE(fails(wgp("pga sphere.csv off.csv --manifold sphere:2"), 3, {"off.csv: row 2: "}));

  // Other columns, other sizes, other kinds.
  write("wide.csv", "name,x,y,z\nq1,0,1,2\n");
  EXPECT_TRUE(fails(wgp("pga a.csv wide.csv --manifold euclidean:2"), 3, {"wide.csv: 3 numbers", "a.csv has 2"}));
  write("turned.csv", "name,y,x\nq1,0,1\n");
  EXPECT_TRUE(fails(wgp("pga a.csv turned.csv --manifold euclidean:2"), 3, {"turned.csv", "(y, x)", "(x, y)"}));
  EXPECT_TRUE(fails(wgp("pga a.csv sphere.csv" + flags), 3, {"sphere.csv", "no column"}));
  EXPECT_TRUE(fails(wgp("pga a.csv none.csv" + flags), 3, {"none.csv: no such file"}));
  EXPECT_TRUE(fails(wgp("pga a.csv a.csv" + flags), 2, {"a.csv", "twice"}));
  EXPECT_TRUE(fails(wgp("pga a.csv -" + flags), 2, {"standard input"}));
  std::filesystem::create_directory(path("mixed"));
  EXPECT_TRUE(fails(wgp("pga mixed" + flags), 3, {"mixed: is a directory without files"}));
  write("mixed/a.csv", rows(0, 3));
  write("mixed/b.tps", "LM=1\n0 0\n");
  EXPECT_TRUE(fails(wgp("pga mixed" + flags), 2, {"mixed/a.csv", "mixed/b.tps", "different kinds"}));
  EXPECT_TRUE(fails(wgp("pga a.csv b.csv -o b.csv" + flags), 2, {"b.csv", "would replace"}));
}

TEST_F(SeveralFiles, Arrays) {
  python(
      "a = numpy.random.default_rng(1).normal(size=(40, 3)); a /= numpy.linalg.norm(a, axis=1)[:, None]; "
      "numpy.save('all.npy', a); numpy.save('a.npy', a[:9]); numpy.save('b.npy', a[9:10]); numpy.save('c.npy', "
      "a[10:]); "
      "numpy.save('d.npy', a[:, :2]); numpy.save('e.npy', a[:39].reshape(13, 3, 3))");
  const std::string flags = " --manifold sphere:2 --latent 1 --effort quick --quiet -o ";
  ASSERT_EQ(wgp("fit all.npy" + flags + "all.wgp").exit_code, 0);
  ASSERT_EQ(wgp("fit a.npy b.npy c.npy" + flags + "parts.wgp").exit_code, 0);
  EXPECT_TRUE(read("all.wgp") == read("parts.wgp"));
  EXPECT_TRUE(fails(wgp("fit a.npy d.npy" + flags + "x.wgp"), 3, {"d.npy: 2 numbers in each row", "a.npy has 3"}));
  EXPECT_TRUE(fails(wgp("fit a.npy e.npy" + flags + "x.wgp"), 3, {"e.npy: 9 numbers in each row"}));
}

// More than are kept in memory: read in blocks, from one file or from several.
TEST_F(SeveralFiles, VeryManyRowsEndAtTheSameBytes) {
  ASSERT_EQ(wgp("synth circle --count 100300 --seed 3 -o all.npy").exit_code, 0);
  python(
      "a = numpy.load('all.npy'); numpy.save('a.npy', a[:5001]); numpy.save('b.npy', a[5001:70000]); "
      "numpy.save('c.npy', a[70000:])");
  const std::string flags =
      " --columns 1:2 --manifold euclidean:2 --latent 1 --subsample 200 --effort quick --quiet -o ";
  ASSERT_EQ(wgp("fit all.npy" + flags + "all.wgp").exit_code, 0);
  ASSERT_EQ(wgp("fit a.npy b.npy c.npy" + flags + "parts.wgp").exit_code, 0);
  EXPECT_TRUE(read("all.wgp") == read("parts.wgp"));
}

TEST_F(SeveralFiles, Landmarks) {
  std::filesystem::create_directory(path("wings"));
  std::string all;
  for (int i = 0; i < 14; ++i) {
    const std::string specimen =
        fmt::format("LM=4\n0 0\n{} 0\n3 {}\n0 1\nID=w{}\n", 3 + std::sin(0.3 * i), 1 + 0.2 * std::cos(0.3 * i), i);
    write(fmt::format("wings/w{:02}.tps", i), specimen);
    all += specimen;
  }
  write("all.tps", all);
  const std::string flags = " --latent 1 --effort quick --quiet -o ";
  ASSERT_EQ(wgp("fit all.tps" + flags + "all.wgp").exit_code, 0);
  ASSERT_EQ(wgp("fit wings" + flags + "wings.wgp").exit_code, 0);
  EXPECT_TRUE(read("all.wgp") == read("wings.wgp"));
  EXPECT_EQ(wgp("morph wings.wgp w2 w9").exit_code, 0);
  write("other.tps", "LM=5\n0 0\n1 0\n1 1\n0 1\n2 2\nID=o\n");
  EXPECT_TRUE(fails(wgp("fit all.tps other.tps" + flags + "x.wgp"), 3, {"other.tps: 10 numbers", "all.tps has 8"}));
}

// A smooth field of tensors on a grid of its own.
std::string tensor_image(Index nx, Index ny, Index nz, double phase) {
  std::vector<double> numbers;
  for (const std::size_t entry : symmatrix_order)
    for (Index v = 0; v < nx * ny * nz; ++v) {
      const double a = phase + 0.3 * static_cast<double>(v % nx), b = 0.4 * static_cast<double>(v / nx % ny);
      const double tensor[6] = {2 + std::sin(a),         0.4 * std::sin(a - b),
                                1.5 + 0.5 * std::cos(b), 0.3 * std::cos(2 * a + b) - 0.1,
                                -0.3 * std::sin(a + b),  1 + 0.1 * a};
      numbers.push_back(tensor[entry]);
    }
  return nifti1<double>({static_cast<short>(nx), static_cast<short>(ny), static_cast<short>(nz), 6}, 64, numbers);
}

TEST_F(SeveralFiles, Images) {
  for (const std::string name : {"sub-01", "sub-02"}) {
    std::filesystem::create_directory(path(name));
    const Index nx = name == "sub-01" ? 5 : 4;  // each on its own grid
    write(name + "/dti.nii", tensor_image(nx, 4, 3, name == "sub-01" ? 0 : 0.7));
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(nx * 12), 1);
    for (std::size_t v = 0; v < 10; ++v) mask[v] = 0;
    write(name + "/dti_mask.nii", nifti1<std::uint8_t>({static_cast<short>(nx), 4, 3}, 2, mask));
  }
  const std::string flags = " --manifold spd:3 --effort quick -o ";
  const Outcome fitted = wgp("fit sub-01/dti.nii sub-02/dti.nii --labels file" + flags + "m.wgp");
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  // Both have a voxel 1, 1, 1: the file tells them apart.
  EXPECT_EQ(wgp("morph m.wgp sub-01/dti.nii,1,1,1 sub-02/dti.nii,1,1,1 --steps 3").exit_code, 0);
  EXPECT_TRUE(fails(wgp("morph m.wgp 1,1,1 2,2,2"), 3, {"file,i,j,k"}));
  EXPECT_EQ(object(wgp("score m.wgp sub-01/dti.nii sub-02/dti.nii --json --quiet"))["n"], 60 + 48);
  // The same tensors in one table.
  ASSERT_EQ(wgp("convert sub-01/dti.nii sub-02/dti.nii -o both.npy").exit_code, 0);
  ASSERT_EQ(wgp("fit both.npy" + flags + "table.wgp --quiet").exit_code, 0);
  const std::string codes = wgp("encode m.wgp sub-01/dti.nii sub-02/dti.nii").out;
  EXPECT_EQ(codes, wgp("encode table.wgp both.npy").out);

  // A mask for each image, or one for all of them, which must be on their grids.
  const Outcome masked = wgp("score m.wgp sub-01/dti.nii sub-02/dti.nii --json --quiet --mask '{dir}/{name}_mask.nii'");
  EXPECT_EQ(object(masked)["n"], 60 + 48 - 20) << masked.err;
  EXPECT_TRUE(fails(wgp("score m.wgp sub-01/dti.nii sub-02/dti.nii --mask sub-01/dti_mask.nii"), 3, {"dti_mask.nii"}));
  const Outcome shared = wgp("score m.wgp sub-01/dti.nii --json --quiet --mask sub-01/dti_mask.nii");
  EXPECT_EQ(object(shared)["n"], 50);
  EXPECT_TRUE(fails(wgp("encode m.wgp sub-01/dti.nii sub-02/dti.nii -o maps.nii"), 2, {"one image", "--labels file"}));
}

}  // namespace
}  // namespace wgp::test
