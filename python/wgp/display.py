"""What people see: progress while a fit runs, the summary of a model, pictures."""

from __future__ import annotations

import html
import sys
import time

import numpy as np


class Progress:
    """Says how a fit is doing: one line that moves in terminals and notebooks, a line every half minute elsewhere."""

    def __init__(self, verbose, callback=None, stream=None):
        self.verbose, self.callback = verbose, callback
        self.stream = stream or sys.stderr
        self.moves = hasattr(self.stream, "isatty") and self.stream.isatty() or "ipykernel" in sys.modules
        self.last = 0.0 if self.moves else time.monotonic()
        self.drawn = False

    def __call__(self, progress):
        if self.verbose and time.monotonic() - self.last > (0.1 if self.moves else 30):
            self.last = time.monotonic()
            best = "" if progress["best"] is None else f", objective {progress['best']:.6g}"
            line = (
                f"fit: {progress['phase']} {progress['step']}/{progress['steps']}{best}, {progress['seconds']:.0f} s"
            )
            self.stream.write(f"\r{line:<70.70}" if self.moves else line + "\n")
            self.stream.flush()
            self.drawn = self.moves
        return self.callback(progress) if self.callback else None

    def clear(self):
        if self.drawn:
            self.stream.write(f"\r{'':70}\r")
            self.stream.flush()

    @property
    def asked(self):
        """What the library is to call: nothing, if there is nothing to say."""
        return self if self.verbose or self.callback else None


def summary_rows(estimator):
    """(name, value) of what a fitted model says first."""
    summary, model = estimator.summary_, estimator.model_
    latent = f"{model.latent_dim} coordinate{'s' if model.latent_dim > 1 else ''}"
    if model.angles:
        latent += f", {model.angles} of them angle{'s' if model.angles > 1 else ''}"
    rows = [
        ("points", f"{model.points_fitted} on {model.manifold.spec}"),
        ("latent", latent),
        ("kernel", summary["kernel"]["spec"]),
        ("inference", summary["inference"]),
        ("noise", f"{estimator.noise_sd_:.4g} (standard deviation in one tangent direction)"),
        ("noise law", summary["noise_law"]["kind"]),
        ("bound" if summary["bound"] is not None else "log likelihood", f"{estimator.log_likelihood_:.6g}"),
    ]
    if summary["held_out_log_density"] is not None:
        rows.append(("left-out points", f"log density {summary['held_out_log_density']:.4g} a point"))
    if summary["outliers"]:
        rows.append(("outliers", ", ".join(map(str, summary["outliers"][:10]))))
    for key in ("inference_note", "latent_note", "left_undone"):
        if summary[key]:
            rows.append(("note", summary[key]))
    return rows


def summary_html(estimator):
    """The picture of the latent space beside the summary."""
    svg = estimator.model_.latent_svg("", [])
    svg = svg[svg.index("<svg") :]
    rows = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{html.escape(value)}</td></tr>"
        for name, value in summary_rows(estimator)
    )
    return (
        f"<div><strong>{html.escape(type(estimator).__name__)}</strong>"
        f"<div style='display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start'>"
        f"<div style='width:min(420px,100%)'>{svg}</div><table>{rows}</table></div></div>"
    )


def _axes(ax):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from None
    return plt.subplots()[1] if ax is None else ax


def plot_latent(estimator, labels=None, ax=None):
    """The latents of the training points; of one coordinate against the row."""
    ax = _axes(ax)
    Z = estimator.embedding_
    first = Z[:, 0]
    second = Z[:, 1] if Z.shape[1] > 1 else np.arange(len(Z))
    ax.set_xlabel("latent 1" + (" (angle)" if estimator.model_.angles > 0 else ""))
    ax.set_ylabel("latent 2" if Z.shape[1] > 1 else "row")
    if labels is None:
        ax.scatter(first, second, s=12)
        return ax
    labels = np.asarray(labels)
    if len(labels) != len(Z):
        raise ValueError(f"{len(labels)} labels for {len(Z)} points")
    if labels.dtype.kind in "fiu" and len(np.unique(labels)) > 12:
        ax.figure.colorbar(ax.scatter(first, second, c=labels, s=12), ax=ax)
        return ax
    for label in np.unique(labels):
        here = labels == label
        ax.scatter(first[here], second[here], s=12, label=str(label))
    ax.legend()
    return ax


def plot_calibration(estimator, ax=None):
    """Of points that were left out, the share that lies nearer than the model expects of a share u: the diagonal, if its
    uncertainty is right."""
    ax = _axes(ax)
    shares = np.sort(estimator.model_.left_out_shares())
    if not len(shares):
        raise ValueError("the fit left no points out: there is nothing to compare the uncertainty with")
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1)
    ax.step(np.r_[0, shares, 1], np.r_[0, np.arange(1, len(shares) + 1) / len(shares), 1], where="post")
    ax.set_xlabel("share expected")
    ax.set_ylabel("share of left-out points")
    ax.set_aspect("equal")
    return ax


def _latent_path(model, Z, count=400):
    if model.angles == 1:
        return np.linspace(-np.pi, np.pi, count)[:, None]
    return np.linspace(Z.min(), Z.max(), count)[:, None]


def plot_model(estimator, X=None, labels=None, ax=None):
    """Points and the learned curve on the plane or the sphere; of other manifolds the latent space."""
    model, spec = estimator.model_, estimator.model_.manifold.spec
    flat = spec == "euclidean:2" and model.latent_dim == 1
    globe = spec == "sphere:2" and model.latent_dim == 1 and model.on_manifold
    if not (flat or globe):
        return plot_latent(estimator, labels, ax)
    path = _latent_path(model, estimator.embedding_)
    curve, sd = model.decode(path, None)
    if flat:
        ax = _axes(ax)
        if X is not None:
            ax.scatter(*np.asarray(X).T, s=10, color="0.5", label="points")
        ax.plot(*curve.T, color="C0", label="learned curve")
        ax.set_aspect("equal")
    else:
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.figure().add_subplot(projection="3d")
        u, v = np.mgrid[0 : 2 * np.pi : 49j, 0 : np.pi : 25j]
        ax.plot_surface(np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v), color="0.92", alpha=0.3, linewidth=0)
        if X is not None:
            ax.scatter(*np.asarray(X).T, s=8, color="0.5", label="points")
        ax.plot(*curve.T, color="C0", label="learned curve")
        ax.set_box_aspect((1, 1, 1))
    ax.legend()
    return ax
