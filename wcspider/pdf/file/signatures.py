"""The digital signatures and time stamps of a file (ISO 32000-1, 12.8), as the file describes them.

Nothing is verified: that needs the certificates that the reader of the file trusts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Ref, Value
from wcspider.pdf.values import read_array, read_bytes, read_date, read_dictionary, read_integer, read_text

SIGNATURES_EXIST = 1
"""The first bit of SigFlags (Table 219)."""

_TIME_STAMP_INFO = bytes.fromhex("060b2a864886f70d0109100104")
"""The object identifier of the content of a time stamp token (RFC 3161, 2.4.2), in DER."""

_GENERALIZED_TIME = re.compile(rb"\x18[\x0f-\x1f](\d{14})(?:\.\d+)?Z")


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature dictionary (Table 252)."""

    is_time_stamp: bool
    """True for a document time stamp, which proves the time alone (ISO 32000-2, 12.8.5)."""

    signer: str
    """The name of the signer; empty if the dictionary does not contain it."""

    reason: str
    moment: datetime | None
    """The time in the time stamp, or the time that the signer's program states."""

    end: int
    """The number of bytes at the beginning of the file that it covers; 0 if it does not cover them completely."""


def read_signatures(file: RevisionFile) -> list[Signature]:
    """Return the signatures of a file, in the order of the bytes that they cover.

    The fields of the form are read only if the form has the flag SignaturesExist, so that a file with many fields and
    no signature costs nothing.
    """
    form = file.dictionary(file.dictionary(file.root).get("AcroForm"))
    if not read_integer(file.resolve(form.get("SigFlags"))) & SIGNATURES_EXIST:
        return []
    found = (_signature(file, file.dictionary(value)) for value in signature_values(file.resolve, form.get("Fields")))
    return sorted(found, key=lambda signature: signature.end)


def signature_values(resolve: Callable[[Value], Value], fields: Value) -> Iterator[Value]:
    """Yield the values of the signature fields (12.7.4.5) of a form; `resolve` follows references."""
    seen: set[Ref] = set()
    pending: list[tuple[Value, Value]] = [(entry, None) for entry in reversed(read_array(resolve(fields)))]
    while pending:
        reference, inherited = pending.pop()
        if not isinstance(reference, Ref) or reference in seen:  # a field is an indirect object
            continue
        seen.add(reference)
        content = read_dictionary(resolve(reference))
        kind = resolve(content.get("FT", inherited))
        if kind == "Sig" and content.get("V") is not None:
            yield content["V"]
        pending += [(kid, kind) for kid in reversed(read_array(resolve(content.get("Kids"))))]


def _signature(file: RevisionFile, content: dict[str, Any]) -> Signature:
    token = read_bytes(file.resolve(content.get("Contents"))) or b""
    is_time_stamp: bool = file.resolve(content.get("SubFilter")) == "ETSI.RFC3161"
    stamped = _stamped(token) if is_time_stamp else None
    return Signature(
        is_time_stamp,
        read_text(file.resolve(content.get("Name"))),
        read_text(file.resolve(content.get("Reason"))),
        stamped or read_date(file.resolve(content.get("M"))),
        _end(file, content),
    )


def _stamped(token: bytes) -> datetime | None:
    """Return the time in a time stamp token: the first one behind the identifier of its content (RFC 3161, 2.4.2)."""
    start = token.find(_TIME_STAMP_INFO)
    match = _GENERALIZED_TIME.search(token, start) if start >= 0 else None
    try:
        return None if match is None else datetime.strptime(match[1].decode(), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def _end(file: RevisionFile, content: dict[str, Any]) -> int:
    """Return the end of the bytes that a signature covers: all from the first on, except its own value (12.8.1)."""
    numbers = [file.resolve(entry) for entry in file.array(content.get("ByteRange"))]
    if len(numbers) != 4 or any(type(number) is not int or number < 0 for number in numbers):
        return 0
    start, before, after, rest = numbers
    gap = 2 * len(read_bytes(file.resolve(content.get("Contents"))) or b"") + 2
    is_complete = start == 0 and after - before == gap and after + rest <= file.length
    return after + rest if is_complete else 0
