#include "report/figures/point_names.h"

#include "core/format.h"
#include "report/svg/colouring.h"

namespace wgp::report {

PointNames::PointNames(const ModelNotes& notes) : column_(notes.id_column), ids_(notes.ids), rows_(notes.rows) {
  if (ids_.empty()) return;
  by_ = column_ == "i,j,k" ? By::voxel : By::id;
  const bool number = column_.find_first_not_of("0123456789") == std::string::npos;
  if (number) column_ = "id";
}

std::string PointNames::heading() const { return by_ == By::row ? "row" : by_ == By::voxel ? "voxel" : column_; }

std::string PointNames::cell(Index i) const {
  if (by_ == By::row) return fmt::format("{}", row(i) + 1);
  const std::string& id = ids_[static_cast<std::size_t>(i)];
  if (by_ == By::id) return shortened(id, 40);
  std::string spaced;
  for (const char c : id) spaced += c == ',' ? std::string(", ") : std::string(1, c);
  return "(" + spaced + ")";
}

std::string PointNames::name(Index i) const { return fmt::format("{} {}", heading(), cell(i)); }

Index PointNames::row(Index i) const { return rows_.empty() ? i : rows_[static_cast<std::size_t>(i)]; }

}  // namespace wgp::report
