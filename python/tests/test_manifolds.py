"""Geometry on arrays, manifolds and kernels of one's own, and wrong arguments of all kinds."""

import numpy as np
import pytest
import wgp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

SPECS = [
    "euclidean:3",
    "sphere:2",
    "hyperbolic:2",
    "torus:2",
    "spd:3",
    "spd:3/affine-invariant",
    "spd:3/log-cholesky",
    "spd:3/bures-wasserstein",
    "correlation:3",
    "kendall:5",
    "kendall3d:5",
    "so:3",
    "se:3",
    "grassmann:4x2",
    "stiefel:4x2",
    "so:3^2",
    "sphere:2,spd:2",
]


@pytest.mark.parametrize("spec", SPECS)
def test_geometry(spec):
    M = wgp.manifold(spec)
    p, q, r = (M.random_point(random_state=seed) for seed in (1, 2, 3))
    P, Q = M.random_point(6, random_state=4), M.random_point(6, random_state=5)
    assert P.shape == (6, *M.point_shape) and p.shape == M.point_shape
    assert np.allclose(M.dist(M.exp(p, M.log(p, q)), q), 0, atol=1e-6)
    assert np.allclose(M.dist(P, Q), M.dist(Q, P))
    assert np.allclose(M.dist(p, Q), M.pairwise_dist(p[None], Q)[0])
    assert M.pairwise_dist(P, Q).shape == (6, 6)
    assert np.allclose(M.dist(P, p), M.dist(p, P))
    T = M.at(p)
    coords = T.log(Q)
    assert coords.shape == (6, M.dim)
    assert np.allclose(np.linalg.norm(coords, axis=1), M.dist(p, Q))
    assert np.allclose(T.dist(Q), M.dist(p, Q))
    assert np.allclose(T.to_ambient(coords), M.log(p, Q))
    assert np.allclose(T.to_coords(T.to_ambient(coords)), coords)
    assert M.defect(P) == [None] * 6
    assert np.isfinite(M.logdet(p, Q)).all() and len(M.log_status(p, Q)) == 6
    # Parallel transport keeps lengths, and takes log(p, q) to -log(q, p).
    v = M.transport(p, q, M.log(p, q))
    assert v.shape == M.point_shape
    assert np.allclose(v, -M.log(q, p), atol=1e-6)
    W = M.transport(p, Q, M.log(p, r))
    lengths = [np.linalg.norm(M.at(end).to_coords(w[None])) for end, w in zip(Q, W)]
    assert np.allclose(lengths, M.dist(p, r), atol=1e-6)
    assert M.mean(M.at(p).exp(0.1 * np.random.default_rng(0).normal(size=(9, M.dim)))).shape == M.point_shape


def test_landmarks_may_be_raw_and_quaternions_may_be_points():
    M = wgp.manifold("kendall:4")
    raw = np.random.default_rng(0).normal(size=(3, 4, 2))
    assert np.allclose(M.dist(raw[0], 5 + 3 * raw[0]), 0, atol=1e-7)
    R = wgp.manifold("so:3")
    identity = np.array([1.0, 0, 0, 0])
    quarter = np.array([np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4)])
    assert np.allclose(R.dist(identity, quarter), np.pi / 2)


def test_nothing_is_copied_that_need_not_be():
    M = wgp.manifold("sphere:2")
    T = M.at(np.array([0.0, 0, 1]))
    coords = np.random.default_rng(0).normal(size=(1000, 2))
    points = T.exp(coords)
    assert points.flags["C_CONTIGUOUS"] and points.flags["WRITEABLE"]
    points.flags["WRITEABLE"] = False
    assert np.allclose(T.exp(T.log(points)), points)


def test_wrong_shapes_are_refused():
    M = wgp.manifold("spd:3")
    for wrong in (np.eye(2), np.zeros(5), np.zeros((4, 4, 4)), "text", None, [[1, 2], [3]], np.eye(3) * 1j):
        with pytest.raises(ValueError):
            M.log(np.eye(3), wrong)
        with pytest.raises(ValueError):
            M.at(wrong)
    with pytest.raises(ValueError, match="base points"):
        M.log(np.tile(np.eye(3), (2, 1, 1)), np.tile(np.eye(3), (3, 1, 1)))
    for spec in ("", "sphere", "sphere:0", "spd:-1", "sphere:99999999999999999999", "so:3^", "a" * 10000, 3, None):
        with pytest.raises(ValueError):
            wgp.manifold(spec)


