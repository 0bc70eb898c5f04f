// Tensor images into the command and maps out of it.
#include <cmath>

#include "io/nifti/nifti.h"
#include "nifti_by_hand.h"
#include "run_command.h"

namespace wgp::test {
namespace {

constexpr Index nx = 5, ny = 4, nz = 3, voxels = nx * ny * nz;

// A smooth field of tensors; the slice k = 0 is empty.
std::vector<std::vector<double>> tensor_field() {
  std::vector<std::vector<double>> field;
  for (Index v = 0; v < voxels; ++v) {
    const double a = 0.3 * static_cast<double>(v % nx), b = 0.4 * static_cast<double>(v / nx % ny);
    if (v < nx * ny)
      field.emplace_back(6, 0.0);
    else
      field.push_back({2 + std::sin(a), 0.4 * std::sin(a - b), 1.5 + 0.5 * std::cos(b), 0.3 * std::cos(2 * a + b) - 0.1,
                       -0.3 * std::sin(a + b), 1 + 0.1 * a});
  }
  return field;
}

class TensorImage : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    const auto field = tensor_field();
    std::string csv = "i,j,k,xx,xy,xz,yx,yy,yz,zx,zy,zz\n";
    for (Index v = nx * ny; v < voxels; ++v) {
      const auto& t = field[static_cast<std::size_t>(v)];
      csv += fmt_row({static_cast<double>(v % nx), static_cast<double>(v / nx % ny), static_cast<double>(v / nx / ny),
                      t[0], t[1], t[3], t[1], t[2], t[4], t[3], t[4], t[5]});
    }
    write("field.csv", csv);
    write("symmatrix.nii", image(symmatrix_order));
    write("fsl.nii", image(fsl_order));
    write("mrtrix.nii", image(mrtrix_order));
    std::vector<std::uint8_t> mask(voxels, 0);
    for (std::size_t v = 18; v < 30; ++v) mask[v] = 1;  // two voxels of the empty slice, ten of the next
    write("mask.nii", nifti1<std::uint8_t>({nx, ny, nz}, 2, mask));
    write("other.nii", nifti1<std::uint8_t>({nx, nz, ny}, 2, mask));
  }

  static std::string fmt_row(const std::vector<double>& numbers) {
    std::string line;
    for (const double x : numbers) line += (line.empty() ? "" : ",") + format_number(x);
    return line + "\n";
  }
  static std::string image(const std::vector<std::size_t>& order) {
    const auto field = tensor_field();
    std::vector<double> numbers;
    for (const std::size_t entry : order)
      for (const auto& tensor : field) numbers.push_back(tensor[entry]);
    std::string bytes = nifti1<double>({nx, ny, nz, 6}, 64, numbers);
    put(bytes, 254, std::int16_t{2});                                                     // sform
    for (std::size_t i = 0; i < 12; ++i) put(bytes, 280 + 4 * i, static_cast<float>(i));  // its rows
    return bytes;
  }
  // The maps of an image, one channel a row, for all of its voxels that hold something.
  std::unique_ptr<NiftiTable> open(const std::string& name) const { return open_nifti(open_bytes(path(name))); }
};

TEST_F(TensorImage, EveryOrderGivesTheModelOfTheTable) {
  ASSERT_EQ(wgp("fit field.csv --columns xx:zz --manifold spd:3 --effort quick -o field.wgp").exit_code, 0);
  const auto expected = nlohmann::json::parse(wgp("info field.wgp --json").out);
  for (const std::string order : {"symmatrix", "fsl", "mrtrix"}) {
    const Outcome outcome = wgp("fit " + order + ".nii --manifold spd:3 --effort quick -o " + order + ".wgp");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("tensor order " + order + " ("), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("5 x 4 x 3 voxels of 1 x 1 x 1 (no unit), 40 to work on"), std::string::npos)
        << outcome.err;
    const auto actual = nlohmann::json::parse(wgp("info " + order + ".wgp --json").out);
    EXPECT_EQ(actual["kernel"], expected["kernel"]) << order;
  }
  // The model files differ by what they say of the fit's time only, so latents are compared through decoding.
  write("at.csv", "0,0\n0.5,-0.5\n");
  const std::string points = wgp("decode symmatrix.wgp at.csv").out;
  EXPECT_EQ(wgp("decode fsl.wgp at.csv").out, points);
  EXPECT_EQ(wgp("decode mrtrix.wgp at.csv").out, points);
}

