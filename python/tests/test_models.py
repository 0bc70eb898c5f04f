"""Latent variable models and regressions as Python users handle them."""

import copy
import os
import pickle
import resource
import signal
import threading
import time
import warnings

import numpy as np
import pytest
import wgp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from conftest import covariances


def test_finds_the_circle(circle):
    model = wgp.WGPLVM(n_latent=1, kernel="periodic").fit(circle)
    assert 0.08 < model.noise_sd_ < 0.12
    assert model.embedding_.shape == model.embedding_sd_.shape == (120, 1)
    radius = np.linalg.norm(model.decode(np.linspace(-3, 3, 50)[:, None]), axis=1)
    assert np.all(abs(radius - 1) < 0.12)
    assert model.candidates_[0]["bound"] == pytest.approx(model.log_likelihood_)
    assert model.n_iter_ >= 1 and model.summary_["inference"] == "variational"


def test_transform_of_training_points_is_the_embedding(circle, loop):
    for X, spec in ((circle, "euclidean"), (loop, "sphere")):
        model = wgp.WGPLVM(spec, n_latent=1, kernel="periodic", effort="quick")
        Z = model.fit_transform(X)
        difference = np.angle(np.exp(1j * (Z - model.fit(X).transform(X))))
        assert np.abs(difference).max() <= 1e-3 * np.median(model.embedding_sd_)


@pytest.mark.parametrize(
    "spec, shape",
    [
        ("euclidean", (3,)),
        ("sphere", (3,)),
        ("torus", (2,)),
        ("spd", (3, 3)),
        ("spd/affine-invariant", (3, 3)),
        ("correlation", (3, 3)),
        ("kendall", (5, 2)),
        ("kendall3d", (5, 3)),
        ("so", (3, 3)),
        ("grassmann", (4, 2)),
    ],
)
def test_points_keep_their_shape(spec, shape):
    sized = wgp.WGPLVM(spec, n_latent=1, effort="quick", max_iter=20)
    core = wgp.arrays.core_of(spec, shape)
    M = wgp.manifold(core.spec)
    base = M.random_point(random_state=5)
    T = M.at(base)
    rng = np.random.default_rng(6)
    X = T.exp(0.2 * rng.normal(size=(24, M.dim))).reshape((24, *shape))
    model = sized.fit(X)
    assert model.decode(model.embedding_[:4]).shape == (4, *shape)
    assert model.reconstruct(X[:3]).shape == (3, *shape)
    assert model.sample(5).shape == (5, *shape)
    assert model.sample(2, at=model.embedding_[:3]).shape == (2, 3, *shape)
    assert M.defect(model.sample(5).reshape((5, *M.point_shape))) == [None] * 5
    flat = sized.fit(X.reshape(24, -1)) if spec not in ("grassmann",) else None
    if flat is not None:
        assert flat.decode(model.embedding_[:2]).shape == (2, int(np.prod(shape)))
        assert np.array_equal(flat.embedding_, model.embedding_)


def test_quaternions_in_both_orders():
    M = wgp.manifold("so:3")
    R = M.at(np.eye(3)).exp(0.3 * np.random.default_rng(0).normal(size=(30, 3)))
    wxyz = M._core.rows_of_points(R.reshape(30, 9), "quaternion")
    xyzw = np.roll(wxyz, -1, axis=1)
    options = dict(n_latent=1, effort="quick", max_iter=20)
    first = wgp.WGPLVM("so:3", **options).fit(wxyz)
    last = wgp.WGPLVM("so:3", quaternion="xyzw", **options).fit(xyzw)
    assert np.allclose(first.embedding_, last.embedding_, atol=1e-6)
    decoded = last.decode(last.embedding_[:3])
    assert decoded.shape == (3, 4)
    same = np.roll(first.decode(last.embedding_[:3]), -1, axis=1)
    assert np.allclose(np.abs((decoded * same).sum(1)), 1, atol=1e-6)
    with pytest.raises(ValueError, match="wxyz or xyzw"):
        wgp.WGPLVM("so:3", quaternion="wzyx").fit(wxyz)


