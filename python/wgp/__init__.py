"""Probabilistic models of data on Riemannian manifolds.

Estimators follow scikit-learn's conventions, on arrays in the shapes that people have: directions ``(n, 3)``, covariance
matrices ``(n, c, c)``, landmarks ``(n, k, 2)`` or ``(n, k, 3)``, rotations ``(n, 3, 3)`` or quaternions ``(n, 4)``.

>>> import numpy as np, wgp
>>> rng = np.random.default_rng(0)
>>> t = rng.uniform(0, 2 * np.pi, 60)
>>> X = np.c_[np.cos(t), np.sin(t)] + 0.1 * rng.normal(size=(60, 2))
>>> model = wgp.WGPLVM(n_latent=1, kernel="periodic", effort="quick").fit(X)
>>> model.embedding_.shape
(60, 1)
"""

from . import io
from ._core import version as __version__
from .kernels import CustomKernel
from .latent import GPLVM, GPLVMProj, WGPLVM, load
from .manifolds import (
    CustomManifold,
    Manifold,
    check_manifold,
    chart,
    manifold,
    manifolds,
    product,
)
from .regression import WrappedGPRegressor
from .statistics import PGA, FrechetMean, PrincipalCurve, WrappedGaussian, mean

__all__ = [
    "CustomKernel",
    "CustomManifold",
    "FrechetMean",
    "GPLVM",
    "GPLVMProj",
    "Manifold",
    "PGA",
    "PrincipalCurve",
    "WGPLVM",
    "WrappedGPRegressor",
    "WrappedGaussian",
    "__version__",
    "chart",
    "check_manifold",
    "io",
    "load",
    "manifold",
    "manifolds",
    "mean",
    "product",
]