TEST_F(TensorImage, EncodesIntoMapsAndDecodesBack) {
  ASSERT_EQ(wgp("fit field.csv --columns xx:zz --manifold spd:3 --effort quick -o m.wgp").exit_code, 0);
  const Outcome table = wgp("encode m.wgp field.csv --columns xx:zz");
  const Outcome score = wgp("score m.wgp field.csv --columns xx:zz");
  for (const std::string name : {"maps.nii", "maps.nii.gz"}) {
    const Outcome outcome = wgp("encode m.wgp mrtrix.nii -o " + name);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    const auto maps = open(name);
    EXPECT_EQ(maps->names(), (std::vector<std::string>{"x1", "x2", "sd1", "sd2", "log_density", "weight", "modes",
                                                       "status", "error"}));
    EXPECT_EQ(maps->grid().affine[11], 11);  // the input's place in space
    EXPECT_EQ(maps->voxels().front(), nx * ny);
    const Matrix rows = read_rest(*maps).values;
    ASSERT_EQ(rows.cols(), 40);
    std::string text = table.out;
    for (const auto& [word, number] :
         {std::pair(",ok", ",0"), {",outside_support", ",1"}, {",not_converged", ",2"}, {",ambiguous", ",3"}})
      for (auto at = text.find(word); at != std::string::npos; at = text.find(word))
        text.replace(at, std::string(word).size(), number);
    const auto latents = numbers(text), errors = numbers(score.out);
    for (std::size_t i = 0; i < 40; ++i) {
      const auto column = rows.col(static_cast<Index>(i));
      for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(column[static_cast<Index>(j)], latents[i][j]) << i << " " << j;
      EXPECT_EQ(column[8], errors[i][0]);
    }
  }
  const Outcome outcome = wgp("decode m.wgp maps.nii.gz -o back.nii.gz");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto back = open("back.nii.gz");
  EXPECT_NE(back->notes().front().find("tensor order mrtrix"), std::string::npos) << back->notes().front();
  EXPECT_EQ(wgp("encode m.wgp back.nii.gz -o again.nii").exit_code, 0);
  const Matrix decoded = read_rest(*back).values;
  EXPECT_EQ(decoded.cols(), 40);
  const auto points = numbers(shell("wgp encode m.wgp field.csv --columns xx:zz -o l.csv; wgp decode m.wgp l.csv").out);
  EXPECT_NEAR(decoded(1, 7), points[7][1], 1e-14);
  EXPECT_NEAR(decoded(3, 7), points[7][2], 1e-14);
}

TEST_F(TensorImage, MasksChooseVoxels) {
  ASSERT_EQ(wgp("fit fsl.nii --manifold spd:3 --effort quick -o m.wgp --quiet").exit_code, 0);
  const Outcome outcome = wgp("encode m.wgp fsl.nii --mask mask.nii -o maps.nii");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("2 voxels inside the mask hold nothing and are left out"), std::string::npos);
  EXPECT_NE(outcome.err.find("10 points encoded"), std::string::npos) << outcome.err;
  const auto maps = open("maps.nii");
  EXPECT_EQ(maps->voxels(), (std::vector<Index>{20, 21, 22, 23, 24, 25, 26, 27, 28, 29}));
  EXPECT_TRUE(fails(wgp("encode m.wgp fsl.nii --mask other.nii -o bad.nii"), 3,
                    {"other.nii: a mask of 5 x 3 x 4 voxels, but fsl.nii has 5 x 4 x 3"}));
  EXPECT_TRUE(fails(wgp("encode m.wgp field.csv --columns xx:zz --mask mask.nii"), 2,
                    {"--mask is for tensor images (NIfTI, MIF, NRRD); field.csv is none"}));
  EXPECT_TRUE(fails(wgp("encode m.wgp field.csv --columns xx:zz -o maps2.nii"), 2,
                    {"field.csv is no image, so that there is no grid to write maps on"}));
  EXPECT_TRUE(
      fails(wgp("fit fsl.nii --manifold spd:3 --tensor-order symatrix -o n.wgp"), 2, {"did you mean symmatrix?"}));
  EXPECT_EQ(files(), (std::vector<std::string>{"field.csv", "fsl.nii", "m.wgp", "maps.nii", "mask.nii", "mrtrix.nii",
                                               "other.nii", "symmatrix.nii"}));
}

