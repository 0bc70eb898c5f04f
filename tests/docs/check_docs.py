"""Runs the commands that the documents show and compares what they print.

    python3 check_docs.py BUILD_DIRECTORY DOCUMENT...

Every ```console block is run, in order, in one empty directory per document where demo/ is as scripts/demo leaves it,
build/ is the build directory and docs/ the repository's. Lines that start with "$ " are commands (continued by a
backslash), the others what they print on both streams. Blanks do not count. Numbers agree if they are equal to three digits, and the number of iterations
is not compared. In a ```console about block the words must agree and numbers stand where numbers are expected: a search
among many optima ends at other digits, and may choose another of them, where another processor rounds differently.
"""

import math
import os
import re
import subprocess
import sys
import tempfile

DOCS = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "docs"))
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def steps_of(document):
    """Yields (line number, command, expected output, relative tolerance of its numbers)."""
    command, expected, first, inside, tolerance = None, [], 0, False, 0
    with open(document) as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if line.startswith("```"):
                if command is not None:
                    yield first, command, expected, tolerance
                command, expected, inside = None, [], line in ("```console", "```console about")
                tolerance = math.inf if line.endswith("about") else 1e-3
            elif inside and command is not None and command.endswith("\\"):
                command += "\n" + line
            elif inside and line.startswith("$ "):
                if command is not None:
                    yield first, command, expected, tolerance
                command, expected, first = line[2:], [], number
            elif inside:
                expected.append(line)


def same(actual, expected, tolerance):
    actual, expected = (re.sub(r"after \d+ iterations?", "after some iterations", line) for line in (actual, expected))
    if tolerance == math.inf:
        actual, expected = (re.sub(r"\bchosen\b", "", line) for line in (actual, expected))
    actual, expected = (" ".join(line.split()) for line in (actual, expected))
    if NUMBER.split(actual) != NUMBER.split(expected):
        return False
    pairs = zip(map(float, NUMBER.findall(actual)), map(float, NUMBER.findall(expected)))
    return tolerance == math.inf or all(abs(a - b) <= tolerance * abs(b) + 1e-9 for a, b in pairs)


def check(document, build):
    failures = 0
    with tempfile.TemporaryDirectory() as directory:
        os.symlink(build, os.path.join(directory, "build"))
        os.symlink(DOCS, os.path.join(directory, "docs"))
        environment = dict(os.environ, PATH=build + ":" + os.environ["PATH"], LC_ALL="C")
        subprocess.run([f"{build}/examples/demo", "demo"], cwd=directory, check=True, stdout=subprocess.DEVNULL)
        for number, command, expected, tolerance in steps_of(document):
            run = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            actual = run.stdout.splitlines()
            if len(actual) == len(expected) and all(same(*pair, tolerance) for pair in zip(actual, expected)):
                continue
            failures += 1
            print(f"{document}:{number}: $ {command}\n--- the document says", *expected, "--- it printed", *actual,
                  sep="\n")
    return failures


if __name__ == "__main__":
    sys.exit(1 if sum(check(document, os.path.abspath(sys.argv[1])) for document in sys.argv[2:]) else 0)
