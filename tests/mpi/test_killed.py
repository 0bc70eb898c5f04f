"""A process that is killed ends the job; what was kept goes on, on another number of processes, to the same bytes."""

import os
import random
import signal
import subprocess
import time
import unittest

from mpi_case import ENVIRONMENT, MpiCase


def processes_of(mpirun):
    """Those that it has started."""
    with open(f"/proc/{mpirun}/task/{mpirun}/children") as file:
        return [int(child) for child in file.read().split()]


class Killed(MpiCase):
    fit = "fit loop.csv --columns 1:3 --manifold sphere:2 --quiet"

    def setUp(self):
        super().setUp()
        self.wgp("synth loop --count 250 --seed 3 -o loop.csv")
        begin = time.monotonic()
        self.wgp(f"{self.fit} -o whole.wgp --threads 1")
        self.seconds = time.monotonic() - begin

    def start(self, ranks, line, *flags):
        return subprocess.Popen(["mpirun", "-n", str(ranks), *flags, "wgp-mpi", *line.split()], cwd=self.folder,
                                env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def test_at_random_moments(self):
        chance = random.Random(7)
        killed = 0
        for _ in range(10):
            resumed = "--resume fit.ck" if os.path.exists(self.path("fit.ck")) else "--checkpoint fit.ck"
            job = self.start(chance.choice([2, 3, 4]), f"{self.fit} {resumed} -o model.wgp")
            try:
                job.wait(timeout=chance.uniform(0.05, 1) * self.seconds)
            except subprocess.TimeoutExpired:
                if children := processes_of(job.pid):
                    os.kill(chance.choice(children), signal.SIGKILL)
                    killed += 1
            job.communicate(timeout=60)
            if os.path.exists(self.path("model.wgp")):  # it was too late: all over again
                self.assertEqual(self.read("model.wgp"), self.read("whole.wgp"))
                os.remove(self.path("model.wgp"))
                os.remove(self.path("fit.ck"))
        self.assertGreaterEqual(killed, 3)
        resumed = "--resume fit.ck" if os.path.exists(self.path("fit.ck")) else ""
        last = self.mpi(3, f"{self.fit} {resumed} -o model.wgp")
        self.assertEqual(last.code, 0, last.err)
        self.assertEqual(self.read("model.wgp"), self.read("whole.wgp"))
        # Nothing half-written is left.
        self.assertEqual(set(os.listdir(self.folder)) - {"fit.ck"}, {"loop.csv", "whole.wgp", "model.wgp"})

    def start_long_fit(self, ranks, *flags):
        """Returns when its first step is finished."""
        self.wgp("synth sheet --count 4000 --seed 3 -o sheet.csv")
        job = self.start(ranks, "fit sheet.csv --columns 1:9 --manifold spd:3 --latent 2 --effort thorough --checkpoint long.ck "
                                "-o model.wgp", *flags)
        while not os.path.exists(self.path("long.ck")):
            self.assertIsNone(job.poll())
            time.sleep(0.02)
        os.remove(self.path("long.ck"))
        return job

    def test_told_to_end(self):
        # mpirun has an exit code of its own where it is told itself to end; it waits so long before it passes the signal
        # on, and as long again before it kills.
        patient = ["--mca", "odls_base_sigkill_timeout", "5"]
        for told, flags, codes in ((signal.SIGTERM, patient, {1, 130}), (signal.SIGINT, patient, {1, 130}),
                                   (signal.SIGUSR1, [], {130})):
            job = self.start_long_fit(2, *flags)
            job.send_signal(told)
            words = job.communicate(timeout=120)[1]
            self.assertIn(job.returncode, codes, words)
            self.assertEqual(words.count("interrupted: the best model so far is in model.wgp"), 1, words)
            self.wgp("info model.wgp")
            os.remove(self.path("model.wgp"))

    def test_told_to_end_on_one_process(self):
        job = self.start_long_fit(3)
        os.kill(processes_of(job.pid)[-1], signal.SIGTERM)
        words = job.communicate(timeout=120)[1]
        self.assertEqual(job.returncode, 130, words)
        self.wgp("info model.wgp")


if __name__ == "__main__":
    unittest.main()
