"""The parts of a request that the user gives as arguments: posted data and headers."""

from __future__ import annotations

import json
import re
from pathlib import Path

from wcspider.config import BOOLEANS
from wcspider.exceptions import ArgumentError
from wcspider.user_files import problem_of, read_file

_TOKEN_RE = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header (RFC 9110, 5.6.2)."""

HEADER_VALUE_RE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]*")
"""The value of a header (RFC 9110, 5.5); it is sent in UTF-8."""

_OF_THE_CONNECTION = frozenset(
    {"connection", "content-length", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}
)
"""The headers of the connection (RFC 9110, 7.6.1) and of the length of a body, which the downloader sets itself.

With a wrong value, a server would wait for a body that never comes.
"""


def read_data(text: str | None) -> bytes | None:
    """Return posted data, given as text or as ``@FILE``. Raises `ArgumentError`."""
    if text is None or not text.startswith("@"):
        return None if text is None else text.encode(errors="surrogateescape")
    return read_user_file("data", text[1:], "name a readable file")


def read_user_file(name: str, path: str, advice: str) -> bytes:
    """Return the contents of the file that an argument names. Raises `ArgumentError`."""
    try:
        return read_file(Path(path))
    except (OSError, ValueError) as error:  # ValueError: not a file name, or an endless device
        raise ArgumentError(f"{name}: {path}: {problem_of(error)}", advice) from error


def read_headers(text: str) -> tuple[tuple[str, str], ...]:
    """Return request headers, given as a JSON object of strings. Raises `ArgumentError`."""
    if not text.strip():
        return ()
    try:
        headers = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        problem = f"headers is not valid JSON ({getattr(error, 'msg', 'nested too deeply')})"
        raise ArgumentError(problem, 'give an object such as {"From": "me"}') from error
    if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
        raise ArgumentError("headers is not a JSON object of strings", 'give one such as {"From": "me"}')
    for name, value in headers.items():
        if not _TOKEN_RE.fullmatch(name):
            raise ArgumentError(f"headers: {name!r} is not the name of a header", "use letters, digits and hyphens")
        if name.lower() in _OF_THE_CONNECTION:
            raise ArgumentError(f"headers: wcspider sets the header {name} itself", "remove it")
        if not HEADER_VALUE_RE.fullmatch(value):
            advice = "remove line breaks and control characters"
            raise ArgumentError(f"headers: the value of {name!r} is not valid", advice)
    return tuple(headers.items())


def kept_headers(text: str, headers: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """Return the names of the headers that may be stored in the file: all of them (``true``), none, or those named."""
    if BOOLEANS.get(text.strip().lower()) is True:
        return frozenset(name.lower() for name, _ in headers)
    if not text.strip() or BOOLEANS.get(text.strip().lower()) is False:
        return frozenset()
    names = frozenset(name.strip().lower() for name in text.split(","))
    missing = names - {name.lower() for name, _ in headers}
    if missing:
        raise ArgumentError(f"keep_headers names {', '.join(sorted(missing))}, which is missing in headers")
    return names
