"""What the tests of wgp-mpi share: an empty directory, the command on so many processes, and what it left behind."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.environ["WGP_BUILD"]
# More processes than processors, by whoever runs the tests, in whatever container.
ENVIRONMENT = dict(os.environ, PATH=BUILD + ":" + os.environ["PATH"], LC_ALL="C", OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_btl_vader_single_copy_mechanism="none")


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def words(self):
        """What wgp said, without what mpirun says of exit codes and signals."""
        return [line for line in self.err.splitlines() if re.match(r"wgp(-mpi)?( \w+)?:", line)]


class MpiCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="wgp-mpi-test-")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_command(self, words, timeout=None, **more):
        """timeout: seconds, of what hangs where it is wrong."""
        environment = dict(ENVIRONMENT, **more)
        run = subprocess.run(words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, timeout=timeout)
        return Outcome(run.returncode, run.stdout, run.stderr)

    def wgp(self, line, **more):
        outcome = self.run_command(["wgp", *line.split()], **more)
        self.assertEqual(outcome.code, 0, outcome.err)
        return outcome

    def mpi(self, ranks, line, **more):
        """wgp-mpi on so many processes."""
        return self.run_command(["mpirun", "-n", str(ranks), "wgp-mpi", *line.split()], **more)

    def mpi_shell(self, ranks, script, **more):
        """The same by a shell script that each process runs; $RANK says which one it is."""
        script = 'RANK=$OMPI_COMM_WORLD_RANK; ' + script
        return self.run_command(["mpirun", "-n", str(ranks), "sh", "-c", script], **more)
