// A guess needs evidence: numbers that are something are not called landmarks, and a raw image is not called anything.
#include "nifti_by_hand.h"
#include "run_command.h"

namespace wgp::test {
namespace {

using nlohmann::json;

class Guesses : public CommandTest {
 protected:
  std::vector<std::string> guessed(const std::string& file) const {
    const Outcome outcome = wgp("check " + file + " --json");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::vector<std::string> specs;
    const json object = json::parse(outcome.out);
    for (const json& one : object["candidates"]) specs.push_back(one["manifold"]);
    return specs;
  }
};

TEST_F(Guesses, RotationsSideBySide) {
  std::string text;
  for (int i = 0; i < 20; ++i)
    for (int k = 0; k < 4; ++k) {
      const double a = 0.3 * i + k, c = std::cos(a), s = std::sin(a);
      char row[200];
      std::snprintf(row, sizeof row, "%.15g,%.15g,0,%.15g,%.15g,0,0,0,1%s", c, -s, s, c, k < 3 ? "," : "\n");
      text += row;
    }
  write("r.csv", text);
  EXPECT_EQ(guessed("r.csv"), (std::vector<std::string>{"so:3^4", "euclidean:36"}));
  EXPECT_NE(wgp("mean r.csv").err.find("taken as so:3^4"), std::string::npos);
}

TEST_F(Guesses, DirectionsSideBySide) {
  write("d.csv", "1,0,0,0,0.6,0.8\n0,1,0,0.6,0,0.8\n0,0,1,1,0,0\n");
  EXPECT_EQ(guessed("d.csv").front(), "sphere:2^2");
}

// Six columns in the order of another program; in their own they are a lower triangle.
TEST_F(Guesses, TensorsInAnotherOrder) {
  std::string lower, fsl, mrtrix, landmarks;
  for (int i = 0; i < 30; ++i) {
    const double t = 0.7 * i, xx = 2 + std::sin(t), yy = 1.5 + 0.5 * std::cos(t), zz = 1 + 0.2 * std::sin(2 * t);
    const double xy = 0.4 * std::sin(t + 1), xz = 0.3 * std::cos(3 * t), yz = -0.3 * std::sin(5 * t);
    const auto row = [](std::initializer_list<double> numbers) {
      std::string line;
      for (const double x : numbers) line += (line.empty() ? "" : ",") + std::to_string(x);
      return line + "\n";
    };
    lower += row({xx, xy, yy, xz, yz, zz});
    fsl += row({xx, xy, xz, yy, yz, zz});
    mrtrix += row({xx, yy, zz, xy, xz, yz});
    landmarks += row({t, -1, t + 1 + 0.1 * xz, 0.3, t, 10 + yz});
  }
  write("lower.csv", lower);
  write("fsl.csv", fsl);
  write("mrtrix.csv", mrtrix);
  write("landmarks.csv", landmarks);
  EXPECT_EQ(guessed("lower.csv").front(), "spd:3");
  for (const auto& [file, columns] : {std::pair("fsl.csv", "1,2,4,3,5,6"), std::pair("mrtrix.csv", "1,4,2,5,6,3")}) {
    EXPECT_EQ(guessed(file), (std::vector<std::string>{"spd:3", "euclidean:6"})) << file;
    EXPECT_NE(wgp(std::string("check ") + file).out.find(std::string("--columns ") + columns), std::string::npos);
    EXPECT_TRUE(fails(wgp(std::string("mean ") + file), 2, {std::string("--columns ") + columns}));
    EXPECT_EQ(wgp(std::string("mean ") + file + " --columns " + columns).out, wgp("mean lower.csv").out) << file;
  }
  EXPECT_EQ(guessed("landmarks.csv").front(), "kendall:3");
}

TEST_F(Guesses, ARawDiffusionSeriesIsToldSo) {
  std::vector<float> numbers;
  for (int i = 0; i < 2 * 2 * 2 * 10; ++i) numbers.push_back(static_cast<float>(100 + 37 * (i * i % 11)));
  write("dwi.nii", nifti1<float>({2, 2, 2, 10}, 16, numbers));
  EXPECT_EQ(guessed("dwi.nii"), std::vector<std::string>{"euclidean:10"});
  for (const std::string command : {"mean dwi.nii", "fit dwi.nii -o m.wgp", "fit dwi.nii --manifold spd:3 -o m.wgp"}) {
    const Outcome outcome = wgp(command);
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_NE(outcome.err.find("dwi2tensor"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("dtifit"), std::string::npos) << outcome.err;
  }
  EXPECT_NE(wgp("check dwi.nii").out.find("dtifit"), std::string::npos);
  write("t.nii", tensor_image(mrtrix_order));
  EXPECT_EQ(wgp("check t.nii").out.find("dtifit"), std::string::npos);
  EXPECT_EQ(guessed("t.nii").front(), "spd:3");
}

// A trajectory as TUM has it, of which nothing else is a quaternion; and one whose columns only sound like it.
TEST_F(Guesses, NamedQuaternionsAreRotations) {
  write(
      "tum.txt",
      "# timestamp tx ty tz qx qy qz qw\n0 1 2 3 0 0 0.1 0.995\n0.1 1.1 2 3 0 0 0.2 0.98\n0.2 1.2 2 3 0 0 0.3 0.954\n");
  const std::string poses = wgp("check tum.txt").out;
  EXPECT_NE(poses.find(
                "  se:3             unit quaternions and translations, by the names of the columns qw, qx, qy, qz, tx, "
                "ty, tz"),
            std::string::npos)
      << poses;
  EXPECT_NE(poses.find("wgp check tum.txt --manifold se:3"), std::string::npos) << poses;
  EXPECT_EQ(poses.find("kendall"), std::string::npos) << poses;
  EXPECT_EQ(wgp("check tum.txt --manifold se:3").exit_code, 0);
  write("q.csv", "qx,qy,qz,qw\n0,0,0.6,0.8\n0,0.6,0,0.8\n");
  EXPECT_NE(wgp("check q.csv").out.find("  so:3             unit quaternions, by"), std::string::npos);
  write("other.csv", "qx,qy,qz,qw\n1,2,3,4\n5,6,7,9\n");
  EXPECT_EQ(wgp("check other.csv").out.find("by the names"), std::string::npos);
}

TEST_F(Guesses, MatricesOfKittiArePoses) {
  std::string rows;
  for (const double a : {0.1, 0.2, 0.3}) {
    std::ostringstream row;
    row.precision(9);
    row << std::cos(a) << " 0 " << std::sin(a) << ' ' << a << " 0 1 0 0 " << -std::sin(a) << " 0 " << std::cos(a)
        << " 2\n";
    rows += row.str();
  }
  write("00.txt", rows);
  const std::string out = wgp("check 00.txt").out;
  EXPECT_NE(out.find("  se:3             rows of 3 x 4 matrices, as KITTI has them"), std::string::npos) << out;
  EXPECT_EQ(out.find("kendall"), std::string::npos) << out;
  EXPECT_NE(wgp("mean 00.txt").err.find("taken as se:3"), std::string::npos);
  write("any.txt", "1 2 3 4 5 6 7 8 9 10 11 12\n2 1 3 4 5 6 9 8 7 10 11 12\n");
  EXPECT_EQ(wgp("check any.txt").out.find("se:3"), std::string::npos);
}

TEST_F(Guesses, LandmarksThatAreNamedAreNothingElse) {
  write("t.tps", "LM=3\n0 0\n1 0\n0 1\nLM=3\n0 0\n1 0\n0.1 1\n");
  const std::string out = wgp("check t.tps").out;
  EXPECT_NE(out.find("  kendall:3        landmarks x1 y1 x2 y2 ..., by the names"), std::string::npos) << out;
  for (const char* other : {"kendall3d", "torus"}) EXPECT_EQ(out.find(other), std::string::npos) << out;
  write("t.csv", "0.5,0.3,1,0.2,0,1\n0,0,1,0.7,0.1,2\n");
  EXPECT_NE(wgp("check t.csv").out.find("torus"), std::string::npos);
}

// The command that is advised reads the file in the same way.
TEST_F(Guesses, AdviceKeepsTheFlagsOfReading) {
  write("t.csv", "a;b;c\n0,6;0,8;0\n0,8;0;0,6\n1;0;0\n");
  const std::string out = wgp("check t.csv --decimal , --every 2").out;
  EXPECT_NE(out.find("wgp check t.csv --every 2 --decimal , --manifold sphere:2"), std::string::npos) << out;
}

}  // namespace
}  // namespace wgp::test
