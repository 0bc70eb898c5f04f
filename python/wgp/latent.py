"""Latent variable models as scikit-learn estimators."""

from __future__ import annotations

import math
import os

import numpy as np

from . import _core
from .arrays import layout_of
from .latent_model import LatentModel
from .manifolds import Manifold

_COMMON = """
    Parameters
    ----------
    manifold : str or wgp.Manifold, default "euclidean"
        A spec like ``"sphere:2"`` or ``"spd:24/affine-invariant"``; without a number ("spd", "kendall") the size is that
        of the data.
    n_latent : int, "auto" or None
        Number of latent coordinates; None is 2, and 1 on manifolds of two dimensions or fewer.
    kernel : str or wgp.CustomKernel, default "rbf"
        ``rbf``, ``matern32``, ``matern52``, ``periodic`` (the latents are angles), ``linear``, sums and products of them.
    ard : bool
        One length-scale for each latent coordinate.
    periodic : int
        The first so many coordinates are angles.{inference}
    effort : "quick", "normal" or "thorough"
        How long to search.
    init, starts, at
        Where searches start: see the command's ``--init``, ``--starts`` and ``--at``.
    max_iter : int
        Limit of a final optimisation.
    time_limit : float
        Seconds after which the best model so far is taken.
    encoder : "density" or "projection"
        How points are encoded: to the most probable latent, or to that of the nearest point.
    calibrate : float
        Share of the points that are held out for conformal regions.
    tolerance : float
        How far points may be from the manifold; None is the manifold's own.
    quaternion : "wxyz" or "xyzw"
        The order of quaternions' entries.
    checkpoint, resume : path
        Where finished steps are kept, and from where a fit goes on.
    threads : int
        They do not change the result; None is all processors.
    callback : callable
        Called with a dictionary (phase, step, steps, best, seconds) as the fit goes on; False ends it.
    verbose : int
        1 shows progress.
    random_state : int, generator or None
        None is 0, as of the command: fits are reproducible unless one asks for chance.

    Attributes
    ----------
    embedding_, embedding_sd_ : arrays (n, n_latent)
        The latents of the training points and their standard deviations.
    log_likelihood_ : float
        Of the data; where latents are integrated out, the bound on it.
    noise_sd_ : float
        Standard deviation of the noise in one tangent direction.
    candidates_ : list
        What the search found, the chosen one among it.
    outliers_ : array of int
        Rows that belong to nothing.
    summary_ : dict
        All that the fit says of itself, as ``wgp fit --json``.
    manifold_ : wgp.Manifold
    n_iter_ : int
"""


class WGPLVM(LatentModel):
    __doc__ = (
        """The wrapped Gaussian process latent variable model: a curve or surface in a manifold, and the noise about it.
"""
        + _COMMON.format(
            inference="""
    inference : "variational" or "point"
        Latents are integrated out, so that noise is not mistaken for structure; or estimated.
    basepoint : "mean", "optimised", "geodesic", "spline" or "auto"
        Where the tangent spaces are.
    noise_law : "auto", "normal", "student" or "structured"
        How data scatter about predictions.
    outliers : "auto" or "none"
        Whether points may belong to nothing.
    choose, candidate, subsample, keep_latents, prior, variance, folds, no_volume
        As the command's flags of these names."""
        )
        + """
    Examples
    --------
    >>> import numpy as np, wgp
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(0, 2 * np.pi, 80)
    >>> X = np.c_[np.cos(t), np.sin(t), 2 + 0 * t] + 0.05 * rng.normal(size=(80, 3))
    >>> X /= np.linalg.norm(X, axis=1, keepdims=True)
    >>> model = wgp.WGPLVM("sphere:2", n_latent=1, kernel="periodic", effort="quick").fit(X)
    >>> Z, sd, status = model.encode(X[:5], return_std=True)
    >>> model.decode(Z).shape
    (5, 3)
    """
    )

    def __init__(
        self,
        manifold="euclidean",
        n_latent=None,
        kernel="rbf",
        *,
        ard=False,
        periodic=None,
        inference="variational",
        basepoint="mean",
        no_volume=False,
        prior=None,
        effort="normal",
        init=None,
        starts=0,
        at=None,
        noise_law=None,
        outliers=None,
        choose=None,
        candidate=None,
        subsample=None,
        keep_latents=None,
        calibrate=None,
        variance=None,
        folds="random",
        max_iter=1000,
        time_limit=None,
        encoder="density",
        tolerance=None,
        quaternion="wxyz",
        checkpoint=None,
        resume=None,
        threads=None,
        callback=None,
        verbose=0,
        random_state=None,
    ):
        self.manifold = manifold
        self.n_latent = n_latent
        self.kernel = kernel
        self.ard = ard
        self.periodic = periodic
        self.inference = inference
        self.basepoint = basepoint
        self.no_volume = no_volume
        self.prior = prior
        self.effort = effort
        self.init = init
        self.starts = starts
        self.at = at
        self.noise_law = noise_law
        self.outliers = outliers
        self.choose = choose
        self.candidate = candidate
        self.subsample = subsample
        self.keep_latents = keep_latents
        self.calibrate = calibrate
        self.variance = variance
        self.folds = folds
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.encoder = encoder
        self.tolerance = tolerance
        self.quaternion = quaternion
        self.checkpoint = checkpoint
        self.resume = resume
        self.threads = threads
        self.callback = callback
        self.verbose = verbose
        self.random_state = random_state


