// Curves that come near themselves: which way the ends go on is what a search gets wrong most easily.
#pragma once

#include <utility>
#include <vector>

#include "wgp/types.h"

namespace wgp {

enum class CurveEnds { open, closed };

// Pairs of places a < b along a curve (columns) that are nearer to each other than `reach`, though far apart along it;
// the nearest first, at most `most`, away from each other.
std::vector<std::pair<Index, Index>> near_passes(ConstMatrixRef curve, CurveEnds ends, double reach, std::size_t most);

// How often the curve comes nearer to itself than `reach`.
int crossings(ConstMatrixRef curve, CurveEnds ends, double reach);

// Whether it does so only where it goes across itself, at an angle of 30 degrees or more. Strands that run side by side
// are two turns of one curve, and a crossing there is one of the search.
bool goes_across(ConstMatrixRef curve, CurveEnds ends, double reach);

}  // namespace wgp
