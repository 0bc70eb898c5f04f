"""What encoding costs: `wgp encode` of 10,000 points against GPy's infer_newX in batches, with the same model.

  bench/encode_race.py WGP [POINTS OF GPY]

600 points in 6 dimensions, two latents. The model is fitted by wgp; GPy gets its latents and parameters. Prints JSON:
microseconds a point by the clock, their ratio, and the share of points whose log density under that model is at least
as high at wgp's latents as at GPy's.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import GPy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fit_race import drawn

N, D, Q, NEW, BATCH = 600, 6, 2, 10000, 100


def log_densities(model, X, points):
    mean, variance = model.predict(X)  # with the noise
    squared = ((points - mean) ** 2).sum(axis=1)
    total = variance[:, 0]
    return -D / 2 * np.log(2 * np.pi * total) - squared / (2 * total)


def main():
    wgp, by_gpy = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
    P = drawn(N + 1000, D, Q, 0)
    train = P[:N]
    new = np.tile(P[N:], (NEW // 1000, 1)) + 0.02 * np.random.default_rng(1).normal(size=(NEW, D))
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/train.npy", train)
        np.save(f"{folder}/new.npy", new)
        subprocess.run([wgp, "fit", f"{folder}/train.npy", "--manifold", f"euclidean:{D}", "--latent", str(Q), "--variance",
                        "as_fitted", "--quiet", "-o", f"{folder}/model.wgp"], check=True)
        begin = time.perf_counter()
        subprocess.run([wgp, "encode", f"{folder}/model.wgp", f"{folder}/new.npy", "--quiet", "-o", f"{folder}/latents.csv"],
                       check=True)
        ours = (time.perf_counter() - begin) / NEW
        latents = np.loadtxt(f"{folder}/latents.csv", delimiter=",", skiprows=1, usecols=range(Q))
        fitted = np.load(f"{folder}/model.wgp")
        X, theta, noise, base = fitted["latents"], fitted["theta"], float(fitted["noise"][0]), fitted["base"]

    kernel = GPy.kern.RBF(Q, variance=np.exp(theta[0]), lengthscale=np.exp(theta[1]))
    model = GPy.models.GPLVM(train - base, Q, X=X, kernel=kernel)
    model.likelihood.variance = noise
    begin = time.perf_counter()
    found = [np.asarray(model.infer_newX(new[k : min(k + BATCH, by_gpy)] - base)[0]) for k in range(0, by_gpy, BATCH)]
    theirs = (time.perf_counter() - begin) / by_gpy
    at_ours = log_densities(model, latents[:by_gpy], new[:by_gpy] - base)
    at_theirs = log_densities(model, np.vstack(found)[:by_gpy], new[:by_gpy] - base)
    print(json.dumps({"encode_us_per_point": round(1e6 * ours, 1), "gpy_us_per_point": round(1e6 * theirs, 1),
                      "speedup": round(theirs / ours, 1),
                      "at_least_as_dense": float((at_ours >= at_theirs - 1e-6).mean())}))


if __name__ == "__main__":
    main()
