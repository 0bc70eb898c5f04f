// wgp convert: every format in, every format out, and what it says.
#include <filesystem>

#include "run_command.h"

namespace wgp::test {
namespace {

class Convert : public CommandTest {
 protected:
  void write_samples() const {
    write("t.csv", "x1,y1,x2,y2,species\n0,0,1.5,0,cat\n0,0,-2e-3,0.1,dog\n");
    write("t.tps", "LM=2\n0 0\n1.5 0\nID=cat\nLM=2\n0 0\n-2e-3 0.1\nID=dog\n");
    write("t.nts", "1 2L 4 0 DIM=2\ncat dog\n0 0 1.5 0\n0 0 -2e-3 0.1\n");
    write("t.txt",
          "[individuals]\n2\n[landmarks]\n2\n[dimensions]\n2\n[names]\ncat\ndog\n[rawpoints]\n0 0\n1.5 0\n"
          "0 0\n-2e-3 0.1\n");
  }
  static nlohmann::json json(const Outcome& outcome) { return nlohmann::json::parse(outcome.out); }
};

TEST_F(Convert, EveryFormatToEveryOther) {
  write_samples();
  const std::string expected = "0,0,1.5,0,cat\n0,0,-0.002,0.1,dog\n";
  const std::vector<std::pair<std::string, std::string>> inputs = {
      {"t.csv", "species"}, {"t.tps", "id"}, {"t.nts", "name"}, {"t.txt", "name"}};
  for (const auto& [input, label] : inputs) {
    for (const std::string ending : {"csv", "tsv", "npz", "tps"}) {
      const std::string flags = " --labels " + label + " -o out." + ending;
      const Outcome outcome = wgp("convert " + input + flags);
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_EQ(outcome.out, "");
      const std::string back = ending == "tps" ? "id" : label;
      const Outcome again = wgp("convert out." + ending + " --labels " + back);
      EXPECT_EQ(again.out.substr(again.out.find('\n') + 1), expected) << input << " " << ending << again.err;
    }
    ASSERT_EQ(wgp("convert " + input + " -o out.npy").exit_code, 0);
    expect_rows(wgp("convert out.npy").out, {{0, 0, 1.5, 0}, {0, 0, -2e-3, 0.1}}, 0);
  }
}

TEST_F(Convert, SaysWhatWasReadAndWritten) {
  write_samples();
  const Outcome outcome = wgp("convert t.tps -o t.npz");
  EXPECT_EQ(
      outcome.err,
      "t.tps: TPS, 2 rows, 4 numbers a row\nleft out: text column id (--labels id keeps it)\nt.npz: NPZ, written\n");
  EXPECT_EQ(wgp("convert t.tps -o t.npz --quiet").err, "");
  const auto object = json(wgp("convert t.tps -o t.npz --labels id --json"));
  EXPECT_EQ(object["format"], "tps");
  EXPECT_EQ(object["rows"], 2);
  EXPECT_EQ(object["width"], 4);
  EXPECT_EQ(object["shape"], (std::vector<int>{2, 2}));
  EXPECT_EQ(object["labels"], std::vector<std::string>{"id"});
  EXPECT_EQ(object["output"], "t.npz");
  EXPECT_EQ(object["output_format"], "npz");
  EXPECT_EQ(object["not_finite"], 0);
}

TEST_F(Convert, DryRunTellsTheFormatAndDoesNothing) {
  write_samples();
  const Outcome outcome = wgp("convert t.txt -o out.tps --dry-run");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(
      outcome.out,
      "t.txt: Morphologika (landmarks), 2 rows, 4 numbers a row\nto out.tps: TPS\nnothing was converted (--dry-run)\n");
  EXPECT_EQ(json(wgp("convert t.csv --dry-run --json"))["rows"], nullptr);
  EXPECT_FALSE(std::filesystem::exists(path("out.tps")));
}

TEST_F(Convert, ColumnsDimensionAndMissingValues) {
  write_samples();
  EXPECT_EQ(wgp("convert t.csv --columns x2,y2").out, "x2,y2\n1.5,0\n-0.002,0.1\n");
  write("six.csv", "1,2,3,4,5,6\n7,8,9,NA,11,12\n");
  ASSERT_EQ(wgp("convert six.csv --dim 3 -o six.tps").exit_code, 0);
  EXPECT_EQ(read("six.tps"), "LM3=2\n1 2 3\n4 5 6\nID=0\nLM3=2\n7 8 9\nNA 11 12\nID=1\n");
  const Outcome missing = wgp("convert six.tps");
  EXPECT_EQ(missing.out, "x1,y1,z1,x2,y2,z2\n1,2,3,4,5,6\n7,8,9,nan,11,12\n");
  EXPECT_NE(missing.err.find("1 number missing or not finite"), std::string::npos);
  ASSERT_EQ(wgp("convert six.csv -o six.tps").exit_code, 0);
  EXPECT_EQ(read("six.tps").rfind("LM=3\n1 2\n", 0), 0u);
  EXPECT_TRUE(fails(wgp("convert six.csv --columns 1:5 --dim 2 -o six.tps"), 3, {"5 numbers", "landmarks of 2"}));
  EXPECT_TRUE(fails(wgp("convert six.csv --dim 4"), 2, {"--dim '4'"}));
}

TEST_F(Convert, ThroughPipesAndCompressed) {
  write_samples();
  const std::string expected = wgp("convert t.tps").out;
  EXPECT_EQ(shell("wgp convert - <t.tps").out, expected);
  EXPECT_EQ(shell("cat t.tps | wgp convert -").out, expected);
  EXPECT_EQ(shell("gzip -c t.tps | wgp convert -").out, expected);
  EXPECT_EQ(shell("wgp convert t.tps -o t.npz --quiet; cat t.npz | wgp convert - --columns 1:4 | tail -n +2").out,
            expected.substr(expected.find('\n') + 1));
  ASSERT_EQ(wgp("convert t.tps -o again.tps --labels id").exit_code, 0);
  EXPECT_EQ(wgp("convert again.tps").out, expected);
  EXPECT_EQ(wgp("convert t.tps -o t.tps --labels id").exit_code, 2);  // not onto itself
  EXPECT_EQ(wgp("convert t.tps").out, expected);
}

TEST_F(Convert, WrongUsage) {
  write_samples();
  EXPECT_TRUE(fails(wgp("convert t.tps --json"), 2, {"-o FILE is needed"}));
  EXPECT_TRUE(fails(wgp("convert t.tps --labels id -o out.npy"), 2, {"NPY has no place for the text column id"}));
  EXPECT_TRUE(fails(wgp("convert t.tps -o out.nts"), 3, {"NTS files are read only", ".csv, .tsv, .npy, .npz or .tps"}));
  EXPECT_TRUE(fails(wgp("convert t.tps -o out.xlsx"), 3, {"not .xlsx"}));
  EXPECT_TRUE(fails(wgp("convert t.tps --array points"), 3, {"has no arrays"}));
  EXPECT_TRUE(fails(wgp("convert t.tps --labels species"), 3, {"no column 'species'", "id"}));
  EXPECT_TRUE(fails(wgp("convert"), 2, {"INPUT is missing"}));
  EXPECT_EQ(files(), (std::vector<std::string>{"t.csv", "t.nts", "t.tps", "t.txt"}));
}

TEST_F(Convert, StreamsLongTables) {
  ASSERT_EQ(shell("seq 1500000 | awk '{print $1 \",\" $1/7 \",\" -$1}' >long.csv").exit_code, 0);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const std::string limit;
#else
  const std::string limit = "ulimit -v 204800; ";
#endif
  const Outcome outcome = shell(limit +
                                "wgp convert long.csv -o long.npz && wgp convert long.npz -o long.npy && "
                                "wgp convert long.npy -o again.csv --json --quiet");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json(outcome)["rows"], 1500000);
  EXPECT_EQ(shell("wgp convert long.csv >direct.csv && cmp again.csv direct.csv").exit_code, 0);
}

}  // namespace
}  // namespace wgp::test
