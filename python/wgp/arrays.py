"""Arrays in the shapes people have, as rows of numbers and back."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

import numpy as np

from . import _core
from .compatibility import numbers

# What a spec without a size takes it from: the shape of one point, or the number of its entries.
_SIZED = re.compile(r"(?P<name>[a-z0-9]+)(?P<metric>/[a-z-]+)?\Z")


def is_complex(X):
    """Whether these are complex numbers, of whatever kind of array."""
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    return (np.asarray(X).dtype.kind if kind is None else kind) == "c"


def checked(X, *, name="X", min_samples=1):
    """Finite or not, but numbers: float64, C-contiguous, at least two axes; nothing is copied that is so already."""
    if is_complex(X):
        X = np.ascontiguousarray(X, dtype=np.complex128)
        if X.ndim != 2:
            raise ValueError(
                "Complex data not supported, but for planar landmarks x + iy in an array (n, k)"
            )
        X = X.view(np.float64).reshape(len(X), -1, 2)
    return numbers(X, name, min_samples)


def spec_for(spec, shape):
    """The spec with its size: ``"spd/affine-invariant"`` for points of shape (24, 24) is ``"spd:24/affine-invariant"``."""
    match = _SIZED.match(spec)
    if not match:
        return spec
    name, metric = match["name"], match["metric"] or ""
    width = int(np.prod(shape))
    square = len(shape) == 2 and shape[0] == shape[1]
    size = None
    if name in ("euclidean", "torus"):
        size = width
    elif name in ("sphere", "hyperbolic"):
        size = width - 1
    elif name in ("spd", "correlation"):
        root = int(round(width**0.5))
        triangle = int(round(((8 * width + 1) ** 0.5 - 1) / 2))
        if square or root * root == width:
            size = root
        elif triangle * (triangle + 1) // 2 == width:
            size = triangle
    elif name == "so":
        size = 3 if width == 4 else int(round(width**0.5))
    elif name == "se":
        size = 3
    elif name == "kendall":
        size = shape[0] if len(shape) == 2 else width // 2
    elif name == "kendall3d":
        size = shape[0] if len(shape) == 2 else width // 3
    elif name in ("grassmann", "stiefel") and len(shape) == 2:
        size = f"{shape[0]}x{shape[1]}"
    return spec if size is None else f"{name}:{size}{metric}"


@dataclass
class Layout:
    """How a user's points stand in an array: their row form and the shape of one point."""

    form: str
    shape: tuple
    quaternion: str = "wxyz"
    complex: bool = False

    def rows(self, X):
        rows = X.reshape(len(X), -1)
        if self.form.startswith("quaternion") and self.quaternion == "xyzw":
            rows = np.concatenate([rows[:, 3:4], rows[:, :3], rows[:, 4:]], axis=1)
        return rows

    def array(self, core, points):
        """Points, one a row, in the shape that the user's have."""
        rows = core.rows_of_points(points, self.form)
        if self.form.startswith("quaternion") and self.quaternion == "xyzw":
            rows = np.concatenate([rows[:, 1:4], rows[:, :1], rows[:, 4:]], axis=1)
        if self.complex:
            return rows.view(np.complex128).reshape(len(rows), -1)
        return rows.reshape((len(rows), *self.shape))


def layout_of(core, X, shape, *, quaternion="wxyz", is_complex=False):
    """The layout of points with this shape; ValueError if they are no points of the manifold."""
    if quaternion not in ("wxyz", "xyzw"):
        raise ValueError(f"quaternion={quaternion!r}: wxyz or xyzw is needed")
    width = int(np.prod(shape))
    for form, count in core.row_forms:
        if count == width:
            return Layout(form, tuple(shape), quaternion, is_complex)
    wanted = " or ".join(str(count) for _, count in core.row_forms)
    raise ValueError(
        f"points of {core.spec} have {wanted} numbers, but those given have {width} "
        f"(an array of shape {np.shape(X)})"
    )


def _likely_manifold(X):
    """The manifold that arrays of this shape are most often points of, judged by the first few; or None."""
    shape, few = X.shape[1:], X[:10]
    if len(shape) != 2 or not np.isfinite(few).all():
        return None
    if shape[0] == shape[1]:
        turned = few.transpose(0, 2, 1)
        if np.allclose(few @ turned, np.eye(shape[0])) and (np.linalg.det(few) > 0).all():
            return "so"
        if np.allclose(few, turned) and (np.linalg.eigvalsh(few) > 0).all():
            return "correlation" if np.allclose(np.diagonal(few, axis1=1, axis2=2), 1) else "spd"
        return None
    if shape[0] > 2:
        if np.allclose(few.transpose(0, 2, 1) @ few, np.eye(shape[1])):
            return "stiefel"
        return {2: "kendall", 3: "kendall3d"}.get(shape[1])
    return None


def warn_of_plain_numbers(X, estimator):
    """Matrices are seldom meant to be plain numbers, which is what the default manifold takes them for."""
    likely = _likely_manifold(X)
    meant = "" if likely is None else f"; {estimator}({likely!r}) may be meant"
    warnings.warn(
        f"points of shape {X.shape[1:]} are taken for plain numbers, manifold='euclidean'{meant}. "
        f"manifold='euclidean:{int(np.prod(X.shape[1:]))}' says that this is wanted",
        stacklevel=4,
    )


def points_of(core, layout, X, tolerance=None):
    """The rows as points of the manifold, checked and projected; ValueError names the first row that is none."""
    rows = np.ascontiguousarray(layout.rows(X))
    try:
        points = core.points_of_rows(rows, layout.form, tolerance, "")
        return rows if points is None else points
    except ValueError:
        if np.isfinite(rows).all():
            raise
    row, column = np.argwhere(~np.isfinite(rows))[0]
    raise ValueError(
        f"row {row + 1}, column {column + 1}: not finite: {rows[row, column]} (the input contains NaN or infinity)"
    )


def core_of(manifold, shape):
    """The C++ manifold of a spec or object for points of this shape."""
    from .manifolds import Manifold

    if isinstance(manifold, Manifold):
        return manifold._core
    if not isinstance(manifold, str):
        raise ValueError(
            f"manifold={manifold!r}: a spec like 'spd:3', or what wgp.manifold() made of one, is needed"
        )
    return _core.parse_manifold(spec_for(manifold, shape))


def seed_of(random_state):
    """The library's seed: a number is itself, None is 0 (the command's default), a generator gives one."""
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state={random_state}: a number of at least 0 is needed")
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    raise ValueError(f"random_state={random_state!r}: a number, None or a NumPy generator is needed")
