"""Fits of very many diffusion tensors: time, memory and how good they are.

usage: scale.py WGP BENCH_SCALE [COUNT ...]

Draws `wgp synth sheet` with each number of points, fits it with `wgp fit --latent 2` on all processors and has
bench_scale look at the model. Times are of the clock and of processors, in seconds and over those of the fit before; memory
is the most that the fit had. Then surfaces in 6 and in 55 dimensions, 200,000 points each, and how much longer the latter takes.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np


def run(command):
    """Seconds of the clock, of processors, and megabytes at most."""
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: {said}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def draw_surface(path, count, dimensions):
    """Waves as smooth as a process with length-scale 1, and noise of a tenth; as many in each dimension."""
    random = np.random.default_rng(1)
    latents, waves = random.normal(size=(count, 2)), random.normal(size=(2, 60))
    phases, weights = 10 * random.normal(size=60), np.sqrt(2 / 60) * random.normal(size=(60, dimensions))
    points = np.lib.format.open_memmap(path, mode="w+", dtype=float, shape=(count, dimensions))
    for begin in range(0, count, 50_000):
        some = np.cos(latents[begin:begin + 50_000] @ waves + phases) @ weights
        points[begin:begin + 50_000] = some + 0.1 * random.normal(size=some.shape)
    points.flush()


def compare_dimensions(wgp, folder):
    print("\n    dimension   seconds  over first  processor s     MB")
    first = None
    for dimensions in (6, 55):
        draw_surface(f"{folder}/surface.npy", 200_000, dimensions)
        seconds, cpu, megabytes = run([wgp, "fit", f"{folder}/surface.npy", "--manifold", f"euclidean:{dimensions}",
                                       "--latent", "2", "-o", f"{folder}/surface.wgp", "--quiet"])
        first = first or seconds
        print(f"{dimensions:13d} {seconds:9.1f} {seconds / first:11.2f} {cpu:12.1f} {megabytes:6.0f}", flush=True)


def main():
    wgp, bench = sys.argv[1:3]
    counts = [int(count) for count in sys.argv[3:]] or [100_000, 200_000, 400_000, 800_000, 1_000_000]
    seed = "11"
    before = None
    print("   points   seconds  over last  processor s  over last     MB  of the fit")
    with tempfile.TemporaryDirectory() as folder:
        points, model = f"{folder}/sheet.npy", f"{folder}/sheet.wgp"
        for count in counts:
            run([wgp, "synth", "sheet", "--count", str(count), "--seed", seed, "-o", points, "--quiet"])
            seconds, cpu, megabytes = run([wgp, "fit", points, "--columns", "1:9", "--manifold", "spd:3", "--latent", "2",
                                           "-o", model, "--quiet"])
            before = before or (seconds, cpu)
            quality = subprocess.run([bench, model, seed], check=True, capture_output=True, text=True).stdout.strip()
            print(f"{count:9d} {seconds:9.1f} {seconds / before[0]:10.2f} {cpu:12.1f} {cpu / before[1]:10.2f} "
                  f"{megabytes:6.0f}  {quality}", flush=True)
            before = seconds, cpu
            os.remove(points)
        if not sys.argv[3:]:
            compare_dimensions(wgp, folder)


if __name__ == "__main__":
    main()
