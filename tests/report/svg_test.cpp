#include "report/svg/svg.h"

#include <cmath>
#include <set>

#include "report/svg/colouring.h"
#include "report/svg/palette.h"
#include "report/svg/plot.h"
#include "well_formed.h"
#include "wgp/manifold.h"

namespace wgp::report {
namespace {

using test::count, test::well_formed;

TEST(WellFormed, SeesWhatIsWrong) {
  EXPECT_TRUE(well_formed("<a><b c=\"d\"/>e &amp; f</a>"));
  for (const char* bad : {"<a><b></a></b>", "<a>", "<a>x & y</a>", "<a b=\"c></a>", "a > b", "<a", "</a>"})
    EXPECT_FALSE(well_formed(bad)) << bad;
}

TEST(Svg, EscapesText) {
  EXPECT_EQ(escape_xml("a<b & \"c\" 'd' > e"), "a&lt;b &amp; &quot;c&quot; &#39;d&#39; &gt; e");
  EXPECT_EQ(escape_xml(std::string("x\x01y")), "x?y");
  EXPECT_EQ(escape_xml("π"), "π");
  Svg svg("s", 10, 10, "<title>");
  svg.text(1, 2, "</text><script>");
  EXPECT_TRUE(well_formed(svg.file()));
  EXPECT_EQ(svg.file().find("<script"), std::string::npos);
}

TEST(Svg, LeavesOutWhatIsNotFinite) {
  Svg svg("s", 10, 10, "");
  const std::string empty = svg.element();
  svg.circle(std::nan(""), 1, 1, filled("#000"));
  svg.rect({0, 0, -1, 1}, filled("#000"));
  svg.segment(0, infinity, 1, 1, stroked("#000"));
  svg.polyline(Matrix::Constant(2, 3, std::nan("")), stroked("#000"));
  EXPECT_EQ(svg.element(), empty);
}

TEST(Svg, EveryMarkerIsWellFormedAndDifferent) {
  std::set<std::string> texts;
  for (int k = 0; k < marker_count; ++k) {
    Svg svg("s", 10, 10, "");
    svg.marker(static_cast<Marker>(k), 5, 5, 3, filled("#123456"));
    EXPECT_TRUE(well_formed(svg.file()));
    texts.insert(svg.file());
  }
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(marker_count));
}

TEST(Svg, OnlyTheFileNamesItsNamespace) {
  const Svg svg("s", 10, 10, "");
  EXPECT_EQ(svg.element().find("http"), std::string::npos);
  EXPECT_NE(svg.file().find("xmlns=\"http://www.w3.org/2000/svg\""), std::string::npos);
}

TEST(Ticks, AreRoundAndInside) {
  EXPECT_EQ(nice_ticks(0, 1, 5), (std::vector<double>{0, 0.2, 0.2 * 2, 0.2 * 3, 0.8, 1}));
  EXPECT_EQ(nice_ticks(-7, 8, 3), (std::vector<double>{-5, 0, 5}));
  EXPECT_EQ(nice_ticks(1200, 1460, 5), (std::vector<double>{1200, 1250, 1300, 1350, 1400, 1450}));
  for (const double scale : {1e-9, 1e-3, 1.0, 1e4, 1e12})
    for (const double low : {-3.7, 0.0, 12.1}) {
      const auto ticks = nice_ticks(scale * low, scale * (low + 2.9), 5);
      EXPECT_GE(ticks.size(), 3u);
      EXPECT_LE(ticks.size(), 9u);
      EXPECT_GE(ticks.front(), scale * low - 1e-9 * scale);
      EXPECT_LE(ticks.back(), scale * (low + 2.9) + 1e-9 * scale);
    }
  EXPECT_TRUE(nice_ticks(1, 1, 5).empty());
  EXPECT_TRUE(nice_ticks(0, infinity, 5).empty());
  EXPECT_TRUE(nice_ticks(1e20, 1e20 + 1, 5).empty());
}

TEST(Ticks, Labels) {
  EXPECT_EQ(tick_label(0, 0.5), "0");
  EXPECT_EQ(tick_label(1.5, 0.5), "1.5");
  EXPECT_EQ(tick_label(1, 0.5), "1.0");
  EXPECT_EQ(tick_label(-20, 10), "\u221220");
  EXPECT_EQ(tick_label(2e-5, 1e-5), "2e-5");
  EXPECT_EQ(tick_label(3e6, 1e6), "3e6");
}

TEST(Plot, MapsItsRangeToItsBox) {
  Svg svg("s", 100, 100, "");
  const Plot plot(svg, {10, 20, 50, 40}, {{-1, 1}, "across"}, {{0, 4}, "up"});
  EXPECT_DOUBLE_EQ(plot.x(-1), 10);
  EXPECT_DOUBLE_EQ(plot.x(1), 60);
  EXPECT_DOUBLE_EQ(plot.y(0), 60);  // upwards
  EXPECT_DOUBLE_EQ(plot.y(4), 20);
  plot.grid();
  plot.frame();
  EXPECT_TRUE(well_formed(svg.file()));
  EXPECT_NE(svg.file().find(">across<"), std::string::npos);
  const Range flat = Range::of(Vector::Constant(3, 2.0));
  EXPECT_LT(flat.low, 2);
  EXPECT_GT(flat.high, 2);
}

// Relative luminance, as in black-and-white print.
double lightness(const std::string& colour) {
  const auto part = [&](std::size_t at) { return std::stoi(colour.substr(at, 2), nullptr, 16) / 255.0; };
  return 0.2126 * std::pow(part(1), 2.2) + 0.7152 * std::pow(part(3), 2.2) + 0.0722 * std::pow(part(5), 2.2);
}

TEST(Palette, RampsKeepTheirOrderWithoutColour) {
  for (int k = 0; k < 40; ++k) {
    EXPECT_LT(lightness(ramp_colour(k / 40.0)), lightness(ramp_colour((k + 1) / 40.0))) << k;
    EXPECT_GT(lightness(shade_colour(k / 40.0)), lightness(shade_colour((k + 1) / 40.0))) << k;
  }
  EXPECT_EQ(ramp_colour(-1), ramp_colour(0));
  EXPECT_EQ(ramp_colour(2), ramp_colour(1));
}

TEST(Colouring, TellsNumbersFromGroups) {
  std::vector<std::string> few, many;
  for (int i = 0; i < 26; ++i) {
    few.push_back(std::to_string(i % 12));
    many.push_back(std::to_string(i % 13));
  }
  EXPECT_EQ(colouring_from("g", few).kind, Colouring::Kind::groups);
  const Colouring numbers = colouring_from("t", many);
  EXPECT_EQ(numbers.kind, Colouring::Kind::numbers);
  EXPECT_EQ(numbers.low, 0);
  EXPECT_EQ(numbers.high, 12);
  EXPECT_EQ(paint_of(numbers, 12).fill, ramp_colour(1));
  many[3] = "NA";  // missing: still numbers
  EXPECT_EQ(colouring_from("t", many).kind, Colouring::Kind::numbers);
  EXPECT_TRUE(std::isnan(colouring_from("t", many).numbers[3]));
  many[3] = "three";
  EXPECT_EQ(colouring_from("t", many).kind, Colouring::Kind::groups);
  // Numbers that are groups stand in their own order, not in that of their letters.
  EXPECT_EQ(colouring_from("g", few).groups[2], "2");
  EXPECT_EQ(colouring_from("g", few).groups[11], "11");
}

TEST(Colouring, GroupsDifferInColourOrShape) {
  std::vector<std::string> labels;
  for (int i = 0; i < 80; ++i) labels.push_back("group " + std::to_string(i));
  labels.push_back("group 0");
  const Colouring colouring = colouring_from("g", labels);
  ASSERT_EQ(colouring.groups.size(), static_cast<std::size_t>(most_groups + 1));
  EXPECT_EQ(colouring.groups.back(), "others");
  EXPECT_EQ(colouring.groups[static_cast<std::size_t>(colouring.group_of[0])], "group 0");
  std::set<std::pair<std::string, int>> looks;
  for (Index i = 0; i < 80; ++i) looks.insert({paint_of(colouring, i).fill, static_cast<int>(marker_of(colouring, i))});
  EXPECT_EQ(looks.size(), static_cast<std::size_t>(most_groups + 1));
  EXPECT_EQ(shortened("abcdef", 4), "abc…");
  EXPECT_EQ(shortened("äöü", 3), "äöü");
}

}  // namespace
}  // namespace wgp::report
