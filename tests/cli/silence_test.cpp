// Notices are for files that need them: of clean ones nothing is said but what was done.
#include <cmath>

#include "core/format.h"
#include "nifti_by_hand.h"
#include "run_command.h"

namespace wgp::test {
namespace {

class Silence : public CommandTest {
 protected:
  // What a command says, which succeeds.
  std::string said(const std::string& arguments) const {
    const Outcome outcome = wgp(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.err;
  }
};

TEST_F(Silence, OfLandmarksWithoutCurvesAndGaps) {
  std::string specimens;
  for (int i = 0; i < 12; ++i) {
    specimens += "LM=4\n";
    for (int j = 0; j < 4; ++j)
      specimens += fmt::format("{} {}\n", (j % 2) * 3 + 0.1 * std::sin(i + j), (j / 2) * 2 + 0.1 * std::cos(2 * i + j));
    specimens += fmt::format("ID=wing{}\n", i);
  }
  write("wings.tps", specimens);
  for (const std::string command : {"mean wings.tps --manifold kendall:4", "pga wings.tps --manifold kendall:4",
                                    "fit wings.tps --manifold kendall:4 --latent 1 --effort quick -o m.wgp"})
    for (const char* word : {"curve", "missing", "mirror", "reflect", "dropped", "warning", "specimen 1 "})
      EXPECT_EQ(said(command).find(word), std::string::npos) << command << ": " << word;
  EXPECT_EQ(wgp("check wings.tps --manifold kendall:4").out.find("warning"), std::string::npos);
}

TEST_F(Silence, OfQuaternionsInOrder) {
  std::string rows = "w,x,y,z\n";
  for (int i = 0; i < 10; ++i) rows += fmt::format("{},{},0,0\n", std::cos(0.05 * i), std::sin(0.05 * i));
  write("q.csv", rows);
  const std::string message = said("mean q.csv --manifold so:3");
  EXPECT_TRUE(message.starts_with("mean of 10 points on so:3: converged")) << message;
  write("poses.csv", "1,0,0,0,1,2,3\n1,0,0,0,1,2,4\n");
  EXPECT_TRUE(said("mean poses.csv --manifold se:3").starts_with("mean of 2 points on se:3"));
}

TEST_F(Silence, OfImagesAsTheFormatHasThem) {
  write("t.nii", tensor_image(symmatrix_order));
  const std::string message = said("mean t.nii --manifold spd:3");
  for (const char* word : {"dtifit", "behind", "data start", "warning", "NaN"})
    EXPECT_EQ(message.find(word), std::string::npos) << message;
}

TEST_F(Silence, OfFitsThatConverge) {
  write_bent_sheet(40);
  const std::string message =
      said("fit p.csv --manifold euclidean:5 --latent 1 --inference point --effort quick -o m.wgp");
  for (const char* word : {"limit of iterations", "not converged", "cut locus", "not done", "warning", "this takes"})
    EXPECT_EQ(message.find(word), std::string::npos) << message;
  const std::string encoded = said("encode m.wgp p.csv -o z.csv");
  for (const char* word : {"other units", "invalid", "reflected", "the model was fitted"})
    EXPECT_EQ(encoded.find(word), std::string::npos) << encoded;
}

TEST_F(Silence, OfMatricesOfFullRank) {
  std::string rows;
  for (int i = 0; i < 10; ++i) rows += fmt::format("{},0.2,0.2,{}\n", 1 + 0.1 * i, 2 - 0.1 * i);
  write("c.csv", rows);
  const std::string report = wgp("check c.csv --manifold spd:2").out;
  for (const char* word : {"rank", "shrink", "no variance", "warning"})
    EXPECT_EQ(report.find(word), std::string::npos) << report;
}

}  // namespace
}  // namespace wgp::test