class Sphere(wgp.CustomManifold):
    """The unit sphere, written by hand."""

    dim, ambient_dim = 2, 3
    injectivity_radius = np.pi
    mean_ball_radius = np.pi / 2

    def frame(self, p):
        return np.linalg.svd(p[None])[2][1:]

    def exp(self, p, V):
        length = np.linalg.norm(V, axis=1, keepdims=True)
        return np.cos(length) * p + np.sinc(length / np.pi) * V

    def log(self, p, Q):
        along = Q - (Q @ p)[:, None] * p
        sine = np.linalg.norm(along, axis=1, keepdims=True)
        angle = np.arctan2(sine, (Q @ p)[:, None])
        return np.where(sine > 0, angle / np.where(sine > 0, sine, 1), 1) * along

    def defect(self, x, tolerance):
        return None if abs(np.linalg.norm(x) - 1) <= tolerance else "not of length 1"

    def project(self, x):
        return x / np.linalg.norm(x)

    def random_point(self, rng):
        return self.project(rng.normal(size=3))


def test_a_manifold_of_ones_own(loop):
    own, known = Sphere(), wgp.manifold("sphere:2")
    assert wgp.check_manifold(own, draws=2, tolerance=1e-6, derivative_tolerance=1e-4) == []
    p, q = known.random_point(2, random_state=0)
    assert np.allclose(own.dist(p, q), known.dist(p, q))
    assert np.allclose(own.logdet(p, q), known.logdet(p, q), atol=1e-6)
    options = dict(n_latent=1, kernel="periodic", effort="quick", random_state=0)
    loop = loop[:40]
    mine, theirs = wgp.WGPLVM(own, **options).fit(loop), wgp.WGPLVM("sphere:2", **options).fit(loop)
    assert mine.noise_sd_ == pytest.approx(theirs.noise_sd_, rel=1e-2)
    assert mine.score(loop) == pytest.approx(theirs.score(loop), abs=1e-2)
    assert wgp.FrechetMean(own).fit(loop).variance_ == pytest.approx(wgp.FrechetMean("sphere:2").fit(loop).variance_)
    with pytest.raises(ValueError, match="row 1: not of length 1"):
        wgp.WGPLVM(own).fit(2 * loop)


def test_what_an_own_manifold_raises_reaches_the_caller(loop):
    class Broken(Sphere):
        def log(self, p, Q):
            raise ArithmeticError("no logs today")

    class Misshapen(Sphere):
        def log(self, p, Q):
            return np.zeros(5)

    with pytest.raises(ArithmeticError, match="no logs today"):
        wgp.WGPLVM(Broken(), n_latent=1).fit(loop)
    with pytest.raises(ValueError, match="log returned an array of shape"):
        wgp.WGPLVM(Misshapen(), n_latent=1).fit(loop)
    mistakes = wgp.check_manifold(Misshapen(), draws=1)
    assert mistakes and all(len(one) == 2 for one in mistakes)


class Rbf(wgp.CustomKernel):
    """The squared exponential kernel, written by hand."""

    parameter_names = ["log_variance", "log_length"]
    default_parameters = [0.0, 0.0]
    amplitude_parameters, length_parameters = [0], [1]

    def cov(self, theta, a, b):
        squares = ((a[:, None] - b[None]) ** 2).sum(-1)
        return np.exp(theta[0] - 0.5 * squares / np.exp(2 * theta[1]))


def test_a_kernel_of_ones_own(circle):
    options = dict(n_latent=1, inference="point", effort="quick", init="pga", max_iter=300)
    mine, theirs = wgp.WGPLVM(kernel=Rbf(), **options).fit(circle), wgp.WGPLVM(kernel="rbf", **options).fit(circle)
    # Derivatives by differences: two searches of one and the same objective.
    assert mine.log_likelihood_ == pytest.approx(theirs.log_likelihood_, rel=0.05)
    assert np.isfinite(mine.transform(circle[:3])).all()


