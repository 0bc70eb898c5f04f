#include "io/motion/skeleton_table.h"

#include "core/format.h"

#include <algorithm>
#include <numeric>

#include "io/tables/columns.h"

namespace wgp {
namespace {

class MotionTable final : public TableReader {
 public:
  MotionTable(std::unique_ptr<FrameSource> frames, Skeleton skeleton, const MotionOptions& options, std::string file,
              std::string format)
      : frames_(std::move(frames)),
        motion_(std::move(skeleton), options, file),
        file_(std::move(file)),
        format_(std::move(format)) {
    names_.push_back("frame");
    if (frames_->seconds()) names_.push_back("time_s");
    first_ = static_cast<Index>(names_.size());
    for (const auto& name : motion_.names()) names_.push_back(name);
    const auto count = static_cast<Index>(names_.size());
    if (options.table.columns.empty()) {
      selected_.resize(static_cast<std::size_t>(count - first_));
      std::iota(selected_.begin(), selected_.end(), first_);
    } else {
      selected_ = select_columns(options.table.columns, names_, count, file_);
    }
    for (const auto& column : options.table.text_columns)
      for (const Index found : select_columns(column, names_, count, file_)) text_.push_back(found);
  }

  Index width() const override { return static_cast<Index>(selected_.size()); }
  std::optional<Index> rows() const override { return frames_->frames(); }
  std::vector<Index> shape() const override { return {width()}; }
  std::string format() const override { return format_; }
  std::vector<std::string> names() const override {
    std::vector<std::string> chosen;
    for (const Index column : selected_) chosen.push_back(names_[static_cast<std::size_t>(column)]);
    return chosen;
  }
  std::vector<TableColumn> columns() const override {
    std::vector<TableColumn> all;
    for (const auto& name : names_) all.push_back({name, true, false});
    for (const Index column : selected_) all[static_cast<std::size_t>(column)].selected = true;
    return all;
  }

  bool read(Index max_rows, TableBlock& block) override {
    block.first_row = row_;
    block.text.assign(text_.size(), {});
    values_.clear();
    Index count = 0;
    Vector all(static_cast<Index>(names_.size()));
    for (; count < max_rows && frames_->next(numbers_); ++count) {
      all[0] = static_cast<double>(frames_->frame());
      if (frames_->seconds()) all[1] = *frames_->seconds() * static_cast<double>(row_);
      all.tail(all.size() - first_) = motion_.at(numbers_);
      for (const Index column : selected_) values_.push_back(all[column]);
      for (std::size_t j = 0; j < text_.size(); ++j) block.text[j].push_back(format_number(all[text_[j]]));
      ++row_;
    }
    if (row_ == 0) throw Error(fmt::format("{}: no frames of motion", file_));
    block.values = Eigen::Map<const Matrix>(values_.data(), width(), count);
    return count > 0;
  }

 private:
  std::unique_ptr<FrameSource> frames_;
  BoneMotion motion_;
  std::string file_, format_;
  std::vector<std::string> names_;
  Index first_ = 0, row_ = 0;  // first_: the bone's first column
  std::vector<Index> selected_, text_;
  std::vector<double> numbers_, values_;
};

}  // namespace

std::unique_ptr<TableReader> motion_table(std::unique_ptr<FrameSource> frames, Skeleton skeleton,
                                          const MotionOptions& options, const std::string& file,
                                          const std::string& format) {
  return std::make_unique<MotionTable>(std::move(frames), std::move(skeleton), options, file, format);
}

}  // namespace wgp