// Shifted by 7 mm, with x from its other end or after y, or said by the qform instead of the sform.
TEST_F(TensorImage, MasksLieWhereTheImageLies) {
  const auto placed = [&](const std::string& name, const std::vector<float>& rows, const std::string& as) {
    std::string bytes = read(name);
    put(bytes, 254, std::int16_t{1});
    for (std::size_t i = 0; i < 12; ++i) put(bytes, 280 + 4 * i, rows[i]);
    write(as, bytes);
  };
  const std::vector<float> here = {2, 0, 0, -10, 0, 2, 0, -20, 0, 0, 2, 5};
  std::vector<float> shifted = here, flipped = here, nearly = here;
  const std::vector<float> exchanged = {0, 2, 0, -10, 2, 0, 0, -20, 0, 0, 2, 5};
  shifted[7] += 7;
  flipped[0] = -2;
  flipped[3] += 2 * (nx - 1);
  nearly[3] += 1e-3f;
  placed("fsl.nii", here, "image.nii");
  placed("mask.nii", here, "same.nii");
  placed("mask.nii", shifted, "shifted.nii");
  std::vector<std::uint8_t> chosen(voxels, 0), backwards(voxels, 0), y_first(voxels, 0);
  for (const std::size_t v : {20, 21, 27, 34, 41}) {
    chosen[v] = 1;
    const std::size_t x = v % nx, y = v / nx % ny, z = v / (nx * ny);
    backwards[nx - 1 - x + nx * (y + ny * z)] = 1;
    y_first[y + ny * (x + nx * z)] = 1;
  }
  write("chosen.nii", nifti1<std::uint8_t>({nx, ny, nz}, 2, chosen));
  write("other_flipped.nii", nifti1<std::uint8_t>({nx, ny, nz}, 2, backwards));
  placed("other_flipped.nii", flipped, "flipped.nii");
  write("other_exchanged.nii", nifti1<std::uint8_t>({ny, nx, nz}, 2, y_first));
  placed("other_exchanged.nii", exchanged, "exchanged.nii");
  placed("mask.nii", nearly, "nearly.nii");
  std::string quaternion = read("mask.nii");  // the same place by the qform: no rotation, edges of 2
  put(quaternion, 252, std::int16_t{1});
  for (std::size_t i = 1; i <= 3; ++i) put(quaternion, 76 + 4 * i, 2.0f);
  for (std::size_t i = 0; i < 3; ++i) put(quaternion, 268 + 4 * i, here[4 * i + 3]);
  write("qform.nii", quaternion);
  put(quaternion, 256, 1.0f);  // half a turn about x
  write("turned.nii", quaternion);

  // Voxels are what lies at a place, in whatever order they are numbered.
  const std::string rows = wgp("convert image.nii --mask chosen.nii --quiet").out;
  ASSERT_EQ(numbers(rows).size(), 5u);
  for (const std::string mask : {"flipped.nii", "exchanged.nii"}) {
    const Outcome outcome = wgp("convert image.nii --mask " + mask);
    EXPECT_EQ(outcome.out, rows) << mask;
    EXPECT_NE(outcome.err.find(mask + " has its axes in another order or direction than image.nii; voxels are matched "
                                      "by where they lie in space"),
              std::string::npos)
        << outcome.err;
  }
  EXPECT_EQ(wgp("convert image.nii --mask same.nii").err.find("matched"), std::string::npos);
  EXPECT_NE(wgp("convert image.nii --mask flipped.nii --ignore-affine --quiet").out, rows);
  for (const std::string command : {"mean", "check", "convert", "pga"}) {
    const std::string line = command + " image.nii" + (command == "convert" ? "" : " --manifold spd:3") + " --mask ";
    for (const std::string mask : {"same.nii", "nearly.nii", "qform.nii", "mask.nii"})
      EXPECT_EQ(wgp(line + mask).exit_code, 0) << command << " " << mask;
    for (const std::string mask : {"shifted.nii", "turned.nii"}) {
      EXPECT_TRUE(fails(wgp(line + mask), 3, {mask, "another place in space", "--ignore-affine"})) << command;
      const Outcome ignored = wgp(line + mask + " --ignore-affine");
      EXPECT_EQ(ignored.exit_code, 0) << ignored.err;
      EXPECT_NE(ignored.err.find("matched by their numbers i, j, k"), std::string::npos) << ignored.err;
    }
  }
}

