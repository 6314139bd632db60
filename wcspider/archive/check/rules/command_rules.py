"""The rules for the information dictionary and the commands (14.10.2, 14.10.5.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pikepdf

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.checked_document import Document
from wcspider.archive.check.reading.entries import (
    Entry,
    ascii_string,
    check_entries,
    describe,
    entry,
    is_array,
    is_content_type,
    is_dictionary,
    is_integer,
    is_number,
    is_string,
    items,
    ref,
    string,
)

_VERSION = 1
_DEFINED_FLAGS = 0b111
"""SameSite, SamePath and Submit (14.10.5.3, Table 358)."""

_SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization"})
_HEADER_LINE = re.compile(rb"[!#$%&'*+\-.0-9A-Z^_`a-z|~]+[ \t]*:[^\r\n]*(?:\r\n[ \t][^\r\n]*)*\r\n")
"""A header with its folded lines (RFC 2616, 4.2)."""

_INFO = (
    Entry("/V", Rule.INFO_V, is_number, "a number", required=True),
    Entry("/C", Rule.INFO_C, is_array, "an array"),
)

_COMMAND = (
    Entry(
        "/URL",
        Rule.COMMAND_URL,
        lambda value: ascii_string(value) is not None,
        "an ASCII string",
        required=True,
    ),
    Entry("/L", Rule.COMMAND_L, lambda value: is_integer(value) and value >= 1, "an integer, 1 or more"),
    Entry("/F", Rule.COMMAND_F, is_integer, "an integer"),
    Entry(
        "/P",
        Rule.COMMAND_P,
        lambda value: is_string(value) or isinstance(value, pikepdf.Stream),
        "a string or a stream",
    ),
    Entry("/CT", Rule.COMMAND_CT, is_content_type, "a content type"),
    Entry("/H", Rule.COMMAND_H, is_string, "a string"),
    Entry("/S", Rule.COMMAND_S, is_dictionary, "a command settings dictionary"),
)


def check_info(document: Document) -> Iterator[Finding]:
    """Check the Web Capture information dictionary (14.10.2)."""
    info = document.file.get(document.info)
    if info is None:
        return
    where = describe("SpiderInfo", info)
    if not is_dictionary(info):
        yield Rule.INFO.broken(where, "it is not a dictionary")
        return
    yield from check_entries(info, where, _INFO)
    version = info.get("/V")
    if is_number(version) and version != _VERSION:
        yield Rule.INFO_V_VALUE.broken(where, f"V is {version}; a conforming file has 1.0")
    for command in items(info.get("/C")):
        if not is_dictionary(command):
            yield Rule.INFO_C_COMMAND.broken(where, "an element of C is not a command dictionary")
        elif ref(command) is None:
            yield Rule.INFO_C_INDIRECT.broken(where, "an element of C is not an indirect reference")


def check_commands(document: Document) -> Iterator[Finding]:
    """Check the command dictionaries (14.10.5.3)."""
    for handle in document.commands:
        document.file.step()
        command = document.file.get(handle)
        if not is_dictionary(command):
            continue
        where = command_name(command)
        yield from check_entries(command, where, _COMMAND)
        flags = command.get("/F")
        if is_integer(flags) and flags & ~_DEFINED_FLAGS:
            yield Rule.COMMAND_F_BITS.broken(where, f"F is {flags}; only bits 1 to 3 may be set")
        if "/CT" in command and "/P" not in command:
            yield Rule.COMMAND_CT_POST.broken(where, "there is CT but no P")
        yield from _check_headers(string(command.get("/H")) or b"", where)


def command_name(command: pikepdf.Dictionary) -> str:
    """Return the name of a command for a finding: its URL and reference."""
    return describe(f"command {ascii_string(entry(command, '/URL')) or ''}".strip(), command)


def _check_headers(headers: bytes, where: str) -> Iterator[Finding]:
    end = 0
    while line := _HEADER_LINE.match(headers, end):
        end = line.end()
        name = line[0].partition(b":")[0].strip().decode("ascii")
        if name.lower() in _SECRET_HEADERS:
            yield Rule.COMMAND_H_SECRET.broken(where, f"H holds {name}, which carries credentials")
    if end < len(headers):
        yield Rule.COMMAND_H_LINES.broken(where, "H does not consist of lines `name: value` that end with CR LF")
