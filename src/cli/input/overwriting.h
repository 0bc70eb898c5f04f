// What a command reads must not be what it writes: a result that replaced its own input would lose the user's data.
//
// Files are the same by what they are, not by how they are spelled: ./p.csv, a symbolic or hard link to it and standard
// input that comes from it are all p.csv. Devices and pipes can be both.
#pragma once

#include "cli/input/arguments.h"

namespace wgp::cli {

// Wrong usage where a file that is written (-o, --checkpoint, --nodes-out, the tables of --projector) is one that is
// read (an operand, or a flag that takes a file), or is written twice. --checkpoint may be the file of --resume: that
// is how a fit goes on.
void check_overwriting(const Arguments& arguments);

}  // namespace wgp::cli
