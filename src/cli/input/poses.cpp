#include "cli/input/poses.h"

#include <algorithm>
#include <map>

#include "core/format.h"
#include "io/bytes/line_reader.h"
#include "wgp/row_form.h"

namespace wgp::cli {
namespace {

using Names = std::vector<std::string>;

// Some columns of a reader, in another order. The first rows may have been read already.
class OrderedColumns final : public TableReader {
 public:
  OrderedColumns(std::unique_ptr<TableReader> source, std::vector<Index> order)
      : source_(std::move(source)), order_(std::move(order)) {}
  OrderedColumns(std::unique_ptr<TableReader> source, std::vector<Index> order, TableBlock first)
      : OrderedColumns(std::move(source), std::move(order)) {
    held_ = std::move(first);
  }

  Index width() const override { return static_cast<Index>(order_.size()); }
  Names names() const override {
    const Names all = source_->names();
    Names chosen;
    if (!all.empty())
      for (const Index j : order_) chosen.push_back(all[static_cast<std::size_t>(j)]);
    return chosen;
  }
  std::vector<TableColumn> columns() const override {
    std::vector<TableColumn> all = source_->columns();
    Index at = 0;
    for (TableColumn& column : all)
      if (column.selected) column.selected = std::find(order_.begin(), order_.end(), at++) != order_.end();
    return all;
  }
  std::optional<Index> rows() const override { return source_->rows(); }
  std::vector<Index> shape() const override { return {width()}; }
  std::string format() const override { return source_->format(); }
  bool read(Index max_rows, TableBlock& block) override {
    const Index held = held_.values.cols() - used_;
    if (held == 0) {
      if (!source_->read(max_rows, block)) return false;
    } else {
      const Index count = std::min(held, max_rows);
      block.values = held_.values.middleCols(used_, count);
      block.text.clear();
      for (const auto& column : held_.text)
        block.text.emplace_back(column.begin() + used_, column.begin() + used_ + count);
      block.first_row = held_.first_row + used_;
      used_ += count;
    }
    block.values = Matrix(block.values(order_, Eigen::all));
    return true;
  }
  void skip(Index count) override {
    const Index of_held = std::min(held_.values.cols() - used_, count);
    used_ += of_held;
    source_->skip(count - of_held);
  }

