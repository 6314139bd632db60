"""Digital identifiers and text identifiers (14.10.3.3): MD5 digests of 16 bytes.

The clause requires MD5. It identifies content and protects nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

DIGEST_SIZE = 16
"""The length of an identifier in bytes."""


def page_set_identifier(source: bytes, auxiliaries: Iterable[tuple[str, bytes]] = ()) -> bytes:
    """Return the composite identifier of a page set (14.10.3.3): the source, then the digests of its auxiliary files.

    The auxiliary files are pairs of key and digest, in the order of first reference. The key is the canonical URL
    after redirects. Each key counts once; equal bytes at two URLs are two files. Raises ValueError if a digest does not
    have 16 bytes, or differs from the earlier digest of its key.
    """
    md5 = hashlib.md5(source, usedforsecurity=False)
    digests: dict[str, bytes] = {}
    for key, digest in auxiliaries:
        if len(digest) != DIGEST_SIZE:
            raise ValueError(f"the digest of {key} has {len(digest)} bytes instead of {DIGEST_SIZE}")
        if key not in digests:
            digests[key] = digest
            md5.update(digest)
        elif digests[key] != digest:
            raise ValueError(f"{key} was added with another digest before")
    return md5.digest()


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
