"""How long one start of the same fit takes: wgp against SciPy's L-BFGS-B on the NumPy objective, one thread, CPU seconds.

  bench/fit_race.py BENCH_MODELS [--quick]

Data drawn from the model itself; no prior; both begin at the principal components. Prints JSON: SciPy's time to the log
likelihood it ends at, over the time that wgp needs to reach the same.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fit_scipy import objective


def drawn(N, d, q, seed):
    random = np.random.default_rng(seed)
    X = 1.2 * random.normal(size=(N, q))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / 2) + 1e-8 * np.eye(N)
    return np.linalg.cholesky(K) @ random.normal(size=(N, d)) + 0.1 * random.normal(size=(N, d))


def by_scipy(P, q):
    N, d = P.shape
    V = P - P.mean(axis=0)
    scale = np.sqrt((V**2).sum() / (N * d))
    W = V / scale
    begin = time.process_time()
    X = np.sqrt(N) * np.linalg.svd(W, full_matrices=False)[0][:, :q]
    start = np.concatenate([X.ravel(), [0.0, np.log(0.1)]])
    result = minimize(objective, start, args=(W, d, q, False), jac=True, method="L-BFGS-B",
                      options={"maxiter": 1000, "maxfun": 2000, "maxcor": 20})
    return time.process_time() - begin, -result.fun - N * d * np.log(scale)


def main():
    program, quick = sys.argv[1], "--quick" in sys.argv
    rows = []
    for N, d, q in [(100, 55, 2), (200, 6, 2)] if quick else [(100, 55, 2), (338, 2, 1), (600, 6, 2)]:
        P = drawn(N, d, q, 0)
        seconds, reached = by_scipy(P, q)
        with tempfile.TemporaryDirectory() as folder:
            np.savetxt(f"{folder}/points.csv", P, delimiter=",", fmt="%.17g")
            answer = subprocess.run([program, "race", f"{folder}/points.csv", str(q), repr(float(reached))],
                                    check=True, capture_output=True, text=True).stdout.strip()
        own = None if answer == "never" else float(answer)
        rows.append({"n": N, "d": d, "q": q, "log_likelihood": float(reached),
                     "speedup": None if own is None else round(seconds / own, 1)})
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
