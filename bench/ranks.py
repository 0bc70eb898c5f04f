"""What ranks cost: passes on 1, 2 and 4 of them, and a fit on two ranks beside one with two threads.

usage: ranks.py WGP WGP_MPI BENCH_RANKS [COUNT]

A line for each number of ranks, points and dimensions, from bench_ranks: milliseconds of a pass by the clock, microseconds
of a processor for each point, milliseconds of a processor that every rank spends on what is not shared, milliseconds that the
least waiting rank waits, and kilobytes that rank 0 gives and takes in a pass. Then `wgp synth sheet --count COUNT` (200,000) fitted by `wgp fit --threads 2` and by two processes of one thread,
three times in turn: the least seconds of the clock and of processors of each, and the efficiency, threads' over ranks'.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")


def mpirun(ranks, *words):
    return ["mpirun", "-n", str(ranks), *words]


def passes(bench):
    print("ranks  points    d  features  pass ms  us a point  not shared ms  waited ms  given kB  taken kB")
    for dimension in 6, 176:
        for points in (100_000, 400_000) if dimension == 6 else (20_000, 80_000):
            for ranks in 1, 2, 4:
                run = subprocess.run(mpirun(ranks, bench, str(points), str(dimension), "1"), env=ENVIRONMENT, check=True,
                                     capture_output=True, text=True)
                cost = json.loads(run.stdout)
                shared = cost["processor"] - cost["not_shared"]
                print(f"{ranks:5d} {points:7d} {dimension:4d} {cost['features']:9d} {1e3 * cost['pass']:8.1f} "
                      f"{1e6 * shared * ranks / points:11.3f} {1e3 * cost['not_shared']:14.2f} {1e3 * cost['waited']:10.2f} "
                      f"{cost['given'] / 1e3:9.1f} {cost['taken'] / 1e3:9.1f}", flush=True)


def timed(command):
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - begin, sum(getattr(after, of) - getattr(before, of) for of in ("ru_utime", "ru_stime"))


def fits(wgp, wgp_mpi, count):
    with tempfile.TemporaryDirectory() as folder:
        points = f"{folder}/sheet.npy"
        subprocess.run([wgp, "synth", "sheet", "--count", str(count), "--seed", "11", "-o", points, "--quiet"], check=True)
        fit = ["fit", points, "--columns", "1:9", "--manifold", "spd:3", "--latent", "2", "--quiet", "-o"]
        ways = {"threads": [wgp, *fit, f"{folder}/threads.wgp", "--threads", "2"],
                "ranks": mpirun(2, wgp_mpi, *fit, f"{folder}/ranks.wgp", "--threads", "1")}
        least = {way: (float("inf"), float("inf")) for way in ways}
        for _ in range(3):
            for way, command in ways.items():
                least[way] = tuple(map(min, least[way], timed(command)))
        for way, (clock, processors) in least.items():
            print(f"fit of {count} points on two {way}: {clock:.2f} s, {processors:.2f} s of processors")
        efficiency = [threads / ranks for threads, ranks in zip(least["threads"], least["ranks"])]
        print(f"efficiency of two ranks against two threads: {efficiency[0]:.3f} by the clock, {efficiency[1]:.3f} by processors")
        same = open(f"{folder}/threads.wgp", "rb").read() == open(f"{folder}/ranks.wgp", "rb").read()
        print("the same bytes" if same else "OTHER BYTES")
        return 0 if same else 1


if __name__ == "__main__":
    passes(sys.argv[3])
    sys.exit(fits(sys.argv[1], sys.argv[2], int(sys.argv[4]) if len(sys.argv) > 4 else 200_000))
