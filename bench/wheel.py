#!/usr/bin/env python3
"""What fits of a wheel, which runs on any processor, cost against those of a build for this one: both commands fit the same
points in turns, one thread, processor time; the median of the ratios of neighbouring runs. Both ways of fitting: integrated
latents and --inference point.

  bench/wheel.py NATIVE WHEEL [--runs 5] [--wanted 1.10]
  bench/wheel.py build/wgp /some/venv/bin/wgp

Fails where a median is above what is wanted. (A wheel's extension module is linked of the same objects as its command.)
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

import numpy as np


def circle(rng, n=200):
    """Directions about a circle of latitude."""
    t = rng.uniform(0, 2 * np.pi, n)
    points = np.c_[0.7 * np.cos(t), 0.7 * np.sin(t), np.full(n, 0.7)] + 0.05 * rng.normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def sheet(rng, n=200):
    """Exponentials of symmetric matrices about a curved sheet, as rows of nine numbers."""
    a, b = rng.uniform(-1, 1, (2, n))
    upper = np.c_[a, b, a * b, 0.5 * a**2, 0.5 * b**2, np.sin(2 * a)] + 0.05 * rng.normal(size=(n, 6))
    logs = np.zeros((n, 3, 3))
    logs[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]] = upper
    logs = logs + np.transpose(np.triu(logs, 1), (0, 2, 1))
    values, vectors = np.linalg.eigh(logs)
    return ((vectors * np.exp(values)[:, None]) @ np.transpose(vectors, (0, 2, 1))).reshape(n, 9)


SETS = {
    "circle of 200 points": (circle, ["--manifold", "sphere:2", "--latent", "1", "--kernel", "periodic"]),
    "sheet on spd:3, 200 points": (sheet, ["--manifold", "spd:3", "--latent", "2"]),
}


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("native")
    parser.add_argument("wheel")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--wanted", type=float, default=1.10)
    arguments = parser.parse_args()
    missed = 0
    print(f"{'':44} native s  wheel s  ratio  least   most")
    with tempfile.TemporaryDirectory() as directory:
        for name, (make, flags) in SETS.items():
            points = pathlib.Path(directory) / "points.csv"
            np.savetxt(points, make(np.random.default_rng(1)), delimiter=",")
            for inference in ("variational", "point"):
                fit = ["fit", str(points), *flags, "--threads", "1", "--inference", inference, "--quiet",
                       "-o", os.path.join(directory, "model.wgp")]
                pairs = [(seconds([arguments.native, *fit]), seconds([arguments.wheel, *fit])) for _ in range(arguments.runs)]
                ratios = sorted(wheel / native for native, wheel in pairs)
                ratio = statistics.median(ratios)
                missed += ratio > arguments.wanted
                native, wheel = (statistics.median(side) for side in zip(*pairs))
                print(f"{name + ', ' + inference:44} {native:8.3f} {wheel:8.3f} {ratio:6.2f} {ratios[0]:6.2f} {ratios[-1]:6.2f}"
                      f"{'  MISSED' if ratio > arguments.wanted else ''}", flush=True)
    sys.exit(missed > 0)


main()
