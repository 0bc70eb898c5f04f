"""Maximum likelihood of the same model by SciPy's L-BFGS-B from five starts, on the real data sets.

  bench/fit_scipy.py WGP DATA [SETS]      WGP is the command, DATA the directory of the sets (femur,dti,crypto,diatoms)

The objective is the one of `wgp fit --prior none`: length-scale 1 over plain latents, noise variance at least 1e-6 of the
data's, tangent coordinates at the Frechet mean. Prints both log likelihoods; needs NumPy and SciPy.
"""

import csv
import io
import json
import subprocess
import sys
import tempfile

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

SETS = {
    "femur": ("femur/femur.csv", "sphere:2", "3:5", "periodic", 1),
    "dti": ("dti/dti.csv", "spd:3", "5:13", "rbf", 2),
    "crypto": ("crypto/crypto_cov.csv", "spd:10", "3:102", "rbf", 2),
    "diatoms": ("diatoms/diatoms.csv", "kendall:90", "4:183", "rbf", 2),
}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def tangent_coordinates(wgp, path, manifold, columns):
    """Rows whose dot products are those of the logarithms at the Frechet mean, and the dimension."""
    if manifold.startswith("spd"):  # log-Euclidean: logarithms of matrices, minus their mean
        n = int(manifold.split(":")[1])
        first, last = (int(c) for c in columns.split(":"))
        rows = np.array([[float(x) for x in row[first - 1 : last]] for row in list(csv.reader(open(path)))[1:]])
        logs = []
        for matrix in rows.reshape(-1, n, n):
            # Graded matrices: scaled to unit diagonal first, the eigenvalues would lose their digits otherwise.
            values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
            logs.append((vectors * np.log(np.maximum(values, 1e-300))) @ vectors.T)
        logs = np.array(logs)
        logs -= logs.mean(axis=0)
        return logs.reshape(len(logs), -1), n * (n + 1) // 2
    first, last = (int(c) for c in columns.split(":"))
    rows = [row[first - 1 : last] for row in list(csv.reader(open(path)))[1:]]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/points.csv", "w") as points:
            csv.writer(points).writerows(rows)
        mean = json.loads(run(wgp, "mean", f"{folder}/points.csv", "--manifold", manifold, "--json"))["mean"]
        with open(f"{folder}/base.csv", "w") as base:
            csv.writer(base).writerow(repr(float(x)) for x in np.ravel(mean))
        text = run(wgp, "geom", "log", "--manifold", manifold, "--base", f"{folder}/base.csv", f"{folder}/points.csv")
    V = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1)
    dimension = {"sphere:2": 2, "kendall:90": 176}[manifold]
    return V, dimension


def objective(parameters, V, d, q, periodic):
    N = len(V)
    X = parameters[: N * q].reshape(N, q)
    log_variance, u = parameters[N * q : N * q + 2]
    log_length = parameters[N * q + 2] if periodic else 0.0
    variance, noise = np.exp(log_variance), 1e-6 + np.exp(u)
    F = np.hstack([np.cos(X), np.sin(X)]) if periodic else X
    scale = np.exp(-2 * log_length)
    squared = ((F[:, None, :] - F[None, :, :]) ** 2).sum(-1) * scale
    Kf = variance * np.exp(-squared / 2)
    try:
        factor = cho_factor(Kf + noise * np.eye(N), lower=True)
    except np.linalg.LinAlgError:
        return 1e20, np.zeros_like(parameters)
    A = cho_solve(factor, V)
    value = -N * d / 2 * np.log(2 * np.pi) - d * np.log(np.diag(factor[0])).sum() - (V * A).sum() / 2
    G = (A @ A.T - d * cho_solve(factor, np.eye(N))) / 2
    M = G * Kf
    dF = -2 * scale * (M.sum(1)[:, None] * F - M @ F)
    dX = -np.sin(X) * dF[:, :q] + np.cos(X) * dF[:, q:] if periodic else dF
    gradient = np.concatenate([dX.ravel(), [M.sum(), np.exp(u) * np.trace(G)], [(M * squared).sum()] if periodic else []])
    return -value, -gradient


def best_of_five(V, d, q, periodic):
    N = len(V)
    scale = np.sqrt((V**2).sum() / (N * d))
    W = V / scale
    U = np.linalg.svd(W - 0 * W.mean(0), full_matrices=False)[0]
    random = np.random.default_rng(0)
    if periodic:
        angle = np.arctan2(U[:, 1], U[:, 0])[:, None]
        starts = [angle, angle + 0.3 * random.normal(size=(N, 1)), 2 * angle] + [random.uniform(-np.pi, np.pi, (N, 1)) for _ in range(2)]
    else:
        pca = np.sqrt(N) * U[:, :q]
        starts = [pca, 0.5 * pca, 1.5 * pca] + [random.normal(size=(N, q)) for _ in range(2)]
    found = []
    for X in starts:
        start = np.concatenate([X.ravel(), [0.0, np.log(0.1)], [0.0] if periodic else []])
        result = minimize(objective, start, args=(W, d, q, periodic), jac=True, method="L-BFGS-B",
                          options={"maxiter": 1000, "maxfun": 2000, "maxcor": 20})
        found.append(-result.fun - N * d * np.log(scale))
    return found


def main():
    wgp, data = sys.argv[1], sys.argv[2]
    for name in (sys.argv[3] if len(sys.argv) > 3 else "femur,dti,crypto,diatoms").split(","):
        file, manifold, columns, kernel, q = SETS[name]
        path = f"{data}/{file}"
        V, d = tangent_coordinates(wgp, path, manifold, columns)
        scipy = best_of_five(V, d, q, kernel == "periodic")
        with tempfile.TemporaryDirectory() as folder:
            fitted = json.loads(run(wgp, "fit", path, "--manifold", manifold, "--columns", columns, "--latent", str(q), "--kernel",
                                    kernel, "--prior", "none", "--threads", "2", "--json", "-o", f"{folder}/m.wgp"))
        print(f"{name}: SciPy {' '.join(f'{x:.1f}' for x in scipy)}, best {max(scipy):.1f}; "
              f"wgp {fitted['log_likelihood']:.1f} in {fitted['seconds']:.1f} s; "
              f"{'at least as high' if fitted['log_likelihood'] >= max(scipy) else 'LOWER'}", flush=True)


if __name__ == "__main__":
    main()
