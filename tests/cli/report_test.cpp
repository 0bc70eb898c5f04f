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
       {"Latent space", "The model among its points", "Residuals", "Calibration", "Convergence", "Provenance"})
    EXPECT_NE(page.find(std::string("<h2>") + section + "</h2>"), std::string::npos) << section;
  // What it is told, the model, the module, the program and its loader stand in script elements; the policy lets
  // nothing else run, and nothing be fetched.
  std::string shown = page;
  int scripts = 0;
  for (auto at = shown.find("<script"); at != std::string::npos; at = shown.find("<script", at), ++scripts)
    shown.erase(at, shown.find("</script>", at) + 9 - at);
  EXPECT_EQ(scripts, 5);
  EXPECT_NE(shown.find("content=\"default-src 'none'; "), std::string::npos);
  for (const char* load : {"http://", "https://", "</script", "<link", "<img", "src=", "url("})
    EXPECT_EQ(shown.find(load), std::string::npos) << load;
  EXPECT_NE(page.find("20 points on euclidean:3"), std::string::npos);
  EXPECT_EQ(wgp("report m.wgp").out, page);  // the same bytes, on standard output
}

TEST_F(Report, ColoursByGroupsAndNumbers) {
  ASSERT_EQ(wgp("report m.wgp --data l.csv --labels kind --by-row -o kind.html").exit_code, 0);
  const std::string kind = read("kind.html");
  EXPECT_NE(kind.find(">even</text>"), std::string::npos);
  EXPECT_NE(kind.find("Colour and shape: kind."), std::string::npos);
  EXPECT_NE(kind.find("<td>odd</td>"), std::string::npos);  // in the table of the worst points
  const std::string time = wgp("report m.wgp --data l.csv --labels time --by-row").out;
  EXPECT_NE(time.find("Colour: time"), std::string::npos);
  EXPECT_NE(time.find("of the mean distance of all pairs"), std::string::npos);
  const std::string third = wgp("report m.wgp --data l.csv --labels 3 --by-row").out;
  EXPECT_NE(third.find("Colour and shape: column 3."), std::string::npos);
}

