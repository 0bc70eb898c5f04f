// wgp convert --rank and --basis: covariance matrices in fewer dimensions, which all of them share.
#pragma once

#include "cli/input/arguments.h"

namespace wgp::cli {

bool reduces_rank(const Arguments& arguments);  // wrong usage where flags of it do not go together
int run_reduced(const Arguments& arguments);

}  // namespace wgp::cli
