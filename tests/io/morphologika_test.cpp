#include <gtest/gtest.h>

#include "io/sample_files.h"

namespace wgp {
namespace {

using test::error_of;
using test::rows_of;
using Rows = std::vector<std::vector<double>>;

const std::string counts = "[individuals]\n2\n[landmarks]\n2\n[dimensions]\n2\n";
const std::string points = "[rawpoints]\n'a\n1 2\n3 4\n'b\n5 6\n7 8\n";

TEST(Morphologika, ReadsIndividuals) {
  const std::string text = counts + "[names]\nfirst one\nsecond\n[labels]\nsex\tgroup\n[labelvalues]\nf 1\nm 2\n" +
                           points + "\n[wireframe]\n1 2\n";
  EXPECT_EQ(rows_of(text, "t"), (Rows{{1, 2, 3, 4}, {5, 6, 7, 8}}));
  TableOptions options;
  options.text_columns = {"name", "group"};
  const auto reader = parse_table(text, "t", options);
  EXPECT_EQ(reader->format(), "morphologika");
  EXPECT_EQ(*reader->rows(), 2);
  EXPECT_EQ(reader->shape(), (std::vector<Index>{2, 2}));
  EXPECT_EQ(reader->columns().size(), 7u);
  EXPECT_EQ(read_rest(*reader).text, (std::vector<std::vector<std::string>>{{"first one", "second"}, {"1", "2"}}));
  EXPECT_EQ(rows_of("[Individuals]\n1\n[DIMENSIONS]\n3\n[Landmarks]\n1\n\n[Rawpoints]\n1,2,3\n", "t"),
            (Rows{{1, 2, 3}}));
}

TEST(Morphologika, RefusesWhatDoesNotFit) {
  const auto refused = [](const std::string& text, const std::string& why) {
    EXPECT_NE(error_of(text, "t").find(why), std::string::npos) << error_of(text, "t");
  };
  refused(counts + "[rawpoints]\n1 2\n3 4\n5 6\n", "truncated: it ends after 1 of the 2 landmarks of specimen 2 of 2");
  refused(counts + points + "9 9\n", "'9 9' after the last of 2 specimens");
  refused(counts, "truncated: no [rawpoints]");
  refused("[individuals]\n2\n[landmarks]\n2\n" + points, "[dimensions] must stand before it");
  refused("[individuals]\n2\n[landmarks]\n2\n[dimensions]\n4\n" + points, "[dimensions] 4, but 2 or 3");
  refused("[individuals]\nmany\n", "line 2: [individuals] 'many': one whole number is needed");
  refused(counts + "[names]\nonly\n" + points, "[names] holds 1 lines for 2 individuals");
  refused(counts + "[labels]\na b\n[labelvalues]\n1\n2\n" + points, "1 values for 2 labels");
  refused(counts + points + "[names]\na\nb\n", "[names] must stand once, before [rawpoints]");
  refused(counts + "[rawpoints]\n1 2 3\n", "line 8: '1 2 3', but specimen 1 has 0 of 2 landmarks of 2 coordinates");
  refused(counts + "[rawpoints]\n1 x\n", "line 8: 'x' is not a coordinate");
  refused("[individuals]\n1000000000000000000\n[landmarks]\n1\n[dimensions]\n2\n" + points, "truncated");
  refused("[individuals]\n1\n[landmarks]\n1000000000000000000\n[dimensions]\n2\n" + points, "truncated");
}

}  // namespace
}  // namespace wgp
