// The little language of --columns: "4:19", "1,3,5", "x,y,z", "x1:y8", mixed by commas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wgp/types.h"

namespace wgp {

// 0-based positions. names: the file's header, empty if it has none (then count columns are numbered only).
std::vector<Index> select_columns(std::string_view selection, const std::vector<std::string>& names, Index count,
                                  const std::string& file);
// Whether some part of the selection is a name, so that the file must have a header.
bool selects_by_name(std::string_view selection);

}  // namespace wgp
