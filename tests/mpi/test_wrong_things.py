"""What goes wrong on one process ends all of them, with one message and the exit code that wgp has for it."""

import os
import shutil
import stat
import unittest

from mpi_case import BUILD, MpiCase


class WrongThings(MpiCase):
    fit = "fit points.npy --columns 1:2 --manifold euclidean:2 --latent 1 --subsample 300 --effort quick -o model.wgp"

    def many_points(self):
        self.wgp("synth circle --count 100300 --seed 3 -o points.npy")

    def expect(self, outcome, code, *words):
        self.assertEqual(outcome.code, code, outcome.err)
        said = outcome.words()
        self.assertEqual(len(said), 1, outcome.err)
        for word in words:
            self.assertIn(word, said[0])
        self.assertFalse(os.path.exists(self.path("model.wgp")))

    def test_wrong_usage(self):
        outcome = self.mpi(3, "fit points.npy --manifold sphere:2 --latnet 1 -o model.wgp")
        alone = self.run_command("wgp fit points.npy --manifold sphere:2 --latnet 1 -o model.wgp".split())
        self.expect(outcome, 2, "did you mean --latent")
        self.assertTrue(outcome.err.startswith(alone.err), outcome.err)

    def test_no_such_file(self):
        self.expect(self.mpi(3, self.fit), 3, "points.npy: no such file")

    def test_standard_input(self):
        self.expect(self.mpi(2, self.fit.replace("points.npy", "-")), 2, "standard input")

    def test_file_that_one_process_cannot_read(self):
        self.many_points()
        os.mkdir(self.path("elsewhere"))
        outcome = self.mpi_shell(3, f"if [ $RANK = 2 ]; then cd elsewhere; fi; exec wgp-mpi {self.fit}")
        self.expect(outcome, 3, "process 2 on ", "points.npy: no such file")

    def test_output_that_cannot_be_written(self):
        self.many_points()
        self.expect(self.mpi(2, self.fit.replace("model.wgp", "missing/model.wgp")), 3, "missing/model.wgp")

    def test_row_that_is_none(self):
        self.many_points()
        with open(self.path("points.npy"), "r+b") as file:
            file.seek(-16, os.SEEK_END)  # the last rank's
            file.write(b"\xff" * 16)
        outcome = self.mpi(3, self.fit.replace("1:2", "4:5"))
        self.expect(outcome, 3, "row 100300", "not finite")

    def test_full_disk_of_one_process(self):
        self.many_points()
        # Files of this process may have so many blocks of 512 bytes, which ends in an error as a full disk does.
        outcome = self.mpi_shell(2, f"if [ $RANK = 1 ]; then trap '' XFSZ; ulimit -f 100; fi; exec wgp-mpi {self.fit}")
        self.expect(outcome, 3, "process 1 on ", "a temporary file in ", "cannot be written")
        # Room for the vectors, not for the latents: that is told to the others where they wait for it.
        outcome = self.mpi_shell(2, f"if [ $RANK = 1 ]; then trap '' XFSZ; ulimit -f 3500; fi; exec wgp-mpi {self.fit}")
        self.expect(outcome, 3, "wgp: points.npy: process 1 on ", "a temporary file in ", "cannot be written")

    def test_no_memory_within_an_exchange(self):
        self.wgp("synth loop --count 100 --seed 3 -o loop.csv")
        fit = "fit loop.csv --columns 1:3 --manifold sphere:2 --effort quick -o model.wgp"
        for exchange in (4, 5, 6, 9):
            for rank in (0, 1):
                preload = f"export LD_PRELOAD={os.environ['WGP_NO_MEMORY_IN_EXCHANGES']} WGP_TEST_EXCHANGE={exchange}"
                outcome = self.mpi_shell(2, f"if [ $RANK = {rank} ]; then {preload}; fi; exec wgp-mpi {fit}", timeout=120)
                self.expect(outcome, 3, "needs more memory than there is", *(["process 1 on "] if rank == 1 else []))

    def test_no_folder_for_temporary_files_of_one_process(self):
        self.many_points()
        outcome = self.mpi_shell(2, f"if [ $RANK = 1 ]; then export TMPDIR=/nowhere; fi; exec wgp-mpi {self.fit}")
        self.expect(outcome, 3, "process 1 on ", "/nowhere")

    def test_another_build(self):
        other = self.path("other-wgp-mpi")
        shutil.copy(os.path.join(BUILD, "wgp-mpi"), other)
        with open(other, "ab") as file:
            file.write(b"\0")
        os.chmod(other, os.stat(other).st_mode | stat.S_IXUSR)
        outcome = self.mpi_shell(3, f"if [ $RANK = 1 ]; then exec {other} {self.fit}; fi; exec wgp-mpi {self.fit}")
        self.expect(outcome, 2, "process 1 on ", "another build")

    def test_other_arguments(self):
        outcome = self.mpi_shell(2, f"exec wgp-mpi {self.fit} --seed $RANK")
        self.expect(outcome, 2, "process 1 on ", "the same arguments")

    def test_instructions(self):
        self.wgp("synth loop --count 60 --seed 3 -o loop.csv")
        fit = "fit loop.csv --columns 1:3 --manifold sphere:2 --effort quick --quiet"
        # What all have: the plainest that one of them is told to use.
        self.wgp(f"{fit} -o alone.wgp", WGP_SIMD="generic")
        outcome = self.mpi_shell(2, f"if [ $RANK = 1 ]; then export WGP_SIMD=generic; fi; exec wgp-mpi {fit} -o ranks.wgp")
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertEqual(self.read("ranks.wgp"), self.read("alone.wgp"))
        outcome = self.mpi_shell(2, f"if [ $RANK = 1 ]; then export WGP_SIMD=generic; else export WGP_SIMD=avx2; fi; "
                                    f"exec wgp-mpi {fit} -o model.wgp")
        self.expect(outcome, 2, "process 1 on ", "generic", "avx2")

    def test_trial_that_fails(self):
        with open(self.path("few.csv"), "w") as file:
            file.write("0,1\n1,0\n1,1\n")
        outcome = self.mpi(2, "evaluate few.csv --manifold euclidean:2 --latent 1 --train-share 0.1")
        self.expect(outcome, 3, "cannot be split")


if __name__ == "__main__":
    unittest.main()
