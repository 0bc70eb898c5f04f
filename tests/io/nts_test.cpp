#include <gtest/gtest.h>

#include "io/sample_files.h"

namespace wgp {
namespace {

using test::error_of;
using test::rows_of;
using Rows = std::vector<std::vector<double>>;

std::vector<std::string> labels(const std::string& text) {
  TableOptions options = test::keep_all();
  options.text_columns = {"name"};
  return read_rest(*parse_table(text, "t", options)).text[0];
}

TEST(Nts, ReadsRowsWhereverLinesEnd) {
  const Rows expected = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  EXPECT_EQ(rows_of("1 2 4 0 DIM=2\n1 2 3 4\n5 6 7 8\n", "t"), expected);
  EXPECT_EQ(rows_of("\"comment\n\n\"another\n1 2 4 0 dim=2\n1 2\n3 4 5\n\n6 7\t8", "t"), expected);
  EXPECT_EQ(rows_of("1 2 4 0\n1 2 3 4\n5 6 7 8\n", "t.nts"), expected);
  EXPECT_EQ(rows_of("1 2 4 0 DIM=2\n1 2 3 4\n5 6 7 8\n\"at the end\n", "t"), expected);
  const auto reader = parse_table("1 2 4 0 DIM=2\n1 2 3 4\n5 6 7 8\n", "t");
  EXPECT_EQ(reader->format(), "nts");
  EXPECT_EQ(*reader->rows(), 2);
  EXPECT_EQ(reader->shape(), (std::vector<Index>{2, 2}));
  EXPECT_EQ(reader->names(), (std::vector<std::string>{"x1", "y1", "x2", "y2"}));
  EXPECT_EQ(parse_table("1 1 6 0 DIM=3\n1 2 3 4 5 6\n", "t")->names()[2], "z1");
  EXPECT_EQ(parse_table("1 1 3 0\n1 2 3\n", "t.nts")->names()[2], "x3");
  // Without DIM= and a name it is a table of text as well as anything.
  EXPECT_EQ(parse_table("1 2 4 0\n1 2 3 4\n5 6 7 8\n", "t")->format(), "csv");
}

TEST(Nts, ReadsLabels) {
  const std::string before = "1 2L 2L 0 DIM=2\n\"no comment\" b\nx y\n1 2\n3 4\n";
  EXPECT_NE(error_of(before, "t"), "no error");  // labels are single words
  EXPECT_EQ(labels("1 2L 4L 0 DIM=2\na b\nx1 y1 x2 y2\n1 2 3 4\n5 6 7 8\n"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(labels("1 2B 4 0 DIM=2\na 1 2 3 4\nb 5 6 7 8\n"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(labels("1 2E 4 0 DIM=2\n1 2 3 4 a\n5 6 7 8 b\n"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(rows_of("1 2E 4 0 DIM=2\n1 2 3 4 a\n5 6 7 8 b\n", "t"), (Rows{{1, 2, 3, 4}, {5, 6, 7, 8}}));
}

TEST(Nts, MissingValues) {
  const std::string text = "1 1 4 1 -999 DIM=2\n1 2 -999 -999.0\n";
  EXPECT_EQ(rows_of(text, "t"), (Rows{{1, 2, -12345.5, -12345.5}}));
  EXPECT_EQ(error_of(text, "t", {}), "t: specimen 1 (line 2), column 3 (x2): missing; it lacks landmark 2");
}

TEST(Nts, ALandmarkPerRowIsOneSpecimen) {
  EXPECT_EQ(rows_of("1 3 2 0 DIM=2\n1 2\n3 4\n5 6\n", "t"), (Rows{{1, 2, 3, 4, 5, 6}}));
  EXPECT_EQ(*parse_table("1 3 2 0 DIM=2\n1 2\n3 4\n5 6\n", "t")->rows(), 1);
  EXPECT_EQ(rows_of("1 2L 3 0 DIM=3\na b\n1 2 3\n4 5 6\n", "t"), (Rows{{1, 2, 3, 4, 5, 6}}));
}

TEST(Nts, RefusesWhatDoesNotFitItsParameters) {
  const auto refused = [](const std::string& text, const std::string& why) {
    EXPECT_NE(error_of(text, "t.nts").find(why), std::string::npos) << error_of(text, "t.nts");
  };
  refused("1 2 4 0 DIM=2\n1 2 3 4\n5 6 7\n", "truncated: it ends in the numbers; its parameters promise 2 rows of 4");
  refused("1 2 4 0 DIM=2\n1 2 3 4\n5 6 7 8\n9\n", "line 4: '9' after the last of 2 rows");
  refused("1 2L 4 0 DIM=2\na\n", "ends in the labels of rows");
  refused("1 1 5 0 DIM=2\n1 2 3 4 5\n", "5 numbers are no landmarks of DIM=2");
  refused("2 2 4 0 DIM=2\n", "another type than 1");
  refused("1 2 4\n", "too few parameters");
  refused("1 0 4 0 DIM=2\n", "no numbers of rows and columns");
  refused("1 2 4 1 DIM=2\n", "the fourth is 0, or 1");
  refused("1 2 4 0 DIM=4\n", "'DIM=4' is none of them");
  refused("1 1 2 0 DIM=2\n1 x\n", "line 2: 'x' is not a coordinate");
  refused("1 1000000000000000000 4 0 DIM=2\n1 2 3 4\n", "truncated");
  refused("1 2 1000000000000000000 0 DIM=2\n1 2 3 4\n", "truncated");
  refused("1 1000000000000000000L 4 0 DIM=2\n1 2 3 4\n", "truncated");
  refused("\"only comments\n", "no NTS parameters");
}

}  // namespace
}  // namespace wgp
