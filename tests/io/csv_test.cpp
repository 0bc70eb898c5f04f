#include <gtest/gtest.h>

#include "wgp/io.h"

namespace wgp {
namespace {

Matrix values(const std::string& text, const TableOptions& options = {}) {
  const auto reader = parse_table(text, "t.csv", options);
  return read_rest(*reader).values.transpose();
}
std::vector<std::string> names(const std::string& text, const TableOptions& options = {}) {
  return parse_table(text, "t.csv", options)->names();
}
std::string error_of(const std::string& text, const TableOptions& options = {}) {
  try {
    values(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
Matrix rows(std::initializer_list<std::initializer_list<double>> list) { return Matrix(list); }
TableOptions columns(const std::string& list) { return {list, {}, TableOptions::NonFinite::reject}; }

TEST(Csv, ReadsPlainNumbers) {
  EXPECT_EQ(values("1,2,3\n4,5.5,-6e-3\n"), rows({{1, 2, 3}, {4, 5.5, -6e-3}}));
  EXPECT_EQ(values("+1, 2 ,3\n"), rows({{1, 2, 3}}));
  EXPECT_EQ(values("7\n8\n"), rows({{7}, {8}}));
}

TEST(Csv, FindsTheDelimiter) {
  const Matrix expected = rows({{1.5, 2}, {3, 4.25}});
  for (const char* text :
       {"1.5,2\n3,4.25\n", "1.5\t2\n3\t4.25\n", "1.5;2\n3;4.25\n", "1.5 2\n3 4.25\n", "  1.5   2 \n 3\t4.25\n",
        "a,b\n1.5,2\n3,4.25\n", "a;b\n1.5;2\n3;4.25\n", "long name\tother name\n1.5\t2\n3\t4.25\n"})
    EXPECT_EQ(values(text), expected) << text;
  EXPECT_EQ(parse_table("1\t2\n", "t", {})->format(), "tsv");
  // A text column that happens to hold another delimiter in every row.
  EXPECT_EQ(values("0.5,1,a;b\n0.25,2,c;d\n"), rows({{0.5, 1}, {0.25, 2}}));
}

TEST(Csv, AcceptsEveryLineEnd) {
  const Matrix expected = rows({{1, 2}, {3, 4}});
  for (const char* text : {"1,2\r\n3,4\r\n", "1,2\n3,4", "1,2\r3,4\r",
                           "\xEF\xBB\xBF"
                           "1,2\n3,4\n",
                           "1,2\n3,4\n\n\n", "\n\n1,2\n3,4\n  \n", "\xEF\xBB\xBFx,y\r\n1,2\r\n3,4"})
    EXPECT_EQ(values(text), expected) << text;
}

TEST(Csv, UnderstandsQuotes) {
  EXPECT_EQ(values("\"1\",\"2\"\n3,4\n"), rows({{1, 2}, {3, 4}}));
  EXPECT_EQ(names("\"a,b\",\"say \"\"x\"\"\"\n1,2\n"), (std::vector<std::string>{"a,b", "say \"x\""}));
  TableOptions options;
  options.text_columns = {"label"};
  const auto reader = parse_table("x,label\n1,\"two\nlines\"\n2,5\" nail\n3,\"\"\n", "t", options);
  const TableBlock block = read_rest(*reader);
  EXPECT_EQ(block.values, rows({{1, 2, 3}}));
  EXPECT_EQ(block.text[0], (std::vector<std::string>{"two\nlines", "5\" nail", ""}));
  EXPECT_NE(error_of("a,b\n1,\"2\n3,4\n").find("never closed"), std::string::npos);
}

TEST(Csv, TellsHeadersFromData) {
  EXPECT_EQ(names("x,y\n1,2\n"), (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(names("1,2\n3,4\n").empty());
  EXPECT_EQ(values(",0,1\n5,0.5,0.25\n"), rows({{5, 0.5, 0.25}}));  // names that count upwards
  // One bad field in a first row of data must not make the row vanish.
  EXPECT_NE(error_of("0.5,0.25,abc\n1,2,3\n").find("row 1, column 3: 'abc' is not a number"), std::string::npos);
  EXPECT_NE(error_of("0.5,,0.25\n1,2,3\n").find("row 1, column 2: empty"), std::string::npos);
}

TEST(Csv, SelectsColumns) {
  const std::string text = "id,x,y,z,species\n7,1,2,3,cat\n8,4,5,6,dog\n";
  EXPECT_EQ(values(text), rows({{7, 1, 2, 3}, {8, 4, 5, 6}}));
  EXPECT_EQ(values(text, columns("2:4")), rows({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(values(text, columns("x:z")), rows({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(values(text, columns("4,2")), rows({{3, 1}, {6, 4}}));
  EXPECT_EQ(values(text, columns("z, x")), rows({{3, 1}, {6, 4}}));
  EXPECT_EQ(names(text, columns("2:4")), (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_NE(error_of(text, columns("x,w")).find("no column 'w'; its columns are id, x, y, z, species"),
            std::string::npos);
  EXPECT_NE(error_of(text, columns("2:9")).find("no column 9; columns are 1 to 5"), std::string::npos);
  EXPECT_NE(error_of(text, columns("0")).find("no column 0"), std::string::npos);
  EXPECT_NE(error_of(text, columns("4:2")).find("ends before it starts"), std::string::npos);
  EXPECT_NE(error_of(text, columns("2,2")).find("twice"), std::string::npos);
  EXPECT_NE(error_of(text, columns("2,,3")).find("empty entry"), std::string::npos);
  EXPECT_NE(error_of("1,2\n3,4\n", columns("x")).find("without names"), std::string::npos);
  EXPECT_NE(error_of(text, columns("species")).find("row 1, column 5 (species): 'cat' is not a number"),
            std::string::npos);
}

TEST(Csv, NamesRowAndColumnOfMistakes) {
  EXPECT_EQ(error_of("x,y\n1,2\n3,b\n"), "t.csv: row 2, column 2 (y): 'b' is not a number");
  EXPECT_EQ(error_of("1,2\n3,4\n5\n"), "t.csv: row 3: 1 field, expected 2 as in the first row");
  EXPECT_EQ(error_of("x,y\n1,2,3\n"), "t.csv: row 1: 3 fields, expected 2 as in the header");
  EXPECT_EQ(error_of("1,2\n3,nan\n"), "t.csv: row 2, column 2: not finite: 'nan'");
  EXPECT_EQ(error_of("1,2\n-inf,3\n"), "t.csv: row 2, column 1: not finite: '-inf'");
  EXPECT_EQ(error_of("1,2\n1e999,3\n"), "t.csv: row 2, column 1: not finite: '1e999'");
  EXPECT_EQ(error_of("1,2\n,3\n"), "t.csv: row 2, column 1: empty, a number is needed");
  EXPECT_EQ(error_of("1,2\n\n3,4\n"), "t.csv: a blank line after row 1, with more rows below it");
  EXPECT_EQ(error_of("x;y\n1,5;2,5\n2,5;1,5\n3;4\n", columns("x,y")),
            "t.csv: row 1, column 1 (x): '1,5' is not a number; write a decimal point: 1.5, or say "
            "--decimal ,");
}

TEST(Csv, RefusesWhatIsNoTable) {
  EXPECT_EQ(error_of(""), "t.csv: is empty");
  EXPECT_EQ(error_of("\n\n"), "t.csv: is empty");
  EXPECT_EQ(error_of("x,y,z\n"), "t.csv: a header but no rows of data");
  EXPECT_EQ(error_of("x\n"), "t.csv: a header but no rows of data");
  EXPECT_NE(error_of("hello world\nfoo bar\n").find("no column of numbers"), std::string::npos);
  EXPECT_NE(error_of(std::string("\xff\xfe"
                                 "1\0,\0002\0",
                                 8))
                .find("UTF-16"),
            std::string::npos);
  EXPECT_NE(error_of(std::string("1\0,\0002\0\n\0", 8)).find("UTF-16"), std::string::npos);
  EXPECT_NE(error_of(std::string("\x01\x00\xfe\x80\x7f\x00", 6)).find("binary"), std::string::npos);
  EXPECT_NE(error_of("PK\x03\x04"
                     "abc")
                .find("zip"),
            std::string::npos);
  EXPECT_NE(error_of("\x1f\x8b\x08").find("gzip"), std::string::npos);
}

TEST(Csv, KeepsMissingValuesWhereAsked) {
  TableOptions options;
  options.non_finite = TableOptions::NonFinite::keep;
  const Matrix table = values("1,2\n,3\nNA,4\ninf,5\n", options);
  EXPECT_TRUE(std::isnan(table(1, 0)) && std::isnan(table(2, 0)) && std::isinf(table(3, 0)));
}

TEST(Csv, StreamsInBlocks) {
  std::string text = "a,b\n";
  for (int i = 0; i < 50000; ++i) text += std::to_string(i) + "," + std::to_string(-i) + "\n";
  const auto reader = parse_table(text, "t", {});
  TableBlock block;
  Index next = 0;
  while (reader->read(1000, block)) {
    ASSERT_EQ(block.first_row, next);
    for (Index i = 0; i < block.values.cols(); ++i, ++next) ASSERT_EQ(block.values(0, i), next);
  }
  EXPECT_EQ(next, 50000);
}

// Cut anywhere, a table gives rows or an error, never a crash.
TEST(Csv, SurvivesTruncationAnywhere) {
  const std::string text =
      "\xEF\xBB\xBF"
      "a;\"b \"\"c\"\"\";d\r\n1;2;\"x\ny\"\r\n3;4;5\" z\r\n\r\n";
  for (std::size_t size = 0; size <= text.size(); ++size) error_of(text.substr(0, size));
}

TEST(FormatNumber, RoundTrips) {
  for (const double x : {0.1, 1.0 / 3, 1e-300, 123456789012345680.0, -0.0, 5e-324, 1.7976931348623157e308})
    EXPECT_EQ(std::stod(format_number(x == 5e-324 ? 0.0 : x)), x == 5e-324 ? 0.0 : x);
  EXPECT_EQ(format_number(0.1), "0.1");
}

TEST(Csv, PassesOverComments) {
  const Matrix expected = rows({{1, 2, 3}, {4, 5, 6}});
  for (const char* text : {"# made today\n1,2,3\n4,5,6\n", "1,2,3\n# a pause, of 2 s\n4,5,6\n# end\n",
                           "#\n\n# x y\n\n 1 2 3\n  # in between\n4 5 6\n\n# end\n", "# 7,8,9\n1,2,3\n4,5,6\n",
                           "# a, b and c\na,b,c\n1,2,3\n4,5,6\n"})
    EXPECT_EQ(values(text), expected) << text;
  std::string long_comment;
  for (int i = 0; i < 300; ++i) long_comment += "# line " + std::to_string(i) + "\n";
  EXPECT_EQ(values(long_comment + "1,2,3\n4,5,6\n"), expected);
  EXPECT_EQ(error_of("# only this\n"), "t.csv: a header but no rows of data");
  // Rows count without them.
  EXPECT_NE(error_of("# a\n1,2\n# b\n3,x\n4,5\n").find("row 2"), std::string::npos);
}

TEST(Csv, TakesTheLastCommentForTheHeaderIfItIsOne) {
  using Names = std::vector<std::string>;
  const std::string two = "1 2 3\n4 5 6\n", commas = "1,2,3\n4,5,6\n";
  EXPECT_EQ(names("# ground truth\n# file: 'a.bag'\n# t tx ty\n" + two), (Names{"t", "tx", "ty"}));
  EXPECT_EQ(names("#t [ns],p_x [m],p_y [m]\n" + commas), (Names{"t [ns]", "p_x [m]", "p_y [m]"}));
  EXPECT_EQ(names("# t, x, y\n" + two), (Names{"t", "x", "y"}));
  EXPECT_EQ(names("# t x y\n" + commas), (Names{"t", "x", "y"}));
  EXPECT_EQ(names("# t x y\n# and a word of explanation\n" + two), Names{});
  EXPECT_EQ(names("# 1 2 3\n" + two), Names{});
  EXPECT_EQ(values("#t,x,y\n" + commas, columns("y,t")), rows({{3, 1}, {6, 4}}));
  TableOptions labelled;
  labelled.text_columns = {"name"};
  EXPECT_EQ(read_rest(*parse_table("#name,x\na,1\nb,2\n", "t", labelled)).text[0], (Names{"a", "b"}));
}

TEST(Csv, TextThatStartsWithTheMarkIsNoComment) {
  TableOptions labelled;
  labelled.text_columns = {"1"};
  for (const char* text :
       {"#ff0000,1\n#00ff00,2\n", "#ff0000,1\nred,2\n", "red,1\n#00ff00,2\n", "colour,x\n#ff0000,1\n#00ff00,2\n"}) {
    const TableBlock block = read_rest(*parse_table(text, "t", labelled));
    EXPECT_EQ(block.values, rows({{1, 2}})) << text;
    EXPECT_EQ(block.text[0].size(), 2U);
  }
}

TEST(Csv, ReadsDecimalCommas) {
  TableOptions options;
  options.decimal = ',';
  const Matrix expected = rows({{1.5, 2}, {-0.25, 3e5}});
  for (const char* text : {"1,5;2\n-0,25;3e5\n", "a;b\n1,5;2,0\n-0,25;3e5\n", "1,5 2\n-0,25 3e5\n",
                           "1,5\t2,0\n-,25\t300000\n", "# t\n1,5;2\n-0,25;3e5\n"})
    EXPECT_EQ(values(text, options), expected) << text;
  EXPECT_EQ(values("1,5\n2,5\n", options), rows({{1.5}, {2.5}}));
  EXPECT_EQ(error_of("1,5;2\n1;2.5\n", options),
            "t.csv: row 2, column 2: '2.5' is not a number; with --decimal , it would be 2,5");
  EXPECT_NE(error_of("1,5;2\n1.000,5;2\n", options).find("'1.000,5' is not a number"), std::string::npos);
  EXPECT_NE(error_of("a;b\n1,5;2,5\n").find("say --decimal ,"), std::string::npos);
}

TEST(Csv, PassesOverRowsWithoutLookingAtThem) {
  const auto reader = parse_table("1,2\nx,y\n3\n5,6\n7,8\n", "t.csv");
  TableBlock block;
  ASSERT_TRUE(reader->read(1, block));
  reader->skip(2);
  ASSERT_TRUE(reader->read(1, block));
  EXPECT_EQ(block.first_row, 3);
  EXPECT_EQ(block.values, rows({{5}, {6}}));
}

}  // namespace
}  // namespace wgp
