"""Reading the objects of a file that may be wrong in any way: whatever is not as expected is None.

pikepdf gives numbers, booleans and null as Python values and everything else as `pikepdf.Object`, so a value
is typed ``object`` here until a test has said what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TypeGuard

import pikepdf

from wcspider.archive.check.findings import Finding, Rule

Ref = tuple[int, int]
"""Object number and generation of an indirect object."""

Keyed = pikepdf.Dictionary | pikepdf.Stream
"""What has entries."""


def ref(value: object) -> Ref | None:
    """The reference by which ``value`` was reached; None if it is a direct object."""
    return value.objgen if isinstance(value, pikepdf.Object) and value.is_indirect else None


def cite(reference: Ref) -> str:
    """A reference as a file has it: ``12 0 R``."""
    return f"{reference[0]} {reference[1]} R"


def describe(what: str, value: object) -> str:
    """``what``, with the reference of ``value`` if it has one: ``command (12 0 R)``."""
    reference = ref(value)
    return f"{what} ({cite(reference)})" if reference else what


def is_dictionary(value: object) -> TypeGuard[pikepdf.Dictionary]:
    return isinstance(value, pikepdf.Dictionary)


def is_array(value: object) -> TypeGuard[pikepdf.Array]:
    return isinstance(value, pikepdf.Array)


def is_keyed(value: object) -> TypeGuard[Keyed]:
    return isinstance(value, pikepdf.Dictionary | pikepdf.Stream)


def is_string(value: object) -> TypeGuard[pikepdf.String]:
    return isinstance(value, pikepdf.String)


def is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[int | Decimal]:
    return is_integer(value) or isinstance(value, Decimal)


def is_image(value: object) -> TypeGuard[pikepdf.Stream]:
    """Whether ``value`` is an image XObject (8.9.5)."""
    return isinstance(value, pikepdf.Stream) and value.get("/Subtype") == pikepdf.Name.Image


def string(value: object) -> bytes | None:
    """The bytes of a string object."""
    return bytes(value) if is_string(value) else None


def ascii_string(value: object) -> str | None:
    """The text of an ASCII string object (7.9.2.4)."""
    data = string(value)
    return data.decode("ascii") if data is not None and data.isascii() else None


def items(value: object) -> list[object]:
    """The elements of an array; nothing of anything else."""
    return list(value) if is_array(value) else []


def one_or_more(value: object) -> list[object]:
    """The elements of an array, or the value itself where a single one stands in place of an array."""
    return items(value) if is_array(value) else [value]


def children(value: object) -> list[object]:
    """What an array, dictionary or stream holds; nothing of anything else."""
    if isinstance(value, pikepdf.Stream):
        return children(value.stream_dict)
    return list(value.as_dict().values()) if is_dictionary(value) else items(value)


def entry(value: object, key: str) -> object:
    """The value of an entry of a dictionary or stream; None if there is none."""
    return value.get(key) if is_keyed(value) else None


_DATE = re.compile(
    r"D:(?P<year>\d{4})(?:(?P<month>\d\d)(?:(?P<day>\d\d)(?:(?P<hour>\d\d)(?:(?P<minute>\d\d)"
    r"(?:(?P<second>\d\d))?)?)?)?)?(?:Z(?:00(?:'(?:00'?)?)?)?|[+-](?P<offset>\d\d)(?:'(?:(?P<part>\d\d)'?)?)?)?"
)
"""A date string (7.9.4); the last apostrophe is an older PDF's, and still read."""


def is_date(value: object) -> bool:
    """Whether ``value`` is a date string of a day and time that exist (7.9.4)."""
    match = _DATE.fullmatch(ascii_string(value) or "")
    if match is None:
        return False
    found = {name: int(digits) for name, digits in match.groupdict().items() if digits is not None}
    offset, part = found.pop("offset", 0), found.pop("part", 0)
    try:
        datetime(**{"month": 1, "day": 1, **found})  # type: ignore[arg-type]
    except ValueError:
        return False
    return timedelta(hours=offset) < timedelta(days=1) and part < 60


_TOKEN = r"[!#$%&'*+\-.0-9A-Z^_`a-z{|}~]+"
_CONTENT_TYPE = re.compile(
    rf'\s*{_TOKEN}\s*/\s*{_TOKEN}\s*(?:;\s*{_TOKEN}\s*=\s*(?:{_TOKEN}|"(?:[^"\\\r\n]|\\.)*")\s*)*'
)


def is_content_type(value: object) -> bool:
    """Whether ``value`` is a content type by RFC 2045, section 5.1."""
    return _CONTENT_TYPE.fullmatch(ascii_string(value) or "") is not None


@dataclass(frozen=True, slots=True)
class Entry:
    """What an entry of a dictionary has to be."""

    key: str
    rule: Rule
    test: Callable[[object], bool]
    needs: str
    """The test in words, such as ``a date``."""

    required: bool = False


def check_entries(holder: object, where: str, entries: Iterable[Entry]) -> Iterator[Finding]:
    """A finding for each entry that is missing or is not what it has to be."""
    for rule in entries:
        value = entry(holder, rule.key)
        if value is None and rule.required:
            yield rule.rule.broken(where, f"{rule.key[1:]} is missing; it shall be {rule.needs}")
        elif value is not None and not rule.test(value):
            yield rule.rule.broken(where, f"{rule.key[1:]} is not {rule.needs}")


def traverse(
    root: pikepdf.Dictionary, kids: Callable[[pikepdf.Dictionary], list[pikepdf.Dictionary]]
) -> Iterator[tuple[pikepdf.Dictionary, bool]]:
    """Each node of a tree twice: on the way down with False, and with True when all below it is done.

    A tree may be as deep as a file has objects, so there is no recursion. ``kids`` leaves out a node that it
    has given before.
    """
    stack = [(root, False)]
    while stack:
        node, done = stack.pop()
        yield node, done
        if not done:
            stack.append((node, True))
            stack.extend((kid, False) for kid in reversed(kids(node)))
