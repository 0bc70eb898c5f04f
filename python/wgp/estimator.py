"""What all estimators share."""

from __future__ import annotations

import math
import os

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .arrays import checked, core_of, is_complex, layout_of, points_of, warn_of_plain_numbers
from .compatibility import check_features
from .manifolds import Manifold


def threads_of(threads):
    """As many as there are processors, unless a number is given."""
    if threads is None:
        return max(1, min(1024, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()))
    return threads


class ManifoldEstimator(BaseEstimator):
    """What all estimators share: points of a manifold in arrays of the user's shape."""

    def _begin(self, X, min_samples=2):
        """The points of a fit, and from now on the manifold and the layout of all others."""
        are_complex = is_complex(X)
        array = checked(X, min_samples=min_samples)
        if are_complex and not str(getattr(self.manifold, "spec", self.manifold)).startswith("kendall"):
            raise ValueError("Complex data not supported")
        check_features(self, X, array, reset=True)
        if array.ndim > 2 and isinstance(self.manifold, str) and self.manifold == "euclidean":
            warn_of_plain_numbers(array, type(self).__name__)
        core = core_of(self.manifold, array.shape[1:])
        self.layout_ = layout_of(
            core, array, array.shape[1:], quaternion=getattr(self, "quaternion", "wxyz"), is_complex=are_complex
        )
        self.manifold_ = Manifold(core) if isinstance(self.manifold, str) else self.manifold
        return core, points_of(core, self.layout_, array, getattr(self, "tolerance", None))

    def _further(self, X):
        """The points of another array, which must have the shape of the fit's."""
        check_is_fitted(self)
        array = checked(X)
        check_features(self, X, array, reset=False)
        core = self.manifold_._core
        if math.prod(array.shape[1:]) != math.prod(self.layout_.shape):
            raise ValueError(
                f"points of shape {array.shape[1:]}, but the model was fitted to points of shape {self.layout_.shape}"
            )
        return core, points_of(core, self.layout_, array, getattr(self, "tolerance", None))

    def _array(self, points):
        return self.layout_.array(self.manifold_._core, points)
