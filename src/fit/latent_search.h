// The search for a submanifold with its latents integrated out.
//
// Curves (one coordinate): principal components, path lengths along a neighbour graph and short tours through cluster
// centres as starts, each improved on a grid of nodes; the best are finished, and where a curve comes near itself its
// ends are tried the other way round. Surfaces: the same starts and a grown point estimate, on a grid of nodes and then
// with normal distributions of the latents. More coordinates, or vectors so long that posteriors are narrower than a
// grid: normal distributions alone, from the fourth coordinate on by inducing inputs.
#pragma once

#include <optional>
#include <vector>

#include "fit/latent_optimum.h"
#include "fit/latent_starts.h"

namespace wgp {

// V stays. Best first, at least one. Where the session's control says stop: the best that there is by then.
std::vector<LatentOptimum> search_latents(const LatentSearchSetting& setting);

// The best curve that a search from nothing finds by the one kind of start that `like` came from, with its reconnection
// and outliers where it has some: what left-out points are to be asked, as they have had no part in it. Nothing where
// there are too few points for that kind. Throws Stopped.
std::optional<LatentOptimum> search_alike(const LatentSearchSetting& setting, const LatentOptimum& like,
                                          Executor& executor);

}  // namespace wgp
