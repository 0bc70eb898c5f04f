// Landmarks as digitising programs leave them: some are missing, some are points of curves, some are in Slicer's files.
#include <cmath>

#include "core/format.h"
#include "run_command.h"

namespace wgp::test {
namespace {

class LandmarkInput : public CommandTest {
 protected:
  static double coordinate(int specimen, int landmark, int axis) {
    return 10 + 5 * std::cos(2.0 * landmark + axis) + 0.5 * std::sin(specimen * (1.0 + landmark) + axis);
  }
  static std::string specimens(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += "LM=4\n";
      for (int j = 0; j < 4; ++j)
        text += i == 6 && j == 2 ? "-1 -1\n" : fmt::format("{} {}\n", coordinate(i, j, 0), coordinate(i, j, 1));
      text += "CURVES=1\nPOINTS=2\n";
      for (int j = 4; j < 6; ++j) text += fmt::format("{} {}\n", coordinate(i, j, 0), coordinate(i, j, 1));
      text += fmt::format("ID=wing{}\n", i);
    }
    return text;
  }
};

TEST_F(LandmarkInput, MissingLandmarksAreNamed) {
  write("wings.tps", specimens(12));
  for (const std::string command : {"fit -o m.wgp ", "mean ", "pga "})
    EXPECT_TRUE(fails(wgp(command + "wings.tps --manifold kendall:6"), 3,
                      {"wings.tps: specimen 7 (id wing6, line ", "it lacks landmark 3"}));
  const Outcome dropped = wgp("mean wings.tps --manifold kendall:6 --drop-invalid");
  EXPECT_EQ(dropped.exit_code, 0) << dropped.err;
  EXPECT_NE(dropped.err.find("1 invalid row dropped (row 7)"), std::string::npos) << dropped.err;
  const Outcome checked = wgp("check wings.tps --manifold kendall:6");
  EXPECT_NE(checked.out.find("row 7: landmark 3 is missing"), std::string::npos) << checked.out;
}

TEST_F(LandmarkInput, CurvesAreTakenOrLeftAndSaid) {
  write("wings.tps", specimens(6));
  const Outcome taken = wgp("mean wings.tps --manifold kendall:6"),
                left = wgp("mean wings.tps --manifold kendall:4 --curves ignore");
  EXPECT_NE(taken.err.find("4 landmarks and 2 points of curves in each specimen; all are taken"), std::string::npos);
  EXPECT_NE(left.err.find("the curves are left out"), std::string::npos) << left.err;
  EXPECT_EQ(left.out, wgp("mean wings.tps --manifold kendall:4 --columns x1:y4").out);
  write("p.csv", "1,2\n3,4\n");
  EXPECT_TRUE(fails(wgp("convert p.csv --curves ignore"), 2, {"--curves is for landmarks in TPS"}));
  EXPECT_TRUE(fails(wgp("convert wings.tps --curves none"), 2, {"landmarks or ignore"}));
}

TEST_F(LandmarkInput, MarkupsOfSlicerAreASpecimenAFile) {
  std::filesystem::create_directory(path("femora"));
  std::string table = "x1,y1,z1,x2,y2,z2,x3,y3,z3,x4,y4,z4\n";
  for (int i = 0; i < 5; ++i) {
    // Every other one in RAS, where x and y have the other sign.
    const double sign = i % 2 == 0 ? 1 : -1;
    std::string text =
        fmt::format("# Markups fiducial file version = 4.11\n# CoordinateSystem = {}\n", i % 2 == 0 ? "LPS" : "RAS");
    text += "# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n";
    for (int j = 0; j < 4; ++j) {
      const double x = coordinate(i, j, 0), y = coordinate(i, j, 1), z = coordinate(i, j, 2);
      text += fmt::format("{},{},{},{},0,0,0,1,1,1,0,F-{},,\n", j, sign * x, sign * y, z, j);
      table += fmt::format("{},{},{}{}", x, y, z, j == 3 ? "\n" : ",");
    }
    write(fmt::format("femora/f{}.fcsv", i), text);
  }
  write("table.csv", table);
  EXPECT_EQ(wgp("convert femora").out, table);
  const Outcome mean = wgp("mean femora");
  EXPECT_NE(mean.err.find("taken as kendall3d:4"), std::string::npos) << mean.err;
  EXPECT_EQ(mean.out, wgp("mean table.csv --manifold kendall3d:4").out);
}

}  // namespace
}  // namespace wgp::test
