#include <gtest/gtest.h>

#include "io/sample_files.h"

namespace wgp {
namespace {

using test::error_of;

TableBlock read(const std::string& text, const std::string& labels = "") {
  TableOptions options;
  if (!labels.empty()) options.text_columns = {labels};
  const auto reader = parse_table(text, "t.tps", options);
  return read_rest(*reader);
}
Matrix values(const std::string& text) { return read(text).values.transpose(); }
Matrix rows(std::initializer_list<std::initializer_list<double>> list) { return Matrix(list); }

TEST(Tps, ReadsSpecimens) {
  const std::string text = "LM=2\n1 2\n3 4\nIMAGE=a.jpg\nID=first\n\nLM=2\n5 6\n7 8\nIMAGE=b.jpg\nID=second\n";
  EXPECT_EQ(values(text), rows({{1, 2, 3, 4}, {5, 6, 7, 8}}));
  EXPECT_EQ(read(text, "id").text, (std::vector<std::vector<std::string>>{{"first", "second"}}));
  EXPECT_EQ(read(text, "image,id").text,
            (std::vector<std::vector<std::string>>{{"a.jpg", "b.jpg"}, {"first", "second"}}));
  const auto reader = parse_table(text, "t");
  EXPECT_EQ(reader->format(), "tps");
  EXPECT_EQ(reader->names(), (std::vector<std::string>{"x1", "y1", "x2", "y2"}));
  EXPECT_EQ(reader->shape(), (std::vector<Index>{2, 2}));
  EXPECT_EQ(reader->columns().size(), 6u);
  EXPECT_FALSE(reader->rows().has_value());
}

TEST(Tps, ReadsSpecimensInSpace) {
  EXPECT_EQ(values("LM3=2\n1 2 3\n4 5 6\n"), rows({{1, 2, 3, 4, 5, 6}}));
  EXPECT_EQ(values("LM=1\n1 2 3\nLM=1\n4,5,6\n"), rows({{1, 2, 3}, {4, 5, 6}}));
  const auto reader = parse_table("LM3=2\n1 2 3\n4 5 6\n", "t");
  EXPECT_EQ(reader->names()[5], "z2");
  EXPECT_EQ(reader->shape(), (std::vector<Index>{2, 3}));
}

TEST(Tps, MultipliesByTheScale) {
  EXPECT_EQ(values("LM=1\n1 2\nSCALE=0.5\nLM=1\n1 2\nscale = 3\n"), rows({{0.5, 1}, {3, 6}}));
  EXPECT_NE(error_of("LM=1\n1 2\nSCALE=0.5\nLM=1\n1 2\nID=2\n", "t").find("line 4: specimen 2 has no SCALE="),
            std::string::npos);
  EXPECT_NE(error_of("LM=1\n1 2\nLM=1\n1 2\nSCALE=1\n", "t").find("specimen 2 has a SCALE="), std::string::npos);
  for (const char* wrong : {"0", "-1", "nan", "big", ""})
    EXPECT_NE(error_of(std::string("LM=1\n1 2\nSCALE=") + wrong + "\n", "t").find("line 3: scale="), std::string::npos);
  EXPECT_NE(error_of("LM=1\n1 2\nSCALE=1\nSCALE=2\n", "t").find("second SCALE="), std::string::npos);
}

TEST(Tps, CurvesFollowTheLandmarks) {
  const std::string text = "LM=1\n1 2\nCURVES=2\nPOINTS=2\n3 4\n5 6\nPOINTS=1\n7 8\nID=a\n";
  EXPECT_EQ(values(text), rows({{1, 2, 3, 4, 5, 6, 7, 8}}));
  EXPECT_EQ(values("LM=0\nOUTLINES=1\nPOINTS=2\n3 4\n5 6\n"), rows({{3, 4, 5, 6}}));
  TableOptions ignore = test::keep_all();
  ignore.curves = TableOptions::Curves::ignore;
  EXPECT_EQ(test::rows_of(text, "t", ignore)[0], (std::vector<double>{1, 2}));
  EXPECT_EQ(parse_table(text, "t")->remarks(),
            std::vector<std::string>{"1 landmark and 3 points of curves in each specimen; all are taken as landmarks "
                                     "(--curves ignore leaves curves out)"});
  EXPECT_NE(parse_table(text, "t", ignore)->remarks().at(0).find("are left out"), std::string::npos);
  EXPECT_TRUE(parse_table("LM=1\n1 2\n", "t")->remarks().empty());
  EXPECT_NE(error_of("LM=1\n1 2\nCURVES=2\nPOINTS=1\n3 4\nID=a\n", "t").find("1 of its curves missing"),
            std::string::npos);
  EXPECT_NE(error_of("LM=1\n1 2\nCURVES=1\nPOINTS=1\n3 4\nPOINTS=1\n3 4\n", "t").find("more POINTS="),
            std::string::npos);
}

TEST(Tps, PassesOverCommentsAndOtherKeys) {
  EXPECT_EQ(values("# by hand\n\n'old\nLM=2\n1 2\n\"in between\n\n3 4\nRADII=2\n5\n6\nVARIABLES=a\nid=x\n"),
            rows({{1, 2, 3, 4}}));
}

TEST(Tps, MissingCoordinates) {
  const std::string text = "LM=2\n1 2\nNA NA\n";
  EXPECT_EQ(test::rows_of(text, "t")[0], (std::vector<double>{1, 2, -12345.5, -12345.5}));
  EXPECT_EQ(error_of(text, "t", {}), "t: specimen 1 (line 1), column 3 (x2): missing; it lacks landmark 2");
  EXPECT_EQ(error_of("LM=3\n1 2\nNA 3\nNA NA\nID=w07\n", "t", {}),
            "t: specimen 1 (id w07, line 1), column 3 (x2): missing; it lacks landmarks 2, 3");
}

TEST(Tps, NegativeLandmarksAreMissingWhereNoOthersAreNegative) {
  const double no = -12345.5;
  const auto first = [](const std::string& text) { return test::rows_of(text, "t")[0]; };
  using Row = std::vector<double>;
  EXPECT_EQ(first("LM=3\n1 2\n-1 -1\n0 4\nSCALE=2\n"), (Row{2, 4, no, no, 0, 8}));
  EXPECT_EQ(first("LM3=2\n1 2 3\n-999 -999 -999\n"), (Row{1, 2, 3, no, no, no}));
  EXPECT_EQ(first("LM=1\n1 2\nCURVES=1\nPOINTS=2\n-1 -1\n3 4\n"), (Row{1, 2, no, no, 3, 4}));
  EXPECT_EQ(first("LM=3\n1 2\n-1 -1\n-1.5 4\n"), (Row{1, 2, -1, -1, -1.5, 4}));  // no image
  EXPECT_EQ(first("LM=2\n1 2\n-1 -2\n"), (Row{1, 2, -1, -2}));
  EXPECT_EQ(first("LM=2\n1 2\n-1.5 -1.5\n"), (Row{1, 2, -1.5, -1.5}));
  EXPECT_EQ(first("LM=2\n-1 -1\n-2 -2\n"), (Row{-1, -1, -2, -2}));  // nothing would be left
}

TEST(Tps, NamesLineAndSpecimenOfMistakes) {
  const auto refused = [](const std::string& text, const std::string& why) {
    EXPECT_NE(error_of(text, "t.tps").find(why), std::string::npos) << error_of(text, "t.tps");
    EXPECT_EQ(error_of(text, "t.tps").rfind("t.tps: ", 0), 0u);
  };
  refused("LM=2\n1 2\n3 4\nLM=3\n1 2\n3 4\n5 6\n", "line 4: specimen 2 has 3 landmarks, but the first has 2");
  refused("LM=3\n1 2\n3 4\n", "truncated: it ends after 2 of the 3 points of specimen 1 (lm=3)");
  refused("LM=3\n1 2\n3 4\nID=a\n", "line 4: 'ID=a', but specimen 1 has 2 of the 3 points");
  refused("LM=1\n1 2\n3 4\nID=a\n", "line 3: '3 4', but KEY=value");
  refused("LM=1\n1\n", "line 2: '1' is not a point of 2 or 3 coordinates");
  refused("LM=1\n1 x\n", "line 2: 'x' is not a coordinate");
  refused("LM=2\n1 2\n1 2 3\n", "line 3: 3 coordinates, but 2 are expected");
  refused("LM3=1\n1 2\n", "line 2: 2 coordinates, but 3 are expected");
  refused("LM=-1\n", "line 1: lm='-1'");
  refused("LM=1.5\n1 2\n", "a whole number is needed");
  refused("LM=0\nID=a\n", "specimen 1 has no points");
  refused("LM=1000000000000000000\n1 2\n", "truncated");
  refused("LM=99999999999999999999\n1 2\n", "a whole number is needed");
  refused("1 2\n3 4\n", "line 1: '1 2', but a specimen starts with LM=");
  refused("' only a comment\n", "no specimens");
}

TEST(Tps, ColumnsAreChosen) {
  TableOptions options;
  options.columns = "x2,y2";
  EXPECT_EQ(read_rest(*parse_table("LM=2\n1 2\n3 4\nID=a\n", "t", options)).values.transpose(), rows({{3, 4}}));
  EXPECT_EQ(parse_table("LM=2\n1 2\n3 4\nID=a\n", "t", options)->shape(), std::vector<Index>{2});
  options.columns = "id";
  EXPECT_EQ(error_of("LM=1\n1 2\nID=a\n", "t", options), "t: column 3 (id) holds text, not numbers");
  options = {};
  options.text_columns = {"x1"};
  EXPECT_EQ(error_of("LM=1\n1 2\nID=a\n", "t", options), "t: column 1 (x1) holds numbers; its columns of text are id");
  options.text_columns = {"image"};
  EXPECT_NE(error_of("LM=1\n1 2\nID=a\n", "t", options).find("no column 'image'; its columns are x1, y1, id"),
            std::string::npos);
}

class TpsFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "wgp-tps-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path() const { return directory_ + "/t.tps"; }
  std::string content() const {
    std::ostringstream bytes;
    bytes << std::ifstream(path()).rdbuf();
    return bytes.str();
  }
  std::string directory_;
};

TEST_F(TpsFiles, WrittenInThePlane) {
  const auto writer = create_table(path(), {"a", "b", "c", "d", "species"});
  writer->write(rows({{1, 5}, {2, 6}, {0.1, 7}, {4, NAN}}), {{"cat", "a=b"}});
  writer->close();
  EXPECT_EQ(content(), "LM=2\n1 2\n0.1 4\nID=cat\nLM=2\n5 6\n7 NA\nID=a=b\n");
  TableOptions options = test::keep_all();
  options.text_columns = {"id"};
  const TableBlock block = read_table(path(), options);
  EXPECT_EQ(block.values(2, 0), 0.1);
  EXPECT_TRUE(std::isnan(block.values(3, 1)));
  EXPECT_EQ(block.text[0], (std::vector<std::string>{"cat", "a=b"}));
}

TEST_F(TpsFiles, WrittenInSpace) {
  for (const bool by_shape : {true, false}) {
    const auto writer = by_shape ? create_table(path(), {"a", "b", "c", "d", "e", "f"}, {2, 3})
                                 : create_table(path(), {"x1", "y1", "z1", "x2", "y2", "z2"});
    writer->write(rows({{1, 7}, {2, 8}, {3, 9}, {4, 10}, {5, 11}, {6, 12}}));
    writer->close();
    EXPECT_EQ(content(), "LM3=2\n1 2 3\n4 5 6\nID=0\nLM3=2\n7 8 9\n10 11 12\nID=1\n");
  }
}

TEST_F(TpsFiles, RefusesWhatHasNoPlace) {
  EXPECT_THROW(create_table(path(), {"a", "b", "c"})->write(Matrix::Zero(3, 1)), Error);
  EXPECT_THROW(create_table(path(), {"a", "b", "s", "t"})->write(Matrix::Zero(2, 1), {{"1"}, {"2"}}), Error);
  EXPECT_THROW(create_table(path(), {"a", "b", "s"})->write(Matrix::Zero(2, 1), {{"two\nlines"}}), Error);
  const auto writer = create_table(path(), {"a", "b", "Image", "id"});
  writer->write(Matrix::Zero(2, 1), {{"i.png"}, {"n"}});
  writer->close();
  EXPECT_EQ(content(), "LM=1\n0 0\nIMAGE=i.png\nID=n\n");
}

}  // namespace
}  // namespace wgp