TEST_F(Report, WritesFiguresAndProjectorTables) {
  const Outcome outcome =
      wgp("report m.wgp -o r.html --figures figures --projector e --data l.csv --labels kind --by-row --json");
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
  EXPECT_TRUE(fails(wgp("report m.wgp --data short.csv --labels kind --by-row -o r.html"), 3,
                    {"short.csv", "2 rows", "20 points"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --data l.csv --labels colour --by-row -o r.html"), 3, {"l.csv", "colour"}));
  EXPECT_TRUE(
      fails(wgp("report m.wgp --data l.csv --labels kind -o r.html"), 3, {"l.csv", "holds no ids", "--by-row"}));
  EXPECT_TRUE(
      fails(wgp("report m.wgp --data l.csv --labels kind --id time -o r.html"), 2, {"holds no ids", "fit --id"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --data l.csv --labels kind --id time --by-row"), 2, {"one of the two"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --by-row -o r.html"), 2, {"--by-row", "--data"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --labels kind -o r.html"), 2, {"--data"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --data l.csv -o r.html"), 2, {"--labels"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --json"), 2, {"-o report.html"}));
  EXPECT_TRUE(fails(wgp("report p.csv -o r.html"), 3, {"p.csv"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --figures p.csv -o r.html"), 3, {"p.csv"}));
  EXPECT_EQ(files(), (std::vector<std::string>{"l.csv", "m.wgp", "p.csv", "short.csv"}));
}

// Of many points the model holds none; the table that it was fitted to has them.
TEST_F(Report, OfManyPointsTakesThemFromTheirTable) {
  std::string rows = "name,x,y\n", sorted = rows, other = rows;
  for (int i = 0; i < 5100; ++i) {
    const int k = (i * 7) % 5100;
    const auto row = [](int n) {
      const double t = 0.37 * n, r = 1 + 0.1 * std::sin(12.9 * n);
      return "p" + std::to_string(n) + "," + std::to_string(r * std::cos(t)) + "," + std::to_string(r * std::sin(t)) +
             "\n";
    };
    rows += row(k);
    sorted += row(i);
    other += row(i + 6000);
  }
  write("many.csv", rows);
  write("sorted.csv", sorted);
  write("other.csv", other);
  ASSERT_EQ(wgp("fit many.csv --manifold euclidean:2 --latent 1 --kernel periodic --columns x,y --effort quick "
                "--subsample 100 --quiet -o many.wgp")
                .exit_code,
            0);
  EXPECT_EQ(shell(std::string(WGP_PYTHON) +
                  " -c \"import numpy; m = numpy.load('many.wgp'); print('points' in m, m['X'].shape)\"")
                .out,
            "False (5100, 1)\n");
  const Outcome without = wgp("report many.wgp -o r.html --json");
  ASSERT_EQ(without.exit_code, 0) << without.err;
  EXPECT_NE(without.err.find("not in the model"), std::string::npos) << without.err;
  EXPECT_TRUE(nlohmann::json::parse(without.out)["residual_rms"].is_null());
  const std::string page = read("r.html");
  EXPECT_NE(page.find("wgp report many.wgp --data FILE"), std::string::npos);
  EXPECT_EQ(page.find("<h2>Residuals</h2>"), std::string::npos);
  EXPECT_NE(page.find("The model among its points"), std::string::npos);

  const Outcome with = wgp("report many.wgp --data sorted.csv -o r.html --json");
  ASSERT_EQ(with.exit_code, 0) << with.err;
  EXPECT_EQ(with.err, "written: r.html\n");
  EXPECT_NEAR(nlohmann::json::parse(with.out)["residual_rms"], 0.07, 0.01);
  EXPECT_NE(read("r.html").find("<h2>Residuals</h2>"), std::string::npos);
  EXPECT_NE(read("r.html").find("Of 5100 points one in 2 is drawn."), std::string::npos);
  // Points are read as the fit has read them; a table that has none of them is labels alone, and why is said.
  ASSERT_EQ(shell(std::string(WGP_PYTHON) +
                  " -c \"import numpy; p = numpy.loadtxt('many.csv', delimiter=',', skiprows=1, usecols=(1, 2)); "
                  "numpy.savez('many.npz', other=p[:9], p=p)\"")
                .exit_code,
            0);
  ASSERT_EQ(wgp("fit many.npz --array p --manifold euclidean:2 --latent 1 --kernel periodic --effort quick "
                "--subsample 100 --quiet -o array.wgp")
                .exit_code,
            0);
  const Outcome array = wgp("report array.wgp --data many.npz --array p -o r.html --json");
  ASSERT_EQ(array.exit_code, 0) << array.err;
  EXPECT_NEAR(nlohmann::json::parse(array.out)["residual_rms"], 0.07, 0.01);
  EXPECT_TRUE(fails(wgp("report array.wgp --data many.npz --array other -o r.html"), 3, {"many.npz", "9 rows"}));
  EXPECT_TRUE(fails(wgp("report array.wgp --array p -o r.html"), 2, {"--array", "--data"}));
  EXPECT_TRUE(fails(wgp("report many.wgp --data sorted.csv --mask m.nii -o r.html"), 2, {"--mask", "NIfTI"}));
  ASSERT_EQ(
      shell("sed 's/,[^,]*$//' sorted.csv | awk -F, 'NR == 1 {print \"name,kind\"; next} {print $1 \",\" NR % 2}' "
            ">kinds.csv")
          .exit_code,
      0);
  const Outcome kinds = wgp("report many.wgp --data kinds.csv --labels kind -o r.html");
  ASSERT_EQ(kinds.exit_code, 0) << kinds.err;
  EXPECT_NE(kinds.err.find("kinds.csv: taken for labels alone"), std::string::npos) << kinds.err;
  EXPECT_NE(kinds.err.find("no column"), std::string::npos) << kinds.err;
  // Joined by rows, these are not the points.
  const Outcome mixed = wgp("report many.wgp --data sorted.csv --by-row -o r.html");
  EXPECT_EQ(mixed.exit_code, 0);
  EXPECT_NE(mixed.err.find("are they the model's own"), std::string::npos) << mixed.err;
  EXPECT_TRUE(fails(wgp("report many.wgp --data other.csv -o r.html"), 3, {"other.csv", "no row has the name"}));
  EXPECT_TRUE(fails(wgp("report many.wgp --data p.csv --by-row -o r.html"), 3, {"p.csv"}));
  EXPECT_EQ(wgp("encode many.wgp sorted.csv --columns x,y -o codes.csv").exit_code, 0);
}

// A table that was sorted, filtered or added to between the fit and the report colours every point by its own label.
class Joining : public CommandTest {
 protected:
  static constexpr int count = 24;
  // Rows x, y, z, id, kind; kind follows from the point.
  static std::string row(int i, bool with_points = true) {
    const double t = 0.26 * i;
    std::string text;
    if (with_points)
      text = std::to_string(std::cos(t)) + "," + std::to_string(std::sin(t)) + "," + std::to_string(0.1 * i) + ",";
    return text + "s" + std::to_string(i) + "," + (i % 3 == 0 ? "third" : "other") + "\n";
  }
  static std::string table(const std::vector<int>& rows) {
    std::string text = "x,y,z,id,kind\n";
    for (const int i : rows) text += row(i);
    return text;
  }
  static std::vector<int> all() {
    std::vector<int> rows(count);
    for (int i = 0; i < count; ++i) rows[static_cast<std::size_t>(i)] = i;
    return rows;
  }
  void SetUp() override {
    CommandTest::SetUp();
    std::vector<int> rows = all();
    write("p.csv", table(rows));
    std::reverse(rows.begin(), rows.end());
    write("reversed.csv", table(rows));
    rows.push_back(99);
    std::swap(rows[2], rows[9]);
    write("more.csv", table(rows));
    std::string bare = "x,y,z,kind\n";  // without ids
    for (const int i : rows) bare += row(i).substr(0, row(i).rfind(",s")) + row(i).substr(row(i).rfind(','));
    write("points.csv", bare);
    std::string ids = "kind,id\n";
    for (const int i : rows) ids += std::string(i % 3 == 0 ? "third" : "other") + ",s" + std::to_string(i) + "\n";
    write("ids.csv", ids);
  }
};

TEST_F(Joining, ByIdsAndByPoints) {
  const std::string fit = "fit p.csv --columns x,y,z --manifold euclidean:3 --effort quick --quiet -o ";
  ASSERT_EQ(wgp(fit + "m.wgp").exit_code, 0);  // a column that is called id is taken as one
  EXPECT_EQ(nlohmann::json::parse(wgp("info m.wgp --json").out)["id_column"], "id");
  const std::string page = wgp("report m.wgp --data p.csv --labels kind").out;
  ASSERT_NE(page.find("third"), std::string::npos);
  for (const std::string data : {"reversed.csv", "more.csv", "points.csv", "ids.csv"}) {
    const Outcome again = wgp("report m.wgp --data " + data + " --labels kind");
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_TRUE(again.out == page) << data;  // without the pages in the message
  }
  // Without ids in the model the points themselves are looked for.
  ASSERT_EQ(shell("cut -d, -f1-3,5 p.csv >bare.csv; wgp fit bare.csv --columns x,y,z --manifold euclidean:3 --effort "
                  "quick --quiet -o bare.wgp")
                .exit_code,
            0);
  EXPECT_TRUE(nlohmann::json::parse(wgp("info bare.wgp --json").out)["id_column"].is_null());
  const std::string by_points = wgp("report bare.wgp --data bare.csv --labels kind").out;
  ASSERT_NE(by_points.find("third"), std::string::npos);
  for (const std::string data : {"p.csv", "reversed.csv", "more.csv", "points.csv"})
    EXPECT_TRUE(wgp("report bare.wgp --data " + data + " --labels kind").out == by_points) << data;
  EXPECT_TRUE(fails(wgp("report bare.wgp --data ids.csv --labels kind"), 3, {"cannot be matched", "--id", "--by-row"}));
}

TEST_F(Joining, RefusesWhatDoesNotBelongTogether) {
  ASSERT_EQ(wgp("fit p.csv --columns x,y,z --manifold euclidean:3 --effort quick --quiet -o m.wgp").exit_code, 0);
  shell(
      "grep -v '^.*,s7,' ids.csv | grep -v ',s7$' >seven.csv; (cat ids.csv; echo other,s3) >twice.csv; "
      "sed 's/id/key/' ids.csv >key.csv");
  EXPECT_TRUE(fails(wgp("report m.wgp --data seven.csv --labels kind"), 3, {"seven.csv: no row has the id 's7'"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --data twice.csv --labels kind"), 3, {"several rows have the id 's3'"}));
  EXPECT_TRUE(fails(wgp("report m.wgp --data key.csv --labels kind"), 3, {"cannot be matched"}));
  EXPECT_TRUE(wgp("report m.wgp --data key.csv --labels kind --id key").out ==
              wgp("report m.wgp --data p.csv --labels kind").out);
  write("same.csv", table(all()) + row(3));
  EXPECT_TRUE(fails(wgp("fit same.csv --columns x,y,z --manifold euclidean:3 --effort quick --id id -o s.wgp"), 3,
                    {"--id id: rows 4 and 25 have the same id 's3'"}));
  ASSERT_EQ(wgp("fit same.csv --columns x,y,z --manifold euclidean:3 --effort quick -o s.wgp --quiet").exit_code, 0);
  EXPECT_TRUE(nlohmann::json::parse(wgp("info s.wgp --json").out)["id_column"].is_null());
}

// Two tables that go side by side and have ids must have them in the same order.
TEST_F(Joining, RegressionsKnowTheirRows) {
  std::string x = "id,t\n", turned = "id,t\n";
  for (int i = 0; i < count; ++i) {
    x += "s" + std::to_string(i) + "," + std::to_string(0.26 * i) + "\n";
    turned += "s" + std::to_string(count - 1 - i) + "," + std::to_string(0.26 * (count - 1 - i)) + "\n";
  }
  write("x.csv", x);
  write("turned.csv", turned);
  const std::string rest = " p.csv --columns x,y,z --manifold euclidean:3 --quiet -o r.wgp";
  EXPECT_EQ(wgp("regress x.csv" + rest).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(wgp("info r.wgp --json").out)["id_column"], "id");
  EXPECT_TRUE(fails(wgp("regress turned.csv" + rest), 3, {"row 1 is 's23' in one and 's0' in the other"}));
}

// The point that lies apart is named as the user knows it, dropped rows and held-out points or not.
TEST_F(Joining, WorstFitsAreNamed) {
  std::string rows = "x,y,z,id,kind\n" + std::string("1,nan,0,bad,none\n");
  for (int i = 0; i < count; ++i) rows += i == 11 ? std::string("0.1,0.1,5,apart,none\n") : row(i);
  write("q.csv", rows);
  const std::string fit =
      "fit q.csv --columns x,y,z --manifold euclidean:3 --latent 1 --effort quick --quiet --drop-invalid ";
  ASSERT_EQ(wgp(fit + "-o m.wgp").exit_code, 0);
  const auto json = nlohmann::json::parse(wgp("report m.wgp -o r.html --json").out);
  const std::string worst = json["worst"];
  EXPECT_EQ(worst.substr(0, 3), "id ");
  const std::string page = read("r.html");
  EXPECT_NE(page.find(worst + " the farthest"), std::string::npos);
  EXPECT_NE(page.find(">id</th>"), std::string::npos);
  // Row 1 was dropped: the first point is row 2, the i-th specimen row i + 2.
  const std::string id = worst.substr(3);
  EXPECT_EQ(json["worst_row"], id == "apart" ? 13 : std::stoi(id.substr(1)) + 2) << worst;
  ASSERT_EQ(shell("cut -d, -f1-3 q.csv >n.csv; wgp fit n.csv --manifold euclidean:3 --latent 1 --effort quick --quiet "
                  "--drop-invalid -o n.wgp")
                .exit_code,
            0);
  const auto by_row = nlohmann::json::parse(wgp("report n.wgp -o n.html --json").out);
  EXPECT_EQ(by_row["worst"], "row " + std::to_string(json["worst_row"].get<int>()));
  // Held-out points leave the others their ids and labels.
  ASSERT_EQ(wgp(fit + "--calibrate 0.25 --labels kind -o c.wgp").exit_code, 0);
  const Outcome calibrated = wgp("report c.wgp --data q.csv --labels kind");
  EXPECT_EQ(calibrated.exit_code, 0) << calibrated.err;
  EXPECT_TRUE(calibrated.out == wgp("report c.wgp").out);
}

// One number is called the noise sd.
TEST_F(Joining, TheNoiseIsOneNumber) {
  ASSERT_EQ(wgp("fit p.csv --columns x,y,z --manifold euclidean:3 --effort quick -o m.wgp --quiet").exit_code, 0);
  const std::string info = wgp("info m.wgp").out, page = wgp("report m.wgp").out;
  const auto begin = info.find("noise sd ") + 9;
  const std::string sd = info.substr(begin, info.find(';', begin) - begin);
  EXPECT_NE(page.find("the noise sd is " + sd + " in each"), std::string::npos) << sd;
  EXPECT_NE(page.find(">noise sd</th><td>" + sd + "</td>"), std::string::npos) << sd;
  const double variance = nlohmann::json::parse(wgp("info m.wgp --json").out)["noise_variance"];
  EXPECT_NEAR(std::sqrt(variance), std::stod(sd), 1e-3 * std::stod(sd));
}

}  // namespace
}  // namespace wgp::test
