// A fit of more points than a search, or memory, can hold: a submanifold is searched for with a part of them, and then
// all of them improve it in passes (evidence/normal_passes.h).
//
//   the mean       from the part's, in a few passes over all points
//   the search     on FitOptions::subsample points at random (fit/latent_search.h)
//   all points     their latents from what the part has found, then passes until these gain next to nothing
//   left out       the sums over a fold are subtracted; some points of each fold are encoded by what the others made
// Points are read in blocks, and what is kept of each, its latent, the latent's variance and its pace, waits in a file
// beside their vectors: memory does not grow with their number.
#pragma once

#include "fit/large_points.h"
#include "wgp/fit.h"

namespace wgp {

// So many points, or numbers of points, and more.
bool is_large(const Manifold& manifold, Index N);
// Why a fit cannot be made in passes; empty if it can: latents integrated out, up to three of them, the mean as base
// point, and nothing asked for that looks at all points together.
std::string why_not_in_passes(const FitOptions& options);

FitResult large_fit(const ManifoldPtr& manifold, const ColumnBlocks& points, const FitOptions& options);
// Of points wherever they are.
FitResult large_fit(const ManifoldPtr& manifold, LargePoints& points, const FitOptions& options);

}  // namespace wgp