// Rows of two images go side by side only if they are the same voxels.
TEST_F(TensorImage, ImagesSideBySideHaveTheSameVoxels) {
  ASSERT_EQ(wgp("geom dist --manifold spd:3 --base fsl.nii mrtrix.nii").exit_code, 0);
  std::string bytes = read("fsl.nii");
  for (std::size_t channel = 0; channel < 6; ++channel) {  // one voxel emptied, another one filled
    put(bytes, 352 + 8 * (channel * voxels + 33), 0.0);
    put(bytes, 352 + 8 * (channel * voxels + 3), channel == 0 || channel == 3 || channel == 5 ? 1.0 : 0.0);
  }
  write("others.nii", bytes);
  EXPECT_TRUE(fails(wgp("geom dist --manifold spd:3 --base fsl.nii others.nii"), 3,
                    {"others.nii has something at voxel (3, 0, 0)", "fsl.nii does not"}));
  bytes = read("fsl.nii");
  put(bytes, 280 + 4 * 3, 50.0f);
  write("elsewhere.nii", bytes);
  EXPECT_TRUE(fails(wgp("geom dist --manifold spd:3 --base fsl.nii elsewhere.nii"), 3, {"--ignore-affine"}));
  EXPECT_EQ(wgp("geom dist --manifold spd:3 --base fsl.nii elsewhere.nii --ignore-affine").exit_code, 0);
  ASSERT_EQ(wgp("fit fsl.nii --manifold spd:3 --effort quick -o m.wgp --quiet").exit_code, 0);
  ASSERT_EQ(wgp("encode m.wgp fsl.nii -o maps.nii --quiet").exit_code, 0);
  EXPECT_EQ(wgp("score m.wgp fsl.nii --at maps.nii").exit_code, 0);
  EXPECT_TRUE(fails(wgp("score m.wgp others.nii --at maps.nii"), 3, {"voxel (3, 0, 0)"}));
  EXPECT_TRUE(fails(wgp("regress maps.nii others.nii --manifold spd:3 -o r.wgp"), 3, {"voxel (3, 0, 0)"}));
}

TEST_F(TensorImage, OrdersThatContradictTheFileAreRefused) {
  for (const std::string file : {"symmatrix", "fsl", "mrtrix"})
    for (const std::string order : {"symmatrix", "fsl", "mrtrix"}) {
      const Outcome outcome = wgp("mean " + file + ".nii --manifold spd:3 --tensor-order " + order);
      if (order == file)
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      else
        EXPECT_TRUE(fails(outcome, 3, {"--tensor-order " + order + ", but the numbers say " + file})) << file;
    }
  // The intent code says symmatrix: that stands, unless the numbers speak for another order.
  std::string bytes = read("symmatrix.nii");
  put(bytes, 68, std::int16_t{1005});
  write("intent.nii", bytes);
  EXPECT_EQ(wgp("mean intent.nii --manifold spd:3").exit_code, 0);
  EXPECT_TRUE(fails(wgp("mean intent.nii --manifold spd:3 --tensor-order fsl"), 3, {"--tensor-order fsl"}));
  EXPECT_TRUE(fails(wgp("mean fsl.nii --manifold euclidean:6 --tensor-order fsl"), 3, {"taken as plain numbers"}));
}

