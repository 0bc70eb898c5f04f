"""Where the peers of the races begin: principal components, of data at unit mean square."""

import numpy as np


def standardised(P):
    V = P - P.mean(axis=0)
    scale = np.sqrt((V**2).mean())
    return V / scale, scale


def components(W, q):
    return np.sqrt(len(W)) * np.linalg.svd(W, full_matrices=False)[0][:, :q]
