"""The work of geometry.cpp in geomstats (NumPy backend), on the data files that program left.

    python bench/geometry_geomstats.py DIRECTORY

CPU seconds of one thread, best of several repetitions; one JSON line per manifold and operation.
"""

import json
import os
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["GEOMSTATS_BACKEND"] = "numpy"

import numpy as np  # noqa: E402  (after the thread settings)
from geomstats.geometry.hypersphere import Hypersphere  # noqa: E402
from geomstats.geometry.pre_shape import PreShapeSpace  # noqa: E402
from geomstats.geometry.spd_matrices import SPDAffineMetric, SPDLogEuclideanMetric, SPDMatrices  # noqa: E402
from geomstats.learning.frechet_mean import FrechetMean  # noqa: E402
from geomstats.learning.pca import TangentPCA  # noqa: E402

REPETITIONS = 3


def best_cpu_seconds(work):
    best = float("inf")
    for _ in range(REPETITIONS):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def spd(metric):
    space = SPDMatrices(3, equip=False)
    space.equip_with_metric(metric)
    return space


def kendall():
    space = PreShapeSpace(90, 2)
    space.equip_with_group_action("rotations")
    space.equip_with_quotient()
    return space.quotient


def run(spec, stem, space, directory):
    points = np.load(f"{directory}/{stem}_points.npy")
    base = np.load(f"{directory}/{stem}_base.npy")[0]
    metric = space.metric

    def report(operation, seconds, check):
        line = {"manifold": spec, "operation": operation, "seconds": round(seconds, 6), "check": float(check)}
        print(json.dumps(line), flush=True)

    tangents = metric.log(points, base)
    seconds, result = best_cpu_seconds(lambda: metric.exp(tangents, base))
    report("exp", seconds, metric.dist(result, base).mean())
    seconds, result = best_cpu_seconds(lambda: metric.log(points, base))
    report("log", seconds, metric.norm(result, base).mean())
    seconds, result = best_cpu_seconds(lambda: metric.dist(points, base))
    report("distance", seconds, result.mean())
    seconds, mean = best_cpu_seconds(lambda: FrechetMean(space).fit(points).estimate_)
    report("mean", seconds, metric.squared_dist(points, mean).mean())
    seconds, pca = best_cpu_seconds(lambda: TangentPCA(space, n_components=2).fit(points, base_point=mean))
    report("pga", seconds, pca.explained_variance_[0])


def main(directory):
    run("sphere:2", "sphere", Hypersphere(2), directory)
    run("spd:3", "spd_log_euclidean", spd(SPDLogEuclideanMetric), directory)
    run("spd:3/affine-invariant", "spd_affine_invariant", spd(SPDAffineMetric), directory)
    run("kendall:90", "kendall", kendall(), directory)


if __name__ == "__main__":
    main(sys.argv[1])
