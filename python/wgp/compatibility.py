"""scikit-learn before and after 1.6, which moved what estimators derive from."""

from __future__ import annotations

import inspect

import numpy as np
from sklearn.utils import check_array

# Numbers that are not finite are refused by the library, which says where they are.
_NOT_FINITE_TOO = (
    {"ensure_all_finite": False}
    if "ensure_all_finite" in inspect.signature(check_array).parameters
    else {"force_all_finite": False}
)


def numbers(X, name, min_samples):
    """float64, C-contiguous, two axes or more."""
    return check_array(
        X,
        dtype=np.float64,
        order="C",
        allow_nd=True,
        ensure_min_samples=min_samples,
        input_name=name,
        **_NOT_FINITE_TOO,
    )


def check_features(estimator, X, array, reset):
    """Number and names of features, as scikit-learn's own estimators keep and compare them."""
    if array.ndim == 2:
        try:
            from sklearn.utils.validation import _check_feature_names, _check_n_features

            _check_feature_names(estimator, X, reset=reset)
            _check_n_features(estimator, array, reset=reset)
        except ImportError:
            estimator._check_feature_names(X, reset=reset)
            estimator._check_n_features(array, reset=reset)
        return
    # Matrices, landmarks: what counts is the shape of one point; a Pipeline asks for this attribute.
    if reset:
        estimator.n_features_in_ = int(np.prod(array.shape[1:]))
