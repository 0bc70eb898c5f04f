"""Kernels of one's own."""

from __future__ import annotations

import numpy as np

from . import _core


class CustomKernel:
    """A covariance function of latents written in Python; give an instance as ``kernel`` of a model.

    Derive from it and say ``parameter_names`` and ``default_parameters`` (logarithms of positive parameters), and write
    ``cov(theta, a, b)``: the (n, m) matrix of covariances of the rows of a (n, q) and b (m, q). Derivatives are taken by
    differences unless ``gradient`` is written as well. Fits estimate the latents (``inference="point"``).

    ``amplitude_parameters``: indices of parameters to which adding log c multiplies the covariance by c;
    ``length_parameters``: of logarithms of length-scales.

    Examples
    --------
    >>> import numpy as np, wgp
    >>> class Rational(wgp.CustomKernel):
    ...     parameter_names = ["log_variance", "log_length"]
    ...     default_parameters = [0.0, 0.0]
    ...     amplitude_parameters, length_parameters = [0], [1]
    ...     def cov(self, theta, a, b):
    ...         squares = ((a[:, None] - b[None]) ** 2).sum(-1)
    ...         return np.exp(theta[0]) / (1 + squares / (2 * np.exp(2 * theta[1])))
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> model = wgp.WGPLVM(n_latent=1, kernel=Rational(), inference="point", effort="quick", max_iter=20).fit(X)
    >>> model.embedding_.shape
    (30, 1)
    """

    parameter_names: list = []
    default_parameters: list = []
    amplitude_parameters: list = [0]
    length_parameters: list = []
    angle_length_parameters: list = []

    @property
    def spec(self):
        return type(self).__name__

    def cov(self, theta, a, b):
        raise NotImplementedError("cov(theta, a, b): the matrix of covariances of the rows of a and b")

    def diag(self, theta, a):
        return np.array([self.cov(theta, x[None], x[None])[0, 0] for x in a])

    def gradient(self, theta, a, b, G):
        """The derivatives of ``(G * cov(theta, a, b)).sum()`` by theta, and by a with b held fixed."""
        h = 1e-4
        by_theta = np.array(
            [
                (G * (self.cov(theta + h * e, a, b) - self.cov(theta - h * e, a, b))).sum() / (2 * h)
                for e in np.eye(len(theta))
            ]
        )
        by_a = np.empty_like(a)
        for j in range(a.shape[1]):
            e = h * np.eye(a.shape[1])[j]
            by_a[:, j] = (G * (self.cov(theta, a + e, b) - self.cov(theta, a - e, b))).sum(1) / (2 * h)
        return by_theta, by_a

    def diag_gradient(self, theta, a, g):
        h = 1e-4
        by_a = np.empty_like(a)
        for j in range(a.shape[1]):
            e = h * np.eye(a.shape[1])[j]
            by_a[:, j] = g * (self.diag(theta, a + e) - self.diag(theta, a - e)) / (2 * h)
        return by_a


def core_kernel(kernel):
    """What the library takes: a name, or a kernel of one's own."""
    return _core.own_kernel(kernel) if isinstance(kernel, CustomKernel) else kernel
