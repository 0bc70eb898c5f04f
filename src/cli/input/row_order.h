// In which order the numbers of a row stand, where the file says so itself: by the names of its columns (qx, qy, qz,
// qw; xx, xy, xz, yy, yz, zz; x1, x2, ..., y1, y2, ...) or by the shape of its arrays ((n, 2, k), not (n, k, 2)).
//
// Every such order is a valid row of the same width, so that reading it as another one gives points that are wrong
// without a word. Names that say nothing of an order are taken as they come. (Quaternions have been put in order
// before, by poses.h.)
#pragma once

#include <string>

#include "wgp/io.h"
#include "wgp/manifold.h"
#include "wgp/row_form.h"

namespace wgp::cli {

// Error if the file says another order than the one that rows of this form are read in, with the --columns that would
// be right. Quaternions are w x y z, matrices stand row by row, triangles are lower ones row by row, landmarks are
// x1 y1 x2 y2 ... or x1 y1 z1 ....
void check_row_order(const TableReader& reader, const Manifold& manifold, const RowForm& form, const std::string& file);

// Of landmarks that stand as x1 y1 x2 ... or x1 y1 z1 x2 ...: 2 or 3; 0 where the file says nothing of the kind.
Index stated_landmark_dimension(const TableReader& reader);

}  // namespace wgp::cli
