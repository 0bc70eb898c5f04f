// How the points of a model are found again: by an id that was read with them, by the voxel they come from, by
// themselves, or by their row.
//
// Tables get sorted, filtered and merged between a fit and its report, and joining them by row would then colour every
// point with another one's label without a word.
#pragma once

#include <string>
#include <vector>

#include "cli/input/points.h"
#include "wgp/model_file.h"

namespace wgp::cli {

// The columns that --id names, or an id's own if the file has a column called "id" or "name" that is not among the
// numbers; i, j, k for an image. Empty if there is none.
std::vector<std::string> id_columns_of(const Arguments& arguments, const InputFiles& files);

// Those of a set's id columns that another table, to be read beside it row by row, has as well: all or none.
std::vector<std::string> shared_id_columns(const Arguments& arguments, const std::string& path,
                                           const std::vector<std::string>& id_columns);
// Error where a row of that table has another id than the set's point of the same row. ids: of all rows.
void check_same_ids(const std::vector<std::string>& ids, const std::string& path, const PointSet& set,
                    const std::string& input);

// Of several files, where two of them have the same id and --id was not given: the file's name goes before all of them,
// with a comma between, and its column before those of the ids.
void qualify_ids(const Arguments& arguments, PointSet& set, std::vector<std::string>& id_columns);

// Error if --id was given and two points have the same id, or one has none.
void check_ids(const Arguments& arguments, const PointSet& set);

// Puts ids, rows and columns into the notes of a model that holds these points of a set. Ids that nobody asked for (no
// --id) are left out where two are the same. Labels are ids where there are no others and no two are the same.
void note_points(const Arguments& arguments, const PointSet& set, const std::vector<std::string>& id_columns,
                 const std::vector<Index>& training, ModelNotes& notes);

// The points of a model that holds none, from the table that it was fitted to (--data), joined by ids where both have
// them, else by rows. With the column of labels, if one is wanted (empty: none), for each of them.
struct FoundPoints {
  Matrix points;
  std::vector<std::string> labels;
};
FoundPoints points_of(const Arguments& arguments, const InputFiles& files, const std::string& label_column,
                      const LoadedModel& loaded, const Messages& messages);

// The text of a column (--labels) for each point of a model, from a table that is joined by ids where the model has
// them, else by the points themselves where the table has those, else by row if that is allowed (--by-row).
std::vector<std::string> joined_labels(const Arguments& arguments, const InputFiles& files, const std::string& column,
                                       const LoadedModel& loaded);

}  // namespace wgp::cli
