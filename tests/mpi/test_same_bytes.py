"""wgp-mpi on one to four processes leaves the bytes that wgp leaves, and prints what wgp prints."""

import json
import unittest

import numpy

from mpi_case import MpiCase


def without_times(text):
    """Of JSON objects."""
    def pruned(value):
        if isinstance(value, dict):
            return {key: pruned(one) for key, one in value.items() if key not in ("seconds", "estimated_seconds")}
        return [pruned(one) for one in value] if isinstance(value, list) else value
    return pruned(json.loads(text)) if text.startswith("{") else text


class SameBytes(MpiCase):
    def compare(self, line, written, ranks=(1, 2, 3, 4)):
        """The line has NAME where the name of what is written stands."""
        alone = self.wgp(line.replace("NAME", "alone_" + written) + " --threads 1")
        for count in ranks:
            together = self.mpi(count, line.replace("NAME", f"ranks_{written}") + " --threads 2")
            self.assertEqual(together.code, 0, together.err)
            self.assertEqual(self.read("ranks_" + written), self.read("alone_" + written), f"{line}: {count} processes")
            self.assertEqual(without_times(together.out.replace("ranks_", "alone_")), without_times(alone.out))

    def test_fit_in_memory(self):
        self.wgp("synth loop --count 300 --seed 3 -o loop.csv")
        self.compare("fit loop.csv --columns 1:3 --manifold sphere:2 --effort quick --json -o NAME", "loop.wgp")

    def test_fit_of_more_points_than_are_searched_on(self):
        self.wgp("synth arc --count 2300 --seed 3 -o arc.npz")
        self.compare("fit arc.npz --columns 1:3 --manifold sphere:2 --subsample 300 --effort quick --json -o NAME",
                     "arc.wgp", ranks=(3,))

    def test_fit_of_estimated_latents(self):
        self.wgp("synth loop --count 60 --seed 3 -o loop.csv")
        self.compare("fit loop.csv --columns 1:3 --manifold sphere:2 --inference point --effort quick -o NAME",
                     "loop.wgp", ranks=(2,))

    def test_fit_in_passes_and_encoding(self):
        self.wgp("synth circle --count 100300 --seed 3 -o circle.npy")
        fit = "--columns 1:2 --manifold euclidean:2 --latent 1 --subsample 300 --effort quick --json -o NAME"
        self.compare(f"fit circle.npy {fit}", "circle.wgp")
        # Several files, each process its own rows of them.
        numbers = numpy.load(self.path("circle.npy"))
        for name, first, last in (("a", 0, 41), ("b", 41, 60001), ("c", 60001, None)):
            numpy.save(self.path(name + ".npy"), numbers[first:last])
        together = self.mpi(3, f"fit a.npy b.npy c.npy {fit.replace('NAME', 'parts.wgp')}")
        self.assertEqual(together.code, 0, together.err)
        self.assertEqual(self.read("parts.wgp"), self.read("alone_circle.wgp"))
        # A table of text says how many rows it has at its end alone; some of these are none, and all have names.
        self.wgp("synth circle --count 100300 --seed 3 -o circle.csv")
        with open(self.path("circle.csv")) as rows, open(self.path("named.csv"), "w") as file:
            file.write("id," + next(rows))
            for number, row in enumerate(rows):
                file.write(f"p{number}," + (row if number % 5000 else "nan" + row[row.index(","):]))
        self.compare(f"fit named.csv --drop-invalid {fit.replace('1:2', '2:3')}", "named.wgp", ranks=(3,))
        self.compare("encode alone_circle.wgp a.npy b.npy c.npy --columns 1:2 --json -o NAME", "codes.npz", ranks=(2, 3))
        self.compare("encode alone_circle.wgp named.csv --columns 2:3 --drop-invalid --labels id --modes -o NAME",
                     "codes.csv", ranks=(2,))
        self.compare("score alone_circle.wgp circle.npy --columns 1:2 --json -o NAME", "score.npy", ranks=(3,))

    def test_more_processes_than_blocks(self):
        self.wgp("synth loop --count 100 --seed 3 -o loop.csv")
        self.compare("fit loop.csv --columns 1:3 --manifold sphere:2 --effort quick --json -o NAME", "loop.wgp", (7,))
        self.compare("encode alone_loop.wgp loop.csv --columns 1:3 --json -o NAME", "codes.csv", (7,))
        self.compare("score alone_loop.wgp loop.csv --columns 1:3 --json -o NAME", "score.csv", (2,))

    def test_evaluate(self):
        self.wgp("synth loop --count 80 --seed 3 -o loop.csv")
        self.compare("evaluate loop.csv --columns 1:3 --manifold sphere:2 --latent 1 --effort quick --repeats 3 "
                     "--models wgplvm,gplvm,nearest,pga --json -o NAME", "splits.csv", ranks=(2, 4))

    def test_what_is_not_shared_runs_once(self):
        self.wgp("synth loop --count 80 --seed 3 -o loop.csv")
        alone = self.wgp("mean loop.csv --columns 1:3 --manifold sphere:2")
        together = self.mpi(3, "mean loop.csv --columns 1:3 --manifold sphere:2")
        self.assertEqual((together.code, together.out, together.err), (0, alone.out, alone.err))
        self.assertEqual(self.mpi(3, "--version").out, self.wgp("--version").out)


class Reproduced(MpiCase):
    def test_trials_are_shared_and_kept(self):
        line = "reproduce crypto --effort quick --repeats 1 --json"
        together = self.mpi(3, f"{line} --out ranks")
        self.assertEqual(together.code, 0, together.err)
        # All of them are there, whoever made them: nothing is left to do.
        again = self.run_command(["wgp", *f"{line} --out ranks --resume".split()])
        self.assertEqual(again.code, 0, again.err)
        self.assertIn(" taken from earlier runs, 0 made", again.err)
        self.assertEqual(again.out, together.out)
        alone = self.wgp(f"{line} --out alone")
        self.assertEqual(without_times(together.out), without_times(alone.out))
        refused = self.mpi(2, f"{line} --out ranks")
        self.assertEqual(refused.code, 2)
        self.assertEqual(len(refused.words()), 1, refused.err)


if __name__ == "__main__":
    unittest.main()