def test_a_metric_of_ones_own():
    half_plane = wgp.chart(2, lambda x: np.eye(2) / np.exp(2 * x[1]))
    assert half_plane.dist(np.zeros(2), np.array([0.0, 0.5])) == pytest.approx(1 - np.exp(-0.5), rel=1e-8)

    def broken(x):
        raise ZeroDivisionError("metric")

    with pytest.raises(ZeroDivisionError):
        wgp.chart(2, broken).dist(np.zeros(2), np.ones(2))


def test_products():
    M = wgp.product(["sphere:2", wgp.manifold("spd:2")], weights=[2, 1])
    assert M.dim == 5 and M.random_point(3, random_state=0).shape == (3, 7)


def test_large_results_have_memory_of_their_own():
    T = wgp.manifold("sphere:2").at(np.array([0.0, 0, 1]))
    V = 0.5 * np.random.default_rng(0).normal(size=(2, 500_000, 2))
    first = T.exp(V[0])
    kept, address = first[::1000].copy(), first.ctypes.data
    second = T.exp(V[1])
    assert not np.shares_memory(first, second) and np.array_equal(first[::1000], kept)
    del first  # whoever comes next may have its memory
    third = T.exp(V[0])
    assert third.ctypes.data == address and np.array_equal(third[::1000], kept)
    assert np.array_equal(T.exp(V[0][:1000]), third[:1000])
    del second
    alive = [third, *(T.exp(V[0][:400_000]) for _ in range(3))]
    assert all(np.array_equal(one[:400_000], third[:400_000]) for one in alive)
    assert not any(np.shares_memory(a, b) for i, a in enumerate(alive) for b in alive[:i])


def test_points_that_are_points_already_are_not_copied():
    for spec in ("sphere:2", "spd:3", "kendall:5", "euclidean:4"):
        M = wgp.manifold(spec)
        X = M.at(M.random_point(1, random_state=0)[0]).exp(0.2 * np.random.default_rng(0).normal(size=(20, M.dim)))
        core, rows = M._core, X.reshape(20, -1)
        form = core.row_forms[0][0]
        assert core.points_of_rows(rows, form, None, "") is None
        others = rows.copy()
        others[[3, 4, 11]] *= 1 + 1e-9
        points = core.points_of_rows(others, form, None, "")
        if spec in ("sphere:2", "kendall:5"):
            assert np.allclose(points, rows, rtol=0, atol=1e-15)
            assert np.array_equal(np.delete(points, [3, 4, 11], 0), np.delete(rows, [3, 4, 11], 0))
        else:
            assert points is None
        others[7] = np.nan
        with pytest.raises(ValueError, match="row 8: not finite"):
            core.points_of_rows(others, form, None, "")


# Anything that someone might hand over by mistake.
anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**4),
    st.just(10**20),
    st.floats(allow_nan=True),
    st.text(max_size=8),
    st.lists(st.floats(-2, 2), max_size=5),
    st.lists(st.lists(st.integers(-2, 2), min_size=2, max_size=2), max_size=4),
    arrays.arrays(
        st.sampled_from([np.float64, np.float32, np.int8, np.bool_, np.complex128, "U3"]),
        arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
    ),
    st.binary(max_size=4),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)
