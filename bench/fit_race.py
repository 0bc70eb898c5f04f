"""How long the same fit takes: wgp against a peer on the same likelihood, one thread, CPU seconds.

  bench/fit_race.py BENCH_MODELS [--quick] [--peer scipy|gpy|gpytorch] [--sets K] [--data WGP DATA]

The peer is SciPy's L-BFGS-B on an objective in NumPy (default), GPy's GPLVM, or SciPy's L-BFGS-B on an objective of
GPyTorch (an exact one, by Cholesky). No prior. The peers have one start, from the principal components, and so has wgp:
a chart that grows (`wgp fit --prior none --effort quick --starts 1`). The data is drawn from the model itself, K sets of
a size (5); with --data, it is that of the experiments in the directory DATA: tangent coordinates of 100 covariances, of
all femur directions and of 600 tensors, which the command WGP computes.

Prints JSON: the peer's time to the log likelihood it ends at, over the time that wgp needs to reach the same: median and
least. Local optima differ: where wgp's start ends below the peer's, a search follows, and that time counts too;
without_search says how often it was not needed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from components import components, standardised
from fit_scipy import SETS, objective, tangent_coordinates

LBFGS = {"maxiter": 1000, "maxfun": 2000, "maxcor": 20}


def drawn(N, d, q, seed):
    random = np.random.default_rng(seed)
    X = 1.2 * random.normal(size=(N, q))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / 2) + 1e-8 * np.eye(N)
    return np.linalg.cholesky(K) @ random.normal(size=(N, d)) + 0.1 * random.normal(size=(N, d))


def real(wgp, data, name, N):
    """As many coordinates as the manifold has dimensions, with the same dot products."""
    file, manifold, columns, _, _ = SETS[name]
    V, d = tangent_coordinates(wgp, f"{data}/{file}", manifold, columns)
    U, s, _ = np.linalg.svd(V[:N], full_matrices=False)
    return U[:, :d] * s[:d]


def by_scipy(P, q):
    N, d = P.shape
    W, scale = standardised(P)
    begin = time.process_time()
    start = np.concatenate([components(W, q).ravel(), [0.0, np.log(0.1)]])
    result = minimize(objective, start, args=(W, d, q, False), jac=True, method="L-BFGS-B", options=LBFGS)
    return time.process_time() - begin, -result.fun - N * d * np.log(scale)


def by_gpy(P, q):
    import GPy

    begin = time.process_time()
    model = GPy.models.GPLVM(P - P.mean(axis=0), q, init="PCA", kernel=GPy.kern.RBF(q))
    model.optimize(max_iters=1000)
    return time.process_time() - begin, float(model.log_likelihood())


def by_gpytorch(P, q):
    import gpytorch
    import torch

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    N, d = P.shape
    W, scale = standardised(P)
    begin = time.process_time()
    targets = torch.tensor(W)
    X = torch.nn.Parameter(torch.tensor(components(W, q)))
    kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())
    kernel.base_kernel.raw_lengthscale.requires_grad_(False)
    kernel.base_kernel.lengthscale = 1.0
    kernel.outputscale = 1.0
    likelihood = gpytorch.likelihoods.GaussianLikelihood(noise_constraint=gpytorch.constraints.GreaterThan(1e-6))
    likelihood.noise = 0.1
    parameters = [X, kernel.raw_outputscale, likelihood.noise_covar.raw_noise]
    sizes = [p.numel() for p in parameters]

    def evaluate(x):
        with torch.no_grad():
            for parameter, part in zip(parameters, torch.tensor(x).split(sizes)):
                parameter.copy_(part.reshape(parameter.shape))
                parameter.grad = None
        prior = gpytorch.distributions.MultivariateNormal(torch.zeros(N), kernel(X))
        covariance = likelihood(prior).lazy_covariance_matrix
        fit, log_determinant = covariance.inv_quad_logdet(targets, logdet=True)
        value = (N * d * np.log(2 * np.pi) + d * log_determinant + fit) / 2
        value.backward()
        return value.item(), torch.cat([p.grad.reshape(-1) for p in parameters]).numpy()

    start = torch.cat([p.detach().reshape(-1) for p in parameters]).numpy()
    with gpytorch.settings.max_cholesky_size(10**6), gpytorch.settings.fast_computations(False, False, False):
        result = minimize(evaluate, start, jac=True, method="L-BFGS-B", options=LBFGS)
    return time.process_time() - begin, -result.fun - N * d * np.log(scale)


PEERS = {"scipy": by_scipy, "gpy": by_gpy, "gpytorch": by_gpytorch}


def race(program, peer, P, q):
    """How many times faster wgp is (0: never there), and by its start or by a search."""
    seconds, reached = peer(P, q)
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(f"{folder}/points.csv", P, delimiter=",", fmt="%.17g")
        answer = subprocess.run([program, "race", f"{folder}/points.csv", str(q), repr(float(reached))],
                                check=True, capture_output=True, text=True).stdout.split()
    return (0.0, "search") if answer == ["never"] else (seconds / float(answer[0]), answer[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="BENCH_MODELS")
    parser.add_argument("--quick", action="store_true", help="one set each of two small sizes")
    parser.add_argument("--peer", choices=sorted(PEERS), default="scipy")
    parser.add_argument("--sets", type=int, default=5)
    parser.add_argument("--data", nargs=2, metavar=("WGP", "DATA"))
    options = parser.parse_args()
    rows = []
    if options.data:
        cases = [(name, [real(*options.data, name, N)], q) for name, N, q in
                 [("crypto", 100, 2), ("femur", 338, 1), ("dti", 600, 2)]]
    else:
        sizes = [(100, 55, 2), (200, 6, 2)] if options.quick else [(100, 55, 2), (338, 2, 1), (600, 6, 2)]
        cases = [("drawn", [drawn(N, d, q, seed) for seed in range(1 if options.quick else options.sets)], q)
                 for N, d, q in sizes]
    for name, sets, q in cases:
        ratios, ways = zip(*(race(options.program, PEERS[options.peer], P, q) for P in sets))
        rows.append({"data": name, "n": sets[0].shape[0], "d": sets[0].shape[1], "q": q, "sets": len(sets),
                     "speedup": round(float(np.median(ratios)), 1), "least_speedup": round(min(ratios), 1),
                     "without_search": ways.count("start")})
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
