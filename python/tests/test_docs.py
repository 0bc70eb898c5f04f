"""Everything public says what it is, with an example."""

import inspect

import pytest
import wgp

PUBLIC = [getattr(wgp, name) for name in wgp.__all__ if name not in ("__version__", "io")]
PUBLIC += [one for name, one in vars(wgp.io).items() if inspect.isfunction(one) and not name.startswith("_")]
ESTIMATORS = [one for one in PUBLIC if inspect.isclass(one) and hasattr(one, "fit")]


@pytest.mark.parametrize("one", PUBLIC, ids=lambda one: one.__name__)
def test_has_an_example(one):
    assert ">>>" in one.__doc__


@pytest.mark.parametrize("one", ESTIMATORS, ids=lambda one: one.__name__)
def test_names_its_parameters(one):
    documented = "".join(base.__doc__ or "" for base in one.__mro__[:2])
    for name in inspect.signature(one.__init__).parameters:
        assert name == "self" or name in documented, name
    for name, method in inspect.getmembers(one, inspect.isfunction):
        if not name.startswith("_") and method.__module__.startswith("wgp"):
            assert method.__doc__, name
