"""The page of a model, live: ``wgp explore``, run for as long as somebody looks at it."""

from __future__ import annotations

import atexit
import csv
import json
import os
import subprocess
import sys
import tempfile

from .io import command

_open = set()  # pages that nobody holds stay until Python ends


def _in_notebook():
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell is not None and getattr(shell, "kernel", None) is not None


class Explorer:
    """A page that is being served, at ``url``, until ``close()`` or the end of Python. It is a context manager as well.

    Whoever knows the address sees the model; it is one of this machine, and of nobody's guess.
    """

    def __init__(self, words):
        with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
            # The server ends with its standard input: also where Python is killed.
            self._process = subprocess.Popen(
                [command(), "explore", *words, "--json", "--until-eof"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
            )
            line = self._process.stdout.readline()
            if not line:
                self._end()
                said.seek(0)
                raise RuntimeError(said.read().strip().removeprefix("wgp: "))
        self.url = json.loads(line)["url"]
        _open.add(self)

    def _end(self):
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    @property
    def closed(self):
        """Whether the page is no longer served."""
        return self._process.poll() is not None

    def close(self):
        """Ends the server; again does nothing."""
        if self in _open:
            _open.remove(self)
            self._end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<wgp page, closed: {self.url}>" if self.closed else f"<wgp page: {self.url}>"


def _close_all():
    for one in list(_open):
        one.close()


atexit.register(_close_all)


def explore(estimator, labels=None, open_browser=None, height=900):
    """What the estimators' ``explore`` does."""
    notebook = _in_notebook() and open_browser is None
    opens = not notebook and open_browser is not False
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, f"{type(estimator).__name__}.wgp")
        estimator.save(path)
        words = [path, *([] if opens else ["--no-open"])]
        if labels is not None:
            table = os.path.join(directory, "labels.csv")
            with open(table, "w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([["label"], *([str(label)] for label in labels)])
            words += ["--data", table, "--labels", "label", "--by-row"]
        page = Explorer(words)  # which has read both by the time it has an address
    if notebook:
        from IPython.display import IFrame, display

        display(IFrame(page.url, "100%", height))
    return page
