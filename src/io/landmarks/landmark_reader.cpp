#include "io/landmarks/landmark_reader.h"

#include "core/format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "io/bytes/number.h"
#include "io/tables/columns.h"

namespace wgp {
namespace {

class LandmarkReader final : public TableReader {
 public:
  LandmarkReader(std::unique_ptr<SpecimenSource> source, const TableOptions& options)
      : source_(std::move(source)), non_finite_(options.non_finite) {
    // The first specimen says how wide the table is, whatever a header may promise.
    if (!source_->next(specimen_)) throw Error(fmt::format("{}: no specimens", source_->file()));
    has_specimen_ = true;
    full_width_ = static_cast<Index>(specimen_.numbers.size());
    all_names_ = landmark_names(full_width_, source_->dimension());
    const auto text_names = source_->text_names();
    all_names_.insert(all_names_.end(), text_names.begin(), text_names.end());
    choose_columns(options);
  }

  Index width() const override { return static_cast<Index>(selected_.size()); }
  std::optional<Index> rows() const override { return source_->count(); }
  std::string format() const override { return source_->format(); }
  std::vector<std::string> remarks() const override { return source_->remarks(); }
  std::vector<Index> shape() const override {
    const Index dimension = source_->dimension();
    return whole_ && dimension > 1 ? std::vector<Index>{full_width_ / dimension, dimension}
                                   : std::vector<Index>{width()};
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> chosen;
    for (const Index column : selected_) chosen.push_back(all_names_[static_cast<std::size_t>(column)]);
    return chosen;
  }
  std::vector<TableColumn> columns() const override {
    std::vector<TableColumn> all;
    for (const auto& name : all_names_) all.push_back({name, static_cast<Index>(all.size()) < full_width_, false});
    for (const Index column : selected_) all[static_cast<std::size_t>(column)].selected = true;
    return all;
  }

  bool read(Index max_rows, TableBlock& block) override {
    std::vector<double> numbers;
    block.text.assign(text_.size(), {});
    block.first_row = row_;
    Index count = 0;
    while (count < max_rows && next_specimen()) {
      ++row_;
      ++count;
      for (const Index column : selected_) numbers.push_back(specimen_.numbers[static_cast<std::size_t>(column)]);
      for (std::size_t j = 0; j < text_.size(); ++j)
        block.text[j].push_back(specimen_.text[static_cast<std::size_t>(text_[j] - full_width_)]);
      if (non_finite_ == TableOptions::NonFinite::reject) check_finite();
    }
    block.values = Eigen::Map<const Matrix>(numbers.data(), width(), count);
    return count > 0;
  }

 private:
  void choose_columns(const TableOptions& options) {
    const auto count = static_cast<Index>(all_names_.size());
    for (const auto& column : options.text_columns)
      for (const Index j : select_columns(column, all_names_, count, source_->file())) {
        if (j < full_width_)
          throw Error(fmt::format("{}: column {} ({}) holds numbers; its columns of text are {}", source_->file(),
                                  j + 1, all_names_[static_cast<std::size_t>(j)], text_list()));
        text_.push_back(j);
      }
    whole_ = options.columns.empty();
    if (whole_) {
      selected_.resize(static_cast<std::size_t>(full_width_));
      std::iota(selected_.begin(), selected_.end(), Index{0});
      return;
    }
    selected_ = select_columns(options.columns, all_names_, count, source_->file());
    for (const Index j : selected_)
      if (j >= full_width_)
        throw Error(fmt::format("{}: column {} ({}) holds text, not numbers", source_->file(), j + 1,
                                all_names_[static_cast<std::size_t>(j)]));
  }

  std::string text_list() const {
    const auto first = all_names_.begin() + full_width_;
    return first == all_names_.end() ? "none" : fmt::format("{}", fmt::join(first, all_names_.end(), ", "));
  }

  bool next_specimen() {
    if (has_specimen_) {
      has_specimen_ = false;
      return true;
    }
    if (!source_->next(specimen_)) return false;
    const Index dimension = source_->dimension(), found = static_cast<Index>(specimen_.numbers.size());
    if (found != full_width_)
      throw Error(fmt::format("{}: line {}: specimen {} has {} landmarks, but the first has {}; all must have the same",
                              source_->file(), specimen_.line, row_ + 1, found / dimension, full_width_ / dimension));
    return true;
  }

  void check_finite() const {
    for (const Index column : selected_) {
      const auto j = static_cast<std::size_t>(column);
      if (std::isfinite(specimen_.numbers[j])) continue;
      const bool missing = std::isnan(specimen_.numbers[j]);
      throw Error(fmt::format("{}: specimen {} ({}line {}), column {} ({}): {}", source_->file(), row_, name(),
                              specimen_.line, column + 1, all_names_[j], missing ? missing_text() : "not finite"));
    }
  }

  // "ID w07, ", by the column of text that names specimens.
  std::string name() const {
    for (std::size_t j = 0; j < specimen_.text.size(); ++j) {
      const std::string& of = all_names_[static_cast<std::size_t>(full_width_) + j];
      if ((of == "id" || of == "name") && !specimen_.text[j].empty())
        return fmt::format("{} {}, ", of, specimen_.text[j]);
    }
    return "";
  }

  // "missing; it lacks the landmarks 3, 7".
  std::string missing_text() const {
    const Index dimension = source_->dimension();
    if (dimension < 2) return "missing";
    std::vector<Index> lacking;
    for (Index i = 0; i < full_width_ / dimension; ++i)
      for (Index j = 0; j < dimension; ++j)
        if (std::isnan(specimen_.numbers[static_cast<std::size_t>(dimension * i + j)])) {
          lacking.push_back(i + 1);
          break;
        }
    return fmt::format("missing; it lacks landmark{} {}", lacking.size() == 1 ? "" : "s", fmt::join(lacking, ", "));
  }

  std::unique_ptr<SpecimenSource> source_;
  TableOptions::NonFinite non_finite_;
  Specimen specimen_;
  bool has_specimen_ = false, whole_ = true;
  Index full_width_ = 0, row_ = 0;
  std::vector<std::string> all_names_;
  std::vector<Index> selected_, text_;
};

}  // namespace

double SpecimenSource::coordinate(std::string_view word) const {
  if (const auto value = parse_number(word)) return *value;
  if (is_missing(word)) return std::numeric_limits<double>::quiet_NaN();
  lines_.fail(fmt::format("{} is not a coordinate", quote_text(word)));
}

std::unique_ptr<TableReader> landmark_table(std::unique_ptr<SpecimenSource> source, const TableOptions& options) {
  return std::make_unique<LandmarkReader>(std::move(source), options);
}

std::vector<std::string> landmark_names(Index width, Index dimension) {
  constexpr std::string_view letters = "xyz";
  std::vector<std::string> names;
  for (Index i = 0; i < width; ++i)
    names.push_back(fmt::format("{}{}", letters[static_cast<std::size_t>(i % dimension)], i / dimension + 1));
  return names;
}

}  // namespace wgp