def test_complex_landmarks():
    rng = np.random.default_rng(0)
    z = np.exp(2j * np.pi * np.arange(6) / 6) + 0.1 * (rng.normal(size=(20, 6)) + 1j * rng.normal(size=(20, 6)))
    pairs = np.stack([z.real, z.imag], axis=-1)
    options = dict(n_latent=1, effort="quick", max_iter=20)
    of_complex = wgp.WGPLVM("kendall", **options).fit(z)
    of_pairs = wgp.WGPLVM("kendall", **options).fit(pairs)
    assert np.array_equal(of_complex.embedding_, of_pairs.embedding_)
    assert of_complex.decode(of_complex.embedding_[:2]).dtype == np.complex128


def test_other_layouts_in_memory(circle):
    model = wgp.WGPLVM(n_latent=1, effort="quick").fit(circle)
    for same in (np.asfortranarray(circle), circle.tolist(), circle[::-1][::-1]):
        assert np.array_equal(model.transform(same), model.transform(circle))
    singles = wgp.WGPLVM(n_latent=1, effort="quick").fit(circle.astype(np.float32))
    assert singles.embedding_.dtype == np.float64
    assert np.abs(singles.noise_sd_ - model.noise_sd_) < 1e-3


def test_pickles_and_copies_to_the_last_bit(circle):
    model = wgp.WGPLVM(n_latent=1, kernel="periodic", effort="quick").fit(circle)
    for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(same.transform(circle), model.transform(circle))
        assert np.array_equal(same.score_samples(circle), model.score_samples(circle))
        assert same.summary_ == model.summary_
        assert np.array_equal(same.embedding_, model.embedding_)
    assert len(pickle.dumps(model)) <= len(model.model_.bytes()) + 20000
    fresh = clone(model)
    assert not hasattr(fresh, "model_") and fresh.get_params() == model.get_params()
    M = wgp.manifold("spd:3")
    assert pickle.loads(pickle.dumps(M)) == M


def test_pandas_and_feature_names(circle):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(circle, columns=["u", "v"])
    model = wgp.WGPLVM(n_latent=1, effort="quick").set_output(transform="pandas").fit(frame)
    assert list(model.feature_names_in_) == ["u", "v"]
    latents = model.transform(frame)
    assert list(latents.columns) == ["wgplvm0"] and len(latents) == 120


def test_automatic_number_of_coordinates(circle):
    model = wgp.WGPLVM(n_latent="auto", effort="quick", kernel="rbf").fit(circle)
    assert model.embedding_.shape[1] >= 1 and model.latent_choice_["why"]


def test_options_are_refused_in_words(circle):
    for options, words in [
        (dict(kernel="rbff"), "rbf"),
        (dict(inference="variationl"), "variational or point is needed"),
        (dict(effort=3), "quick or normal or thorough"),
        (dict(n_latent=0), "whole number"),
        (dict(n_latent=True), "whole number"),
        (dict(n_latent=1000), "1000"),
        (dict(n_latent=2.5), "whole number"),
        (dict(prior="map"), "integrated out"),
        (dict(inference="point", noise_law="student"), "integrated out"),
        (dict(init="circle"), "pga or growth"),
        (dict(init="given"), "at="),
        (dict(manifold="sphere:3"), "sphere:3"),
        (dict(manifold="spehre"), "sphere"),
        (dict(manifold=3), "spec"),
        (dict(random_state="x"), "random_state"),
        (dict(encoder="nearest"), "density or projection"),
        (dict(threads=0), "whole number"),
        (dict(max_iter=-1), "whole number"),
        (dict(calibrate=2.0), "number from"),
        (dict(resume="no such file"), "no such file"),
    ]:
        with pytest.raises(ValueError, match=words.replace("(", "\\(")):
            wgp.WGPLVM(**options).fit(circle)


