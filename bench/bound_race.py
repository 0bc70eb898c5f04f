"""The bound with integrated latents: what one evaluation costs, and how high it is after equal time.

  bench/bound_race.py BENCH_BOUND WGP --peer gpy|gpytorch [--points N] [--seconds T]

20,000 points about a surface in 6 dimensions, 2 latent coordinates. The peer is GPy's Bayesian GPLVM, or GPyTorch's, each
with 50 inducing inputs and all points at a time; one thread, CPU seconds. The peer climbs from principal components for T
seconds (60): GPy by L-BFGS, GPyTorch by Adam. wgp makes a whole fit, `wgp fit --time-limit T --threads 1`, search and
points that are left out included.

Prints JSON: seconds of one evaluation, value and gradient, and the peer's over wgp's; and what wgp's bound is above the
peer's after T seconds, in nats a point. GPyTorch's bound is a mean over draws of the latents; of its last ten.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from components import components, standardised

INDUCING = 50


def drawn(N, seed=1):
    """A surface that is a sum of waves, as smooth as a process with length-scale 1, and noise of a tenth."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, 2))
    waves = np.cos(X @ random.normal(size=(2, 60)) + 10 * random.normal(size=60))
    return np.sqrt(2 / 60) * waves @ random.normal(size=(60, 6)) + 0.1 * random.normal(size=(N, 6))


class OutOfTime(Exception):
    pass


def least_time(work, most):
    """Of some rounds, at least two, until so many seconds are gone."""
    least, begin, rounds = np.inf, time.process_time(), 0
    while rounds < 2 or time.process_time() - begin < most:
        before = time.process_time()
        work()
        least, rounds = min(least, time.process_time() - before), rounds + 1
    return least


def by_gpy(W, seconds):
    import GPy
    from scipy.optimize import minimize

    X = components(W, 2)
    model = GPy.models.BayesianGPLVM(W, 2, X=X, X_variance=np.full(X.shape, 0.01), kernel=GPy.kern.RBF(2),
                                     num_inducing=INDUCING)
    model.likelihood.variance = 0.1
    start = model.optimizer_array.copy()
    one = least_time(lambda: model._objective_grads(start * (1 + 1e-9)), 10)
    best, begin = -np.inf, time.process_time()

    def evaluate(x):
        nonlocal best
        if time.process_time() - begin > seconds:
            raise OutOfTime
        value, gradient = model._objective_grads(x)
        best = max(best, -float(value))
        return float(value), gradient

    try:
        minimize(evaluate, start, jac=True, method="L-BFGS-B", options={"maxiter": 10**6, "maxfun": 10**6})
    except OutOfTime:
        pass
    return one, best


def by_gpytorch(W, seconds):
    import gpytorch
    import torch
    from gpytorch.models.gplvm.bayesian_gplvm import BayesianGPLVM
    from gpytorch.models.gplvm.latent_variable import VariationalLatentVariable
    from gpytorch.priors import NormalPrior
    from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    N, d = W.shape
    X = torch.tensor(components(W, 2))

    class Model(BayesianGPLVM):
        def __init__(self):
            batch = torch.Size([d])
            inducing = X[torch.randperm(N)[:INDUCING]].expand(d, INDUCING, 2).clone()
            distribution = CholeskyVariationalDistribution(INDUCING, batch_shape=batch)
            strategy = VariationalStrategy(self, inducing, distribution, learn_inducing_locations=True)
            prior = NormalPrior(torch.zeros(N, 2), torch.ones(N, 2))
            super().__init__(VariationalLatentVariable(N, d, 2, X_init=torch.nn.Parameter(X.clone()), prior_x=prior),
                             strategy)
            self.mean_module = gpytorch.means.ZeroMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

        def forward(self, at):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(at), self.covar_module(at))

    model = Model()
    likelihood = gpytorch.likelihoods.GaussianLikelihood(batch_shape=model.variational_strategy._variational_distribution.batch_shape)
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=N)
    adam = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.01)
    targets = torch.tensor(W).T

    def evaluate():
        adam.zero_grad()
        value = bound(model(model.sample_latent_variable()), targets).sum()
        (-value).backward()
        return N * value.item()

    one = least_time(evaluate, 10)
    values, begin = [], time.process_time()
    while time.process_time() - begin < seconds:
        values.append(evaluate())
        adam.step()
    return one, float(np.mean(values[-10:]))


PEERS = {"gpy": by_gpy, "gpytorch": by_gpytorch}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", metavar="BENCH_BOUND")
    parser.add_argument("wgp", metavar="WGP")
    parser.add_argument("--peer", choices=sorted(PEERS), required=True)
    parser.add_argument("--points", type=int, default=20000)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    P = drawn(options.points)
    W, scale = standardised(P)
    N, d = P.shape
    theirs, reached = PEERS[options.peer](W, options.seconds)
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/points.npy", P)
        ours = float(subprocess.run([options.bench, "race", f"{folder}/points.npy"], check=True, capture_output=True,
                                    text=True).stdout)
        begin = time.monotonic()
        fit = subprocess.run([options.wgp, "fit", f"{folder}/points.npy", "--manifold", f"euclidean:{d}", "--latent", "2",
                              "--threads", "1", "--time-limit", repr(options.seconds), "--json", "--quiet", "-o",
                              f"{folder}/model.wgp"], capture_output=True, text=True)
        took = time.monotonic() - begin
        if not fit.stdout:
            sys.exit(fit.stderr)
        bound = json.loads(fit.stdout)["bound"] + N * d * np.log(scale)
    print(json.dumps({"peer": options.peer, "n": N, "d": d, "q": 2, "seconds": round(ours, 5),
                      "peer_seconds": round(theirs, 3), "speedup": round(theirs / ours, 1),
                      "fit_seconds": round(took, 1), "bound_a_point": round(bound / N, 3),
                      "peer_bound_a_point": round(reached / N, 3), "above_a_point": round((bound - reached) / N, 3)}))


if __name__ == "__main__":
    main()
