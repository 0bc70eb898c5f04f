"""Manifolds: exp, log, distances and more on arrays of points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _core
from .arrays import seed_of

_POINT_SHAPES = {
    "spd": lambda D: (math.isqrt(D),) * 2,
    "correlation": lambda D: (math.isqrt(D),) * 2,
    "so": lambda D: (math.isqrt(D),) * 2,
    "kendall": lambda D: (D // 2, 2),
    "kendall3d": lambda D: (D // 3, 3),
}


def _point_shape(core):
    """The shape of one point, as people write it: matrices are matrices."""
    spec = core.spec
    if any(mark in spec for mark in ",^*("):
        return (core.ambient_dim,)
    name, _, size = spec.partition(":")
    if name in ("grassmann", "stiefel"):
        return tuple(int(part) for part in size.split("/")[0].split("x"))
    shape = _POINT_SHAPES.get(name)
    return shape(core.ambient_dim) if shape else (core.ambient_dim,)


class Manifold:
    """A Riemannian manifold; ``wgp.manifold(spec)`` makes one.

    Points are arrays of ``point_shape``, or of ``(n, *point_shape)`` for n of them; where two arguments are points or
    vectors, one of them may be a single one for all. Tangent vectors have the shape of points. Base points come first:
    ``exp(p, v)``, ``log(p, q)``. Points are taken as they are: ``defect`` says what is wrong with them, ``project``
    mends it. Landmarks are brought to their shape first.

    Examples
    --------
    >>> import numpy as np, wgp
    >>> M = wgp.manifold("sphere:2")
    >>> north, east = np.array([0.0, 0, 1]), np.array([1.0, 0, 0])
    >>> round(float(M.dist(north, east)), 6)
    1.570796
    >>> np.allclose(M.exp(north, M.log(north, east)), east)
    True
    """

    def __init__(self, core: Any):
        self._core = core
        self.point_shape = _point_shape(core)

    # ---- what it is
    @property
    def spec(self) -> str:
        """The text that makes it: ``wgp.manifold(M.spec)``."""
        return self._core.spec

    @property
    def dim(self) -> int:
        """Its dimension."""
        return self._core.dim

    @property
    def ambient_dim(self) -> int:
        """The number of entries of a point."""
        return self._core.ambient_dim

    @property
    def injectivity_radius(self) -> float:
        """Within this distance there is one shortest geodesic."""
        return self._core.injectivity_radius

    @property
    def mean_ball_radius(self) -> float:
        """Points within this radius of some point have one Frechet mean; 0 where none is known."""
        return self._core.mean_ball_radius

    def __repr__(self):
        return f"wgp.manifold({self.spec!r})"

    def __eq__(self, other):
        return type(self) is type(other) and self.spec == other.spec

    def __hash__(self):
        return hash(self.spec)

    def __reduce__(self):
        return manifold, (self.spec,)

    def __deepcopy__(self, memo):
        return self

    # ---- arrays
    def _flat(self, array, what):
        array = np.asarray(array)
        if array.dtype.kind not in "biuf":
            raise ValueError(f"{what}: numbers are needed, not {array.dtype}")
        array = np.ascontiguousarray(array, dtype=np.float64)
        if array.shape == self.point_shape or array.shape == (self.ambient_dim,):
            return array.reshape(1, -1), True
        if array.ndim >= 2 and array[0:1].size == self.ambient_dim and len(array):
            return array.reshape(len(array), -1), False
        if array.ndim >= 2 and not len(array):
            return array.reshape(0, self.ambient_dim), False
        raise ValueError(
            f"{what}: {self.spec} needs an array of shape {self.point_shape} or (n, "
            f"{', '.join(map(str, self.point_shape))}), not {array.shape}"
        )

    def _points(self, array, what):
        array = np.asarray(array)
        if array.dtype.kind == "c" and self.point_shape[-1:] == (2,):
            array = np.ascontiguousarray(array, dtype=np.complex128)[..., None].view(np.float64)
        elif "quaternion" in dict(self._core.row_forms) and array.shape[-1:] == (4,) and array.ndim <= 2:
            rows = np.ascontiguousarray(array, dtype=np.float64).reshape(-1, 4)
            points = self._core.points_of_rows(rows, "quaternion", math.inf, "")
            return points, array.ndim == 1
        rows, single = self._flat(array, what)
        if self.spec.startswith("kendall") and len(rows):
            rows = self._core.project(rows)
        return rows, single

    def _pair(self, p, q, vectors=None):
        base, one_base = self._points(p, "base points")
        if vectors is None:
            other, one_other = self._points(q, "points")
        else:
            other, one_other = self._flat(q, vectors)
        if len(other) == 1 and len(base) > 1:
            other = np.repeat(other, len(base), axis=0)
        return base, other, one_base and one_other

    def _shaped(self, rows, single):
        return rows.reshape(self.point_shape) if single else rows.reshape((len(rows), *self.point_shape))

    # ---- geometry
    def at(self, p) -> "TangentSpace":
        """The tangent space at p, with an orthonormal frame: vectors are ``dim`` numbers, and nothing is copied."""
        base, single = self._points(p, "base point")
        if len(base) != 1:
            raise ValueError("at(): one base point is needed")
        return TangentSpace(self, self._core.at(base[0]))

    def exp(self, p, v):
        """The end of the geodesic from p with velocity v."""
        base, rows, single = self._pair(p, v, "tangent vectors")
        if len(base) == 1:
            found = self._core.defect(base, 1e-3)[0]
            if found:
                raise ValueError(f"base point: {found} (base points come first: exp(p, v))")
        return self._shaped(self._core.exp(base, rows), single)

    def log(self, p, q):
        """The shortest tangent vector at p whose geodesic ends at q."""
        base, rows, single = self._pair(p, q)
        return self._shaped(self._core.log(base, rows), single)

    def log_status(self, p, q):
        """For each pair what ``log`` found: ``ok``, ``near_cut``, ``cut_locus``, ``not_converged``, ``outside_domain``."""
        base, rows, single = self._pair(p, q)
        return np.array(self._core.log_status(base, rows))

    def dist(self, p, q):
        """The Riemannian distance, row by row."""
        base, rows, single = self._pair(p, q)
        distances = self._core.dist(base, rows)
        return distances[0] if single else distances

    def pairwise_dist(self, X, Y=None):
        """The distances between all rows of X and all rows of Y (of X, if there is no Y)."""
        rows, _ = self._points(X, "X")
        return self._core.pairwise_dist(rows, rows if Y is None else self._points(Y, "Y")[0])

    def transport(self, p, q, v):
        """The vectors v at p, carried in parallel along the geodesics to q."""
        base, ends, single = self._pair(p, q)
        rows, one = self._flat(v, "tangent vectors")
        count = max(len(base), len(ends), len(rows))
        if len(rows) == 1:
            rows = np.repeat(rows, count, axis=0)
        return self._shaped(self._core.transport(base, ends, rows), single and one)

    def logdet(self, p, q):
        """log|det dExp_p| at log(p, q): how much exp spreads volume."""
        base, rows, single = self._pair(p, q)
        values = self._core.logdet(base, rows)
        return values[0] if single else values

    def project(self, x):
        """The nearest points of the manifold."""
        rows, single = self._flat(x, "x")
        return self._shaped(self._core.project(rows), single)

    def defect(self, x, tolerance=None):
        """What keeps each row from being a point, in words; None for points. A list, or for one point its entry."""
        rows, single = self._flat(x, "x")
        found = self._core.defect(rows, tolerance)
        return found[0] if single else found

    def random_point(self, size=None, random_state=None):
        """Points that cover the manifold: one, or ``size`` of them."""
        points = self._core.random_point(1 if size is None else int(size), seed_of(random_state))
        return self._shaped(points, size is None)

    def mean(self, X, weights=None, **options):
        """The Frechet mean of the points: see :class:`wgp.FrechetMean`, which says more about it."""
        from .statistics import FrechetMean

        return FrechetMean(self, **options).fit(X, sample_weight=weights).mean_


class TangentSpace:
    """The tangent space at a point: vectors are coordinates in an orthonormal frame, arrays of shape (n, dim).

    Examples
    --------
    >>> import numpy as np, wgp
    >>> M = wgp.manifold("spd:2")
    >>> T = M.at(np.eye(2))
    >>> T.log(np.diag([np.e, 1.0])[None]).round(6).tolist()
    [[1.0, 0.0, 0.0]]
    """

    def __init__(self, manifold, core):
        self.manifold = manifold
        self._core = core

    @property
    def base(self):
        """The base point."""
        return self._core.base.reshape(self.manifold.point_shape)

    def _rows(self, array, width, what):
        array = np.ascontiguousarray(array, dtype=np.float64)
        if array.size == 0:
            return array.reshape(0, width)
        if array.ndim == 0 or array.size % width:
            raise ValueError(f"{what}: {width} numbers each are needed, not an array of shape {array.shape}")
        return array.reshape(-1, width)

    @staticmethod
    def _room(out, width, rows):
        """An array that results go into, as rows of numbers; nothing may be copied here."""
        if not (isinstance(out, np.ndarray) and out.dtype == np.float64 and out.flags.c_contiguous and out.flags.writeable):
            raise ValueError("out: a writeable C-contiguous array of float64 is needed")
        if out.size % width:
            raise ValueError(f"out: {width} numbers each are needed, not an array of shape {out.shape}")
        if np.may_share_memory(out, rows):
            raise ValueError("out: another array than the one that is read is needed")
        return out.reshape(-1, width)

    def _shapes(self, points):
        """Landmarks as shapes, which they are already if the first is one."""
        rows = self._rows(points, self.manifold.ambient_dim, "points")
        if self.manifold.spec.startswith("kendall") and len(rows):
            first = self.manifold._core.project(rows[:1])
            if not np.allclose(first, rows[:1], rtol=0, atol=1e-6):
                return self.manifold._core.project(rows)
        return rows

    def exp(self, coords, out=None):
        """Points, (n, *point_shape); in the array ``out``, if there is one."""
        rows = self._rows(coords, self._core.dim, "coordinates")
        if out is not None:
            self._core.exp(rows, self._room(out, self.manifold.ambient_dim, rows))
            return out
        return self._core.exp(rows).reshape((-1, *self.manifold.point_shape))

    def log(self, points, out=None):
        """Coordinates of the shortest vectors that lead to the points, (n, dim); in ``out``, if there is such an array."""
        rows = self._shapes(points)
        if out is not None:
            self._core.log(rows, self._room(out, self._core.dim, rows))
            return out
        return self._core.log(rows)

    def dist(self, points):
        """Distances from the base point."""
        return self._core.dist(self._shapes(points))

    def to_ambient(self, coords):
        """Coordinates as tangent vectors in the shape of points."""
        rows = self._core.to_ambient(self._rows(coords, self._core.dim, "coordinates"))
        return rows.reshape((-1, *self.manifold.point_shape))

    def to_coords(self, vectors):
        """Tangent vectors in the shape of points as coordinates."""
        return self._core.to_coords(self._rows(vectors, self.manifold.ambient_dim, "tangent vectors"))


class CustomManifold(Manifold):
    """A manifold of one's own: derive from it, say ``dim`` and ``ambient_dim``, and write ``exp``, ``log`` and ``frame``.

    Points and tangent vectors are flat arrays here. Models take an instance wherever they take a spec; each call goes
    through Python, so that fits are slow but right. ``wgp.check_manifold`` looks for mistakes. Models on such manifolds
    cannot be saved or pickled, since no file can hold their functions.

    Methods to write: ``frame(p)`` returns (dim, ambient_dim), tangent vectors at p that are orthonormal in the metric;
    ``exp(p, V)`` and ``log(p, Q)`` work on many rows. What may be written besides: ``transport(p, v, W)``, the rows of W
    carried along t -> exp(p, t v) to its end (by default in small steps); ``project(x)``, ``defect(x, tolerance)``,
    ``random_point(rng)``.

    Examples
    --------
    >>> import numpy as np, wgp
    >>> class Ratios(wgp.CustomManifold):
    ...     "Positive numbers, compared by their ratios."
    ...     dim = ambient_dim = 2
    ...     def frame(self, p): return np.diag(p)
    ...     def exp(self, p, V): return p * np.exp(V / p)
    ...     def log(self, p, Q): return p * np.log(Q / p)
    ...     def transport(self, p, v, W): return W * np.exp(v / p)
    ...     def random_point(self, rng): return np.exp(rng.normal(size=2))
    >>> wgp.check_manifold(Ratios())
    []
    """

    dim: int = 0
    ambient_dim: int = 0
    tolerance: float = 1e-8
    injectivity_radius: float = math.inf
    mean_ball_radius: float = 0.0

    def __init__(self):
        pass

    @property
    def _core(self):  # made anew each time: what it holds of this object must not hold this object
        return _core.own_manifold(self)

    @property
    def point_shape(self):
        return (self.ambient_dim,)

    @property
    def spec(self) -> str:
        return type(self).__name__

    def __reduce__(self):
        return object.__reduce__(self)

    def __reduce_ex__(self, protocol):
        return object.__reduce_ex__(self, protocol)

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)

    def frame(self, p):
        raise NotImplementedError("frame(p): (dim, ambient_dim), orthonormal tangent vectors at p")

    def exp(self, p, V):
        raise NotImplementedError("exp(p, V): the ends of the geodesics from p with the velocities V, a row each")

    def log(self, p, Q):
        raise NotImplementedError("log(p, Q): the shortest velocities that lead from p to the rows of Q")

    def transport(self, p, v, W):
        """By a pole ladder with a rung for each quarter of length: exact on symmetric spaces, else of third order."""
        scale = 1e-2
        W = np.atleast_2d(W)
        length = np.linalg.norm(np.linalg.lstsq(np.asarray(self.frame(p)).T, v, rcond=None)[0])
        rungs = max(1, int(np.ceil(4 * length)))
        points = [p, *self.exp(p, np.arange(1, rungs + 1)[:, None] / rungs * v)]
        for start, end in zip(points[:-1], points[1:]):
            middle = self.exp(start, 0.5 * self.log(start, end[None]))[0]
            tips = self.exp(start, scale * W)
            mirrored = self.exp(middle, -self.log(middle, tips))
            W = -self.log(end, mirrored) / scale
        return W

    def project(self, x):
        return np.asarray(x, dtype=np.float64)

    def defect(self, x, tolerance=None):
        return None

    def random_point(self, rng):
        raise NotImplementedError("random_point(rng): a point, drawn with this NumPy generator")


def manifold(spec) -> Manifold:
    """The manifold of a spec like ``"sphere:2"``, ``"spd:3/affine-invariant"`` or ``"so:3^4"``.

    Examples
    --------
    >>> import wgp
    >>> wgp.manifold("spd:3").dim
    6
    >>> wgp.manifold("sphere2")
    Traceback (most recent call last):
    ...
    ValueError: ...
    """
    if isinstance(spec, Manifold):
        return spec
    if not isinstance(spec, str):
        raise ValueError(f"{spec!r} is no spec of a manifold, a text like 'spd:3'")
    return Manifold(_core.parse_manifold(spec))


def manifolds() -> list:
    """All manifolds that there are: a dictionary each, with ``syntax``, ``dimension``, ``method``, ``data``, ``metric``.

    Examples
    --------
    >>> import wgp
    >>> [line["syntax"] for line in wgp.manifolds() if "covariance" in line["data"]][:1]
    ['spd:n']
    """
    return _core.registered_manifolds()


def chart(dim: int, metric, injectivity_radius: float = 0.0) -> Manifold:
    """R^n with a metric tensor of one's own: ``metric(x)`` is an (n, n) positive definite matrix.

    Geodesics, distances and transport come from it by integration: slow, but right to about nine digits.

    Examples
    --------
    >>> import numpy as np, wgp
    >>> half_plane = wgp.chart(2, lambda x: np.eye(2) / np.exp(2 * x[1]))
    >>> round(float(half_plane.dist(np.zeros(2), np.array([0.0, 0.5]))), 6)
    0.393469
    """
    return Manifold(_core.chart(int(dim), metric, float(injectivity_radius)))


def product(factors, weights=None) -> Manifold:
    """Several manifolds side by side; distances of factor j are multiplied by ``weights[j]``.

    Examples
    --------
    >>> import wgp
    >>> wgp.product(["sphere:2", "spd:3"]).dim
    8
    """
    cores = [manifold(factor)._core for factor in factors]
    return Manifold(_core.product(cores, [1.0] * len(cores) if weights is None else [float(w) for w in weights]))


def check_manifold(which, draws=3, seed=1, tolerance=1e-7, derivative_tolerance=1e-5) -> list:
    """Looks for mistakes in a manifold: (property, message) of each one found; an empty list if all is well.

    Examples
    --------
    >>> import wgp
    >>> wgp.check_manifold("sphere:2")
    []
    """
    return _core.check_manifold(manifold(which)._core, draws, seed, tolerance, derivative_tolerance)
