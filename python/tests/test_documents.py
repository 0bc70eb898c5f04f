"""What the Python guide shows after >>>, and the lines of the README."""

import doctest
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "python.md"


def test_the_guide_prints_what_it_says():
    pytest.importorskip("matplotlib").use("Agg")
    source = GUIDE.read_text(encoding="utf-8")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(source, {}, GUIDE.name, str(GUIDE), 0)
    report = []
    failed, tried = doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert tried > 20
    assert failed == 0, "".join(report)


def test_the_lines_of_the_readme_make_a_picture_wherever_one_is(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    (lines,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    exec(lines, {})
    assert (tmp_path / "curve.png").stat().st_size > 5000