class GPLVM(LatentModel):
    __doc__ = (
        """The Gaussian process latent variable model of the coordinates, blind to the manifold: the Euclidean baseline.
"""
        + _COMMON.format(
            inference="""
    inference : "variational" or "point"
        Latents are integrated out, or estimated.
    noise_law, outliers, choose, candidate, subsample, keep_latents, prior, variance, folds
        As the command's flags of these names."""
        )
        + """
    Examples
    --------
    >>> import numpy as np, wgp
    >>> X = np.random.default_rng(0).normal(size=(40, 3)) * [2, 1, 0.1]
    >>> wgp.GPLVM(n_latent=1, effort="quick").fit(X).embedding_.shape
    (40, 1)
    """
    )

    _kind = "gplvm"

    def __init__(
        self,
        manifold="euclidean",
        n_latent=None,
        kernel="rbf",
        *,
        ard=False,
        periodic=None,
        inference="variational",
        prior=None,
        effort="normal",
        init=None,
        starts=0,
        at=None,
        noise_law=None,
        outliers=None,
        choose=None,
        candidate=None,
        subsample=None,
        keep_latents=None,
        variance=None,
        folds="random",
        max_iter=1000,
        time_limit=None,
        encoder="density",
        tolerance=None,
        quaternion="wxyz",
        checkpoint=None,
        resume=None,
        threads=None,
        callback=None,
        verbose=0,
        random_state=None,
    ):
        self.manifold = manifold
        self.n_latent = n_latent
        self.kernel = kernel
        self.ard = ard
        self.periodic = periodic
        self.inference = inference
        self.prior = prior
        self.effort = effort
        self.init = init
        self.starts = starts
        self.at = at
        self.noise_law = noise_law
        self.outliers = outliers
        self.choose = choose
        self.candidate = candidate
        self.subsample = subsample
        self.keep_latents = keep_latents
        self.variance = variance
        self.folds = folds
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.encoder = encoder
        self.tolerance = tolerance
        self.quaternion = quaternion
        self.checkpoint = checkpoint
        self.resume = resume
        self.threads = threads
        self.callback = callback
        self.verbose = verbose
        self.random_state = random_state


class GPLVMProj(GPLVM):
    """:class:`GPLVM` whose predictions are brought back onto the manifold by projection.

    Parameters and attributes are those of :class:`GPLVM`.

    Examples
    --------
    >>> import numpy as np, wgp
    >>> X = wgp.manifold("sphere:2").random_point(40, random_state=1)
    >>> model = wgp.GPLVMProj("sphere:2", effort="quick").fit(X)
    >>> np.allclose(np.linalg.norm(model.decode(model.embedding_), axis=1), 1)
    True
    """

    _kind = "gplvmproj"


def load(path):
    """A fitted model from a .wgp file, whoever wrote it.

    Examples
    --------
    >>> import os, tempfile, numpy as np, wgp
    >>> X = np.random.default_rng(0).normal(size=(30, 2))
    >>> model = wgp.WGPLVM(n_latent=1, effort="quick").fit(X)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.wgp")
    >>> model.save(path)
    >>> np.array_equal(wgp.load(path).transform(X), model.transform(X))
    True
    """
    from .regression import WrappedGPRegressor

    core = _core.load_model(os.fspath(path))
    kinds = {"wgplvm": WGPLVM, "gplvm": GPLVM, "gplvmproj": GPLVMProj, "regression": WrappedGPRegressor}
    estimator = kinds[core.kind](core.manifold.spec)
    estimator.manifold_ = Manifold(core.manifold)
    form = core.row_form or core.manifold.row_forms[0][0]
    width = dict(core.manifold.row_forms).get(form, core.manifold.ambient_dim)
    if core.kind == "regression":
        shape, features = estimator.manifold_.point_shape, core.latent_dim
    else:
        features = width
        shape = estimator.manifold_.point_shape
    if math.prod(shape) != width:
        shape = (width,)
    estimator.layout_ = layout_of(core.manifold, np.empty((0, *shape)), shape)
    estimator.n_features_in_ = features
    if core.encoder and hasattr(estimator, "encoder"):
        estimator.encoder = core.encoder
    summary = core.summary
    if core.kind != "regression":
        estimator.set_params(
            n_latent=core.latent_dim, kernel=summary["kernel"]["spec"], periodic=core.angles or None,
            inference=summary["inference"],
        )
    estimator._take(core)
    return estimator
