"""Frechet means, principal geodesics, principal curves and wrapped Gaussians as estimators."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from .arrays import checked, seed_of
from .estimator import ManifoldEstimator


def _mean_of(core, points, weights=None, max_iter=200, tol=1e-12, seed=0):
    return _core.frechet_mean(core, points, weights, float(tol), int(max_iter), seed)


_NAMES_OF_PYRIEMANN = {
    "riemann": "affine-invariant",
    "logeuclid": "log-euclidean",
    "logchol": "log-cholesky",
    "wasserstein": "bures-wasserstein",
}


def mean(X, metric=None, manifold=None, weights=None):
    """The Frechet mean of points, in their shape.

    Parameters
    ----------
    X : array (n, ...)
    metric : str, optional
        Of covariance matrices: "log-euclidean" (the default), "affine-invariant", "log-cholesky", "bures-wasserstein", or
        pyRiemann's names for them: "logeuclid", "riemann", "logchol", "wasserstein".
    manifold : str or wgp.Manifold, optional
        Where the points lie; square matrices are taken for covariance matrices if nothing is said.
    weights : array (n,), optional

    Examples
    --------
    >>> import numpy as np, wgp
    >>> C = np.array([np.diag([1.0, 4.0]), np.diag([4.0, 1.0])])
    >>> wgp.mean(C, metric="affine-invariant").round(6).tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """
    if manifold is None:
        shape = np.shape(X)
        if len(shape) != 3 or shape[1] != shape[2]:
            raise ValueError(f"an array of shape {shape}: say its manifold, e.g. manifold='sphere:2'")
        manifold = "spd"
    if metric is not None:
        metric = _NAMES_OF_PYRIEMANN.get(metric, metric)
        if not isinstance(manifold, str) or "/" in manifold:
            raise ValueError(f"metric={metric!r} and manifold={manifold!r}: one of both says the metric")
        if metric not in ("log-euclidean", "euclidean"):
            manifold = f"{manifold}/{metric}"
        elif metric == "euclidean":
            raise ValueError("metric='euclidean': X.mean(axis=0) is that mean")
    return FrechetMean(manifold).fit(X, sample_weight=weights).mean_


class FrechetMean(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ManifoldEstimator):
    """The Frechet mean: the point with the smallest sum of squared distances.

    ``transform`` gives the tangent coordinates of points at the mean, ``inverse_transform`` the points.

    Parameters
    ----------
    manifold : str or wgp.Manifold, default "euclidean"
    max_iter : int
    tol : float
        On the gradient, relative to the data's spread.
    tolerance : float, optional
        How far points may be from the manifold.
    quaternion : "wxyz" or "xyzw"
    random_state : int, optional

    Attributes
    ----------
    mean_ : array
        In the shape of a point.
    variance_, radius_ : float
        Mean squared and largest distance to the mean.
    status_ : str
    unique_ : bool
        Whether it is certain that there is no other.
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np, wgp
    >>> wgp.FrechetMean("sphere:2").fit(np.eye(3)).mean_.round(4).tolist()
    [0.5774, 0.5774, 0.5774]
    """

    def __init__(
        self, manifold="euclidean", *, max_iter=200, tol=1e-12, tolerance=None, quaternion="wxyz", random_state=None
    ):
        self.manifold = manifold
        self.max_iter = max_iter
        self.tol = tol
        self.tolerance = tolerance
        self.quaternion = quaternion
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Finds the mean of the points, weighted if there are weights."""
        core, points = self._begin(X, min_samples=1)
        weights = None
        if sample_weight is not None:
            weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
            if weights.ndim == 0:
                weights = np.full(len(points), float(weights))
            if weights.shape != (len(points),):
                raise ValueError(f"sample_weight of shape {weights.shape} for {len(points)} points")
            if not (np.isfinite(weights).all() and (weights >= 0).all()):
                raise ValueError("sample_weight: finite numbers of at least 0 are needed")
            if weights.sum() == 0:
                raise ValueError("Sample weights must contain at least one non-zero number.")
            kept = weights > 0
            points, weights = np.ascontiguousarray(points[kept]), weights[kept] / weights[kept].sum()
        found = _mean_of(core, points, weights, self.max_iter, self.tol, seed_of(self.random_state))
        self._base = found["mean"]
        self.mean_ = self._array(found["mean"][None])[0]
        self.variance_, self.radius_ = found["variance"], found["radius"]
        self.status_, self.unique_ = found["status"], found["unique"]
        self.n_iter_ = max(1, found["iterations"])
        return self

    @property
    def _n_features_out(self):
        return self.manifold_.dim

    def transform(self, X):
        """Tangent coordinates at the mean, (n, dim), in an orthonormal frame."""
        core, points = self._further(X)
        return core.at(self._base).log(points)

    def inverse_transform(self, V):
        """The points with these tangent coordinates."""
        check_is_fitted(self)
        return self._array(self.manifold_._core.at(self._base).exp(checked(V, name="V")))


