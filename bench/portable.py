#!/usr/bin/env python3
"""What a build for any processor costs against one for this one: bench_objective and bench_geometry of two build directories,
in turns, the least of three runs each.

  bench/portable.py BUILD_NATIVE BUILD_PORTABLE

At most 1.10 on likelihoods, spheres, SPD matrices, rotations and planar shapes, 1.5 elsewhere; fails beyond.
"""
import json
import os
import subprocess
import sys

ALIKE = ("likelihood", "sphere", "spd:3", "so:3", "kendall")


def lines(build):
    """What is timed -> seconds."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

    def run(*command):
        return subprocess.run([f"{build}/bench/{command[0]}", *command[1:]], env=environment, check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    result = {}
    for row in json.loads(run("bench_objective", "--quick", "--json", "126,338,750,2000", "6,55"))["objective_gradient"]:
        for what in ("seconds", "value_only_seconds"):
            name = "value" if what.startswith("value") else "gradient"
            result[f"likelihood {name} N={row['n']} d={row['d']} threads={row['threads']}"] = row[what]
    for text in run("bench_geometry", f"{build}/bench/data", "more").splitlines():
        row = json.loads(text)
        result[f"{row['manifold']} {row['operation']}"] = row["seconds"]
    return result


def main():
    native, portable = {}, {}
    for _ in range(3):
        for build, least in ((sys.argv[1], native), (sys.argv[2], portable)):
            for what, cost in lines(build).items():
                least[what] = min(cost, least.get(what, cost))
    missed = 0
    print(f"{'':44}  native  portable  ratio  wanted")
    for what, cost in native.items():
        ratio, wanted = portable[what] / cost, 1.1 if what.startswith(ALIKE) else 1.5
        missed += ratio > wanted
        print(f"{what:44} {cost:7.5f}  {portable[what]:8.5f}  {ratio:5.2f}  {wanted:6.2f}{'  MISSED' if ratio > wanted else ''}")
    print(f"{missed} of {len(native)} lines above what is wanted")
    sys.exit(missed > 0)


main()
