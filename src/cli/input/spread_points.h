// Points of a table that are spread over processes: each keeps those of its own blocks alone.
#pragma once

#include "cli/input/points.h"

namespace wgp::cli {

// Of a fit in passes (fit/large_fit.h), where there are so many; else all points, on every process. Of an NPY file each
// reads its own rows; other formats must be read through to know how many rows there are, by each, and twice.
PointSet read_spread_points(const InputFiles& files, const ManifoldPtr& manifold, const InputOptions& options,
                            const Messages& messages);

}  // namespace wgp::cli
