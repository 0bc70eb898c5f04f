"""scikit-learn before and after 1.6, which moved what estimators derive from."""

from __future__ import annotations

import numpy as np


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


class TagsMixin:
    """What checks of estimators need to know."""

    _expected_failures: dict = {}

    def _more_tags(self):
        return {"_xfail_checks": dict(self._expected_failures)}
