#include "io/motion/skeleton_table.h"

#include "core/format.h"

#include <algorithm>
#include <numeric>

#include "io/bytes/number.h"
#include "io/tables/columns.h"

namespace wgp {
namespace {

class MotionTable final : public TableReader {
 public:
  MotionTable(std::unique_ptr<FrameSource> frames, Skeleton skeleton, const MotionOptions& options, std::string file,
              std::string format)
      : frames_(std::move(frames)), file_(std::move(file)), format_(std::move(format)) {
    const std::vector<std::string> bones = bones_of(options.bone);
    for (const std::string& bone : bones) {
      MotionOptions of_bone = options;
      of_bone.bone = bone;
      motions_.emplace_back(skeleton, of_bone, file_);
    }
    names_.push_back("frame");
    if (frames_->seconds()) names_.push_back("time_s");
    first_ = static_cast<Index>(names_.size());
    for (std::size_t b = 0; b < bones.size(); ++b)
      for (const auto& name : motions_[b].names())
        names_.push_back(bones.size() == 1 ? name : fmt::format("{}.{}", bones[b], name));
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
      Index at = first_;
      for (const BoneMotion& motion : motions_) {
        const Vector numbers = motion.at(numbers_);
        all.segment(at, numbers.size()) = numbers;
        at += numbers.size();
      }
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
  std::vector<BoneMotion> motions_;
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
