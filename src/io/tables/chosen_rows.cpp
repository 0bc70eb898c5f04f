#include "io/tables/chosen_rows.h"

#include <algorithm>

#include "core/format.h"

namespace wgp {

ChosenRows::ChosenRows(std::unique_ptr<TableReader> source, std::string file, const RowChoice& choice)
    : source_(std::move(source)), file_(std::move(file)), choice_(choice) {}

std::optional<Index> ChosenRows::rows() const {
  const auto all = source_->rows();
  if (!all || *all <= choice_.first) return std::nullopt;  // reading will say that it is too short
  const Index range = choice_.count ? std::min(*choice_.count, *all - choice_.first) : *all - choice_.first;
  return (range + choice_.every - 1) / choice_.every;
}

Index ChosenRows::left(Index most) const {
  if (!choice_.count) return most;
  return std::min(most, (*choice_.count + choice_.every - 1) / choice_.every - row_);
}

void ChosenRows::start() {
  if (started_) return;
  started_ = true;
  source_->skip(choice_.first);
}

bool ChosenRows::read(Index max_rows, TableBlock& block) {
  start();
  const Index wanted = ended_ ? 0 : left(max_rows);
  if (wanted <= 0) return false;
  if (choice_.every == 1) {
    ended_ = !source_->read(wanted, block);
  } else {
    // One at a time: those between are passed over without being looked at.
    std::vector<double> numbers;
    Index count = 0;
    for (TableBlock one; count < wanted; ++count) {
      if (!source_->read(1, one)) {
        ended_ = true;
        break;
      }
      if (count == 0) block.text.assign(one.text.size(), {});
      numbers.insert(numbers.end(), one.values.data(), one.values.data() + one.values.size());
      for (std::size_t j = 0; j < one.text.size(); ++j) block.text[j].push_back(std::move(one.text[j].front()));
      source_->skip(choice_.every - 1);
    }
    block.values = Eigen::Map<const Matrix>(numbers.data(), width(), count);
    ended_ = ended_ && count == 0;
    if (count == 0) ended_ = true;
  }
  if (ended_) {
    if (row_ == 0)
      throw Error(fmt::format("{}: has no row {}, from which on rows were asked for", file_, choice_.first + 1));
    return false;
  }
  block.first_row = row_;
  row_ += block.values.cols();
  return true;
}

void ChosenRows::skip(Index count) {
  start();
  const Index passed = left(count);
  if (passed <= 0 || ended_) return;
  source_->skip(passed * choice_.every);
  row_ += passed;
}

}  // namespace wgp
