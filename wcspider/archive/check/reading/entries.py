"""Readers and tests for the values of a file that may be wrong in any way: a value of another type is None.

pikepdf returns numbers, booleans and null as Python values and all other values as `pikepdf.Object`. A value has the
type ``object`` here until a test has narrowed it.
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
from wcspider.pdf.object_syntax import read
from wcspider.pdf.objects import Ref


@dataclass(frozen=True, slots=True, order=True)
class Handle:
    """The way to a value of a file, by which the value can be read again after the file was closed."""

    reference: Ref
    """The nearest indirect object around the value; `TRAILER` if there is none."""

    path: tuple[str | int, ...] = ()
    """The keys and indices from there; empty for the indirect object itself."""

    def child(self, step: str | int, value: object) -> Handle:
        """Return the handle of a value in this value, by its key or index."""
        reference = ref(value)
        return Handle(self.reference, (*self.path, step)) if reference is None else Handle(reference)

    @property
    def own_reference(self) -> Ref | None:
        """The reference of the value itself; None if it is a direct object."""
        return None if self.path else self.reference


TRAILER = Ref(0)

Keyed = pikepdf.Dictionary | pikepdf.Stream
"""An object with entries."""


def ref(value: object) -> Ref | None:
    """Return the reference of ``value``; None if it is a direct object."""
    return Ref(*value.objgen) if isinstance(value, pikepdf.Object) and value.is_indirect else None


def cite(reference: Ref) -> str:
    """Return a reference in the syntax of PDF: ``12 0 R``."""
    return f"{reference[0]} {reference[1]} R"


def describe(name: str, value: object) -> str:
    """Return ``name`` with the reference of ``value``, if there is one: ``command (12 0 R)``."""
    reference = ref(value)
    return f"{name} ({cite(reference)})" if reference else name


def name_of(name: str, handle: Handle) -> str:
    """Return ``name`` with the reference of a value, if there is one: ``command (12 0 R)``."""
    return name if handle.path else f"{name} ({cite(handle.reference)})"


def element_handles(handle: Handle, value: object) -> list[Handle]:
    """Return the handles of the elements of an array, or of any other value itself."""
    if not is_array(value):
        return [handle]
    return [handle.child(index, item) for index, item in enumerate(items(value))]


def is_dictionary(value: object) -> TypeGuard[pikepdf.Dictionary]:
    """Return whether ``value`` is a dictionary."""
    return isinstance(value, pikepdf.Dictionary)


def is_array(value: object) -> TypeGuard[pikepdf.Array]:
    """Return whether ``value`` is an array."""
    return isinstance(value, pikepdf.Array)


def is_keyed(value: object) -> TypeGuard[Keyed]:
    """Return whether ``value`` is a dictionary or a stream."""
    return isinstance(value, pikepdf.Dictionary | pikepdf.Stream)


def is_string(value: object) -> TypeGuard[pikepdf.String]:
    """Return whether ``value`` is a string."""
    return isinstance(value, pikepdf.String)


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether ``value`` is an integer."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[int | Decimal]:
    """Return whether ``value`` is an integer or a real number."""
    return is_integer(value) or isinstance(value, Decimal)


def is_image(value: object) -> TypeGuard[pikepdf.Stream]:
    """Return whether ``value`` is an image XObject (8.9.5)."""
    return isinstance(value, pikepdf.Stream) and value.get("/Subtype") == pikepdf.Name.Image


def string(value: object) -> bytes | None:
    """Return the bytes of a string object."""
    return bytes(value) if is_string(value) else None


def text(value: object) -> str:
    """Return the text of a text string object (7.9.2.2); characters that cannot be decoded are replaced."""
    data = string(value) or b""
    try:
        return str(pikepdf.String(data))
    except UnicodeDecodeError:  # it begins with the mark of UTF-8 and contains other bytes
        return data.decode("utf-8", "replace")


def ascii_string(value: object) -> str | None:
    """Return the text of an ASCII string object (7.9.2.4)."""
    data = string(value)
    return data.decode("ascii") if data is not None and data.isascii() else None


def items(value: object) -> list[object]:
    """Return the elements of an array; an empty list for any other value."""
    return list(value) if is_array(value) else []


def unresolved(value: object) -> list[object]:
    """Return the elements of an array as plain values, with references as `Ref`.

    pikepdf reads the object of every reference in an array to return its elements.
    """
    elements: list[object] = read(value.unparse(resolved=True)) if is_array(value) else []
    return elements


def list_references(value: object) -> list[Ref]:
    """Return the references in an array, without reading the objects; an empty list for any other value."""
    return [element for element in unresolved(value) if isinstance(element, Ref)]


def one_or_more(value: object) -> list[object]:
    """Return the elements of an array; any other value as the single element of a list."""
    return items(value) if is_array(value) else [value]


def children(value: object) -> list[object]:
    """Return the values in an array, dictionary or stream; an empty list for any other value."""
    if isinstance(value, pikepdf.Stream):
        return children(value.stream_dict)
    return [item for _, item in named_items(value)] if is_dictionary(value) else items(value)


def named_items(value: pikepdf.Dictionary) -> list[tuple[str, object]]:
    """Return the entries of a dictionary. If a name is not UTF-8, only entries with ASCII names can be read."""
    try:
        return list(value.as_dict().items())
    except UnicodeDecodeError:
        names = [f"/{name}" for name in read(value.unparse(resolved=True)) if name.isascii()]
        return [(name, value.get(name)) for name in names]


def entry(value: object, key: str) -> object:
    """Return the value of an entry of a dictionary or stream; None if there is none."""
    return value.get(key) if is_keyed(value) else None


_DATE = re.compile(
    r"D:(?P<year>\d{4})(?:(?P<month>\d\d)(?:(?P<day>\d\d)(?:(?P<hour>\d\d)(?:(?P<minute>\d\d)"
    r"(?:(?P<second>\d\d))?)?)?)?)?(?:Z(?:00(?:'(?:00'?)?)?)?|[+-](?P<offset>\d\d)(?:'(?:(?P<part>\d\d)'?)?)?)?"
)
"""A date string (7.9.4). PDF 1.6 and earlier end it with an apostrophe."""


def is_date(value: object) -> bool:
    """Return whether ``value`` is a date string with a valid day and time (7.9.4)."""
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
    """Return whether ``value`` is a content type by RFC 2045, section 5.1."""
    return _CONTENT_TYPE.fullmatch(ascii_string(value) or "") is not None


@dataclass(frozen=True, slots=True)
class Entry:
    """The requirements for one entry of a dictionary."""

    key: str
    rule: Rule
    test: Callable[[object], bool]
    needs: str
    """The test in words, such as ``a date``."""

    required: bool = False


def check_entries(holder: object, where: str, entries: Iterable[Entry]) -> Iterator[Finding]:
    """Yield a finding for each required entry that is missing and each entry that fails its test."""
    for rule in entries:
        value = entry(holder, rule.key)
        if value is None and rule.required:
            yield rule.rule.broken(where, f"{rule.key[1:]} is missing; it shall be {rule.needs}")
        elif value is not None and not rule.test(value):
            yield rule.rule.broken(where, f"{rule.key[1:]} is not {rule.needs}")


def traverse(root: Handle, kids: Callable[[Handle], list[Handle]]) -> Iterator[tuple[Handle, bool]]:
    """Yield each node of a tree twice: with False before its kids, and with True after them.

    There is no recursion, because a tree may be as deep as the file has objects. ``kids`` must not return a node
    twice.
    """
    stack = [(root, False)]
    while stack:
        node, done = stack.pop()
        yield node, done
        if not done:
            stack.append((node, True))
            stack.extend((kid, False) for kid in reversed(kids(node)))
