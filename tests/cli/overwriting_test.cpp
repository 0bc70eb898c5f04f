// No command replaces what it reads, however the file is spelled.
#include "run_command.h"

namespace wgp::test {
namespace {

class Overwriting : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write_bent_sheet(12);
    std::string x;
    for (int i = 0; i < 12; ++i) x += std::to_string(0.1 * i) + "," + std::to_string(0.01 * i * i) + "\n";
    write("x.csv", x);
    write("one.csv", "0,0,0,0,0\n");
  }
  // The line fails as wrong usage, and no file has changed or come into being.
  void expect_refused(const std::string& line, const std::string& what = "would replace what is read") const {
    std::vector<std::string> before;
    const std::vector<std::string> names = files();
    for (const auto& name : names) before.push_back(read(name));
    EXPECT_TRUE(fails(shell(line), 2, {what})) << line;
    EXPECT_EQ(files(), names) << line;
    for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(read(names[i]), before[i]) << line << ": " << names[i];
  }
};

TEST_F(Overwriting, EveryCommandKeepsEveryFileThatItReads) {
  ASSERT_EQ(wgp("fit p.csv --manifold euclidean:5 --effort quick --quiet -o m.wgp").exit_code, 0);
  const std::string E = " --manifold euclidean:5 ";
  const std::vector<std::string> lines = {"mean p.csv" + E + "-o p.csv",
                                          "pga p.csv" + E + "-o p.csv",
                                          "curve p.csv" + E + "-o p.csv",
                                          "curve p.csv" + E + "-o a.csv --nodes-out p.csv",
                                          "geom log" + E + "--base one.csv p.csv -o p.csv",
                                          "geom log" + E + "--base one.csv p.csv -o one.csv",
                                          "geom transport" + E + "--base one.csv p.csv p.csv -o p.csv",
                                          "fit p.csv" + E + "-o p.csv",
                                          "fit p.csv" + E + "-o m2.wgp --checkpoint p.csv",
                                          "fit p.csv" + E + "--init given --at x.csv -o x.csv",
                                          "fit p.csv" + E + "--resume c.wgpc -o p.csv",
                                          "encode m.wgp p.csv -o p.csv",
                                          "encode m.wgp p.csv -o m.wgp",
                                          "decode m.wgp x.csv -o x.csv",
                                          "decode m.wgp x.csv -o m.wgp",
                                          "sample m.wgp --at x.csv -o x.csv",
                                          "sample m.wgp --at x.csv -o m.wgp",
                                          "score m.wgp p.csv -o p.csv",
                                          "score m.wgp p.csv --at x.csv -o x.csv",
                                          "score m.wgp p.csv -o m.wgp",
                                          "regress x.csv p.csv" + E + "-o x.csv",
                                          "regress x.csv p.csv" + E + "-o p.csv",
                                          "regress x.csv p.csv" + E + "-o r.wgp --checkpoint x.csv",
                                          "evaluate p.csv" + E + "-o p.csv",
                                          "report m.wgp -o m.wgp",
                                          "report m.wgp --data p.csv --labels 1 -o p.csv",
                                          "convert p.csv -o p.csv"};
  for (const std::string& line : lines) expect_refused("wgp " + line);
  write("e_metadata.tsv", read("p.csv"));
  expect_refused("wgp report m.wgp --data e_metadata.tsv --labels 1 --projector e -o r.html");
  write("walk.asf", "");
  write("walk.amc", "");
  expect_refused("wgp convert walk.amc --bone leg -o walk.asf");
  write("mask.nii", "");
  expect_refused("wgp convert p.csv --mask mask.nii -o mask.nii");
}

TEST_F(Overwriting, AFileIsTheSameByWhateverName) {
  shell("ln -s p.csv link.csv; ln p.csv hard.csv; mkdir d; ln -s ../p.csv d/far.csv");
  for (const std::string line :
       {"wgp convert p.csv -o ./p.csv", "wgp convert p.csv -o d/../p.csv", "wgp convert p.csv -o \"$PWD\"/p.csv",
        "wgp convert p.csv -o link.csv", "wgp convert link.csv -o p.csv", "wgp convert p.csv -o hard.csv",
        "wgp convert d/far.csv -o link.csv", "wgp convert - -o p.csv <p.csv", "wgp convert /dev/stdin -o p.csv <p.csv",
        "wgp convert p.csv --output=p.csv", "wgp convert -o p.csv -- p.csv"}) {
    const std::string before = read("p.csv");
    EXPECT_TRUE(fails(shell(line), 2, {"would replace what is read"})) << line;
    EXPECT_EQ(read("p.csv"), before) << line;
  }
}

TEST_F(Overwriting, TwoResultsAreTwoFiles) {
  const std::string fit = "wgp fit p.csv --manifold euclidean:5 --effort quick ", same = "are the same file";
  expect_refused(fit + "-o a.wgp --checkpoint a.wgp", same);
  expect_refused(fit + "-o a.wgp --checkpoint ./a.wgp", same);
  expect_refused(fit + "-o a.wgp --checkpoint \"$PWD\"/./a.wgp", same);
  expect_refused("wgp regress x.csv p.csv --manifold euclidean:5 -o r.wgp --checkpoint r.wgp", same);
  expect_refused("wgp curve p.csv --manifold euclidean:5 -o a.csv --nodes-out ./a.csv", same);
  write("a.wgp", "old");
  shell("ln -s a.wgp b.wgp");
  expect_refused(fit + "-o a.wgp --checkpoint b.wgp", same);
}

TEST_F(Overwriting, WhatLosesNothingIsAllowed) {
  const std::string fit = "wgp fit p.csv --manifold euclidean:5 --effort quick --quiet ";
  ASSERT_EQ(shell(fit + "-o a.wgp --checkpoint c.wgpc").exit_code, 0);
  // Over an earlier result, and over the checkpoint that it goes on from.
  EXPECT_EQ(shell(fit + "-o a.wgp --resume c.wgpc --checkpoint c.wgpc").exit_code, 0);
  expect_refused(fit + "-o c.wgpc --resume c.wgpc");
  EXPECT_EQ(wgp("convert p.csv -o /dev/null").exit_code, 0);
  EXPECT_EQ(shell("wgp convert /dev/stdin -o /dev/stdout <p.csv").exit_code, 0);
  // A set's name is no file.
  write("circle", "");
  EXPECT_EQ(wgp("synth circle -o circle.csv").exit_code, 0);
}

}  // namespace
}  // namespace wgp::test
