"""Fits of points that are spread over the blocks of a Dask array, on one machine or many.

The fit says what it wants to know (some kilobytes), every block answers with its part of sums, the parts are added, and
so on until it is done; points stay where they are. A part is a function of its arguments alone, so a worker that dies
costs the time of its parts, which Dask has others make again.
"""

from __future__ import annotations

import functools
import sys

import numpy as np

from . import _core
from .arrays import points_of


def is_dask(X):
    """Whether this is a Dask array; Dask is not imported to find out."""
    dask_array = sys.modules.get("dask.array")
    return dask_array is not None and isinstance(X, dask_array.Array)


def with_known_blocks(X):
    """Blocks of rows alone, each but the last of a multiple of what the library adds up at a time."""
    if np.isnan(X.shape[0]):
        X = X.compute_chunk_sizes()
    multiple = _core.block_multiple
    chunks = {axis: -1 for axis in range(1, X.ndim)}
    if any(count % multiple for count in X.chunks[0][:-1]):
        mean = max(1, round(X.shape[0] / len(X.chunks[0]) / multiple))
        chunks[0] = mean * multiple
    return X.rechunk(chunks) if chunks else X


def _partial(spec, layout, tolerance, first, array, parameters, latents):
    core = _core.parse_manifold(spec)
    points = points_of(core, layout, np.ascontiguousarray(array, dtype=np.float64), tolerance)
    return _core.PointBlock(core, first, points).partial(parameters, latents)


def fit_blocks(core, layout, tolerance, X, options, encoder, callback, time_limit):
    """The model of the points of a Dask array, and whether the fit was interrupted."""
    import dask

    fit = _core.BlockFit(core, int(X.shape[0]), options, callback, time_limit)
    blocks = X.to_delayed().ravel()
    firsts = np.cumsum([0, *X.chunks[0]])[:-1]
    latents = [b""] * len(blocks)
    ask = dask.delayed(_partial, pure=False)
    while not fit.done:
        parameters = dask.delayed(fit.parameters())
        parts = dask.compute(
            *(
                ask(core.spec, layout, tolerance, int(first), block, parameters, kept)
                for first, block, kept in zip(firsts, blocks, latents)
            )
        )
        latents = [part[1] for part in parts]
        fit.step(functools.reduce(_core.add_block_sums, [part[0] for part in parts]))
    return fit.result(layout.form, encoder), fit.interrupted


def is_fitted_in_blocks(core, count, options):
    """Whether a fit of so many points looks at them in passes; others are gathered and fitted in memory."""
    return _core.fits_in_passes(core, count, options)


def mapped(X, function, columns):
    """The function of each block's rows, as a Dask array with so many columns (None: one number a row)."""
    X = X.rechunk({axis: -1 for axis in range(1, X.ndim)})
    chunks = (X.chunks[0],) if columns is None else (X.chunks[0], (columns,))
    return X.map_blocks(
        lambda block: function(np.asarray(block)),
        dtype=np.float64,
        chunks=chunks,
        drop_axis=list(range(1 if columns is None else 2, X.ndim)),
        meta=np.empty((0,) if columns is None else (0, 0)),
    )