// What goes in with four axes in the order of MRtrix comes out so.
TEST_F(TensorImage, DecodesToTheFormThatWasEncoded) {
  ASSERT_EQ(wgp("fit field.csv --columns xx:zz --manifold spd:3 --effort quick -o m.wgp --quiet").exit_code, 0);
  std::string intent = read("symmatrix.nii");
  put(intent, 68, std::int16_t{1005});
  put(intent, 40, std::int16_t{5});
  put(intent, 48, std::int16_t{1});
  put(intent, 50, std::int16_t{6});
  write("five.nii", intent);
  const auto dimensions = [&](const std::string& name) {
    const std::string bytes = read(name);
    std::vector<int> list;
    for (std::size_t i = 0; i < 6; ++i) {
      std::int16_t one = 0;
      std::memcpy(&one, bytes.data() + 40 + 2 * i, 2);
      list.push_back(one);
    }
    std::int16_t code = 0;
    std::memcpy(&code, bytes.data() + 68, 2);
    list.push_back(code);
    return list;
  };
  const std::vector<int> four = {4, nx, ny, nz, 6, 1, 0}, five = {5, nx, ny, nz, 1, 6, 1005};
  for (const std::string name : {"mrtrix", "fsl", "symmatrix", "five"}) {
    ASSERT_EQ(wgp("encode m.wgp " + name + ".nii -o maps.nii").exit_code, 0);
    const Outcome decoded = wgp("decode m.wgp maps.nii -o back.nii");
    ASSERT_EQ(decoded.exit_code, 0) << decoded.err;
    EXPECT_EQ(dimensions("back.nii"), name == "five" ? five : four) << name;
    const Outcome mean = wgp("mean back.nii --manifold spd:3");
    const std::string order = name == "five" ? "symmatrix" : name;
    EXPECT_NE(mean.err.find("tensor order " + order + " ("), std::string::npos) << mean.err;
    for (const std::string other : {"fsl", "mrtrix", "symmatrix"}) {
      ASSERT_EQ(wgp("decode m.wgp maps.nii --tensor-order " + other + " -o " + other + "_back.nii").exit_code, 0);
      EXPECT_EQ(wgp("mean " + other + "_back.nii --manifold spd:3").out, mean.out) << name << " as " << other;
    }
  }
  EXPECT_EQ(dimensions("symmatrix_back.nii"), five);
  EXPECT_EQ(dimensions("mrtrix_back.nii"), four);
  // Nine channels stay nine.
  const auto field = tensor_field();
  std::vector<double> nine;
  for (const std::size_t entry : {0, 1, 3, 1, 2, 4, 3, 4, 5})
    for (const auto& tensor : field) nine.push_back(tensor[entry]);
  write("nine.nii", nifti1<double>({nx, ny, nz, 9}, 64, nine));
  ASSERT_EQ(wgp("encode m.wgp nine.nii -o maps.nii").exit_code, 0);
  ASSERT_EQ(wgp("decode m.wgp maps.nii -o back.nii").exit_code, 0);
  EXPECT_EQ(dimensions("back.nii"), (std::vector<int>{4, nx, ny, nz, 9, 1, 0}));
  EXPECT_TRUE(fails(wgp("mean nine.nii --manifold spd:3 --tensor-order fsl"), 3, {"whole matrices"}));
  EXPECT_TRUE(fails(wgp("decode m.wgp maps.nii --tensor-order fsl -o back.csv"), 2, {"--tensor-order"}));
  EXPECT_TRUE(fails(wgp("decode m.wgp maps.nii --tensor-order fsl"), 2, {"--tensor-order"}));
}