def test_few_and_equal_points():
    for X in (np.zeros((10, 2)), np.ones((1, 2))):
        with pytest.raises(ValueError):
            wgp.WGPLVM().fit(X)
    with pytest.raises(ValueError):
        wgp.WGPLVM(n_latent=1).fit(np.zeros((0, 2)))


def test_callback_sees_and_ends_and_raises(circle):
    seen = []
    wgp.WGPLVM(n_latent=1, callback=seen.append).fit(circle)
    assert seen and {"phase", "step", "steps", "best", "seconds"} == set(seen[0])
    ended = wgp.WGPLVM(n_latent=1, callback=lambda progress: False).fit(circle)
    assert ended.summary_["cancelled"]

    def fails(progress):
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        wgp.WGPLVM(n_latent=1, callback=fails).fit(circle)


def test_interruption_keeps_the_best_so_far():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 6))
    model = wgp.WGPLVM(n_latent=2, effort="thorough")
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.warns(UserWarning, match="interrupted"):
        model.fit(X)
    assert time.monotonic() - begin < 30
    assert model.summary_["cancelled"] and np.isfinite(model.transform(X[:5])).all()


def test_time_limit(circle):
    X = np.random.default_rng(0).normal(size=(1500, 6))
    model = wgp.WGPLVM(n_latent=2, effort="thorough", time_limit=0.5).fit(X)
    assert model.summary_["cancelled"]


def test_checkpoint_resumes_to_the_same_model(tmp_path, circle):
    whole = wgp.WGPLVM(n_latent=1, checkpoint=str(tmp_path / "steps")).fit(circle)
    again = wgp.WGPLVM(n_latent=1, resume=str(tmp_path / "steps")).fit(circle)
    assert np.array_equal(whole.embedding_, again.embedding_)


