"""Fits of Dask arrays: the model of the points in memory, whatever happens to workers."""

import os
import signal
import threading
import time

import numpy as np
import pytest
import wgp

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")


def points(n, seed=0):
    rng = np.random.default_rng(seed)
    t = rng.uniform(0, 2 * np.pi, n)
    return np.c_[np.cos(t), np.sin(t)] + 0.1 * rng.normal(size=(n, 2))


OPTIONS = dict(n_latent=1, kernel="periodic", effort="quick", subsample=300, threads=1)


def test_few_points_are_fitted_in_memory():
    X = points(200)
    model = wgp.WGPLVM(**OPTIONS).fit(da.from_array(X, chunks=(64, 2)))
    here = wgp.WGPLVM(**OPTIONS).fit(X)
    assert np.array_equal(model.embedding_, here.embedding_)
    latents = model.transform(da.from_array(X, chunks=(50, 1)))
    assert isinstance(latents, da.Array) and latents.shape == (200, 1)
    # Points are encoded in batches, whose company moves the last digits alone.
    assert np.abs(latents.compute() - here.transform(X)).max() < 1e-10
    assert np.abs(model.score_samples(da.from_array(X, chunks=(50, 2))).compute() - here.score_samples(X)).max() < 1e-9


def test_a_cluster_that_loses_a_worker_ends_at_the_model_in_memory():
    X = points(100500)
    here = wgp.WGPLVM(**OPTIONS).fit(X)
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, memory_limit=0
    )
    client = distributed.Client(cluster)
    killed = []

    def kill_one(progress):
        if not killed and progress["phase"] != "":
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    try:
        array = da.from_array(X, chunks=(25600, 2))
        model = wgp.WGPLVM(**OPTIONS, callback=kill_one).fit(array)
        assert killed
        assert np.abs(model.embedding_ - here.embedding_).max() < 1e-10
        new = points(300, seed=1)
        latents = model.transform(da.from_array(new, chunks=(100, 2))).compute()
        assert np.abs(latents - here.transform(new)).max() < 1e-10
    finally:
        client.close()
        cluster.close()
