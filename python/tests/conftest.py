"""Sets of points about known submanifolds."""

import numpy as np
import pytest
import wgp


@pytest.fixture
def circle():
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 2 * np.pi, 120)
    return np.c_[np.cos(t), np.sin(t)] + 0.1 * rng.normal(size=(120, 2))


@pytest.fixture
def loop():
    """A wavy closed curve on the sphere."""
    rng = np.random.default_rng(1)
    t = rng.uniform(0, 2 * np.pi, 120)
    a = 0.8 + 0.2 * np.cos(3 * t)
    X = np.c_[np.sin(a) * np.cos(t), np.sin(a) * np.sin(t), np.cos(a)]
    M = wgp.manifold("sphere:2")
    V = 0.05 * rng.normal(size=X.shape)
    V -= (V * X).sum(1, keepdims=True) * X
    return M.exp(X, V)


def covariances(n=60, c=4, classes=2, seed=2):
    """Covariance matrices of classes of a few sources that are strong in turn, as in EEG, with their classes."""
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(c, c)) / np.sqrt(c) + np.eye(c)
    labels = np.arange(n) % classes
    C = np.empty((n, c, c))
    for i, label in enumerate(labels):
        power = np.ones(c)
        power[label % c] *= np.exp(1.5 + 0.3 * rng.normal())
        data = mixing @ (np.sqrt(power)[:, None] * rng.normal(size=(c, 200)))
        C[i] = data @ data.T / 200
    return C, labels
