"""scikit-learn's own checks of estimators, and its tools around ours."""

import numpy as np
import pytest
import wgp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

ESTIMATORS = [
    wgp.WGPLVM(),
    wgp.GPLVM(effort="quick"),
    wgp.GPLVMProj(effort="quick"),
    wgp.WrappedGPRegressor(),
    wgp.FrechetMean(),
    wgp.PGA(),
    wgp.PrincipalCurve(),
    wgp.WrappedGaussian(),
]


@parametrize_with_checks(ESTIMATORS)
def test_keeps_the_contract(estimator, check):
    check(estimator)
