// How the rows of a file are to be read: --decimal, --rows, --every, --quaternion and --curves.
#pragma once

#include "cli/input/arguments.h"
#include "io/tables/chosen_rows.h"

namespace wgp::cli {

struct TableFlags {
  enum class Quaternion { as_named, scalar_first, scalar_last };
  char decimal = '.';
  RowChoice rows;
  Index sample_axis = 0;
  Quaternion quaternion = Quaternion::as_named;
  std::optional<TableOptions::Curves> curves;
};
// --rows A:B counts as messages do: from 1 on, without a header, both ends included.
TableFlags table_flags_from(const Arguments& arguments);

}  // namespace wgp::cli
