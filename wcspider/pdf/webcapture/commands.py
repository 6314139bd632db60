"""Web Capture information, command and command settings dictionaries (ISO 32000-1, 14.10.2, 14.10.5.3-4)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from wcspider.pdf.objects import Name, Ref, Resolve, Stream, Value, real, write
from wcspider.pdf.values import (
    ascii_string,
    read_array,
    read_ascii,
    read_dictionary,
    read_integer,
    read_text,
    text_string,
)
from wcspider.webcapture.records import ALL_LEVELS, DEFAULT_POST_TYPE, HEADERS, LOGIN, Command

VERSION = Decimal("1.0")
"""The V entry of a conforming file (Table 350): a real number."""

SAME_SITE, SAME_PATH, SUBMIT = 1, 2, 4
"""The bits of a command's F entry (Table 358)."""

STRING_LIMIT = 1024
"""The length of posted data beyond which it is stored in a stream, which can be compressed (14.10.5.3, NOTE 4)."""

_OWN_TEXTS = {"WCSP_Allow": "allow", "WCSP_Deny": "deny", "WCSP_Since": "since", "WCSP_Until": "until"}
"""Second-class entries: patterns of URLs, and bounds of dates."""

AUTHORIZATION = "authorization"
"""The header of a login, also of one in a URL."""

SECRET_HEADERS = frozenset({AUTHORIZATION, "cookie", "proxy-authorization"})
"""Headers that are never stored in a file, in lower case."""


@dataclass(frozen=True, slots=True)
class WebCaptureInfo:
    """The Web Capture information dictionary (14.10.2, Table 350): the catalog's SpiderInfo."""

    version: Decimal = VERSION
    commands: tuple[Ref, ...] = ()
    """In the order of their execution."""

    def as_pdf(self) -> dict[str, Value]:
        """Return the dictionary (Table 350)."""
        return {"V": self.version, **({"C": list(self.commands)} if self.commands else {})}

    @classmethod
    def from_pdf(cls, value: Value, resolve: Resolve) -> WebCaptureInfo:
        """Read a dictionary of any program. A version higher than `VERSION` stays."""
        version = resolve(value.get("V"))
        commands = read_array(resolve(value.get("C")))
        number = Decimal(version) if isinstance(version, int | Decimal) else VERSION
        return cls(
            version=number if number > VERSION else VERSION,
            commands=tuple(command for command in commands if isinstance(command, Ref)),
        )


def command_as_pdf(command: Command, settings: Ref | None, posted: Ref | None = None) -> dict[str, Value]:
    """Return a command dictionary (14.10.5.3, Table 357).

    `settings` refers to its settings dictionary, and `posted` to the stream of its posted data if that is large. Data
    and headers are stored only if the user allowed it, cookies and logins never. WCSP_Withheld names what is left out.
    """
    flags = SAME_SITE * command.same_site | SAME_PATH * command.same_path | SUBMIT * command.is_submission
    result: dict[str, Value] = {"URL": ascii_string(command.url), "L": command.levels, "F": flags}
    withheld = set(command.withheld)
    if command.data is not None and command.keep_data:
        result["P"] = command.data if posted is None else posted
        result["CT"] = ascii_string(command.content_type)
    elif command.data is not None:
        withheld.add("P")
    kept = kept_headers(command)
    if kept:
        result["H"] = "".join(f"{name}: {value}\r\n" for name, value in kept).encode("latin-1")
    withheld |= {
        LOGIN if header[0].lower() == AUTHORIZATION else HEADERS for header in command.headers if header not in kept
    }
    if settings is not None:
        result["S"] = settings
    if command.sitemap:
        result["WCSP_Sitemap"] = True
    texts = {key: getattr(command, name) for key, name in _OWN_TEXTS.items()}
    result |= {key: text_string(text) for key, text in texts.items() if text}
    if withheld:
        result["WCSP_Withheld"] = [Name(kind) for kind in sorted(withheld)]
    return result


