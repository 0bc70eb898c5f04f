"""What the latent variable models share: fit, encode, decode, sample, score, save, show."""

from __future__ import annotations

import copy
import math
import os
import warnings

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core, blocks, display
from . import explore as explorer
from .arrays import checked, core_of, layout_of, seed_of
from .estimator import ManifoldEstimator, threads_of
from .kernels import core_kernel
from .manifolds import Manifold


class LatentModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ManifoldEstimator):
    """What the latent variable models share."""

    _kind = "wgplvm"

    def _options(self):
        names = (
            "n_latent kernel ard periodic inference basepoint no_volume prior effort init starts noise_law outliers "
            "choose candidate subsample keep_latents calibrate variance folds clip max_iter checkpoint resume"
        ).split()
        options = {name: getattr(self, name) for name in names if hasattr(self, name)}
        if self.encoder not in ("density", "projection"):
            raise ValueError(f"encoder={self.encoder!r}: density or projection is needed")
        options["kernel"] = core_kernel(options["kernel"])
        options["model"] = self._kind
        options["threads"] = threads_of(self.threads)
        options["seed"] = seed_of(self.random_state)
        at = getattr(self, "at", None)
        if at is not None:
            options["at"] = checked(at, name="at")
            if options["at"].ndim != 2:
                raise ValueError(f"at: latents of shape (n, n_latent) are needed, not {options['at'].shape}")
        return options

    def fit(self, X, y=None):
        """Fits the model to points.

        Parameters
        ----------
        X : array of shape (n, ...)
            One point each, in the manifold's shape: (n, d), (n, c, c), (n, k, 2), ...
        y : ignored

        Returns
        -------
        self
        """
        if blocks.is_dask(X):
            return self._fit_blocks(X)
        core, points = self._begin(X)
        options = self._options()
        limit = math.inf if self.time_limit is None else float(self.time_limit)
        progress = display.Progress(self.verbose, self.callback)
        try:
            if isinstance(options["n_latent"], str):
                self._choose_latent_space(core, points, options, progress.asked, limit)
            model, interrupted = _core.fit(
                core, points, options, self.layout_.form, self.encoder, progress.asked, limit
            )
        finally:
            progress.clear()
        self._take(model)
        if interrupted:
            warnings.warn("the fit was interrupted: the model is the best one so far", stacklevel=2)
        return self

    def _fit_blocks(self, X):
        """A Dask array: in passes where it is large, else in memory."""
        X = blocks.with_known_blocks(X)
        core = core_of(self.manifold, X.shape[1:])
        options = self._options()
        if isinstance(self.n_latent, str) or not blocks.is_fitted_in_blocks(core, X.shape[0], options):
            return self.fit(X.compute())
        self.manifold_ = Manifold(core)
        self.layout_ = layout_of(core, X, X.shape[1:], quaternion=self.quaternion)
        self.n_features_in_ = math.prod(X.shape[1:])
        limit = math.inf if self.time_limit is None else float(self.time_limit)
        progress = display.Progress(self.verbose, self.callback)
        try:
            model, interrupted = blocks.fit_blocks(
                core, self.layout_, self.tolerance, X, options, self.encoder, progress.asked, limit
            )
        finally:
            progress.clear()
        self._take(model)
        if interrupted:
            warnings.warn("the fit was interrupted: the model is the best one so far", stacklevel=2)
        return self

    def _without_callback(self):
        """What travels to workers: callbacks stay where they were made."""
        same = copy.copy(self)
        same.callback = None
        return same

    def _choose_latent_space(self, core, points, options, callback, limit):
        if options["n_latent"] != "auto":
            raise ValueError(f"n_latent={options['n_latent']!r}: a whole number, or 'auto' is needed")
        for name in ("periodic", "at", "candidate", "checkpoint", "resume"):
            if options.get(name) is not None:
                raise ValueError(f"n_latent='auto': {name} needs to know how many coordinates there are")
        choice = _core.choose_latent_space(core, points, dict(options, n_latent=1), callback, limit)
        self.latent_choice_ = choice
        chosen = next(one for one in choice["tried"] if one["chosen"])
        options.update(
            n_latent=chosen["angles"] + chosen["plain"], periodic=chosen["angles"] or None, kernel=chosen["kernel"]
        )

    def _take(self, model):
        self.model_ = model
        self.summary_ = model.summary
        self._take_latents()
        self.candidates_ = self.summary_["candidates"] or self.summary_["starts"]
        bound = self.summary_["bound"]
        self.log_likelihood_ = self.summary_["log_likelihood"] if bound is None else bound
        self.n_iter_ = max(1, self.summary_["iterations"])
        self.noise_sd_ = math.sqrt(model.noise)
        self.outliers_ = np.array(self.summary_["outliers"], dtype=int)

    def _take_latents(self):
        self.embedding_, sd = self.model_.X, self.model_.X_sd
        self.embedding_sd_ = sd if sd.size else np.zeros_like(self.embedding_)

    # The latents are in the model's bytes: they are not pickled twice.
    def __getstate__(self):
        state = dict(super().__getstate__())
        return {name: value for name, value in state.items() if name not in ("embedding_", "embedding_sd_")}

    def __setstate__(self, state):
        super().__setstate__(state)
        if hasattr(self, "model_"):
            self._take_latents()

    @property
    def _n_features_out(self):
        return self.model_.latent_dim

    def fit_transform(self, X, y=None):
        """Fits the model, and returns the latents of the points: ``fit(X).transform(X)``."""
        return self.fit(X, y).transform(X)

    def transform(self, X):
        """The latents of points, (n, n_latent): each point's most probable one. Of a Dask array a Dask array."""
        if blocks.is_dask(X):
            check_is_fitted(self)
            return blocks.mapped(X, self._without_callback().transform, self.model_.latent_dim)
        _, points = self._further(X)
        return self.model_.encode(points, self.encoder, threads_of(self.threads), False)["X"]

    def encode(self, X, return_std=False):
        """The latents of points; with ``return_std`` also their standard deviations and a status each.

        The status is ``ok``, ``ambiguous`` (several latents explain the point), ``outside_support`` or
        ``not_converged``.
        """
        _, points = self._further(X)
        found = self.model_.encode(points, self.encoder, threads_of(self.threads), False)
        if not return_std:
            return found["X"]
        return found["X"], found["sd"], np.array(found["status"])

    def encode_modes(self, X):
        """All latents that explain each point: a list of (row, latent, standard deviation, probability)."""
        _, points = self._further(X)
        return self.model_.encode(points, self.encoder, threads_of(self.threads), False)["modes"]

    def decode(self, Z, return_std=False, latent_sd=None):
        """The points at latents; with ``return_std`` also the standard deviation of data about them.

        ``latent_sd``: how well the latents are known, as ``encode`` says it.
        """
        check_is_fitted(self)
        Z = checked(Z, name="Z")
        sd = None if latent_sd is None else checked(latent_sd, name="latent_sd")
        points, deviation = self.model_.decode(Z, sd)
        points = self._array(points)
        return (points, deviation) if return_std else points

    def inverse_transform(self, Z):
        """The points at latents: :meth:`decode`."""
        return self.decode(Z)

    def reconstruct(self, X, return_std=False):
        """What the model makes of points: encoded and decoded."""
        return self.decode(self.encode(X), return_std)

    def sample(self, n_samples=1, at=None, random_state=None, noise=True, joint=False):
        """Draws new points.

        Parameters
        ----------
        n_samples : int
            How many: in all, or at each latent of ``at``.
        at : array of shape (m, n_latent), optional
            The result has the shape (n_samples, m, ...) then. Without it, latents are drawn as those of the training
            points lie.
        noise : bool
            Observation noise as well, not the function alone.
        joint : bool
            Each draw is one function, at all latents together.
        """
        check_is_fitted(self)
        seed = seed_of(random_state)
        if not isinstance(n_samples, (int, np.integer)) or n_samples < 1:
            raise ValueError(f"n_samples={n_samples!r}: a whole number of at least 1 is needed")
        if at is not None:
            Z = checked(at, name="at")
            points = self._array(self.model_.sample(Z, int(n_samples), seed, bool(noise), bool(joint)))
            return points.reshape((n_samples, len(Z), *points.shape[1:]))
        rng = np.random.default_rng(seed)
        chosen = rng.integers(len(self.embedding_), size=n_samples)
        Z = self.embedding_[chosen] + self.embedding_sd_[chosen] * rng.normal(size=(n_samples, self.embedding_.shape[1]))
        return self._array(self.model_.sample(np.ascontiguousarray(Z), 1, seed, bool(noise), False))

    def score_samples(self, X):
        """The log density of each point, its latent integrated out, per unit of Riemannian volume."""
        if blocks.is_dask(X):
            check_is_fitted(self)
            return blocks.mapped(X, self._without_callback().score_samples, None)
        _, points = self._further(X)
        return self.model_.log_density(points, self.encoder, threads_of(self.threads))

    def score(self, X, y=None):
        """The mean of :meth:`score_samples`: what models may be compared by, on points that they have not seen."""
        return float(np.mean(self.score_samples(X)))

    def errors(self, X):
        """Reconstruction errors and densities of points, as ``wgp score --json`` says them."""
        _, points = self._further(X)
        return self.model_.score(points, self.encoder, threads_of(self.threads))

    def geodesic(self, start, end, n_steps=20, straight=False):
        """The shortest latent path between two latents under the expected metric, (n_steps, n_latent), and its points."""
        check_is_fitted(self)
        ends = [np.ascontiguousarray(np.ravel(one), dtype=np.float64) for one in (start, end)]
        path = self.model_.geodesic(*ends, int(n_steps), bool(straight))
        return path["nodes"], self.decode(path["nodes"])

    # ---- files and pictures
    def save(self, path):
        """Writes the model to a .wgp file, which the command ``wgp`` reads as well."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    def to_html(self, labels=None, name=None):
        """The page about the model, one HTML text that needs nothing but itself."""
        check_is_fitted(self)
        texts = [] if labels is None else [str(label) for label in labels]
        return self.model_.html(name or type(self).__name__, "label", texts)

    def report(self, path, labels=None):
        """Writes the page about the model."""
        page = self.to_html(labels, os.path.basename(os.fspath(path)))
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)

    def explore(self, labels=None, open_browser=None, height=900):
        """The page about the model, live, as ``wgp explore`` serves it: files that are dropped on it are encoded.

        In a notebook it stands below the cell, elsewhere the browser shows it, where there is one.

        Parameters
        ----------
        labels : sequence, optional
            One for each training point.
        open_browser : bool, optional
            True: in the browser, also from a notebook; False: nowhere, only the address.
        height : int
            Of the page in a notebook, in pixels.

        Returns
        -------
        page : Explorer
            With the address ``url``, and ``close()``; Python's end closes it as well.

        Examples
        --------
        >>> import numpy as np, wgp
        >>> t = np.linspace(0, 3, 20)
        >>> model = wgp.WGPLVM(n_latent=1, effort="quick").fit(np.c_[t, np.sin(t)])
        >>> page = model.explore(open_browser=False)
        >>> page.url
        'http://127.0.0.1:...'
        >>> page.close()
        """
        check_is_fitted(self)
        return explorer.explore(self, labels, open_browser, height)

    def plot(self, X=None, labels=None, ax=None):
        """Points and the learned curve, on the plane and the sphere; elsewhere the latent space."""
        check_is_fitted(self)
        return display.plot_model(self, X, labels, ax)

    def plot_latent(self, labels=None, ax=None):
        """The latents of the training points."""
        check_is_fitted(self)
        return display.plot_latent(self, labels, ax)

    def plot_calibration(self, ax=None):
        """Whether the uncertainty is right, by points that were left out."""
        check_is_fitted(self)
        return display.plot_calibration(self, ax)

    def _repr_html_(self):
        if not hasattr(self, "model_"):
            return f"<pre>{self!r}</pre>"
        return display.summary_html(self)

    def _repr_mimebundle_(self, **kwargs):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
