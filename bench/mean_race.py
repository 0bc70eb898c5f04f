"""Means of few large matrices, as of the channels of an EEG, beside pyRiemann (PyPI: pyriemann) in one run.

    python3 bench/mean_race.py build/bench/bench_means [--json]

CPU seconds in one thread of the fastest of several means within one process each, without start-up and reading; the
ratio is wgp's over pyRiemann's. The difference is that of the two means, relative, in the Frobenius norm. pyRiemann has
no mean on correlation matrices: its log-Euclidean mean of the same matrices stands beside them as a yardstick.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402  (after the number of threads)

try:
    from pyriemann.geometry import mean as means
except ImportError:
    from pyriemann.utils import mean as means

PAIRS = [("spd:{}/affine-invariant", "mean_riemann", True), ("spd:{}", "mean_logeuclid", True),
         ("spd:{}/bures-wasserstein", "mean_wasserstein", True), ("spd:{}/log-cholesky", "mean_logchol", True),
         ("correlation:{}", "mean_logeuclid", False), ("correlation:{}/log-cholesky", "mean_logeuclid", False)]


def covariances(random, count, n):
    """Of short recordings: one mixing of the channels, powers that vary, condition numbers of some thousands."""
    mixing = random.standard_normal((n, n))
    sources = np.exp(0.5 * random.standard_normal((count, n, 1))) * random.standard_normal((count, n, 4 * n))
    signals = mixing @ sources
    return signals @ signals.transpose(0, 2, 1) / (4 * n)


def correlations(matrices):
    scale = 1 / np.sqrt(np.einsum("kii->ki", matrices))
    result = matrices * scale[:, :, None] * scale[:, None, :]
    np.einsum("kii->ki", result)[:] = 1
    return (result + result.transpose(0, 2, 1)) / 2


def seconds_of(function, matrices):
    fastest, total, runs = np.inf, 0.0, 0
    while runs < 3 or (total < 1 and runs < 100):
        begin = time.process_time()
        result = function(matrices)
        seconds = time.process_time() - begin
        fastest, total, runs = min(fastest, seconds), total + seconds, runs + 1
    return fastest, result


def main():
    program = sys.argv[1]
    random = np.random.default_rng(0)
    rows = []
    for count, n in ((96, 24), (86, 28)):
        spd = covariances(random, count, n)
        for spec, name, same in PAIRS:
            spec = spec.format(n)
            matrices = correlations(spd) if spec.startswith("correlation") else spd
            with tempfile.NamedTemporaryFile() as file:
                matrices.tofile(file.name)
                run = subprocess.run([program, spec, file.name, str(count)], check=True, capture_output=True, text=True)
            own = json.loads(run.stdout)
            peer, theirs = seconds_of(getattr(means, name), matrices)
            ours = np.array(own["mean"]).reshape(n, n)
            rows.append({"manifold": spec, "matrices": count, "wgp_ms": 1e3 * own["seconds"], "pyriemann_ms": 1e3 * peer,
                         "ratio": own["seconds"] / peer, "pyriemann": name, "status": own["status"],
                         "unique": own["unique"], "passes": own["passes"],
                         "difference": np.linalg.norm(ours - theirs) / np.linalg.norm(theirs) if same else None})
    if "--json" in sys.argv:
        print(json.dumps(rows))
        return
    print(f"{'mean of':<36}{'wgp, ms':>10}{'pyRiemann':>11}{'ratio':>8}  difference, passes, status")
    for row in rows:
        difference = "" if row["difference"] is None else f"{row['difference']:.1e}, "
        unique = ", unique" if row["unique"] else ""
        print(f"{str(row['matrices']) + ' of ' + row['manifold']:<36}{row['wgp_ms']:>10.2f}{row['pyriemann_ms']:>11.2f}"
              f"{row['ratio']:>8.3f}  {difference}{row['passes']}, {row['status']}{unique}")


if __name__ == "__main__":
    main()