REFUSALS = (ValueError, TypeError)
CALLS = [
    lambda x: wgp.manifold(x),
    lambda x: wgp.manifold("spd:2").exp(x, np.eye(2)),
    lambda x: wgp.manifold("spd:2").log(np.eye(2), x),
    lambda x: wgp.manifold("sphere:1").dist(x, x),
    lambda x: wgp.manifold("kendall:3").transport(x, x, x),
    lambda x: wgp.manifold("so:3").project(x),
    lambda x: wgp.manifold("sphere:2").at(x),
    lambda x: wgp.manifold("sphere:2").at(np.array([0.0, 0, 1])).exp(x),
    lambda x: wgp.manifold("sphere:2").random_point(3, random_state=x),
    lambda x: wgp.WGPLVM(effort="quick", max_iter=2).fit(x),
    lambda x: wgp.WGPLVM("sphere", effort="quick", max_iter=2).fit(x),
    lambda x: wgp.WGPLVM("spd", effort="quick", max_iter=2).fit(x),
    lambda x: wgp.WGPLVM(kernel=x, effort="quick", max_iter=2).fit(np.eye(4)),
    lambda x: wgp.WGPLVM(n_latent=x, effort="quick", max_iter=2).fit(np.eye(4)),
    lambda x: wgp.WGPLVM(init=x, effort="quick", max_iter=2).fit(np.eye(4)),
    lambda x: wgp.WGPLVM(init="given", at=x, effort="quick", max_iter=2).fit(np.eye(4)),
    lambda x: wgp.WGPLVM(random_state=x, effort="quick", max_iter=2).fit(np.eye(4)),
    lambda x: wgp.WGPLVM(callback=x, effort="quick", max_iter=2).fit(np.eye(4)),
    lambda x: wgp.WGPLVM(time_limit=x, effort="quick", max_iter=2).fit(np.eye(4)),
    lambda x: wgp.FrechetMean("torus").fit(x),
    lambda x: wgp.FrechetMean().fit(np.eye(3), sample_weight=x),
    lambda x: wgp.PGA(n_components=x).fit(np.eye(3)),
    lambda x: wgp.PrincipalCurve(nodes=x).fit(np.eye(3)),
    lambda x: wgp.WrappedGaussian().fit(x),
    lambda x: wgp.WrappedGPRegressor().fit(x, x),
    lambda x: wgp.WrappedGPRegressor(input_sd=x, max_iter=2).fit(np.eye(4), np.eye(4)),
    lambda x: wgp.mean(x),
    lambda x: FITTED.transform(x),
    lambda x: FITTED.decode(x),
    lambda x: FITTED.sample(x),
    lambda x: FITTED.sample(2, at=x),
    lambda x: FITTED.geodesic(x, x),
    lambda x: FITTED.to_html(labels=x),
    lambda x: wgp.product(x),
    lambda x: wgp.chart(2, x).dist(np.zeros(2), np.ones(2)),
]
FITTED = wgp.WGPLVM(n_latent=1, effort="quick", max_iter=5).fit(np.random.default_rng(0).normal(size=(12, 2)))


@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(call=st.sampled_from(CALLS), argument=anything)
def test_wrong_arguments_never_end_the_interpreter(call, argument):
    try:
        call(argument)
    except REFUSALS:
        pass


def test_results_go_into_arrays_that_are_there():
    M = wgp.manifold("spd:3")
    T = M.at(np.eye(3))
    V = np.random.default_rng(0).normal(size=(50, 6))
    points, coords = np.empty((50, 3, 3)), np.empty((50, 6))
    assert T.exp(V, out=points) is points and np.array_equal(points, T.exp(V))
    assert T.log(points, out=coords) is coords and np.array_equal(coords, T.log(points))
    for out, words in (
        (np.empty((49, 3, 3)), "50 rows"),
        (np.empty((50, 3, 3), dtype=np.float32), "float64"),
        (np.empty((50, 3, 6))[:, :, ::2], "C-contiguous"),
        (np.empty(10), "9 numbers"),
        ([0.0], "array"),
    ):
        with pytest.raises(ValueError, match=words):
            T.exp(V, out=out)
    flat = wgp.manifold("euclidean:3").at(np.zeros(3))
    with pytest.raises(ValueError, match="another array"):
        flat.exp(points.reshape(-1, 3), out=points)


def test_base_points_come_first():
    M = wgp.manifold("sphere:2")
    p, q = M.random_point(2, random_state=0)
    with pytest.raises(ValueError, match="base points come first"):
        M.exp(M.log(p, q), p)


@pytest.mark.parametrize("spec, shape", [("kendall:6", (6, 2)), ("kendall3d:6", (6, 3))])
def test_landmarks_are_brought_to_their_shape(spec, shape):
    M = wgp.manifold(spec)
    X = np.random.default_rng(0).normal(size=(10, *shape))
    T = M.at(X[0])
    assert np.allclose(T.dist(X), M.dist(X[0], X), atol=1e-9)
    assert np.allclose(np.linalg.norm(T.log(X), axis=1), M.dist(X[0], X), atol=1e-7)
    assert np.allclose(T.log(M.project(X)), T.log(X), atol=1e-9)