class PGA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ManifoldEstimator):
    """Principal geodesic analysis: the directions at the Frechet mean along which points spread most.

    Parameters
    ----------
    manifold : str or wgp.Manifold, default "euclidean"
    n_components : int or float, optional
        A share below 1: as many as it takes to explain this much of the variance. None: as many as there can be.
    exact : bool
        Minimise geodesic distances, not those in the tangent space.
    max_iter : int
    tolerance, quaternion, random_state
        As of :class:`FrechetMean`.

    Attributes
    ----------
    mean_ : array
        In the shape of a point.
    n_components_ : int
    components_ : array (n_components_, dim)
        Directions in an orthonormal frame at the mean.
    explained_variance_, explained_variance_ratio_ : arrays

    Examples
    --------
    >>> import numpy as np, wgp
    >>> X = np.array([[1.0, 0, 0], [0.8, 0.6, 0], [0.8, -0.6, 0]])
    >>> abs(wgp.PGA("sphere:2", n_components=1).fit_transform(X)).round(3).ravel().tolist()
    [0.0, 0.644, 0.644]
    """

    def __init__(
        self,
        manifold="euclidean",
        n_components=None,
        *,
        exact=False,
        max_iter=200,
        tolerance=None,
        quaternion="wxyz",
        random_state=None,
    ):
        self.manifold = manifold
        self.n_components = n_components
        self.exact = exact
        self.max_iter = max_iter
        self.tolerance = tolerance
        self.quaternion = quaternion
        self.random_state = random_state

    def fit(self, X, y=None):
        """Finds the mean and the directions."""
        core, points = self._begin(X)
        most = min(core.dim, len(points))
        count = most if self.n_components is None else self.n_components
        is_share = isinstance(count, (float, np.floating)) and 0 < count < 1
        whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool) and 1 <= count <= most
        if not (whole or is_share):
            raise ValueError(f"n_components={count!r}: a whole number from 1 to {most}, or a share below 1, is needed")
        self._base = _mean_of(core, points, seed=seed_of(self.random_state))["mean"]
        found = None
        if is_share:
            found = _core.pga(core, points, self._base, most, False, 0)
            explained = np.cumsum(found["eigenvalues"])
            count = min(most, 1 + int(np.searchsorted(explained, count * found["total_variance"])))
            for name in ("eigenvalues", "directions"):
                found[name] = found[name][:count]
        if self.exact or found is None:
            found = _core.pga(core, points, self._base, int(count), bool(self.exact), int(self.max_iter))
        self.mean_ = self._array(self._base[None])[0]
        self.n_components_ = int(count)
        self.components_ = found["directions"]
        self.explained_variance_ = found["eigenvalues"]
        total = found["total_variance"]
        self.explained_variance_ratio_ = found["eigenvalues"] / total if total > 0 else 0 * found["eigenvalues"]
        self.n_iter_ = max(1, found["iterations"])
        return self

    @property
    def _n_features_out(self):
        return len(self.components_)

    def transform(self, X):
        """Coordinates along the directions, (n, n_components), of the vectors that lead from the mean to the points."""
        core, points = self._further(X)
        return core.at(self._base).log(points) @ self.components_.T

    def inverse_transform(self, Z):
        """The points of the principal geodesics with these coordinates."""
        check_is_fitted(self)
        Z = checked(Z, name="Z")
        if Z.shape[1:] != (len(self.components_),):
            raise ValueError(f"coordinates of shape {Z.shape[1:]}; ({len(self.components_)},) is needed")
        return self._array(self.manifold_._core.at(self._base).exp(np.ascontiguousarray(Z @ self.components_)))


