"""Means, principal geodesics, principal curves and wrapped Gaussians as estimators."""

import numpy as np
import pytest
import wgp

from conftest import covariances


def test_mean_of_matrices():
    C, _ = covariances()
    logs = np.array([np.linalg.eigh(one)[1] @ np.diag(np.log(np.linalg.eigvalsh(one))) @ np.linalg.eigh(one)[1].T for one in C])
    w, U = np.linalg.eigh(logs.mean(0))
    assert np.allclose(wgp.mean(C), U @ np.diag(np.exp(w)) @ U.T)
    affine = wgp.mean(C, metric="affine-invariant")
    # Congruence takes means to means.
    A = np.random.default_rng(0).normal(size=(4, 4))
    assert np.allclose(wgp.mean(A @ C @ A.T, metric="affine-invariant"), A @ affine @ A.T)
    weights = np.arange(len(C)) < 10
    assert np.allclose(wgp.mean(C, weights=weights), wgp.mean(C[:10]))
    with pytest.raises(ValueError, match="say its manifold"):
        wgp.mean(np.eye(3))
    assert np.allclose(wgp.mean(np.eye(3), manifold="sphere"), np.full(3, 3**-0.5))


def test_mean_says_how_sure_it_is():
    model = wgp.FrechetMean("sphere:2").fit(np.eye(3))
    assert model.unique_ and model.status_ == "converged" and model.radius_ == pytest.approx(np.arccos(3**-0.5))
    assert np.allclose(model.inverse_transform(model.transform(np.eye(3))), np.eye(3))
    antipodal = wgp.FrechetMean("sphere:2").fit(np.array([[0, 0, 1.0], [0, 0, -1.0]]))
    assert not antipodal.unique_


def test_principal_geodesics_of_the_plane_are_principal_components():
    from sklearn.decomposition import PCA

    X = np.random.default_rng(0).normal(size=(50, 4)) @ np.diag([3, 2, 1, 0.5])
    mine, theirs = wgp.PGA(n_components=2).fit(X), PCA(n_components=2).fit(X)
    assert np.allclose(np.abs(mine.transform(X)), np.abs(theirs.transform(X)))
    assert np.allclose(mine.explained_variance_ratio_, theirs.explained_variance_ratio_)
    assert np.allclose(mine.inverse_transform(mine.transform(X)), theirs.inverse_transform(theirs.transform(X)))


def test_principal_geodesics_of_shapes_keep_their_shape():
    rng = np.random.default_rng(0)
    X = np.exp(2j * np.pi * np.arange(8) / 8) + 0.05 * (rng.normal(size=(20, 8)) + 1j * rng.normal(size=(20, 8)))
    X = np.stack([X.real, X.imag], -1)
    model = wgp.PGA("kendall", n_components=2).fit(X)
    assert model.mean_.shape == (8, 2) and model.inverse_transform(model.transform(X)).shape == (20, 8, 2)


def test_principal_curve(loop):
    curve = wgp.PrincipalCurve("sphere:2", closed=True).fit(loop)
    s = curve.transform(loop)
    assert s.shape == (120, 1) and (0 <= s).all() and (s <= curve.length_).all()
    nearest = curve.inverse_transform(s)
    assert np.allclose(wgp.manifold("sphere:2").dist(loop, nearest), curve.distances(loop), atol=1e-8)
    assert np.allclose(curve.distances(loop), curve.distances_)
    assert np.allclose(curve.inverse_transform([0.0]), curve.inverse_transform([curve.length_]), atol=1e-9)


def test_wrapped_gaussian_is_a_density():
    M = wgp.manifold("sphere:2")
    X = M.at(np.array([0.0, 0, 1])).exp(0.4 * np.random.default_rng(0).normal(size=(400, 2)))
    model = wgp.WrappedGaussian("sphere:2").fit(X)
    everywhere = M.random_point(40000, random_state=1)
    assert np.exp(model.score_samples(everywhere)).mean() * 4 * np.pi == pytest.approx(1, abs=0.05)
    draws = model.sample(500, random_state=2)
    assert M.defect(draws) == [None] * 500
    assert abs(model.score(draws) - model.score(X)) < 0.3


def test_metrics_by_the_names_of_pyriemann():
    C, _ = covariances(n=10)
    for name, own in (("riemann", "affine-invariant"), ("logeuclid", None), ("wasserstein", "bures-wasserstein")):
        assert np.array_equal(wgp.mean(C, metric=name), wgp.mean(C, metric=own))


def test_as_many_principal_geodesics_as_explain_a_share():
    from sklearn.decomposition import PCA

    X = np.random.default_rng(0).normal(size=(50, 4)) @ np.diag([3, 2, 1, 0.5])
    for share in (0.1, 0.5, 0.9, 0.97, 0.9999):
        mine, theirs = wgp.PGA(n_components=share).fit(X), PCA(n_components=share).fit(X)
        assert mine.n_components_ == theirs.n_components_ == mine.transform(X).shape[1] == len(mine.components_)
        assert np.allclose(mine.explained_variance_ratio_, theirs.explained_variance_ratio_)
    C, _ = covariances()
    model = wgp.PGA("spd/affine-invariant", n_components=0.8).fit(C)
    ratios = wgp.PGA("spd/affine-invariant").fit(C).explained_variance_ratio_
    assert ratios[: model.n_components_ - 1].sum() < 0.8 <= ratios[: model.n_components_].sum()
    exact = wgp.PGA("spd/affine-invariant", n_components=0.8, exact=True).fit(C)
    assert exact.n_components_ == model.n_components_ and not np.array_equal(exact.components_, model.components_)
    for wrong in (0.0, 1.0, 1.5, -0.1, np.nan, np.inf):
        with pytest.raises(ValueError, match="a share below 1"):
            wgp.PGA(n_components=wrong).fit(X)
