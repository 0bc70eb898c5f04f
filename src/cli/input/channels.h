// Names of the rows and columns of matrices: --channels, or what the file itself says.
#pragma once

#include <string>
#include <vector>

#include "cli/input/arguments.h"
#include "wgp/manifold.h"

namespace wgp::cli {

// n of spd:n and correlation:n with any metric; 0 of any other manifold, and of products.
Index channel_count(const Manifold& manifold);

// --channels Fz,Cz,Pz or a file: one name a line, a column of a table that is called name, channel or label (else its
// first), or an array of text (.npy). None where it is not given. Wrong usage for points that are no matrices; an Error
// for another number of names than channels, and for names that two of them have.
std::vector<std::string> channels_from(const Arguments& arguments, const Manifold& manifold);

// An Error where both have names and they differ: matrices whose channels are in another order are other points.
void check_same_channels(const std::vector<std::string>& names, const std::string& whose,
                         const std::vector<std::string>& others, const std::string& of_others);

// "entries (1,2) and (2,1)" become "entries (Fz,Cz) and (Cz,Fz)" where there are names.
std::string with_channels(const std::string& text, const std::vector<std::string>& names);

}  // namespace wgp::cli
