"""model.explore(): a server while somebody looks, in notebooks and outside, and none afterwards."""

import http.client
import json
import subprocess
import sys
import types
import urllib.parse

import numpy as np
import pytest
import wgp


@pytest.fixture(scope="module")
def model():
    t = np.linspace(0, 3, 24)
    fitted = wgp.WGPLVM(n_latent=1, effort="quick").fit(np.c_[t, np.sin(t)])
    try:
        fitted.explore(open_browser=False).close()
    except RuntimeError as error:
        if "WGP_EXPLORE" in str(error):
            pytest.skip("wgp is built without its web server here")
        raise
    return fitted


def ask(page, name="", body=None):
    address = urllib.parse.urlsplit(page.url)
    connection = http.client.HTTPConnection(address.netloc)
    connection.request("GET" if body is None else "POST", address.path + name, body)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    assert answer.status == 200, content
    return content


def test_serves_the_model_until_it_is_closed(model):
    page = model.explore(labels=["a,b" if i % 2 else "c" for i in range(24)], open_browser=False)
    text = ask(page).decode()
    assert "</html>" in text and "a,b" in text
    latents = np.array([[-0.5], [0.25]])
    points, sd = model.decode(latents, return_std=True)
    rows = np.array(json.loads(ask(page, "decode", json.dumps(latents.tolist())))["rows"])
    assert np.array_equal(rows, np.c_[points, sd])
    assert page.url in repr(page) and not page.closed
    page.close()
    page.close()
    assert page.closed and "closed" in repr(page)
    with pytest.raises(OSError):
        ask(page)


def test_two_at_a_time_and_a_with_block(model):
    with model.explore(open_browser=False) as one, model.explore(open_browser=False) as other:
        assert one.url != other.url
        ask(one), ask(other)
    assert one.closed and other.closed


def test_regression(model):
    x = np.linspace(0, 3, 20)[:, None]
    with wgp.WrappedGPRegressor().fit(x, np.c_[np.cos(x), np.sin(x)]).explore(open_browser=False) as page:
        assert "</html>" in ask(page).decode()


def test_a_notebook_shows_it_inline(model, monkeypatch):
    shown = []
    display = types.ModuleType("IPython.display")
    display.IFrame = lambda *words: words
    display.display = shown.append
    notebook = types.ModuleType("IPython")
    notebook.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with model.explore(height=500) as page:
        assert shown == [(page.url, "100%", 500)]


def test_it_ends_with_python_however_that_ends(model, tmp_path):
    model.save(tmp_path / "m.wgp")
    program = f"import wgp; print(wgp.load({str(tmp_path / 'm.wgp')!r}).explore(open_browser=False).url, flush=True); "
    for end in ("", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"):
        done = subprocess.run([sys.executable, "-c", program + end], capture_output=True, text=True, check=False)
        page = types.SimpleNamespace(url=done.stdout.strip())
        assert page.url, done.stderr
        # The system tells the server of the end when it likes to.
        for _ in range(1000):
            try:
                ask(page)
            except OSError:
                break
        else:
            pytest.fail("it is still there")


def test_what_is_wrong_is_said(model):
    with pytest.raises(RuntimeError, match="2 rows"):
        model.explore(labels=["a", "b"], open_browser=False)
