// TPS, the format of tpsDig and its relatives: a specimen is
//   LM=n           (or LP=n; LM3=n in space), then n lines of 2 or 3 coordinates
//   CURVES=m       m times: POINTS=k, then k lines of coordinates; OUTLINES= alike
//   IMAGE=, ID=, COMMENT=, SCALE=
// Keys are written in any case; others are passed over, with lines of numbers below them (RADII=). The points of curves
// and outlines follow the landmarks as further landmarks, or are left out. Coordinates are multiplied by SCALE, which
// gives them units that specimens share; so all specimens must have one, or none. Missing landmarks are NA, or have all
// coordinates -1 (or another negative whole number) where the others of the specimen are not negative, as in an image.
#include "core/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "io/bytes/number.h"
#include "io/landmarks/landmark_reader.h"
#include "io/tables/readers.h"

namespace wgp {
namespace {

constexpr std::string_view tps_comment_marks = "'\"#";
constexpr std::array<std::string_view, 3> text_keys = {"id", "image", "comment"};

struct KeyAndValue {
  std::string key;  // lower case; empty if the line is none
  std::string_view value;
};

KeyAndValue split_key(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string key = to_lower(trim(line.substr(0, equals)));
  const bool word = std::all_of(key.begin(), key.end(),
                                [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
  if (!word) return {};
  return {key, trim(line.substr(equals + 1))};
}

bool starts_specimen(const std::string& key) { return key == "lm" || key == "lp" || key == "lm3"; }

class TpsSource final : public SpecimenSource {
 public:
  TpsSource(std::unique_ptr<ByteSource> source, TableOptions::Curves curves)
      : SpecimenSource(std::move(source)), curves_(curves) {}
  std::string format() const override { return "tps"; }
  Index dimension() const override { return dimension_; }
  std::vector<std::string> text_names() const override { return text_names_; }
  std::vector<std::string> remarks() const override { return remarks_; }

  bool next(Specimen& specimen) override {
    specimen = {};
    std::string_view line;
    do {
      if (!lines_.next(line)) return false;
    } while (is_passed_over(line));
    const KeyAndValue first = split_key(line);
    if (!starts_specimen(first.key))
      lines_.fail(fmt::format("{}, but a specimen starts with LM= and its number of landmarks", quote_text(line)));
    ++count_;
    specimen.line = lines_.number();
    std::array<std::string, text_keys.size()> texts;
    std::array<bool, text_keys.size()> has_text{};
    std::optional<double> scale;
    std::optional<Index> curves_left;
    bool numbers_passed_over = false;
    read_points(first, specimen.numbers);
    std::vector<double> of_curves;
    while (lines_.next(line)) {
      if (is_passed_over(line)) continue;
      const KeyAndValue entry = split_key(line);
      if (starts_specimen(entry.key)) {
        lines_.put_back(line);
        break;
      }
      const auto text = std::find(text_keys.begin(), text_keys.end(), entry.key) - text_keys.begin();
      if (entry.key.empty()) {
        if (!numbers_passed_over || !is_numbers(line))
          lines_.fail(fmt::format("{}, but KEY=value or the next specimen's LM= is expected", quote_text(line)));
        continue;
      }
      numbers_passed_over = false;
      if (entry.key == "points") {
        read_points(entry, of_curves);
        if (curves_left && --*curves_left < 0) lines_.fail("more POINTS= than its CURVES= or OUTLINES= promises");
      } else if (entry.key == "curves" || entry.key == "outlines") {
        check_curves(curves_left);
        curves_left = count_of(entry);
      } else if (entry.key == "scale") {
        if (scale) lines_.fail("a second SCALE= in one specimen");
        scale = positive(entry);
      } else if (static_cast<std::size_t>(text) < text_keys.size()) {
        texts[static_cast<std::size_t>(text)] = entry.value;
        has_text[static_cast<std::size_t>(text)] = true;
      } else {
        numbers_passed_over = true;
      }
    }
    check_curves(curves_left);
    add_curves(of_curves, specimen);
    find_missing(specimen.numbers);
    finish(specimen, scale, texts, has_text);
    return true;
  }

 private:
  static bool is_passed_over(std::string_view line) {
    return line.empty() || tps_comment_marks.find(line[0]) != std::string_view::npos;
  }
  static bool is_numbers(std::string_view line) {
    const auto words = split_words(line);
    return std::all_of(words.begin(), words.end(),
                       [](std::string_view word) { return parse_number(word).has_value(); });
  }

  Index count_of(const KeyAndValue& entry) const {
    const auto count = parse_count(entry.value);
    if (!count) lines_.fail(fmt::format("{}={}: a whole number is needed", entry.key, quote_text(entry.value)));
    return *count;
  }
  double positive(const KeyAndValue& entry) const {
    const auto value = parse_number(entry.value);
    if (!value || !(*value > 0) || !std::isfinite(*value))
      lines_.fail(fmt::format("{}={}: a positive number is needed", entry.key, quote_text(entry.value)));
    return *value;
  }

  void read_points(const KeyAndValue& entry, std::vector<double>& numbers) {
    const Index count = count_of(entry);
    const std::string heading = fmt::format("{}={}", entry.key, count);
    const Index stated = entry.key == "lm3" ? 3 : 0;
    std::string_view line;
    for (Index i = 0; i < count;) {
      if (!lines_.next(line))
        throw Error(fmt::format("{}: truncated: it ends after {} of the {} points of specimen {} ({})", file(), i,
                                count, count_, heading));
      if (is_passed_over(line)) continue;
      if (!split_key(line).key.empty())
        lines_.fail(fmt::format("{}, but specimen {} has {} of the {} points of {}", quote_text(line), count_, i, count,
                                heading));
      const auto words = split_words(line);
      const auto found = static_cast<Index>(words.size());
      if (found != 2 && found != 3)
        lines_.fail(fmt::format("{} is not a point of 2 or 3 coordinates", quote_text(line)));
      if (dimension_ == 0) dimension_ = found;
      if (found != dimension_ || (stated != 0 && found != stated))
        lines_.fail(fmt::format("{} coordinates, but {} are expected", found, stated != 0 ? stated : dimension_));
      for (const auto word : words) numbers.push_back(coordinate(word));
      ++i;
    }
  }

  void add_curves(const std::vector<double>& points, Specimen& specimen) {
    if (points.empty()) return;
    const auto count_of_points = [&](const std::vector<double>& numbers) {
      return static_cast<Index>(numbers.size()) / dimension_;
    };
    if (count_ == 1)
      remarks_.push_back(fmt::format(
          "{} landmark{} and {} point{} of curves in each specimen; {}", count_of_points(specimen.numbers),
          count_of_points(specimen.numbers) == 1 ? "" : "s", count_of_points(points),
          count_of_points(points) == 1 ? "" : "s",
          curves_ == TableOptions::Curves::ignore ? "the curves are left out (--curves ignore)"
                                                  : "all are taken as landmarks (--curves ignore leaves curves out)"));
    if (curves_ == TableOptions::Curves::landmarks)
      specimen.numbers.insert(specimen.numbers.end(), points.begin(), points.end());
  }

  // Marks of other programs for missing landmarks become NaN.
  void find_missing(std::vector<double>& numbers) const {
    if (numbers.empty()) return;
    const auto step = static_cast<std::size_t>(dimension_);
    const auto is_mark = [&](std::size_t i) {
      const double value = numbers[i];
      return value < 0 && value == std::floor(value) &&
             std::all_of(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                         numbers.begin() + static_cast<std::ptrdiff_t>(i + step),
                         [&](double other) { return other == value; });
    };
    std::vector<std::size_t> marked;
    for (std::size_t i = 0; i + step <= numbers.size(); i += step) {
      if (is_mark(i))
        marked.push_back(i);
      else if (std::any_of(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                           numbers.begin() + static_cast<std::ptrdiff_t>(i + step),
                           [](double value) { return value < 0; }))
        return;  // coordinates may be negative here
    }
    if (marked.size() * step == numbers.size()) return;
    for (const std::size_t i : marked)
      std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(i), step, std::numeric_limits<double>::quiet_NaN());
  }

  void check_curves(std::optional<Index> left) const {
    if (left.value_or(0) > 0)
      throw Error(fmt::format("{}: specimen {} ends with {} of its curves missing (line {})", file(), count_, *left,
                              lines_.number()));
  }

  void finish(Specimen& specimen, std::optional<double> scale, const std::array<std::string, text_keys.size()>& texts,
              const std::array<bool, text_keys.size()>& has_text) {
    if (specimen.numbers.empty())
      throw Error(fmt::format("{}: line {}: specimen {} has no points", file(), specimen.line, count_));
    if (count_ == 1) {
      scaled_ = scale.has_value();
      for (std::size_t j = 0; j < text_keys.size(); ++j)
        if (has_text[j]) {
          text_names_.emplace_back(text_keys[j]);
          chosen_texts_.push_back(j);
        }
    } else if (scale.has_value() != scaled_) {
      throw Error(
          fmt::format("{}: line {}: specimen {} has {} SCALE=, but those before it have {}; give all specimens "
                      "their scale, or remove it everywhere if sizes do not matter",
                      file(), specimen.line, count_, scaled_ ? "no" : "a", scaled_ ? "one" : "none"));
    }
    if (scale)
      for (double& number : specimen.numbers) number *= *scale;
    for (const std::size_t j : chosen_texts_) specimen.text.push_back(texts[j]);
  }

  TableOptions::Curves curves_;
  Index dimension_ = 0, count_ = 0;
  std::vector<std::string> remarks_;
  bool scaled_ = false;
  std::vector<std::string> text_names_;
  std::vector<std::size_t> chosen_texts_;
};

}  // namespace

bool is_tps(std::string_view head) {
  const KeyAndValue first = split_key(first_line(head, tps_comment_marks));
  return starts_specimen(first.key) && parse_count(first.value).has_value();
}

std::unique_ptr<TableReader> open_tps(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  return landmark_table(std::make_unique<TpsSource>(std::move(source), options.curves), options);
}

}  // namespace wgp
