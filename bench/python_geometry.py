"""The work of geometry.cpp through the Python package, and in geomstats and pyRiemann where they are, on the same arrays.

    PYTHONPATH=build/python python3 bench/python_geometry.py build/bench/bench_geometry DIRECTORY [--peer-python PYTHON]
                                                             [--rounds 5] [--json]

geometry.cpp leaves the points in DIRECTORY. CPU seconds of one thread, the best of so many rounds; in a round the C++
program and Python take turns with each manifold, so that both meet the same machine. "python/c++" should be at most 1.2:
arrays are not copied on their way. exp and log fill arrays that are there, as in C++; "new" makes a new array each time.
wgp.FrechetMean and wgp.PGA see whether each row is a point before they begin, C++ takes them as they are; PGA looks for the
mean first, and C++ is given the time of the same.

The peers run in --peer-python, a Python that has geomstats or pyRiemann (this one, if it has them); their columns are
their seconds over ours through Python. Differences are those of one number that each side computes from its result.
"""

import argparse
import json
import os
import subprocess
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["GEOMSTATS_BACKEND"] = "numpy"

import numpy as np  # noqa: E402  (after the number of threads)

SUBJECTS = {
    "sphere:2": "sphere",
    "spd:3": "spd_log_euclidean",
    "spd:24/affine-invariant": "spd_24",
    "kendall:90": "kendall",
}
OPERATIONS = ("exp", "exp, new", "log", "log, new", "distance", "mean", "pga")
WANTED = 1.2


def data(directory, stem):
    return np.load(f"{directory}/{stem}_points.npy"), np.load(f"{directory}/{stem}_base.npy")[0]


