"""Digital identifiers and text identifiers (14.10.3.3): MD5 digests of 16 bytes, computed as streams.

The clause requires MD5. It identifies content and protects nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

DIGEST_SIZE = 16
"""The length of an identifier in bytes."""


class PageSetIdentifier:
    """The composite identifier of a page set (14.10.3.3): the source, then the digests of its auxiliary files.

    Neither the source nor the auxiliary files have to be in memory. First the source is added in chunks, then the
    digest of each auxiliary file, in the order of first reference. The key of an auxiliary file is its
    canonical URL after redirects. Each key counts once; equal bytes at two URLs are two files.
    """

    def __init__(self) -> None:
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._auxiliaries: dict[str, bytes] = {}

    def update(self, source_chunk: bytes) -> None:
        """Add the next bytes of the source. Raises ValueError if an auxiliary file was added before."""
        if self._auxiliaries:
            raise ValueError("the source has to be complete before its auxiliary files are added")
        self._md5.update(source_chunk)

    def add_auxiliary(self, key: str, digest: bytes) -> None:
        """Add the digest of an auxiliary file; a key that was added before is ignored.

        Raises ValueError if ``digest`` does not have 16 bytes, or differs from the earlier digest of ``key``.
        """
        if len(digest) != DIGEST_SIZE:
            raise ValueError(f"the digest of {key} has {len(digest)} bytes instead of {DIGEST_SIZE}")
        if key not in self._auxiliaries:
            self._auxiliaries[key] = digest
            self._md5.update(digest)
        elif self._auxiliaries[key] != digest:
            raise ValueError(f"{key} was added with another digest before")

    def digest(self) -> bytes:
        """Return the identifier of the bytes added so far, 16 bytes."""
        return self._md5.digest()


def page_set_identifier(source: bytes | Iterable[bytes], auxiliaries: Iterable[tuple[str, bytes]] = ()) -> bytes:
    """Return the identifier of a page set (14.10.3.3), from its source and the (key, digest) pairs of auxiliaries."""
    identifier = PageSetIdentifier()
    for chunk in (source,) if isinstance(source, bytes) else source:
        identifier.update(chunk)
    for key, digest in auxiliaries:
        identifier.add_auxiliary(key, digest)
    return identifier.digest()


def text_identifier(pieces: Iterable[str]) -> bytes | None:
    """Return the text identifier of a source (14.10.3.3), or None if it has no text.

    The pieces are one text, split anywhere. Runs of white space become one space, and white space at both ends is
    removed. White space is defined by `str.isspace`, so a no-break space equals a line break. The digest is that of
    the text in UTF-8. The memory does not depend on the length of the text if the pieces are short.
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
