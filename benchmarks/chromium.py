"""Chromium as the measure of layouts: it prints pages to PDF, over its debugging pipe."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from wcspider.engines.base import PageGeometry
from wcspider.engines.plutobook.fonts.font_setup import configuration_folder

PROGRAM = "chromium"
TIMEOUT = 60.0
"""How many seconds a page may take."""

_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
)  # fmt: skip
_POINTS_PER_INCH = 72
_FIRST_FREE_DESCRIPTOR = 5


class Chromium:
    """A running browser. Scripts are off, since the engines run none either."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._number = 0
        self._received = b""

    def pdfs(self, url: str, geometry: PageGeometry, sheets: Sequence[str] = ("",)) -> list[bytes]:
        """Return a page as it is printed on paper of that size, once with each of the additional style sheets."""
        target = self._call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self._call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        try:
            self._call("Page.enable", {}, session)
            self._call("Emulation.setScriptExecutionDisabled", {"value": True}, session)
            self._call("Page.navigate", {"url": url}, session)
            self._wait("Page.loadEventFired", session)
            return [self._printed(session, geometry, sheet) for sheet in sheets]
        finally:
            self._call("Target.closeTarget", {"targetId": target})

    def _printed(self, session: str, geometry: PageGeometry, sheet: str) -> bytes:
        if sheet:
            frame = self._call("Page.getFrameTree", {}, session)["frameTree"]["frame"]["id"]
            self._call("DOM.enable", {}, session)
            self._call("CSS.enable", {}, session)
            added = self._call("CSS.createStyleSheet", {"frameId": frame}, session)["styleSheetId"]
            self._call("CSS.setStyleSheetText", {"styleSheetId": added, "text": sheet}, session)
        return base64.b64decode(self._call("Page.printToPDF", _paper(geometry), session)["data"])

    def _call(self, method: str, parameters: dict[str, Any], session: str | None = None) -> Any:
        """Send a command and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data) :]
        for answer in self._messages():
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"Chromium: {method}: {answer['error']['message']}")
                return answer["result"]
        raise RuntimeError(f"Chromium: no answer to {method}")

    def _wait(self, event: str, session: str) -> None:
        for message in self._messages():
            if message.get("method") == event and message.get("sessionId") == session:
                return

    def _messages(self) -> Iterator[dict[str, Any]]:
        """Yield what the browser sends; raises TimeoutError where it takes too long."""
        end = time.monotonic() + TIMEOUT
        while True:
            message, separator, rest = self._received.partition(b"\0")
            if separator:
                self._received = rest
                yield json.loads(message)
            else:
                left = max(0.0, end - time.monotonic())
                if not select.select([self._answers], [], [], left)[0]:
                    raise TimeoutError("Chromium does not answer")
                data = os.read(self._answers, 1 << 20)
                if not data:
                    return
                self._received += data


def _paper(geometry: PageGeometry) -> dict[str, Any]:
    inches = {
        "paperWidth": geometry.width, "paperHeight": geometry.height, "marginTop": geometry.margin_top,
        "marginBottom": geometry.margin_bottom, "marginLeft": geometry.margin_left,
        "marginRight": geometry.margin_right,
    }  # fmt: skip
    sizes = {name: points / _POINTS_PER_INCH for name, points in inches.items()}
    return {**sizes, "printBackground": True, "scale": geometry.scale, "preferCSSPageSize": False}


def _font_configuration(folder: Path) -> Path:
    """Write a fontconfig file with the fonts of the engines, because lines of other fonts would end elsewhere.

    The fonts are not hinted: hinted letters would stand on whole pixels.
    """
    fonts = configuration_folder(system=True) / "fonts.conf"
    file = folder / "fonts.conf"
    file.write_text(
        f"<fontconfig><include>{fonts}</include><match target='font'>"
        "<edit name='hinting' mode='assign'><bool>false</bool></edit>"
        "<edit name='hintstyle' mode='assign'><const>hintnone</const></edit></match></fontconfig>",
        encoding="utf-8",
    )
    return file


def _pipe() -> tuple[int, int]:
    """Return a pipe with descriptors above 4, because the browser uses 3 and 4."""
    ends = os.pipe()
    read, write = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE_DESCRIPTOR) for end in ends)
    for end in ends:
        os.close(end)
    return read, write


@contextmanager
def running(program: str = PROGRAM) -> Iterator[Chromium]:
    """Run a browser with a profile of its own, and with the fonts that the engines have."""
    command_read, command_write = _pipe()
    answer_read, answer_write = _pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # The browser reads commands from descriptor 3 and writes answers to descriptor 4. sh takes only descriptors
        # below 10.
        shell = f'exec "$@" 3<&{command_read} 4>&{answer_write}'
        process = subprocess.Popen(
            ["bash", "-c", shell, "bash", program, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(command_read, answer_write),
            env={**os.environ, "FONTCONFIG_FILE": str(_font_configuration(Path(profile)))},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_read)
        os.close(answer_write)
        try:
            yield Chromium(command_write, answer_read)
        finally:
            os.close(command_write)
            os.close(answer_read)
            with suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()
            process.wait()