class PrincipalCurve(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ManifoldEstimator):
    """A smooth curve through the middle of the points, open or closed.

    Parameters
    ----------
    manifold : str or wgp.Manifold, default "euclidean"
    closed : bool
    nodes : int, optional
        None: 100, at most one a point.
    bandwidth : float, optional
        Of the smoothing, as a share of the length; None: by cross-validation.
    max_iter : int
    tolerance, quaternion, random_state
        As of :class:`FrechetMean`.

    Attributes
    ----------
    nodes_ : array (nodes, ...)
    length_ : float
    bandwidth_ : float
    distances_ : array (n,)
        Of the points to the curve.

    Examples
    --------
    >>> import numpy as np, wgp
    >>> t = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    >>> curve = wgp.PrincipalCurve(closed=True, bandwidth=0.05).fit(np.c_[np.cos(t), np.sin(t)])
    >>> bool(5.5 < curve.length_ < 2 * np.pi)
    True
    """

    def __init__(
        self,
        manifold="euclidean",
        *,
        closed=False,
        nodes=None,
        bandwidth=None,
        max_iter=100,
        tolerance=None,
        quaternion="wxyz",
        random_state=None,
    ):
        self.manifold = manifold
        self.closed = closed
        self.nodes = nodes
        self.bandwidth = bandwidth
        self.max_iter = max_iter
        self.tolerance = tolerance
        self.quaternion = quaternion
        self.random_state = random_state

    def fit(self, X, y=None):
        """Finds the curve."""
        core, points = self._begin(X)
        nodes = self.nodes
        if nodes is not None and (not isinstance(nodes, (int, np.integer)) or isinstance(nodes, bool) or nodes < 2):
            raise ValueError(f"nodes={nodes!r}: a whole number of at least 2 is needed")
        found = _core.principal_curve(
            core,
            points,
            bool(self.closed),
            min(int(nodes or 0), len(points)),
            float(self.bandwidth or 0),
            int(self.max_iter),
            seed_of(self.random_state),
        )
        self._nodes = found["nodes"]
        self.nodes_ = self._array(found["nodes"])
        self.length_, self.bandwidth_ = found["length"], found["bandwidth"]
        self.distances_ = found["distances"]
        self.n_iter_ = max(1, found["iterations"])
        return self

    _n_features_out = 1

    def transform(self, X):
        """The arc length at which each point is nearest to the curve, (n, 1)."""
        core, points = self._further(X)
        return _core.curve_projection(core, self._nodes, bool(self.closed), points)[0][:, None]

    def inverse_transform(self, S):
        """The points of the curve at arc lengths."""
        check_is_fitted(self)
        lengths = np.ascontiguousarray(np.ravel(S), dtype=np.float64)
        return self._array(_core.curve_points(self.manifold_._core, self._nodes, bool(self.closed), lengths))

    def distances(self, X):
        """The distances of points to the curve."""
        core, points = self._further(X)
        return _core.curve_projection(core, self._nodes, bool(self.closed), points)[1]


class WrappedGaussian(ManifoldEstimator):
    """A normal distribution in the tangent space at the Frechet mean, wrapped onto the manifold by exp.

    Parameters
    ----------
    manifold : str or wgp.Manifold, default "euclidean"
    tolerance, quaternion, random_state
        As of :class:`FrechetMean`.

    Attributes
    ----------
    mean_ : array
        In the shape of a point.
    covariance_ : array (dim, dim)
        In an orthonormal frame at the mean.

    Examples
    --------
    >>> import numpy as np, wgp
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> model = wgp.WrappedGaussian().fit(X)
    >>> bool(abs(model.score(X) + np.log(2 * np.pi) + 1) < 0.2)
    True
    """

    def __init__(self, manifold="euclidean", *, tolerance=None, quaternion="wxyz", random_state=None):
        self.manifold = manifold
        self.tolerance = tolerance
        self.quaternion = quaternion
        self.random_state = random_state

    def fit(self, X, y=None):
        """Estimates mean and covariance; Error if the covariance is singular."""
        core, points = self._begin(X)
        self._base = _mean_of(core, points, seed=seed_of(self.random_state))["mean"]
        V = core.at(self._base).log(points)
        self.covariance_ = V.T @ V / len(V)
        self.mean_ = self._array(self._base[None])[0]
        self._distribution()
        return self

    def _distribution(self):
        return _core.WrappedGaussian(self.manifold_._core, self._base, np.ascontiguousarray(self.covariance_))

    def score_samples(self, X):
        """Log densities per unit of Riemannian volume."""
        _, points = self._further(X)
        return self._distribution().log_density(points)

    def score(self, X, y=None):
        """The mean log density."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples=1, random_state=None):
        """Draws points."""
        check_is_fitted(self)
        return self._array(self._distribution().sample(int(n_samples), seed_of(random_state)))
