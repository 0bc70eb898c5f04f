"""Wrapped Gaussian process regression as a scikit-learn estimator."""

from __future__ import annotations

import math
import os
import warnings

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from . import _core, display
from . import explore as explorer
from .arrays import checked, core_of, is_complex, layout_of, points_of, seed_of
from .compatibility import check_features
from .kernels import core_kernel
from .estimator import ManifoldEstimator, threads_of
from .manifolds import Manifold


class WrappedGPRegressor(MultiOutputMixin, RegressorMixin, ManifoldEstimator):
    """Gaussian process regression of points of a manifold on plain inputs.

    Parameters
    ----------
    manifold : str or wgp.Manifold, default "euclidean"
        Where the outputs lie; without a number the size is that of the data.
    kernel : str or wgp.CustomKernel
        Of the inputs: ``rbf``, ``matern32``, ``matern52``, ``periodic``, ``linear``, sums and products of them.
    ard : bool
        One length-scale for each input.
    periodic : int
        The first so many inputs are angles.
    basepoint : "mean", "optimised", "geodesic", "spline" or "auto"
        Where the tangent spaces are.
    no_volume : bool
        Fitted base points by the paper's objective.
    input_sd : float or array (n, p), optional
        How well the inputs are known; they are integrated out then.
    max_iter, time_limit, tolerance, quaternion, threads, callback, verbose, random_state
        As of :class:`WGPLVM`.

    Attributes
    ----------
    log_likelihood_ : float
    noise_sd_ : float
        Standard deviation of the noise in one tangent direction.
    summary_ : dict
        All that the fit says of itself.

    Examples
    --------
    >>> import numpy as np, wgp
    >>> x = np.linspace(0, 3, 30)[:, None]
    >>> Y = np.c_[np.cos(x), np.sin(x), 0 * x]
    >>> model = wgp.WrappedGPRegressor("sphere:2").fit(x, Y)
    >>> np.allclose(model.predict([[1.5]]), [[np.cos(1.5), np.sin(1.5), 0]], atol=1e-2)
    True
    """

    def __init__(
        self,
        manifold="euclidean",
        kernel="rbf",
        *,
        ard=False,
        periodic=None,
        basepoint="mean",
        no_volume=False,
        input_sd=None,
        max_iter=1000,
        time_limit=None,
        tolerance=None,
        quaternion="wxyz",
        threads=None,
        callback=None,
        verbose=0,
        random_state=None,
    ):
        self.manifold = manifold
        self.kernel = kernel
        self.ard = ard
        self.periodic = periodic
        self.basepoint = basepoint
        self.no_volume = no_volume
        self.input_sd = input_sd
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.tolerance = tolerance
        self.quaternion = quaternion
        self.threads = threads
        self.callback = callback
        self.verbose = verbose
        self.random_state = random_state

    def _inputs(self, X, reset):
        if np.asarray(X).ndim == 1:
            raise ValueError(
                "Expected 2D array, got 1D array instead. Reshape your data either using array.reshape(-1, 1) if your "
                "data has a single feature or array.reshape(1, -1) if it contains a single sample."
            )
        if is_complex(X):
            raise ValueError("Complex data not supported")
        array = checked(X, min_samples=2 if reset else 1)
        if array.ndim != 2:
            raise ValueError(f"X: an array of shape (n, p) is needed, not {array.shape}")
        if not np.isfinite(array).all():
            row = int(np.argmin(np.isfinite(array).all(axis=1))) + 1
            raise ValueError(f"X: row {row}: not finite (the input contains NaN or infinity)")
        check_features(self, X, array, reset=reset)
        return array

    def fit(self, X, y):
        """Fits the regression.

        Parameters
        ----------
        X : array (n, p)
            Inputs.
        y : array (n, ...)
            Points of the manifold; numbers (n,) are points of a line.
        """
        if y is None:
            raise ValueError("This estimator requires y to be passed, but the target y is None")
        inputs = self._inputs(X, reset=True)
        targets = np.asarray(y)
        if targets.dtype.kind == "c" and not str(self.manifold).startswith("kendall"):
            raise ValueError("Complex data not supported")
        scalar = targets.ndim == 1
        outputs = checked(targets.reshape(-1, 1) if scalar else targets, name="y")
        check_consistent_length(inputs, outputs)
        core = core_of(self.manifold, outputs.shape[1:])
        self.manifold_ = Manifold(core) if isinstance(self.manifold, str) else self.manifold
        self.layout_ = layout_of(core, outputs, outputs.shape[1:], quaternion=self.quaternion)
        self.scalar_output_ = scalar
        points = points_of(core, self.layout_, outputs, self.tolerance)
        options = {name: getattr(self, name) for name in ("ard", "periodic", "basepoint", "no_volume", "max_iter")}
        options.update(
            kernel=core_kernel(self.kernel),
            n_latent=inputs.shape[1],
            threads=threads_of(self.threads),
            seed=seed_of(self.random_state),
        )
        sd = None
        if self.input_sd is not None:
            sd = np.ascontiguousarray(np.broadcast_to(np.asarray(self.input_sd, dtype=np.float64), inputs.shape))
        progress = display.Progress(self.verbose, self.callback)
        limit = math.inf if self.time_limit is None else float(self.time_limit)
        try:
            model, interrupted = _core.regress(
                core, inputs, points, options, sd, self.layout_.form, progress.asked, limit
            )
        finally:
            progress.clear()
        self._take(model)
        if interrupted:
            warnings.warn("the fit was interrupted: the model is the best one so far", stacklevel=2)
        return self

    def _take(self, model):
        self.model_ = model
        self.summary_ = model.summary
        bound = self.summary_["bound"]
        self.log_likelihood_ = self.summary_["log_likelihood"] if bound is None else bound
        self.n_iter_ = max(1, self.summary_["iterations"])
        self.noise_sd_ = math.sqrt(model.noise)

    def _output(self, points):
        array = self._array(points)
        return array.ravel() if getattr(self, "scalar_output_", False) else array

    def predict(self, X, return_std=False):
        """Points at inputs; with ``return_std`` also the standard deviation of data about them."""
        check_is_fitted(self)
        points, deviation = self.model_.decode(self._inputs(X, reset=False), None)
        points = self._output(points)
        return (points, deviation) if return_std else points

    def sample_y(self, X, n_samples=1, random_state=None, noise=True, joint=False):
        """Draws at inputs: an array (n_samples, n, ...)."""
        check_is_fitted(self)
        inputs = self._inputs(X, reset=False)
        draws = self.model_.sample(inputs, int(n_samples), seed_of(random_state), bool(noise), bool(joint))
        array = self._output(draws)
        return array.reshape((n_samples, len(inputs), *array.shape[1:]))

    def score(self, X, y, sample_weight=None):
        """The share of the variance that is explained: 1 - sum of squared distances to predictions over that to the
        Frechet mean of y. On Euclidean outputs this is R squared of all of them together."""
        check_is_fitted(self)
        predicted, _ = self.model_.decode(self._inputs(X, reset=False), None)
        y = np.asarray(y)
        array = checked(y.reshape(-1, 1) if y.ndim == 1 else y, name="y")
        core = self.manifold_._core
        points = points_of(core, self.layout_, array, self.tolerance)
        weights = np.ones(len(points)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        mean = _core.frechet_mean(core, points, weights / weights.sum(), 1e-12, 200, 0)["mean"]
        total = weights @ core.dist(mean[None], points) ** 2
        rest = weights @ core.dist(np.ascontiguousarray(predicted), points) ** 2
        if total == 0:
            return 1.0 if rest == 0 else 0.0
        return float(1 - rest / total)

    def save(self, path):
        """Writes the model to a .wgp file."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    def to_html(self):
        """The page about the model."""
        check_is_fitted(self)
        return self.model_.html(type(self).__name__, "label", [])

    def report(self, path):
        """Writes the page about the model."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_html())

    def explore(self, open_browser=None, height=900):
        """The page about the model, live: in a notebook below the cell, elsewhere in the browser, where there is one.

        ``open_browser``: True, in the browser, also from a notebook; False, nowhere. Returns the page, with its address
        ``url``, and ``close()``.
        """
        check_is_fitted(self)
        return explorer.explore(self, None, open_browser, height)