def test_several_fits_in_threads(circle):
    alone = wgp.WGPLVM(n_latent=1, effort="quick").fit(circle)
    models = [wgp.WGPLVM(n_latent=1, effort="quick", threads=1) for _ in range(4)]
    threads = [threading.Thread(target=model.fit, args=(circle,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for model in models:
        assert np.array_equal(model.embedding_, alone.embedding_)


def test_search_and_cross_validation_in_pipelines(circle):
    C, labels = covariances(n=48)
    search = GridSearchCV(
        wgp.WGPLVM("spd", effort="quick", max_iter=20), {"n_latent": [1, 2]}, cv=2, n_jobs=1
    ).fit(C)
    assert search.best_params_["n_latent"] in (1, 2)
    pipeline = make_pipeline(wgp.WGPLVM("spd:4", n_latent=2, effort="quick"), LogisticRegression())
    assert cross_val_score(pipeline, C, labels, cv=3).mean() > 0.8


def test_sessions_are_left_out_with_groups():
    C, labels = covariances(n=96, c=6, classes=4)
    sessions = np.arange(96) // 32
    pipeline = make_pipeline(
        wgp.WGPLVM("spd:6/affine-invariant", n_latent=3, effort="quick"), LogisticRegression(max_iter=1000)
    )
    scores = cross_val_score(pipeline, C, labels, groups=sessions, cv=GroupKFold(3))
    assert scores.mean() > 0.6  # four classes: .25 by chance


def test_what_a_user_of_eeg_data_writes(tmp_path):
    rng = np.random.default_rng(0)
    epochs = rng.normal(size=(40, 8, 128)) * np.linspace(1, 2, 8)[:, None]
    C = wgp.io.from_epochs(epochs, "lwf")
    est = wgp.WGPLVM("spd:8/affine-invariant", n_latent=2, random_state=0, effort="quick")
    Z = est.fit_transform(C)
    Z, sd, status = est.encode(C, return_std=True)
    C_hat = est.decode(Z)
    assert Z.shape == sd.shape == (40, 2) and C_hat.shape == C.shape and len(status) == 40
    assert wgp.mean(C, metric="affine-invariant").shape == (8, 8)
    assert np.isfinite(est.score(C)) and est.candidates_ and est.to_html().lower().startswith("<!doctype html")
    est.report(tmp_path / "page.html", labels=["a", "b"] * 20)
    assert (tmp_path / "page.html").stat().st_size > 10000
    assert "<svg" in est._repr_html_() and "bound" in est._repr_html_()
    assert wgp.WGPLVM()._repr_html_().startswith("<pre>")


def test_pictures(circle, loop):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    for X, spec in ((circle, "euclidean"), (loop, "sphere")):
        model = wgp.WGPLVM(spec, n_latent=1, kernel="periodic", effort="quick").fit(X)
        model.plot(X), model.plot_latent(), model.plot_latent(labels=np.arange(len(X)) % 3), model.plot_calibration()
    import matplotlib.pyplot

    matplotlib.pyplot.close("all")


def test_regression(tmp_path):
    x = np.linspace(0, 3, 40)[:, None]
    Y = np.c_[np.cos(x), np.sin(x), 0 * x]
    model = wgp.WrappedGPRegressor("sphere:2").fit(x, Y)
    predicted, sd = model.predict(x, return_std=True)
    assert np.abs(predicted - Y).max() < 1e-2 and sd.shape == (40,)
    assert model.score(x, Y) > 0.999
    assert model.sample_y(x[:3], n_samples=2).shape == (2, 3, 3)
    model.save(tmp_path / "model.wgp")
    assert np.array_equal(wgp.load(tmp_path / "model.wgp").predict(x), predicted)
    line = wgp.WrappedGPRegressor().fit(x, np.sin(x).ravel())
    assert line.predict(x).shape == (40,)
    uncertain = wgp.WrappedGPRegressor("sphere:2", input_sd=0.1).fit(x, Y)
    assert np.isfinite(uncertain.log_likelihood_)


def test_geodesics_between_latents(loop):
    model = wgp.WGPLVM("sphere", n_latent=1, kernel="periodic", effort="quick").fit(loop)
    latents, points = model.geodesic(model.embedding_[0], model.embedding_[1], n_steps=7)
    assert latents.shape == (7, 1) and points.shape == (7, 3)


def test_many_fits_do_not_grow_the_process():
    X = np.random.default_rng(0).normal(size=(12, 2))

    def fits(count):
        for _ in range(count):
            wgp.WGPLVM(n_latent=1, effort="quick", max_iter=2, noise_law="normal", threads=1).fit(X)

    def resident():
        return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()

    fits(100)
    before = resident()
    fits(300)
    assert resident() - before < 8e6


def test_matrices_that_are_taken_for_plain_numbers():
    rng = np.random.default_rng(0)
    cases = {
        "spd": covariances(n=12)[0],
        "so": wgp.manifold("so:3").random_point(12, random_state=0),
        "correlation": wgp.manifold("correlation:4").random_point(12, random_state=0),
        "stiefel": wgp.manifold("stiefel:5x2").random_point(12, random_state=0),
        "kendall": rng.normal(size=(12, 5, 2)),
        "kendall3d": rng.normal(size=(12, 5, 3)),
    }
    for name, X in cases.items():
        with pytest.warns(UserWarning, match=rf"taken for plain numbers.*FrechetMean\('{name}'\) may be meant"):
            wgp.FrechetMean().fit(X)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            wgp.FrechetMean(name).fit(X)
            wgp.FrechetMean(f"euclidean:{X[0].size}").fit(X)
    with pytest.warns(UserWarning, match=r"taken for plain numbers, manifold='euclidean'\. manifold='euclidean:16'"):
        wgp.WGPLVM(effort="quick", max_iter=2).fit(rng.normal(size=(12, 4, 4)))
