// NTS, the format of Rohlf's NTSYS. Comments (lines that start with a double quote), then a line of parameters:
//   1 n k 0 DIM=2           type 1 (rectangular), n specimens, k numbers each, no missing values
//   1 nL kL 1 -999 DIM=3    labels of rows and of columns, missing values written as -999
// L: the labels stand before the numbers, rows' first; B or E: at the beginning or the end of each row. Labels and
// numbers are separated by blanks and line ends, wherever these fall. k = DIM is one specimen, a landmark per row.
#include "core/format.h"

#include <limits>

#include "io/bytes/number.h"
#include "io/landmarks/landmark_reader.h"
#include "io/tables/readers.h"

namespace wgp {
namespace {

constexpr std::string_view nts_comment_marks = "\"";

enum class Labels { none, before, row_begin, row_end };

// "30", "30L", "30B", "30E".
struct CountAndLabels {
  std::optional<Index> count;
  Labels labels = Labels::none;
};
CountAndLabels parse_size(std::string_view word) {
  Labels labels = Labels::none;
  if (!word.empty()) switch (word.back()) {
      case 'L':
      case 'l':
        labels = Labels::before;
        break;
      case 'B':
      case 'b':
        labels = Labels::row_begin;
        break;
      case 'E':
      case 'e':
        labels = Labels::row_end;
        break;
      default:
        break;
    }
  if (labels != Labels::none) word.remove_suffix(1);
  return {parse_count(word), labels};
}

class NtsSource final : public SpecimenSource {
 public:
  using SpecimenSource::SpecimenSource;
  std::string format() const override { return "nts"; }
  Index dimension() const override { return dimension_; }
  std::optional<Index> count() const override { return one_specimen_ ? 1 : rows_; }
  std::vector<std::string> text_names() const override {
    return row_labels_ == Labels::none || one_specimen_ ? std::vector<std::string>{} : std::vector<std::string>{"name"};
  }

  bool next(Specimen& specimen) override {
    if (!has_header_) read_header();
    if (done_ == count()) {
      if (next_word(true)) lines_.fail(fmt::format("{} after the last of {} rows", quote_text(word_), rows_));
      return false;
    }
    specimen = {};
    std::string label;
    for (Index i = 0; i < (one_specimen_ ? rows_ : 1); ++i) read_row(specimen, label);
    if (!text_names().empty())
      specimen.text.push_back(row_labels_ == Labels::before ? labels_[static_cast<std::size_t>(done_)] : label);
    ++done_;
    return true;
  }

 private:
  void read_header() {
    has_header_ = true;
    std::string_view line;
    do {
      if (!lines_.next(line)) throw Error(fmt::format("{}: no NTS parameters (1 n k 0 DIM=2)", file()));
    } while (line.empty() || nts_comment_marks.find(line[0]) != std::string_view::npos);
    parse_header(std::string(line));
    if (row_labels_ == Labels::before)
      for (Index i = 0; i < rows_; ++i) labels_.emplace_back(need_word("labels of rows"));
    if (column_labels_ == Labels::before)
      for (Index j = 0; j < columns_; ++j) need_word("labels of columns");
  }

  void parse_header(const std::string& line) {
    const auto refuse = [&](const std::string& what) {
      lines_.fail(fmt::format("{}: {}; the parameters of NTS are like 1 30 20 0 DIM=2", quote_text(line), what));
    };
    const auto words = split_words(line);
    if (words.size() < 4) refuse("too few parameters");
    if (words[0] != "1") refuse("a matrix of another type than 1, rectangular");
    const CountAndLabels rows = parse_size(words[1]), columns = parse_size(words[2]);
    if (!rows.count || *rows.count < 1 || !columns.count || *columns.count < 1)
      refuse("no numbers of rows and columns");
    rows_ = *rows.count;
    columns_ = *columns.count;
    row_labels_ = rows.labels;
    column_labels_ = columns.labels;
    if (column_labels_ == Labels::row_begin || column_labels_ == Labels::row_end)
      refuse("labels of columns stand before the numbers (L)");
    std::size_t at = 4;
    if (words[3] != "0") {
      if (words[3] != "1" || words.size() < 5 || !(missing_ = parse_number(words[at++])))
        refuse("the fourth is 0, or 1 and the number that stands for missing values");
    }
    for (; at < words.size(); ++at) {
      const std::string word = to_lower(words[at]);
      if (word != "dim=2" && word != "dim=3") refuse(fmt::format("{} is none of them", quote_text(words[at])));
      dimension_ = word.back() - '0';
    }
    if (columns_ % dimension_ != 0) refuse(fmt::format("{} numbers are no landmarks of DIM={}", columns_, dimension_));
    one_specimen_ = dimension_ > 1 && columns_ == dimension_;
  }

  void read_row(Specimen& specimen, std::string& label) {
    if (row_labels_ == Labels::row_begin) label = need_word("labels of rows");
    for (Index j = 0; j < columns_; ++j) {
      const std::string_view word = need_word("numbers");
      if (specimen.line == 0) specimen.line = lines_.number();
      const double value = coordinate(word);
      specimen.numbers.push_back(missing_ && value == *missing_ ? std::numeric_limits<double>::quiet_NaN() : value);
    }
    if (row_labels_ == Labels::row_end) label = need_word("labels of rows");
  }

  std::string_view need_word(const char* what) {
    if (!next_word(false))
      throw Error(fmt::format("{}: truncated: it ends in the {}; its parameters promise {} rows of {}", file(), what,
                              rows_, columns_));
    return word_;
  }

  // Comments may also stand at the end.
  bool next_word(bool comments) {
    while (at_ == words_.size()) {
      std::string_view line;
      if (!lines_.next(line)) return false;
      if (comments && !line.empty() && nts_comment_marks.find(line[0]) != std::string_view::npos) continue;
      line_ = line;
      words_ = split_words(line_);
      at_ = 0;
    }
    word_ = words_[at_++];
    return true;
  }

  bool has_header_ = false, one_specimen_ = false;
  Index rows_ = 0, columns_ = 0, dimension_ = 1, done_ = 0;
  Labels row_labels_ = Labels::none, column_labels_ = Labels::none;
  std::optional<double> missing_;
  std::vector<std::string> labels_;
  std::string line_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  std::string_view word_;
};

}  // namespace

// Without DIM= the parameters could as well be the first row of a table of numbers.
bool is_nts(std::string_view head) {
  const auto words = split_words(first_line(head, nts_comment_marks));
  return words.size() >= 5 && words[0] == "1" && parse_size(words[1]).count && parse_size(words[2]).count &&
         to_lower(words.back()).starts_with("dim=");
}

std::unique_ptr<TableReader> open_nts(std::unique_ptr<ByteSource> source, const TableOptions& options) {
  return landmark_table(std::make_unique<NtsSource>(std::move(source)), options);
}

}  // namespace wgp
