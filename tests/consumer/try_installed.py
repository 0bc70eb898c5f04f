"""Whether an installed wgp works: imported from where it was installed, a fit, its bytes, the command beside it."""
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import wgp

checkout = pathlib.Path(__file__).resolve().parents[2]
assert checkout not in pathlib.Path(wgp.__file__).resolve().parents, wgp.__file__
command = pathlib.Path(sys.executable).parent / "wgp"
said = subprocess.run([command, "--version"], check=True, text=True, capture_output=True).stdout
assert wgp.__version__ in said, said

rng = np.random.default_rng(0)
t = rng.uniform(0, 2 * np.pi, 80)
X = np.c_[0.6 * np.cos(t), 0.6 * np.sin(t), np.full(80, 0.8)] + 0.02 * rng.normal(size=(80, 3))
X /= np.linalg.norm(X, axis=1, keepdims=True)
model = wgp.WGPLVM("sphere:2", n_latent=1, kernel="periodic", random_state=0).fit(X)
Z = model.transform(X)
error = np.sqrt(np.mean(wgp.manifold("sphere:2").dist(X, model.inverse_transform(Z)) ** 2))
assert Z.shape == (80, 1) and error < 0.03, error
assert np.array_equal(pickle.loads(pickle.dumps(model)).transform(X), Z)

np.savetxt("points.csv", X, delimiter=",", header="x,y,z", comments="")
subprocess.run([command, "fit", "points.csv", "--manifold", "sphere:2", "--latent", "1", "--kernel", "periodic", "-o", "model.wgp",
                "--quiet"], check=True, stdout=subprocess.DEVNULL)
version = ".".join(map(str, sys.version_info[:2]))
print(f"{wgp.__version__} on Python {version}, NumPy {np.__version__}: 80 points, error {error:.3f} rad; {said.strip()}")
