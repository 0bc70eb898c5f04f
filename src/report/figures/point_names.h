// What the training points are called: by their ids, by the voxels of the image they come from, or by their rows in the
// table that the model was fitted to.
#pragma once

#include <string>

#include "wgp/model_file.h"

namespace wgp::report {

class PointNames {
 public:
  PointNames() = default;
  explicit PointNames(const ModelNotes& notes);

  std::string heading() const;      // of a column of cells: "row", "voxel", "id" or what the ids are called
  std::string cell(Index i) const;  // "17", "(10, 1, 27)", "wing_03"
  std::string name(Index i) const;  // "row 17", "voxel (10, 1, 27)", "id wing_03"
  Index row(Index i) const;         // in the table of the fit, from 0 on

 private:
  enum class By { row, voxel, id } by_ = By::row;
  std::string column_;
  std::vector<std::string> ids_;
  std::vector<Index> rows_;
};

}  // namespace wgp::report
