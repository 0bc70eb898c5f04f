// Morphologika: sections headed by a word in brackets. [individuals], [landmarks] and [dimensions] give counts, [names]
// one name per individual, [labels] the names of further columns of text and [labelvalues] their values, one line per
// individual; [rawpoints] comes after them and holds the coordinates, one landmark per line, with lines that start with
// an apostrophe in between. Other sections ([wireframe], [polygons], [groups]) are passed over.
#include "core/format.h"

#include <algorithm>
#include <array>

#include "io/bytes/number.h"
#include "io/landmarks/landmark_reader.h"
#include "io/tables/readers.h"

namespace wgp {
namespace {

constexpr std::string_view comment_marks = "'";
constexpr std::array<std::string_view, 3> counts = {"individuals", "landmarks", "dimensions"};

// "rawpoints" for "[RawPoints]"; empty for other lines.
std::string section_of(std::string_view line) {
  if (!line.starts_with('[') || !line.ends_with(']')) return {};
  return to_lower(trim(line.substr(1, line.size() - 2)));
}

bool is_passed_over(std::string_view line) {
  return line.empty() || comment_marks.find(line[0]) != std::string_view::npos;
}

class MorphologikaSource final : public SpecimenSource {
 public:
  using SpecimenSource::SpecimenSource;
  std::string format() const override { return "morphologika"; }
  Index dimension() const override { return dimension_; }
  std::optional<Index> count() const override { return individuals_; }
  std::vector<std::string> text_names() const override {
    std::vector<std::string> all = labels_;
    if (!names_.empty()) all.insert(all.begin(), "name");
    return all;
  }

  bool next(Specimen& specimen) override {
    if (individuals_ == 0) read_header();
    if (done_ == individuals_) {
      read_rest();
      return false;
    }
    specimen = {};
    for (Index i = 0; i < landmarks_; ++i) read_point(specimen, i);
    const auto row = static_cast<std::size_t>(done_++);
    if (!names_.empty()) specimen.text.push_back(names_[row]);
    if (!labels_.empty())
      specimen.text.insert(specimen.text.end(), label_values_[row].begin(), label_values_[row].end());
    return true;
  }

 private:
  // Up to the line [rawpoints].
  void read_header() {
    std::string_view line;
    std::string section;
    std::array<Index, counts.size()> found{};
    while (lines_.next(line)) {
      if (is_passed_over(line)) continue;
      if (const std::string title = section_of(line); !title.empty()) {
        section = title;
        if (section == "rawpoints") {
          finish_header(found);
          return;
        }
        continue;
      }
      if (section.empty())
        lines_.fail(fmt::format("{}, but a section such as [individuals] is expected", quote_text(line)));
      const auto which = static_cast<std::size_t>(std::find(counts.begin(), counts.end(), section) - counts.begin());
      if (which < counts.size()) {
        const auto count = parse_count(line);
        if (!count || *count < 1 || found[which] != 0)
          lines_.fail(fmt::format("[{}] {}: one whole number is needed", section, quote_text(line)));
        found[which] = *count;
      } else if (section == "names") {
        names_.emplace_back(line);
      } else if (section == "labels") {
        for (const auto word : split_words(line)) labels_.emplace_back(word);
      } else if (section == "labelvalues") {
        const auto words = split_words(line);
        label_values_.emplace_back(words.begin(), words.end());
        if (words.size() != labels_.size())
          lines_.fail(fmt::format("{} values for {} labels", words.size(), labels_.size()));
      }
    }
    throw Error(fmt::format("{}: truncated: no [rawpoints]", file()));
  }

  void finish_header(const std::array<Index, counts.size()>& found) {
    for (std::size_t j = 0; j < counts.size(); ++j)
      if (found[j] == 0) lines_.fail(fmt::format("[rawpoints], but [{}] must stand before it", counts[j]));
    individuals_ = found[0];
    landmarks_ = found[1];
    dimension_ = found[2];
    if (dimension_ != 2 && dimension_ != 3)
      lines_.fail(fmt::format("[dimensions] {}, but 2 or 3 is expected", dimension_));
    const auto check = [&](const char* section, std::size_t size) {
      if (size != 0 && static_cast<Index>(size) != individuals_)
        lines_.fail(fmt::format("[{}] holds {} lines for {} individuals", section, size, individuals_));
    };
    check("names", names_.size());
    check("labelvalues", label_values_.size());
    if (label_values_.empty()) labels_.clear();  // labels of nothing
  }

  void read_point(Specimen& specimen, Index i) {
    std::string_view line;
    do {
      if (!lines_.next(line))
        throw Error(fmt::format("{}: truncated: it ends after {} of the {} landmarks of specimen {} of {}", file(), i,
                                landmarks_, done_ + 1, individuals_));
    } while (is_passed_over(line));
    if (specimen.line == 0) specimen.line = lines_.number();
    const auto words = split_words(line);
    if (static_cast<Index>(words.size()) != dimension_)
      lines_.fail(fmt::format("{}, but specimen {} has {} of {} landmarks of {} coordinates", quote_text(line),
                              done_ + 1, i, landmarks_, dimension_));
    for (const auto word : words) specimen.numbers.push_back(coordinate(word));
  }

  void read_rest() {
    std::string_view line;
    bool in_points = true;
    while (lines_.next(line)) {
      if (is_passed_over(line)) continue;
      const std::string title = section_of(line);
      if (title == "names" || title == "labels" || title == "labelvalues" || title == "rawpoints")
        lines_.fail(fmt::format("{} must stand once, before [rawpoints]", line));
      if (title.empty() && in_points)
        lines_.fail(fmt::format("{} after the last of {} specimens", quote_text(line), individuals_));
      in_points = false;
    }
  }

  Index individuals_ = 0, landmarks_ = 0, dimension_ = 0, done_ = 0;
  std::vector<std::string> names_, labels_;
  std::vector<std::vector<std::string>> label_values_;
};

}  // namespace

bool is_morphologika(std::string_view head) {
  const std::string section = section_of(first_line(head, comment_marks));
  return section == "names" || section == "labels" || section == "rawpoints" ||
         std::find(counts.begin(), counts.end(), section) != counts.end();
}

std::unique_ptr<TableReader> open_morphologika(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  return landmark_table(std::make_unique<MorphologikaSource>(std::move(source)), options);
}

}  // namespace wgp
