"""Engines access nothing outside their task: no file except fonts and what the workers share, no socket, no process."""

from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.pictures import grey_png
from wcspider.engines.base import Asset, RenderTask

pytestmark = pytest.mark.slow

SECRET = "file:///etc/passwd"

PROBE = r"""
import os, pickle, sys
from wcspider.engines.base import Asset, RenderTask, Step
from wcspider.engines.registry import render
from wcspider.engines.text.font_folder import share

tasks = pickle.load(sys.stdin.buffer)
warm = {"text/html": b"<p>warm", "text/plain": b"warm",
        "image/svg+xml": b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"}
for engine in (sys.argv[1], "xhtml2pdf"):  # the second is what the first falls back to
    for media_type, body in warm.items():  # imports and the package's own data
        render(engine, RenderTask("http://a.example/", body, media_type))
seen = []
FOLDER = str(share())  # the private folder of the capture, where workers store the subsets of fonts
# Python lists a folder of modules again, before it imports another one, if any program has written a file there.
MODULES = {os.path.abspath(folder) for folder in sys.path}
MODULES |= {folder for module in list(sys.modules.values()) for folder in getattr(module, "__path__", ())}
FORBIDDEN = ("open", "socket.", "subprocess.", "os.", "urllib.", "ftplib.", "tempfile.", "shutil.", "http.")

def hook(event, args):
    if event.startswith(FORBIDDEN) and event != "os.putenv":
        path = str(args[0]) if args else ""
        data = path.endswith((".py", ".pyc", ".so", ".ttf", ".ttc", ".otf", "frequent_characters.txt"))
        if event == "open" and isinstance(args[0], int):
            return  # of a file that was opened before, which was an event as well
        is_shared = os.path.dirname(path) == FOLDER and event in ("open", "os.rename", "tempfile.mkstemp")
        if is_shared and (event != "os.rename" or os.path.dirname(str(args[1])) == FOLDER):
            return
        library = data or "site-packages" in path or "/lib/python" in path
        library |= event == "os.listdir" and os.path.abspath(path) in MODULES
        if not (event in ("open", "os.listdir", "os.scandir") and library):
            seen.append((event, path))

sys.addaudithook(hook)
for task in tasks:
    for step in Step:
        try:
            render(sys.argv[1], RenderTask(task.url, task.body, task.media_type, assets=task.assets, step=step))
        except Exception as error:
            if task.media_type == "text/html":
                print("failed", task.body[:80], repr(error))
for event in seen:
    print(event)
"""


@pytest.fixture
def listener() -> Iterator[tuple[int, list[object]]]:
    """A port of this machine, and a list of who connected to it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        connections: list[object] = []

        def accept() -> None:
            while True:
                try:
                    connections.append(server.accept())
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1], connections


def _bodies(target: str) -> list[str]:
    return [
        f"<img src='{target}'>",
        f"<img src='../../../../../../../../etc/passwd'><img src=/etc/passwd><img src='{target}' srcset='{target} 1x'>",
        "<base href='file:///etc/'><img src=passwd><link rel=stylesheet href=passwd>",
        f"<link rel=stylesheet href='{target}'><style>@import '{target}'; @import url({target})</style><p>x",
        f"<style>@font-face {{ font-family: F; src: url({target}) }} p {{ font-family: F }}</style><p>x",
        "<style>@font-face { font-family: F; src: local('x'), url('/etc/passwd') } p { font: 9px F }</style><p>x",
        f"<p style='background: url({target})'>x<p style='background-image: url(\"{target}\")'>y",
        f"<ul style='list-style-image: url({target})'><li>x</ul><table background='{target}'><tr><td>x</table>",
        f"<style>@page {{ background-image: url({target}) }} @page {{ size: A5 }}</style><p>x",
        f"<style>@page {{ @frame {{ -pdf-frame-content: x }} }} p::before {{ content: url({target}) }}</style><p>x",
        f"<pdf:insertpdf src='{target}'/><pdf:template name=a background='{target}'></pdf:template>",
        f"<pdffont name=x src='{target}'/><pdf:fontembed name=x src='{target}'/><pdf:barcode value=1 />",
        f"<object data='{target}'></object><embed src='{target}'><iframe src='{target}'></iframe>",
        f"<video poster='{target}'><source src='{target}'></video><audio src='{target}'></audio>",
        f"<input type=image src='{target}'><svg><image href='{target}'/></svg><canvas type=graph>{{}}</canvas>",
        f"<meta name=x content=y><link rel=icon href='{target}'><script src='{target}'></script>",
        f"<img src='http://a.example/evil.svg'><p style='width: expression({target})'>x",
        '<img src=\'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>\'>',
        "<p>\u4e2d\u6587 \u0e20\u0e32\u0e29\u0e32 \u0939\u093f \u0627\u0644<pre>\u65e5\u672c</pre>",
        "<img src='data:,'><img src='data:image/png;base64,AAAA'><img src='data:image/jpeg,x'>",
    ]


EVIL_SVG = f"""<!DOCTYPE svg [<!ENTITY x SYSTEM "{SECRET}">]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="90">
<style>@import url({SECRET}); text {{ font-family: "No Such Font" }}</style>
<image xlink:href="/etc/passwd" width="9" height="9"/><image href="{SECRET}" width="9" height="9"/>
<use xlink:href="/etc/passwd#x"/><text x="5" y="20" font-family="Comic Sans MS">&x;</text></svg>"""


@pytest.mark.parametrize("engine", ["plutobook", "xhtml2pdf"])
def test_sealed(engine: str, listener: tuple[int, list[object]], tmp_path: Path) -> None:
    port, connections = listener
    secret = tmp_path / "secret.png"
    secret.write_bytes(grey_png(6, 4, 50))
    os.utime(secret, (0, secret.stat().st_mtime))  # a reader, of whatever language, would set the time of access
    assets = {"http://a.example/evil.svg": Asset(EVIL_SVG.encode(), "image/svg+xml")}
    targets = (SECRET, "/etc/passwd", secret.as_uri(), f"http://127.0.0.1:{port}/x", f"//localhost:{port}/x.css")
    bodies = [body for target in targets for body in _bodies(target)]
    tasks = [RenderTask("http://a.example/dir/page", body.encode(), assets=assets) for body in bodies]
    tasks.append(RenderTask("http://a.example/evil.svg", EVIL_SVG.encode(), "image/svg+xml"))
    tasks.append(RenderTask("file:///etc/hostname", b"<img src=passwd><link rel=stylesheet href=passwd><p>x"))
    result = subprocess.run(
        [sys.executable, "-c", PROBE, engine], input=pickle.dumps(tasks), capture_output=True, timeout=240, check=True
    )
    assert result.stdout.decode() == ""
    assert connections == []
    assert secret.stat().st_atime == 0
    assert secret.read_bytes()
    assert secret.stat().st_atime > 0
