"""The notebooks run from beginning to end, in a kernel where nbclient is, else cell by cell."""

import json
import os
import pathlib
import re

import pytest

FOLDER = pathlib.Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def sources(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def has_kernel():
    """Whether there is a kernel, and one that gets on with this matplotlib: before 3.9 it needs an older IPython."""
    try:
        import ipykernel  # noqa: F401
        import nbclient  # noqa: F401
        import nbformat  # noqa: F401
        from IPython.core import pylabtools
        from matplotlib import __version_info__ as version
    except ImportError:
        return False
    return version >= (3, 9) or hasattr(pylabtools, "backend2gui")


def run_in_kernel(path, directory):
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    place = {"metadata": {"path": str(directory)}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=place).execute()


def run_cell_by_cell(path):
    names = {"__name__": "__main__"}
    for number, source in enumerate(sources(path), 1):
        exec(compile(source, f"{path.name}, cell {number}", "exec"), names)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    if path.stem == "tensor_image":
        pytest.importorskip("nibabel")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    if has_kernel():
        run_in_kernel(path, tmp_path)
        return
    monkeypatch.chdir(tmp_path)
    import matplotlib.pyplot as plt

    with plt.rc_context():
        run_cell_by_cell(path)
    plt.close("all")


def test_there_are_five():
    assert len(NOTEBOOKS) == 5


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_is_kept_with_its_pictures_and_nothing_of_one_machine(path):
    assert os.path.getsize(path) < 300_000
    notebook = json.loads(path.read_text(encoding="utf-8"))
    outputs = [one for cell in notebook["cells"] for one in cell.get("outputs", [])]
    assert any("image/png" in one.get("data", {}) for one in outputs)
    for one in outputs:
        assert one["output_type"] != "error" and one.get("name") != "stderr"
        text = "".join(one.get("text", [])) + "".join(one.get("data", {}).get("text/plain", []))
        assert not re.search(r"/home/|/root|/work|/tmp|Warning|0x[0-9a-f]{6}", text)
