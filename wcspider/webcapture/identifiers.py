"""Digital identifiers and text identifiers (14.10.3.3): MD5 digests of 16 bytes, computed as streams.

MD5 is what the clause asks for; it identifies, and secures nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

DIGEST_SIZE = 16
"""The length of an identifier in bytes."""


class PageSetIdentifier:
    """The composite identifier of a page set (14.10.3.3): the source, then its auxiliary files' digests.

    Neither the source nor the auxiliary files have to be in memory: the source comes in chunks, then each
    auxiliary file as its digest, in the order in which the source first refers to it. The key of an auxiliary
    file is its canonical URL, after redirects: a key that was added before adds nothing, while equal bytes at
    two URLs are two files.
    """

    def __init__(self) -> None:
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._auxiliaries: dict[str, bytes] = {}

    def update(self, source_chunk: bytes) -> None:
        """Add the next bytes of the source. Raises ValueError once an auxiliary file has been added."""
        if self._auxiliaries:
            raise ValueError("the source has to be complete before its auxiliary files are added")
        self._md5.update(source_chunk)

    def add_auxiliary(self, key: str, digest: bytes) -> None:
        """Add the digest of an auxiliary file where it is first referred to; later ones count for nothing.

        Raises ValueError if ``digest`` is not 16 bytes, or not the one that ``key`` had before.
        """
        if len(digest) != DIGEST_SIZE:
            raise ValueError(f"the digest of {key} has {len(digest)} bytes instead of {DIGEST_SIZE}")
        if key not in self._auxiliaries:
            self._auxiliaries[key] = digest
            self._md5.update(digest)
        elif self._auxiliaries[key] != digest:
            raise ValueError(f"{key} was added with another digest before")

    def digest(self) -> bytes:
        """The identifier of what was added so far, 16 bytes."""
        return self._md5.digest()


def page_set_identifier(source: bytes | Iterable[bytes], auxiliaries: Iterable[tuple[str, bytes]] = ()) -> bytes:
    """The identifier of a page set (14.10.3.3) from its source and its auxiliaries' (key, digest) pairs."""
    identifier = PageSetIdentifier()
    for chunk in _chunks(source):
        identifier.update(chunk)
    for key, digest in auxiliaries:
        identifier.add_auxiliary(key, digest)
    return identifier.digest()


def source_identifier(source: bytes | Iterable[bytes]) -> bytes:
    """The identifier of a PDF source or of an image set (14.10.3.3): the MD5 of the file alone."""
    return page_set_identifier(source)


def text_identifier(pieces: Iterable[str]) -> bytes | None:
    """The text identifier of a source (14.10.3.3), or None if it has no text.

    The pieces are one text, cut anywhere. Runs of white space become one space, at both ends none; white
    space is what `str.isspace` says it is, so that a page is the same text whether its author wrote a
    no-break space or a line break. The digest is of the text in UTF-8.
    """
    md5 = hashlib.md5(usedforsecurity=False)
    empty = True
    after_space = False
    for piece in pieces:
        words = piece.split()
        if not words:
            after_space = after_space or bool(piece)
            continue
        if not empty and (after_space or piece[0].isspace()):
            md5.update(b" ")
        md5.update(" ".join(words).encode("utf-8", "surrogatepass"))
        empty = False
        after_space = piece[-1].isspace()
    return None if empty else md5.digest()


def _chunks(source: bytes | Iterable[bytes]) -> Iterable[bytes]:
    return (source,) if isinstance(source, bytes) else source
