"""How long one start of the same fit takes: wgp against SciPy's L-BFGS-B on the NumPy objective, one thread, CPU seconds.

  bench/fit_race.py BENCH_MODELS [--quick] [--gpy]

Data drawn from the model itself; no prior; both begin at the principal components. Prints JSON: the peer's time to the
log likelihood it ends at, over the time that wgp needs to reach the same: median and least of five sets (one set with
--quick). Local optima differ: where wgp's one start ends below the peer's, its search goes on, and that time counts too;
by_one_start says how often it was not needed. --gpy: against GPy's GPLVM instead.
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


def by_gpy(P, q):
    import GPy

    V = P - P.mean(axis=0)
    begin = time.process_time()
    model = GPy.models.GPLVM(V, q, init="PCA")
    model.optimize(max_iters=1000)
    return time.process_time() - begin, float(model.log_likelihood())


def main():
    program, quick = sys.argv[1], "--quick" in sys.argv
    peer = by_gpy if "--gpy" in sys.argv else by_scipy
    rows = []
    for N, d, q in [(100, 55, 2), (200, 6, 2)] if quick else [(100, 55, 2), (338, 2, 1), (600, 6, 2)]:
        ratios, answers = [], []
        for seed in range(1 if quick else 5):
            P = drawn(N, d, q, seed)
            seconds, reached = peer(P, q)
            with tempfile.TemporaryDirectory() as folder:
                np.savetxt(f"{folder}/points.csv", P, delimiter=",", fmt="%.17g")
                answer = subprocess.run([program, "race", f"{folder}/points.csv", str(q), repr(float(reached))],
                                        check=True, capture_output=True, text=True).stdout.strip()
            answers.append(answer)
            ratios.append(0.0 if answer == "never" else seconds / float(answer.split()[0]))
        rows.append({"n": N, "d": d, "q": q, "sets": len(ratios), "speedup": round(float(np.median(ratios)), 1),
                     "least_speedup": round(min(ratios), 1),
                     "by_one_start": sum(answer.endswith("one") for answer in answers)})
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