def complete_syntax(command: Command) -> bytes:
    """Return the syntax of a command and its settings, equal for equal commands; empty if data or headers are withheld.

    Two commands with withheld data look alike in a file, although they may have asked for different pages.
    """
    entries = command_as_pdf(command, None)
    is_complete = set(read_array(entries.get("WCSP_Withheld"))).isdisjoint({"P", HEADERS})
    is_complete = is_complete and len(kept_headers(command)) == len(command.headers)
    return write([entries, settings_as_pdf(command)]) if is_complete else b""


def posted_data(command: Command) -> Stream | None:
    """Return the stream for a command's posted data; None if a string suffices."""
    if command.data is None or not command.keep_data or len(command.data) <= STRING_LIMIT:
        return None
    return Stream.deflated({}, command.data)


def kept_headers(command: Command) -> list[tuple[str, str]]:
    """Return the headers of a command that may be stored in a file, and whose values the H entry can express."""
    allowed = command.kept_headers - SECRET_HEADERS
    return [
        (name, value) for name, value in command.headers if name.lower() in allowed and max(value, default="") <= "\xff"
    ]


def settings_as_pdf(command: Command) -> dict[str, Value]:
    """Return a command settings dictionary (14.10.5.4, Table 359)."""
    entries = {key: _setting(value) for key, value in command.settings.items()}
    engines: dict[str, Value] = {command.engine: {}} if command.engine else {}
    return {"G": entries, "C": engines}


def _setting(value: object) -> Value:
    if isinstance(value, bool | int):
        return value
    return real(value) if isinstance(value, float) else text_string(str(value))


def read_command(value: Mapping[str, Value], resolve: Resolve) -> Command:
    """Read a command dictionary of any program; entries of a wrong type are ignored."""
    entries = {key: resolve(entry) for key, entry in value.items()}
    flags, levels = read_integer(entries.get("F")), read_integer(entries.get("L"), 1)
    headers = _read_headers(read_ascii(entries.get("H")))
    data = _read_data(entries.get("P"))
    withheld = frozenset(name for name in read_array(entries.get("WCSP_Withheld")) if isinstance(name, Name))
    is_post = data is not None or "P" in withheld  # then the Submit flag is ignored (14.10.5.3)
    settings, engine = _read_settings(entries.get("S"), resolve)
    return Command(
        url=read_ascii(entries.get("URL")),
        levels=levels if 1 <= levels <= ALL_LEVELS else 1,
        same_site=bool(flags & SAME_SITE),
        same_path=bool(flags & SAME_PATH),
        submit=bool(flags & SUBMIT) and not is_post,
        data=data,
        content_type=read_ascii(entries.get("CT")) or DEFAULT_POST_TYPE,
        headers=headers,
        keep_data=data is not None,
        kept_headers=frozenset(name.lower() for name, _ in headers),
        withheld=withheld,
        sitemap=entries.get("WCSP_Sitemap") is True,
        **{name: read_text(entries.get(key)) for key, name in _OWN_TEXTS.items()},
        engine=engine,
        settings=settings,
    )


def _read_data(value: Value) -> bytes | None:
    if isinstance(value, Stream):
        return _inflated(value.data) if value.dictionary.get("Filter") == "FlateDecode" else value.data
    return value if isinstance(value, bytes) else None


def _inflated(data: bytes) -> bytes:
    """Return decompressed data: the beginning of data that is cut off, and nothing of data that is damaged."""
    try:
        return zlib.decompressobj().decompress(data)
    except zlib.error:
        return b""


def _read_headers(lines: str) -> tuple[tuple[str, str], ...]:
    pairs = (line.partition(":") for line in lines.split("\r\n") if ":" in line)
    return tuple((name.strip(), value.strip()) for name, _, value in pairs)


def _read_settings(value: Value, resolve: Resolve) -> tuple[dict[str, object], str]:
    if not isinstance(value, dict):
        return {}, ""
    engines, settings = read_dictionary(resolve(value.get("C"))), read_dictionary(resolve(value.get("G")))
    return {key: _read_setting(resolve(entry)) for key, entry in settings.items()}, next(iter(engines), "")


def _read_setting(value: Value) -> object:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, bytes):
        return read_text(value)
    return value if isinstance(value, bool | int | str) else None
