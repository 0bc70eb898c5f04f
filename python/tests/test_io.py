"""Arrays of other libraries."""

import numpy as np
import pytest
import wgp


def test_epochs():
    epochs = np.random.default_rng(0).normal(size=(5, 4, 64))
    for estimator in ("lwf", "oas", "scm"):
        C = wgp.io.from_epochs(epochs, estimator)
        assert C.shape == (5, 4, 4) and wgp.manifold("spd:4").defect(C) == [None] * 5
    assert np.allclose(wgp.io.from_epochs(epochs, "scm")[0], np.cov(epochs[0], bias=True))

    class Epochs:
        def get_data(self):
            return epochs

    assert np.array_equal(wgp.io.from_epochs(Epochs()), wgp.io.from_epochs(epochs))
    with pytest.raises(ValueError, match="lwf, oas or scm"):
        wgp.io.from_epochs(epochs, "none")
    with pytest.raises(ValueError, match="channels"):
        wgp.io.from_epochs(epochs[0])


@pytest.mark.parametrize("order", ["symmatrix", "fsl", "mrtrix"])
def test_tensor_images(order, tmp_path):
    nibabel = pytest.importorskip("nibabel")
    rng = np.random.default_rng(0)
    A = rng.normal(size=(2, 3, 2, 3, 3))
    D = A @ np.swapaxes(A, -1, -2) + np.eye(3)
    places = {
        "symmatrix": [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)],
        "fsl": [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2)],
        "mrtrix": [(0, 0), (1, 1), (2, 2), (1, 0), (2, 0), (2, 1)],
    }[order]
    image = nibabel.Nifti1Image(np.stack([D[..., i, j] for i, j in places], axis=-1), np.eye(4))
    mask = np.zeros((2, 3, 2))
    mask[1] = 1
    tensors, voxels = wgp.io.from_nifti(image, mask, tensor_order=order)
    assert np.allclose(tensors, D[1].reshape(-1, 3, 3)) and voxels.shape == (6, 3)
    back = wgp.io.to_nifti(np.arange(6.0), voxels, image)
    assert back.shape == (2, 3, 2) and np.isnan(back.get_fdata()[0]).all()
    # The command reads the same from the file.
    nibabel.save(image, tmp_path / "t.nii.gz")
    read = wgp.io.read(tmp_path / "t.nii.gz", tensor_order=order)
    assert read.shape == (12, 6)  # lower triangles, row by row
    lower = D.reshape(12, 3, 3)[:, [0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2]]
    assert np.allclose(read[np.lexsort(read.T)], lower[np.lexsort(lower.T)])
    if order != "symmatrix":
        with pytest.raises(ValueError, match="order"):
            wgp.io.from_nifti(image)


def test_matlab(tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    scipy_io.savemat(tmp_path / "x.mat", {"a": np.arange(6.0).reshape(2, 3), "b": np.ones((2, 2))})
    assert wgp.io.from_mat(tmp_path / "x.mat", "a").tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="a, b"):
        wgp.io.from_mat(tmp_path / "x.mat")
    with pytest.raises(ValueError, match="no array 'c'"):
        wgp.io.from_mat(tmp_path / "x.mat", "c")


def test_libraries_that_are_missing_are_named():
    try:
        import ezc3d  # noqa: F401

        pytest.skip("ezc3d is here")
    except ImportError:
        with pytest.raises(ImportError, match="pip install ezc3d"):
            wgp.io.read_c3d("x.c3d")


def test_spaces_of_geomstats():
    class Metric:
        pass

    def space(name, metric="Metric", **attributes):
        made = type(name, (), attributes)()
        made.metric = type(metric, (), {})()
        return made

    for made, spec in [
        (space("Hypersphere", dim=4), "sphere:4"),
        (space("SPDMatrices", "SPDAffineMetric", n=3), "spd:3/affine-invariant"),
        (space("SPDMatrices", "SPDLogEuclideanMetric", n=3), "spd:3"),
        (space("PreShapeSpace", k_landmarks=9, ambient_dim=2), "kendall:9"),
        (space("Grassmannian", n=5, p=2), "grassmann:5x2"),
    ]:
        assert wgp.io.from_geomstats(made) == wgp.manifold(spec)
    with pytest.raises(ValueError, match="Torus"):
        wgp.io.from_geomstats(space("Torus"))
    with pytest.raises(ValueError, match="Euclidean"):
        wgp.io.from_geomstats(space("SPDMatrices", "SPDEuclideanMetric", n=3))
