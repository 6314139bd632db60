"""Link annotations (ISO 32000-1, 12.5.6.5) with a URI action, as they come from a rendering."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import pikepdf

from wcspider.archive.pages.link_keys import link_target
from wcspider.engines.saving import LinkAnnotation
from wcspider.pdf.object_syntax import LONGEST_NUMBER, read
from wcspider.pdf.objects import Syntax, Value
from wcspider.steps import portions

LINKS_AT_ONCE = 256
"""The largest number of `LinkAnnotations`, which are placed in one step."""

_LOGIN = re.compile(rb"^(\s*[A-Za-z][A-Za-z0-9+.\-]*://)[^/?#]*@")
_STRING = rb"(?:\((?:[^()\\]|\\.)*\)|<[0-9a-f]*>)"
_PLAIN_LINK = re.compile(
    rb"<< /A << /S /URI /Type /Action /URI (%b) >> ([^()<>]*(?:%b[^()<>]*)*)>>" % (_STRING, _STRING), re.DOTALL
)
"""A Link annotation with only a URI action, as qpdf writes it."""

_REFERS = re.compile(rb"\d R\b|/StructParent|/WCSP_|[\d.]{%d}" % (LONGEST_NUMBER + 1))
"""Syntax of an annotation that cannot be copied as it is; a match inside a string does no harm."""


class LinkAnnotations(NamedTuple):
    """Link annotations that follow each other on a page.

    A page may have hundreds of links. So a worker process prepares their syntax with gaps, and the process that writes
    the file only fills in the actions.
    """

    syntax: bytes
    """The syntax of the annotations, with ``%b`` for each action, and ``%%`` for a percent sign."""

    keys: tuple[bytes, ...]
    """The keys of their targets."""

    def leading_to(self, actions: Mapping[bytes, bytes]) -> Syntax:
        """Return the annotations with the actions of their targets, by key."""
        return Syntax(self.syntax % tuple([actions[key] for key in self.keys]))


def grouped(annotations: Iterable[Value], targets: dict[bytes, bytes]) -> Iterator[Value]:
    """Yield annotations, with `LinkAnnotations` in place of `LinkAnnotation`s, and add their targets to `targets`."""
    for is_link, group in groupby(annotations, lambda entry: isinstance(entry, LinkAnnotation)):
        if is_link:
            yield from (_group(links, targets) for links in portions(group, LINKS_AT_ONCE))
        else:
            yield from group


def _group(links: Sequence[LinkAnnotation], targets: dict[bytes, bytes]) -> LinkAnnotations:
    found = [link_target(link.uri) for link in links]
    for key, action in found:
        targets.setdefault(key, action)
    escaped = [LinkAnnotation(link.uri, link.entries.replace(b"%", b"%%")) for link in links]
    syntax = b" ".join([link.leading_to(b"%b") for link in escaped])
    return LinkAnnotations(syntax, tuple([key for key, _ in found]))


def link_annotation(annotation: pikepdf.Object) -> LinkAnnotation | None:
    """Return a Link annotation with only a URI action; None if it has more, or refers to other objects."""
    return _plain_link(annotation) or _other_link(annotation)


def _plain_link(annotation: pikepdf.Object) -> LinkAnnotation | None:
    """Return a Link annotation as `_other_link` does, if it has the form that most have; this is faster."""
    match = _PLAIN_LINK.fullmatch(annotation.unparse(resolved=True))
    if match is None or _REFERS.search(match[2]):
        return None
    return LinkAnnotation(_without_login(read(match[1])), b"<< " + match[2])


def _other_link(annotation: pikepdf.Object) -> LinkAnnotation | None:
    action = annotation.get("/A")
    if not isinstance(action, pikepdf.Dictionary) or action.get("/S") != "/URI" or "/Next" in action:
        return None
    uri = action.get("/URI")
    if not isinstance(uri, pikepdf.String):
        return None
    del annotation["/A"]
    syntax = annotation.unparse(resolved=True)
    annotation["/A"] = action
    if _REFERS.search(syntax):
        return None
    return LinkAnnotation(_without_login(bytes(uri)), syntax.removesuffix(b">>"))


def uri_of(annotation: Value) -> bytes | None:
    """Return the URI of a Link annotation with only a URI action (12.6.4.7); None for any other annotation."""
    action = annotation.get("A") if isinstance(annotation, dict) else None
    if not isinstance(action, dict) or action.get("S") != "URI" or "Next" in action:
        return None
    uri = action.get("URI")
    return _without_login(uri) if isinstance(uri, bytes) else None


def _without_login(uri: bytes) -> bytes:
    """Return a URI without a login, which no file may hold."""
    return _LOGIN.sub(rb"\1", uri, count=1) if b"@" in uri else uri
