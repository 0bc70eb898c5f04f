#include <gtest/gtest.h>

#include "io/sample_files.h"

namespace wgp {
namespace {

using test::error_of;
using test::rows_of;

constexpr double missing = -12345.5;
using Rows = std::vector<std::vector<double>>;

std::string sample(const std::string& format, const std::string& name) {
  for (const auto& file : test::sample_files(format))
    if (file.name == name) return file.bytes;
  return "";
}

std::string markup(const std::string& content) { return "{\"markups\": [" + content + "]}"; }

std::vector<std::string> labels(const std::string& bytes) {
  TableOptions options = test::keep_all();
  options.text_columns = {"labels"};
  return read_rest(*parse_table(bytes, "t", options)).text[0];
}

TEST(SlicerJson, IsASpecimenForEachMarkup) {
  const std::string text = sample("mrk.json", "two.mrk.json");
  EXPECT_EQ(rows_of(text, "t"), (Rows{{-49.5, 12.25, 3, missing, missing, missing}, {-1, -2, 3, -4, -5, 6}}));
  const auto reader = parse_table(text, "t");
  EXPECT_EQ(reader->format(), "mrk.json");
  EXPECT_EQ(reader->names(), (std::vector<std::string>{"x1", "y1", "z1", "x2", "y2", "z2"}));
  EXPECT_EQ(reader->shape(), (std::vector<Index>{2, 3}));
  EXPECT_EQ(labels(text), (std::vector<std::string>{"F-1,F-2", ","}));
  EXPECT_EQ(error_of(text, "t", {}), "t: specimen 1 (line 1), column 4 (x2): missing; it lacks landmark 2");
}

TEST(SlicerJson, RefusesWhatIsNoLandmark) {
  const auto refused = [](const std::string& text, const std::string& why) {
    EXPECT_NE(error_of(text, "t.mrk.json").find(why), std::string::npos) << error_of(text, "t.mrk.json");
    EXPECT_EQ(error_of(text, "t.mrk.json").rfind("t.mrk.json: ", 0), 0u);
  };
  const std::string point = R"("controlPoints": [{"position": [1, 2, 3]}])";
  refused(markup(R"({"type": "ROI", )" + point + "}"), "markup 1 is of type ROI");
  refused(markup(R"({"coordinateSystem": "IJK", )" + point + "}"), "coordinates in 'IJK'; LPS or RAS");
  refused(markup(R"({"controlPoints": []})"), "no controlPoints");
  refused(markup(R"({"controlPoints": [{"position": [1, 2]}]})"), "point 1 has no position of three numbers");
  refused(markup(R"({"controlPoints": [{"position": [1, 2, "3"]}]})"), "point 1 has no position");
  refused(markup(R"({"controlPoints": [7]})"), "point 1 has no position");
  refused(markup("7"), "markup 1 is no object");
  refused(markup(""), "has no markups");
  refused(R"({"markups": 3})", "has no markups");
  refused("{\"markups\": [{", "is not JSON, or is cut off");
  refused(markup("{" + point + "}, {\"controlPoints\": [{\"position\": [1, 2, 3]}, {\"position\": [1, 2, 3]}]}"),
          "specimen 2 has 2 landmarks, but the first has 1");
  refused("{\"markups\": " + std::string(100, '[') + std::string(100, ']') + "}", "is not JSON");
}

TEST(SlicerFcsv, IsOneSpecimen) {
  const std::string text = sample("fcsv", "lps.fcsv");
  EXPECT_EQ(rows_of(text, "t"), (Rows{{-49.5, 12.25, 3, 0.5, 1, 20}}));
  EXPECT_EQ(labels(text), std::vector<std::string>{"F-1,F, 2"});
  EXPECT_EQ(rows_of(sample("fcsv", "ras.fcsv"), "t"), (Rows{{-1, -2, 3}}));
  const std::string start = "# Markups fiducial file version = 4.6\n";
  EXPECT_EQ(rows_of(start + "# columns = label,z,y,x\na,3,2,1\nb,6,5,4\n", "t"), (Rows{{-1, -2, 3, -4, -5, 6}}));
  EXPECT_EQ(error_of(start + "# CoordinateSystem = IJK\n1,1,2,3\n", "t"),
            "t: coordinates in 'IJK'; LPS or RAS is needed (save the markups in one of them)");
  EXPECT_EQ(error_of(start + "1,1,two,3\n", "t"), "t: line 2: 'two' is no coordinate y");
  EXPECT_EQ(error_of(start + "1,1,2\n", "t"), "t: line 2: has no coordinate z");
  EXPECT_EQ(error_of(start, "t"), "t: has no points");
}

}  // namespace
}  // namespace wgp