// A model of an image knows its points by their voxels.
TEST_F(TensorImage, ReportsNameVoxels) {
  ASSERT_EQ(wgp("fit fsl.nii --manifold spd:3 --mask mask.nii --effort quick -o m.wgp --quiet").exit_code, 0);
  const auto json = nlohmann::json::parse(wgp("report m.wgp -o r.html --json").out);
  const std::string worst = json["worst"];
  EXPECT_TRUE(worst.starts_with("voxel (") && worst.ends_with(", 1)")) << worst;  // the mask is within the slice k = 1
  EXPECT_NE(read("r.html").find(worst + " the farthest"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(wgp("info m.wgp --json").out)["id_column"], "i,j,k");
  // Labels of other tables and images are those of the same voxels.
  const Outcome by_table = wgp("report m.wgp --data field.csv --labels j");
  EXPECT_EQ(by_table.exit_code, 0) << by_table.err;
  ASSERT_EQ(shell("head -1 field.csv >sorted.csv; tail -n +2 field.csv | sort -r >>sorted.csv").exit_code, 0);
  for (const std::string data : {"sorted.csv", "mrtrix.nii"}) {
    const Outcome again = wgp("report m.wgp --data " + data + " --labels j");
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_TRUE(again.out == by_table.out) << data;
  }
}

TEST_F(TensorImage, FlagsOfImagesAreForImages) {
  ASSERT_EQ(wgp("fit fsl.nii --manifold spd:3 --effort quick -o m.wgp --quiet").exit_code, 0);
  for (const std::string command :
       {"check field.csv", "check field.csv --manifold spd:3", "geom project --manifold spd:3 field.csv",
        "mean field.csv --manifold spd:3", "mean field.csv", "pga field.csv --manifold spd:3",
        "curve field.csv --manifold spd:3", "fit field.csv --manifold spd:3 -o n.wgp", "encode m.wgp field.csv",
        "score m.wgp field.csv", "regress field.csv field.csv --manifold spd:3 -o n.wgp",
        "evaluate field.csv --manifold spd:3", "convert field.csv"})
    for (const std::string flag : {"mask mask.nii", "tensor-order fsl"})
      EXPECT_TRUE(fails(wgp(command + " --columns xx:zz --" + flag), 2,
                        {"is for tensor images (NIfTI, MIF, NRRD); field.csv is none"}))
          << command;
  // Of several files one may be an image.
  ASSERT_EQ(wgp("mean fsl.nii --manifold spd:3 -o base.csv --quiet").exit_code, 0);
  const Outcome some = wgp("geom log --manifold spd:3 --base base.csv fsl.nii --mask mask.nii");
  EXPECT_EQ(some.exit_code, 0) << some.err;
  EXPECT_EQ(numbers(some.out).size(), 10u);
}

TEST_F(TensorImage, EveryCommandThatReadsPointsTakesImages) {
  const Outcome mean = wgp("mean fsl.nii --manifold spd:3 --quiet");
  EXPECT_EQ(mean.exit_code, 0) << mean.err;
  const Outcome of_table = wgp("mean field.csv --columns xx:zz --manifold spd:3 --quiet");
  const auto six = numbers(mean.out)[0], nine = numbers(of_table.out)[0];
  EXPECT_EQ(six.size(), 6u);
  EXPECT_NEAR(six[1], nine[1], 1e-14);
  EXPECT_NEAR(six[3], nine[2], 1e-14);
  EXPECT_EQ(wgp("check mrtrix.nii --manifold spd:3/affine-invariant").exit_code, 0);
  EXPECT_EQ(wgp("pga symmatrix.nii --manifold spd:3").exit_code, 0);
  EXPECT_EQ(wgp("geom log --manifold spd:3 --base fsl.nii mrtrix.nii --quiet").exit_code, 0);
}

// Before anything is read, let alone computed.
TEST_F(TensorImage, MapsOfSeveralImagesAreRefusedAtOnce) {
  write("broken.nii", "not an image");
  ASSERT_EQ(wgp("fit symmatrix.nii --mask mask.nii --manifold spd:3 --latent 1 --inference point --effort quick "
                "--drop-invalid --quiet -o m.wgp")
                .exit_code,
            0);
  for (const std::string command : {"pga broken.nii symmatrix.nii --manifold spd:3",
                                    "score m.wgp broken.nii symmatrix.nii", "encode m.wgp broken.nii symmatrix.nii"})
    EXPECT_TRUE(fails(wgp(command + " -o maps.nii.gz"), 2, {"maps lie on the grid of one image"})) << command;
}

TEST_F(TensorImage, BadVoxelsAreNamed) {
  std::string bytes = read("fsl.nii");
  put(bytes, 352 + 8 * 23, -4.0);  // xx of voxel (3, 0, 1)
  write("bad.nii", bytes);
  EXPECT_TRUE(fails(wgp("mean bad.nii --manifold spd:3"), 3, {"bad.nii: row 4: voxel (3, 0, 1): not positive"}));
  const Outcome dropped = wgp("mean bad.nii --manifold spd:3 --drop-invalid");
  EXPECT_EQ(dropped.exit_code, 0);
  EXPECT_NE(dropped.err.find("1 invalid row dropped"), std::string::npos) << dropped.err;
  // Maps go on to the end, and back.
  ASSERT_EQ(wgp("fit fsl.nii --manifold spd:3 --latent 1 --effort quick --quiet -o m.wgp").exit_code, 0);
  EXPECT_TRUE(fails(wgp("encode m.wgp bad.nii"), 3, {"voxel (3, 0, 1): not positive"}));
  const Outcome encoded = wgp("encode m.wgp bad.nii -o maps.nii.gz");
  ASSERT_EQ(encoded.exit_code, 0) << encoded.err;
  EXPECT_NE(encoded.err.find("1 voxel is outside of spd:3: NaN in the maps, with status -1"), std::string::npos)
      << encoded.err;
  NiftiOptions with_gaps;
  with_gaps.table.non_finite = TableOptions::NonFinite::keep;
  const auto maps = open_nifti(open_bytes(path("maps.nii.gz")), with_gaps);
  TableBlock block;
  ASSERT_TRUE(maps->read(1000, block));
  const std::vector<std::string> names = maps->names();
  const auto status = std::find(names.begin(), names.end(), "status") - names.begin();
  for (std::size_t i = 0; i < maps->block_voxels().size(); ++i) {
    const auto column = block.values.col(static_cast<Index>(i));
    EXPECT_EQ(column[status] == -1, maps->block_voxels()[i] == 23);
    EXPECT_EQ(std::isnan(column[0]), maps->block_voxels()[i] == 23);
  }
  const Outcome decoded = wgp("decode m.wgp maps.nii.gz -o back.nii.gz");
  ASSERT_EQ(decoded.exit_code, 0) << decoded.err;
  EXPECT_EQ(open("back.nii.gz")->rows(), voxels - nx * ny - 1);
  // Scores and errors as maps, which are the numbers of the tables.
  for (const std::string command : {"pga --manifold spd:3", "score m.wgp"}) {
    ASSERT_EQ(wgp(command + " bad.nii --drop-invalid -o numbers.nii").exit_code, 0) << command;
    const auto of_maps = open("numbers.nii");
    const auto rows = read_rest(*of_maps).values;
    const auto table = numbers(wgp(command + " bad.nii --drop-invalid --quiet").out);
    ASSERT_EQ(rows.cols(), static_cast<Index>(table.size()));
    for (Index i = 0; i < rows.cols(); ++i)
      for (Index j = 0; j < rows.rows(); ++j)
        EXPECT_NEAR(rows(j, i), table[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], 1e-12) << command;
    EXPECT_EQ(of_maps->voxels()[3], 24);
  }
  EXPECT_TRUE(fails(wgp("pga field.csv --columns xx:zz --manifold spd:3 -o no.nii"), 2, {"field.csv is no image"}));
  write("short.nii", bytes.substr(0, 1000));
  EXPECT_TRUE(fails(wgp("mean short.nii --manifold spd:3"), 3, {"short.nii: truncated"}));
  write("text.nii", "1,2,3\n");
  EXPECT_TRUE(fails(wgp("mean text.nii --manifold spd:3"), 3, {"text.nii: truncated: 6 bytes, no NIfTI header"}));
  EXPECT_TRUE(fails(wgp("mean fsl.nii --manifold sphere:2"), 3, {"6 numbers in each row, but sphere:2 takes 3"}));
}

}  // namespace
}  // namespace wgp::test
