"""Files, and the objects of other libraries, as arrays of points.

``read`` takes every file that the command ``wgp`` takes, with the same flags and messages; the others need the library
that their name says, and say so where it is missing.
"""

from __future__ import annotations

import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile

import numpy as np

from . import _core


def _needed(module, what, package=None):
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"{what} needs {package or module}: pip install {package or module}") from None


def command() -> str:
    """The path of the command ``wgp``: that of this installation, else the first on the PATH.

    Examples
    --------
    >>> import subprocess, wgp
    >>> subprocess.run([wgp.io.command(), "--version"], capture_output=True, text=True).stdout.split()[0]
    'wgp'
    """
    given = os.environ.get("WGP_COMMAND")
    beside = [pathlib.Path(sysconfig.get_path("scripts")) / "wgp", pathlib.Path(sys.prefix) / "bin" / "wgp"]
    for path in [given] if given else [str(path) for path in beside if path.exists()] + [shutil.which("wgp")]:
        if path:
            return path
    raise FileNotFoundError("the command wgp was not found; WGP_COMMAND may say where it is")


def read(path, *more, labels=None, **flags):
    """Points from files: tables, NPY, NPZ, MATLAB, landmarks, tensor images, motion, trajectories.

    Parameters
    ----------
    path, *more : path
        A file or several of the same kind, or a directory of them.
    labels : str, optional
        A column of labels to return as well.
    **flags
        Those of ``wgp convert``, with underscores: ``columns="4:19"``, ``mask="mask.nii.gz"``, ``bone="lfemur"``, ...

    Returns
    -------
    X : array
        In the file's shape: (n, d), (n, c, c), (n, k, 2), ...
    labels : array of str
        Only if they were asked for.

    Examples
    --------
    >>> import os, tempfile, wgp
    >>> path = os.path.join(tempfile.mkdtemp(), "points.csv")
    >>> _ = open(path, "w").write("x,y,who\\n1,2,a\\n3,4,b\\n")
    >>> X, who = wgp.io.read(path, columns="x,y", labels="who")
    >>> X.tolist(), who.tolist()
    ([[1.0, 2.0], [3.0, 4.0]], ['a', 'b'])
    """
    words = [command(), "convert", *(os.fspath(one) for one in (path, *more)), "--quiet"]
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not None and value is not False:
            words += [flag, str(value)]
    if labels is not None:
        words += ["--labels", labels]
    with tempfile.TemporaryDirectory() as directory:
        output = os.path.join(directory, "points.npz")
        done = subprocess.run([*words, "-o", output], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ValueError(done.stderr.strip().removeprefix("wgp: "))
        with np.load(output) as arrays:
            names = list(arrays.files)
            numbers = [name for name in names if arrays[name].dtype.kind == "f"]
            texts = [name for name in names if arrays[name].dtype.kind in "US"]
            X = arrays[numbers[0]]
            return (X, arrays[texts[0]]) if labels is not None else X


def from_epochs(epochs, estimator="lwf"):
    """Covariance matrices of MNE epochs, (n, c, c): one for each epoch.

    ``estimator``: "lwf" (Ledoit-Wolf), "oas", or "scm" (the sample covariance, which short epochs make singular).

    Examples
    --------
    >>> import numpy as np, wgp
    >>> epochs = np.random.default_rng(0).normal(size=(20, 8, 256))  # or an mne.Epochs
    >>> wgp.io.from_epochs(epochs).shape
    (20, 8, 8)
    """
    data = np.asarray(epochs.get_data() if hasattr(epochs, "get_data") else epochs, dtype=np.float64)
    if data.ndim != 3:
        raise ValueError(f"epochs of shape {data.shape}; (n, channels, times) is needed")
    if estimator == "scm":
        return np.array([np.cov(one, bias=True) for one in data])
    from sklearn.covariance import ledoit_wolf, oas

    known = {"lwf": ledoit_wolf, "oas": oas}
    if estimator not in known:
        raise ValueError(f"estimator={estimator!r}: lwf, oas or scm is needed")
    return np.array([known[estimator](one.T)[0] for one in data])


# Where xx yx yy zx zy zz stand among an image's six channels.
_TENSOR_ORDERS = {"symmatrix": (0, 1, 2, 3, 4, 5), "fsl": (0, 1, 3, 2, 4, 5), "mrtrix": (0, 3, 1, 4, 5, 2)}


def from_nifti(img, mask=None, tensor_order=None):
    """Diffusion tensors of a nibabel image as matrices (n, 3, 3), and the voxels (n, 3) that they are of.

    ``mask``: an image or array; voxels where it is not 0 are taken (without it, where the tensor is not 0).
    ``tensor_order``: "symmatrix" (that of images which say so), "fsl" or "mrtrix".

    Examples
    --------
    >>> import numpy as np, wgp
    >>> image = np.zeros((4, 4, 2, 6))  # or a nibabel image
    >>> image[1:3, 1:3] = [1, 0, 0, 2, 0, 3]
    >>> tensors, voxels = wgp.io.from_nifti(image, tensor_order="fsl")
    >>> tensors.shape, voxels[0].tolist(), np.diag(tensors[0]).tolist()
    ((8, 3, 3), [1, 1, 0], [1.0, 2.0, 3.0])
    """
    data = np.asanyarray(img.dataobj if hasattr(img, "dataobj") else img, dtype=np.float64)
    if data.ndim == 5 and data.shape[3] == 1:
        data = data[:, :, :, 0]
    if data.ndim != 4 or data.shape[3] != 6:
        raise ValueError(f"an image of shape {data.shape}; (x, y, z, 6) is needed, the entries of a symmetric tensor")
    if tensor_order is None:
        code = int(img.header["intent_code"]) if hasattr(img, "header") else 0
        if code != 1005:
            raise ValueError("the image does not say the order of its channels: tensor_order='fsl' or 'mrtrix'")
        tensor_order = "symmatrix"
    if tensor_order not in _TENSOR_ORDERS:
        raise ValueError(f"tensor_order={tensor_order!r}: {', '.join(_TENSOR_ORDERS)} are known")
    if mask is None:
        chosen = np.abs(data).sum(axis=3) > 0
    else:
        chosen = np.asanyarray(mask.dataobj if hasattr(mask, "dataobj") else mask) != 0
        chosen = chosen.reshape(chosen.shape[:3])
        if chosen.shape != data.shape[:3]:
            raise ValueError(f"a mask of shape {chosen.shape} for an image of shape {data.shape[:3]}")
    xx, yx, yy, zx, zy, zz = data[chosen][:, _TENSOR_ORDERS[tensor_order]].T
    tensors = np.stack([xx, yx, zx, yx, yy, zy, zx, zy, zz], axis=1).reshape(-1, 3, 3)
    return tensors, np.argwhere(chosen)


def to_nifti(values, voxels, like):
    """Numbers of voxels, (n,) or (n, k), as a nibabel image on the grid of ``like``; NaN elsewhere.

    Examples
    --------
    >>> import numpy as np, nibabel, wgp
    >>> image = nibabel.Nifti1Image(np.zeros((4, 4, 2, 6)), np.eye(4))
    >>> wgp.io.to_nifti([0.5], [[1, 2, 0]], image).get_fdata()[1, 2, 0]
    0.5
    """
    nibabel = _needed("nibabel", "to_nifti")
    values = np.asarray(values, dtype=np.float64).reshape(len(voxels), -1)
    data = np.full((*like.shape[:3], values.shape[1]), np.nan, dtype=np.float32)
    data[tuple(np.asarray(voxels).T)] = values
    return nibabel.Nifti1Image(data[..., 0] if values.shape[1] == 1 else data, like.affine)


def read_c3d(path, markers=None):
    """Markers of a C3D file, (frames, markers, 3): landmarks in space for "kendall3d". NaN where one was not seen.

    Examples
    --------
    >>> import wgp
    >>> X = wgp.io.read_c3d("walk.c3d", ["LKNE", "LANK", "LTOE"])  # doctest: +SKIP
    """
    ezc3d = _needed("ezc3d", "read_c3d")
    recording = ezc3d.c3d(os.fspath(path))
    points = np.asarray(recording["data"]["points"])[:3].transpose(2, 1, 0)
    if markers is None:
        return points
    names = list(recording["parameters"]["POINT"]["LABELS"]["value"])
    unknown = [name for name in markers if name not in names]
    if unknown:
        raise ValueError(f"no marker {unknown[0]!r} in {path}; there are {', '.join(names)}")
    return points[:, [names.index(name) for name in markers]]


def from_mat(path, name=None):
    """An array of a MATLAB file through SciPy, (n, ...): the only one, or that of this name.

    Examples
    --------
    >>> import os, tempfile, numpy as np, scipy.io, wgp
    >>> path = os.path.join(tempfile.mkdtemp(), "points.mat")
    >>> scipy.io.savemat(path, {"points": np.eye(3)})
    >>> wgp.io.from_mat(path).shape
    (3, 3)
    """
    scipy_io = _needed("scipy.io", "from_mat", "scipy")
    arrays = {key: value for key, value in scipy_io.loadmat(os.fspath(path)).items() if not key.startswith("__")}
    if name is None:
        numbers = [key for key, value in arrays.items() if getattr(value, "dtype", np.dtype("O")).kind in "biuf"]
        if len(numbers) != 1:
            raise ValueError(f"{path}: name one of the arrays {', '.join(numbers) or '(none holds numbers)'}")
        name = numbers[0]
    if name not in arrays:
        raise ValueError(f"{path}: no array {name!r}; there are {', '.join(arrays)}")
    return np.asarray(arrays[name], dtype=np.float64)


def from_geomstats(space, points=None):
    """The manifold that is the same as a space of geomstats, and the points as its arrays.

    Examples
    --------
    >>> import wgp
    >>> class Hypersphere:  # as geomstats has it
    ...     dim = 2
    >>> wgp.io.from_geomstats(Hypersphere()).spec
    'sphere:2'
    """
    from .manifolds import manifold

    name, metric = type(space).__name__, type(getattr(space, "metric", None)).__name__
    n = getattr(space, "n", None)
    if name == "Hypersphere":
        spec = f"sphere:{space.dim}"
    elif name in ("Hyperboloid", "Hyperbolic"):
        spec = f"hyperbolic:{space.dim}"
    elif name == "Euclidean":
        spec = f"euclidean:{space.dim}"
    elif name == "SPDMatrices":
        metrics = {
            "SPDLogEuclideanMetric": "",
            "SPDAffineMetric": "/affine-invariant",
            "SPDMetricAffine": "/affine-invariant",
            "SPDMetricLogEuclidean": "",
            "SPDBuresWassersteinMetric": "/bures-wasserstein",
        }
        if metric not in metrics:
            raise ValueError(f"no metric of spd matrices is {metric}; there are {', '.join(metrics)}")
        spec = f"spd:{n}{metrics[metric]}"
    elif name in ("SpecialOrthogonal", "_SpecialOrthogonalMatrices"):
        spec = f"so:{n}"
    elif name == "PreShapeSpace":
        size, dimension = space.k_landmarks, space.ambient_dim
        spec = f"kendall:{size}" if dimension == 2 else f"kendall3d:{size}"
    elif name in ("Stiefel", "Grassmannian"):
        spec = f"{'stiefel' if name == 'Stiefel' else 'grassmann'}:{n}x{space.p}"
    else:
        known = sorted({entry["geomstats"].split(":")[0] for entry in _core.registered_manifolds() if entry["geomstats"]})
        raise ValueError(f"no manifold is geomstats' {name}; there are those of {', '.join(known)}")
    if points is None:
        return manifold(spec)
    return manifold(spec), np.asarray(points, dtype=np.float64)
