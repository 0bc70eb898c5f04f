// wgp report: the page, the files beside it, and what it says of wrong tables.
#include <algorithm>
#include <cmath>

#include "run_command.h"

namespace wgp::test {
namespace {

class Report : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    std::string rows, labels = "time,kind,few\n";
    for (int i = 0; i < 20; ++i) {
      const double t = 0.3 * i;
      rows += std::to_string(std::cos(t)) + "," + std::to_string(std::sin(t)) + "," + std::to_string(0.1 * i) + "\n";
      labels += std::to_string(i) + "," + (i % 2 == 0 ? "even" : "odd") + "," + std::to_string(i % 3) + "\n";
    }
    write("p.csv", rows);
    write("l.csv", labels);
    ASSERT_EQ(wgp("fit p.csv --manifold euclidean:3 --effort quick --quiet -o m.wgp").exit_code, 0);
  }
};

TEST_F(Report, WritesOnePageThatNeedsNothingElse) {
  const Outcome outcome = wgp("report m.wgp -o r.html");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.empty());
  EXPECT_NE(outcome.err.find("r.html"), std::string::npos);
  EXPECT_EQ(files(), (std::vector<std::string>{"l.csv", "m.wgp", "p.csv", "r.html"}));
  const std::string page = read("r.html");
  for (const char* section :
       {"Latent space", "Decoded points", "Residuals", "Calibration", "Convergence", "Provenance"})
    EXPECT_NE(page.find(std::string("<h2>") + section + "</h2>"), std::string::npos) << section;
  for (const char* load : {"http://", "https://", "<script", "<link", "<img", "src=", "url("})
    EXPECT_EQ(page.find(load), std::string::npos) << load;
  EXPECT_NE(page.find("20 points on euclidean:3"), std::string::npos);
  EXPECT_EQ(wgp("report m.wgp").out, page);  // the same bytes, on standard output
}

TEST_F(Report, ColoursByGroupsAndNumbers) {
  ASSERT_EQ(wgp("report m.wgp --data l.csv --labels kind -o kind.html").exit_code, 0);
  const std::string kind = read("kind.html");
  EXPECT_NE(kind.find(">even</text>"), std::string::npos);
  EXPECT_NE(kind.find("Colour and shape: kind."), std::string::npos);
  EXPECT_NE(kind.find("<td>odd</td>"), std::string::npos);  // in the table of the worst points
  const std::string time = wgp("report m.wgp --data l.csv --labels time").out;
  EXPECT_NE(time.find("Colour: time"), std::string::npos);
  EXPECT_NE(time.find("of the mean distance of all pairs"), std::string::npos);
  EXPECT_NE(wgp("report m.wgp --data l.csv --labels 3").out.find("Colour and shape: column 3."), std::string::npos);
}

TEST_F(Report, WritesFiguresAndProjectorTables) {
  const Outcome outcome =
      wgp("report m.wgp -o r.html --figures figures --projector e --data l.csv --labels kind --json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["n"], 20);
  for (const char* name : {"latent", "decoded", "residuals", "calibration", "convergence"}) {
    const std::string svg = read(std::string("figures/") + name + ".svg");
    EXPECT_EQ(svg.rfind("<?xml", 0), 0u) << name;
    EXPECT_NE(svg.find("</svg>"), std::string::npos) << name;
  }
  // PNG where the machine has a converter; otherwise the message says why not.
  const bool converter = shell("command -v rsvg-convert").exit_code == 0;
  EXPECT_EQ(json["figures"].size(), converter ? 10u : 5u);
  EXPECT_EQ(outcome.err.find("no PNG") == std::string::npos, converter) << outcome.err;
  if (converter) {
    EXPECT_EQ(read("figures/latent.png").substr(1, 3), "PNG");
  }

  const std::string vectors = read("e_vectors.tsv"), metadata = read("e_metadata.tsv");
  EXPECT_EQ(std::count(vectors.begin(), vectors.end(), '\n'), 20);
  EXPECT_EQ(std::count(vectors.begin(), vectors.end(), '\t'), 20);  // two latents
  EXPECT_EQ(metadata.substr(0, metadata.find('\n')), "row\tdistance\tkind");
  EXPECT_EQ(std::count(metadata.begin(), metadata.end(), '\n'), 21);
}

TEST_F(Report, SaysWhatIsWrong) {
  write("short.csv", "a,kind\n1,x\n2,y\n");
  EXPECT_TRUE(
      fails(wgp("report m.wgp --data short.csv --labels kind -o r.html"), 3, {"short.csv", "2 rows", "20 points"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --data l.csv --labels colour -o r.html"), 3, {"l.csv", "colour"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --labels kind -o r.html"), 2, {"--data"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --data l.csv -o r.html"), 2, {"--labels"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --json"), 2, {"-o report.html"}));
  EXPECT_TRUE(fails(wgp("report p.csv -o r.html"), 3, {"p.csv"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --figures p.csv -o r.html"), 3, {"p.csv"}));
  EXPECT_EQ(files(), (std::vector<std::string>{"l.csv", "m.wgp", "p.csv", "short.csv"}));
}

}  // namespace
}  // namespace wgp::test