 private:
  std::unique_ptr<TableReader> source_;
  std::vector<Index> order_;
  TableBlock held_;
  Index used_ = 0;
};

// "q_RS_w []" is q_rs_ and w: units in brackets do not count.
std::string bare(const std::string& name) {
  std::string word = to_lower(name.substr(0, name.find('[')));
  while (!word.empty() && (word.back() == ' ' || word.back() == ')')) word.pop_back();
  return word;
}

bool has_form(const Manifold& manifold, const char* form) {
  for (const auto& one : row_forms(manifold))
    if (one->name() == form) return true;
  return false;
}

std::vector<Index> identity(Index width) {
  std::vector<Index> order(static_cast<std::size_t>(width));
  for (Index j = 0; j < width; ++j) order[static_cast<std::size_t>(j)] = j;
  return order;
}

Names chosen(const Names& names, const std::vector<Index>& order) {
  Names some;
  for (const Index j : order) some.push_back(names[static_cast<std::size_t>(j)]);
  return some;
}

bool is_rotation(const Eigen::Matrix3d& R) {
  constexpr double forgiven = 1e-3;  // as quaternions may be off
  return (R.transpose() * R - Eigen::Matrix3d::Identity()).norm() <= forgiven &&
         R(0, 0) * R(1, 1) * R(2, 2) + R(0, 1) * R(1, 2) * R(2, 0) + R(0, 2) * R(1, 0) * R(2, 1) >
             R(0, 2) * R(1, 1) * R(2, 0) + R(0, 1) * R(1, 0) * R(2, 2) + R(0, 0) * R(1, 2) * R(2, 1);  // det R > 0
}

// A quaternion that nothing names, by --quaternion.
std::unique_ptr<TableReader> by_flag(std::unique_ptr<TableReader> reader, const TableFlags& flags) {
  if (flags.quaternion != TableFlags::Quaternion::scalar_last) return reader;
  std::vector<Index> order = identity(reader->width());
  std::rotate(order.begin(), order.begin() + 3, order.begin() + 4);
  return std::make_unique<OrderedColumns>(std::move(reader), order);
}

}  // namespace

bool are_kitti(ConstMatrixRef rows) {
  if (rows.rows() != 12) return false;
  for (Index i = 0; i < rows.cols(); ++i) {
    Eigen::Matrix3d as_they_are, of_kitti;
    for (Index r = 0; r < 3; ++r)
      for (Index c = 0; c < 3; ++c) {
        as_they_are(r, c) = rows(3 * r + c, i);
        of_kitti(r, c) = rows(4 * r + c, i);
      }
    if (is_rotation(as_they_are) || !is_rotation(of_kitti)) return false;
  }
  return rows.cols() > 0;
}

NamedPose named_pose(const Names& names) {
  std::map<std::string, std::map<char, Index>> groups;  // by what stands before w, x, y, z
  for (std::size_t j = 0; j < names.size(); ++j) {
    const std::string word = bare(names[j]);
    if (word.empty() || std::string_view("wxyz").find(word.back()) == std::string_view::npos) continue;
    auto& group = groups[word.substr(0, word.size() - 1)];
    if (!group.emplace(word.back(), static_cast<Index>(j)).second) return {};  // a name that two columns have
  }
  NamedPose pose;
  std::vector<std::vector<Index>> triples, of_places;
  for (const auto& [stem, group] : groups) {
    std::vector<Index> members;
    for (const char axis : {'w', 'x', 'y', 'z'})
      if (const auto found = group.find(axis); found != group.end()) members.push_back(found->second);
    if (members.size() == 4) {
      if (!pose.quaternion.empty()) return {};
      pose.quaternion = members;
    } else if (members.size() == 3 && group.count('w') == 0) {
      triples.push_back(members);
      if (stem.starts_with('p') || stem.starts_with('t')) of_places.push_back(members);
    }
  }
  // Of velocities and biases beside them, places are called p... or t....
  if (triples.size() == 1) pose.translation = triples.front();
  if (triples.size() > 1 && of_places.size() == 1) pose.translation = of_places.front();
  return pose;
}

std::unique_ptr<TableReader> in_pose_order(std::unique_ptr<TableReader> reader, const std::string& file,
                                           const TableFlags& flags, const TableOptions& options,
                                           const Manifold* manifold, const Messages* messages) {
  if (manifold == nullptr) return reader;
  const bool rotations = has_form(*manifold, "quaternion"), poses = has_form(*manifold, "quaternion and translation");
  const bool flag = flags.quaternion != TableFlags::Quaternion::as_named;
  if (!rotations && !poses) {
    if (flag) throw UsageError(fmt::format("--quaternion is for so:3 and se:3; {} has none", manifold->spec()));
    return reader;
  }
  const Names names = reader->names();
  const NamedPose named = named_pose(names);
  const Index wanted = rotations ? 4 : 7;
  if (!named.quaternion.empty() && (rotations || !named.translation.empty()) &&
      (options.columns.empty() || reader->width() == wanted)) {
    std::vector<Index> order = named.quaternion;
    if (poses) order.insert(order.end(), named.translation.begin(), named.translation.end());
    const bool scalar_last = named.quaternion.front() > named.quaternion.back();
    if (flag && scalar_last != (flags.quaternion == TableFlags::Quaternion::scalar_last))
      throw UsageError(fmt::format("--quaternion contradicts {}, whose columns are {}; leave it out", file,
                                   fmt::join(chosen(names, named.quaternion), ", ")));
    if (order == identity(reader->width())) return reader;
    if (messages != nullptr)
      messages->say("{}: {} taken from its columns {}", file,
                    rotations ? "quaternions w, x, y, z" : "quaternions w, x, y, z and translations x, y, z",
                    fmt::join(chosen(names, order), ", "));
    return std::make_unique<OrderedColumns>(std::move(reader), order);
  }
  if (flag && reader->width() == wanted) return by_flag(std::move(reader), flags);
  if (flag && reader->width() != wanted)
    throw UsageError(
        fmt::format("--quaternion: {} has {} in each row, but {} takes {}; choose them with --columns{}", file,
                    plural(reader->width(), "number"), manifold->spec(), wanted,
                    rotations ? "" : ", the quaternion first, e.g. --columns 5:8,2:4 of a TUM trajectory"));
  if (!poses || reader->width() != 12 || !names.empty() || reader->shape().size() > 1) return reader;
  constexpr Index rows_looked_at = 100;
  TableBlock first;
  if (!reader->read(rows_looked_at, first)) return reader;
  std::vector<Index> order = identity(12);
  if (are_kitti(first.values)) {
    order = {0, 1, 2, 4, 5, 6, 8, 9, 10, 3, 7, 11};
    if (messages != nullptr) messages->say("{}: taken as rows of 3 x 4 matrices, r11 r12 r13 tx r21 ... (KITTI)", file);
  }
  return std::make_unique<OrderedColumns>(std::move(reader), order, std::move(first));
}

}  // namespace wgp::cli
