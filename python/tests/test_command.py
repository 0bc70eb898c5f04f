"""What Python fits and encodes is what the command does, to the last bit, and errors have the same words."""

import json
import os
import subprocess

import numpy as np
import pytest
import wgp

from conftest import covariances


def run(*words, check=True):
    done = subprocess.run([wgp.io.command(), *map(str, words)], capture_output=True, text=True, check=False)
    if check:
        assert done.returncode == 0, done.stderr
    return done


def latents(path):
    with np.load(path) as arrays:
        return arrays[arrays.files[0]]


@pytest.mark.parametrize(
    "spec, flags, options",
    [
        ("euclidean:2", ["--latent", "1", "--kernel", "periodic"], dict(n_latent=1, kernel="periodic")),
        ("sphere:2", ["--latent", "1", "--effort", "quick"], dict(n_latent=1, effort="quick")),
        (
            "sphere:2",
            ["--latent", "1", "--inference", "point", "--effort", "quick", "--seed", "3", "--encoder", "projection"],
            dict(n_latent=1, inference="point", effort="quick", random_state=3, encoder="projection"),
        ),
        (
            "spd:4/affine-invariant",
            ["--latent", "2", "--effort", "quick", "--ard", "--max-iterations", "50"],
            dict(n_latent=2, effort="quick", ard=True, max_iter=50),
        ),
        ("sphere:2", ["--model", "gplvmproj", "--effort", "quick"], dict(model=wgp.GPLVMProj, effort="quick")),
    ],
)
def test_same_bits_as_the_command(tmp_path, circle, loop, spec, flags, options):
    X = {"euclidean:2": circle, "sphere:2": loop}.get(spec)
    X = covariances()[0] if X is None else X
    kind = options.pop("model", wgp.WGPLVM)
    np.save(tmp_path / "train.npy", X[:-20])
    np.save(tmp_path / "new.npy", X[-20:])
    run("fit", tmp_path / "train.npy", "--manifold", spec, *flags, "-o", tmp_path / "model.wgp", "--quiet")
    run("encode", tmp_path / "model.wgp", tmp_path / "new.npy", "-o", tmp_path / "latents.npz", "--quiet")
    model = kind(spec, **options).fit(X[:-20])
    Z, sd, status = model.encode(X[-20:], return_std=True)
    with np.load(tmp_path / "latents.npz") as arrays:
        numbers = next(arrays[name] for name in arrays.files if arrays[name].dtype.kind == "f")
        words = next(arrays[name] for name in arrays.files if arrays[name].dtype.kind == "U")
    q = Z.shape[1]
    assert numbers.shape[1] == 2 * q + 3
    assert np.array_equal(Z, numbers[:, :q])
    assert np.array_equal(sd, numbers[:, q : 2 * q])
    assert list(status) == list(words)
    if kind is not wgp.GPLVM:
        assert np.array_equal(model.score_samples(X[-20:]), numbers[:, 2 * q])
    # The model of the command is the same to Python, and the other way round.
    assert np.array_equal(wgp.load(tmp_path / "model.wgp").transform(X[-20:]), Z)
    model.save(tmp_path / "of_python.wgp")
    run("decode", tmp_path / "of_python.wgp", tmp_path / "latents.npz", "--columns", f"1:{q}", "-o", tmp_path / "d.npy")
    decoded = np.load(tmp_path / "d.npy")
    width = X[0].size
    assert np.array_equal(model.decode(Z).reshape(20, -1), decoded[:, :width])


def test_summary_has_the_names_of_the_command(tmp_path, circle):
    np.save(tmp_path / "x.npy", circle)
    done = run("fit", tmp_path / "x.npy", "--manifold", "euclidean:2", "--latent", 1, "-o", tmp_path / "m.wgp", "--json")
    of_command = json.loads(done.stdout)
    summary = wgp.WGPLVM(n_latent=1).fit(circle).summary_
    for name in ("bound", "held_out_log_density", "noise_variance", "iterations", "stop", "mean_unique"):
        assert summary[name] == of_command[name], name
    assert {"candidates", "outliers", "noise_law", "kernel", "inference"} <= set(summary) & set(of_command)
    assert [one["kind"] for one in summary["candidates"]] == [one["kind"] for one in of_command["candidates"]]


@pytest.mark.parametrize(
    "spec, bad",
    [
        ("sphere:2", [0.0, 0.0, 2.0]),
        ("sphere:2", [0.0, np.nan, 1.0]),
        ("euclidean:2", [0.0, np.inf]),
        ("spd:2", [1.0, 2.0, 2.0, 1.0]),
        ("spd:2", [1.0, 0.5, 0.0, 1.0]),
        ("so:3", [1.0, 0, 0, 0, 1, 0, 0, 0, -1]),
        ("kendall:3", [1.0, 1, 1, 1, 1, 1]),
    ],
)
def test_bad_rows_are_refused_in_the_words_of_the_command(tmp_path, spec, bad):
    M = wgp.manifold(spec)
    rows = M.random_point(5, random_state=0).reshape(5, -1)
    rows[3] = bad
    np.save(tmp_path / "x.npy", rows)
    said = run("mean", tmp_path / "x.npy", "--manifold", spec, check=False)
    assert said.returncode == 3
    with pytest.raises(ValueError) as error:
        wgp.FrechetMean(spec).fit(rows)
    words = said.stderr.splitlines()[0].split("x.npy: ", 1)[1]
    assert words.startswith("row 4")
    assert str(error.value).startswith(words)


def test_reads_what_the_command_reads(tmp_path):
    path = tmp_path / "two.tps"
    path.write_text("LM=3\n0 0\n1 0\n0 1\nID=a\nLM=3\n0 0\n2 0\n0 1\nID=b\n")
    X, ids = wgp.io.read(path, labels="id")
    assert X.shape == (2, 3, 2) and ids.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="no such file"):
        wgp.io.read(tmp_path / "missing.csv")


def test_version_is_that_of_the_command():
    assert run("--version").stdout.split()[1] == wgp.__version__