def seconds_of(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def repeated(work):
    """Best of several, as geometry.cpp does: at least three, more of what is quick."""
    seconds, result = seconds_of(work)
    for _ in range(6 if seconds < 1 else 2):
        again, result = seconds_of(work)
        seconds = min(seconds, again)
    return seconds, result


def wgp_rows(spec, directory):
    import wgp

    points, base = data(directory, SUBJECTS[spec])
    manifold = wgp.manifold(spec)
    space = manifold.at(base)
    coords = space.log(points)
    ends, found = np.empty_like(points), np.empty_like(coords)

    def mean_distance(ends):
        return space.dist(ends).mean()

    def mean_norm(found):
        return np.linalg.norm(found, axis=1).mean()

    yield "exp", *checked(lambda: space.exp(coords, out=ends), mean_distance)
    yield "log", *checked(lambda: space.log(points, out=found), mean_norm)
    del ends, found
    yield "exp, new", *checked(lambda: space.exp(coords), mean_distance)
    yield "log, new", *checked(lambda: space.log(points), mean_norm)
    yield "distance", *checked(lambda: space.dist(points), np.mean)
    yield "mean", *checked(lambda: wgp.FrechetMean(spec).fit(points), lambda found: found.variance_)
    yield "pga", *checked(lambda: wgp.PGA(spec, 2).fit(points), lambda found: found.explained_variance_[0])


def geomstats_rows(spec, directory):
    from geomstats.geometry.hypersphere import Hypersphere
    from geomstats.geometry.pre_shape import PreShapeSpace
    from geomstats.geometry.spd_matrices import SPDAffineMetric, SPDLogEuclideanMetric, SPDMatrices
    from geomstats.learning.frechet_mean import FrechetMean
    from geomstats.learning.pca import TangentPCA

    points, base = data(directory, SUBJECTS[spec])
    if spec == "sphere:2":
        space = Hypersphere(2)
    elif spec == "kendall:90":
        space = PreShapeSpace(90, 2)
        space.equip_with_group_action("rotations")
        space.equip_with_quotient()
        space = space.quotient
    else:
        space = SPDMatrices(len(base), equip=False)
        space.equip_with_metric(SPDAffineMetric if "affine" in spec else SPDLogEuclideanMetric)
    metric = space.metric
    tangents = metric.log(points, base)
    yield "exp", *checked(lambda: metric.exp(tangents, base), lambda ends: metric.dist(ends, base).mean())
    yield "log", *checked(lambda: metric.log(points, base), lambda found: metric.norm(found, base).mean())
    yield "distance", *checked(lambda: metric.dist(points, base), np.mean)
    mean = FrechetMean(space)
    yield "mean", *checked(lambda: mean.fit(points).estimate_, lambda at: metric.squared_dist(points, at).mean())
    # Mean and principal geodesics together, as our estimator does.
    pga = TangentPCA(space, n_components=2)
    yield "pga", *checked(
        lambda: pga.fit(points, base_point=FrechetMean(space).fit(points).estimate_),
        # Of matrices it takes the variance of all entries, whatever the metric: nothing to compare.
        lambda found: None if spec.startswith("spd") else found.explained_variance_[0],
    )


def pyriemann_rows(spec, directory):
    try:
        from pyriemann.geometry import base as matrices, distance as distances, mean as means, tangentspace as tangents
    except ImportError:
        from pyriemann.utils import base as matrices, distance as distances, mean as means, tangentspace as tangents

    if not spec.startswith("spd"):
        return
    points, base = data(directory, SUBJECTS[spec])
    metric = "riemann" if "affine" in spec else "logeuclid"
    log, exp = getattr(tangents, f"log_map_{metric}"), getattr(tangents, f"exp_map_{metric}")
    distance, mean = getattr(distances, f"distance_{metric}"), getattr(means, f"mean_{metric}")
    vectors = log(points, base)
    yield "exp", *checked(lambda: exp(vectors, base), lambda ends: distance(ends, base).mean())
    yield "log", *checked(lambda: log(points, base), lambda found: None)
    yield "distance", *checked(lambda: distance(points, base), np.mean)
    yield "mean", *checked(lambda: mean(points), lambda at: (distance(points, at) ** 2).mean())


def checked(work, check):
    seconds, result = repeated(work)
    value = check(result)
    return seconds, None if value is None else float(value)


def run_one(side, spec, directory):
    """In a process of its own: one line of JSON for each operation."""
    rows = {"wgp": wgp_rows, "geomstats": geomstats_rows, "pyriemann": pyriemann_rows}[side]
    for operation, seconds, check in rows(spec, directory):
        print(json.dumps({"operation": operation, "seconds": seconds, "check": check}), flush=True)


def child(command):
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {run.stderr.strip().splitlines()[-1:]}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def has(python, module):
    return (
        subprocess.run([python, "-W", "ignore", "-c", f"import {module}"], capture_output=True, check=False).returncode
        == 0
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("directory")
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", nargs=2, metavar=("SIDE", "SPEC"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        run_one(*arguments.one, arguments.directory)
        return

    peers = [name for name in ("geomstats", "pyriemann") if has(arguments.peer_python, name)]
    best, checks = {}, {}
    for turn in range(arguments.rounds):
        for spec in SUBJECTS:
            sides = {"c++": [arguments.program, arguments.directory, "only", spec]}
            sides["python"] = [sys.executable, __file__, arguments.program, arguments.directory, "--one", "wgp", spec]
            for peer in peers if turn == 0 else []:
                sides[peer] = [
                    arguments.peer_python,
                    "-W",
                    "ignore",
                    __file__,
                    arguments.program,
                    arguments.directory,
                    "--one",
                    peer,
                    spec,
                ]
            for side, command in sides.items():
                try:
                    lines = child(command)
                except RuntimeError as error:
                    print(f"{side} on {spec} failed: {error}", file=sys.stderr)
                    continue
                for line in lines:
                    key = (spec, line["operation"], side)
                    best[key] = min(line["seconds"], best.get(key, np.inf))
                    checks[key] = line["check"]
    for spec in SUBJECTS:
        best[spec, "mean", "c++"] = best[spec, "mean_certified", "c++"]
        best[spec, "pga", "c++"] += best[spec, "mean", "c++"]
        checks[spec, "mean", "c++"] = checks[spec, "mean_certified", "c++"]
        for operation in ("exp", "log"):
            best[spec, operation + ", new", "c++"] = best[spec, operation, "c++"]
            for peer in peers:
                if (spec, operation, peer) in best:
                    best[spec, operation + ", new", peer] = best[spec, operation, peer]
    if arguments.json:
        print(
            json.dumps(
                [
                    {"manifold": spec, "operation": operation, "side": side, "seconds": seconds}
                    for (spec, operation, side), seconds in best.items()
                ]
            )
        )
        return
    print(
        f"{'manifold':<26}{'operation':<11}{'c++ ms':>9}{'python ms':>11}{'python/c++':>12}"
        + "".join(f"{peer + '/wgp':>16}" for peer in peers)
        + "  results differ by"
    )
    missed = 0
    for spec in SUBJECTS:
        for operation in OPERATIONS:
            ours, python = (best[spec, operation, side] for side in ("c++", "python"))
            ratio = python / ours
            missed += ratio > WANTED
            line = f"{spec:<26}{operation:<11}{1e3 * ours:>9.2f}{1e3 * python:>11.2f}{ratio:>12.2f}"
            for peer in peers:
                theirs = best.get((spec, operation, peer))
                line += f"{'-':>16}" if theirs is None else f"{theirs / python:>16.1f}"
            known = [
                checks[key]
                for side in ("c++", "python", *peers)
                if checks.get(key := (spec, operation, side)) is not None
            ]
            line += f"  {(max(known) - min(known)) / max(abs(known[0]), 1e-300):.0e}"
            print(line + ("  MISSED" if ratio > WANTED else ""))
    print(f"{missed} of {len(OPERATIONS) * len(SUBJECTS)} lines above {WANTED}")


if __name__ == "__main__":
    main()
