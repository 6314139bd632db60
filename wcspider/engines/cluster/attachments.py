"""Calls without their large parts: style sheets, fonts, images and sources travel once to each machine."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeVar

from zict import LRU

from wcspider.exceptions import EngineError, one_line

V = TypeVar("V")

SMALLEST = 2048
"""The size in bytes from which a part of a call is an attachment."""

CACHE_BYTES = 128 << 20
"""How many bytes of attachments a machine keeps."""


@dataclass(frozen=True, slots=True)
class PackedCall:
    """A pickled call that names its large parts by their digests."""

    request: bytes
    attachments: Mapping[bytes, bytes]
    """The large parts by digest."""

    patience: float = 1.0
    """The factor of the time limit."""


class _Packer(pickle.Pickler):
    """A pickler that stores large byte strings separately."""

    def __init__(self, out: io.BytesIO) -> None:
        super().__init__(out, protocol=pickle.HIGHEST_PROTOCOL)
        self.attachments: dict[bytes, bytes] = {}

    def persistent_id(self, obj: object) -> bytes | None:
        """Return the digest of a large byte string; None for all other objects."""
        if type(obj) is not bytes or len(obj) < SMALLEST:
            return None
        digest = blake2b(obj, digest_size=16).digest()
        self.attachments[digest] = obj
        return digest


class _Unpacker(pickle.Unpickler):
    """An unpickler that puts the large byte strings back."""

    def __init__(self, request: bytes, attachments: Mapping[bytes, bytes]) -> None:
        super().__init__(io.BytesIO(request))
        self._attachments = attachments

    def persistent_load(self, pid: bytes) -> bytes:
        """Return the byte string with a digest."""
        return self._attachments[pid]


def packed(
    function: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object], patience: float = 1.0
) -> PackedCall:
    """Return a call in a form that can be sent. Raise `EngineError` if it cannot be pickled."""
    out = io.BytesIO()
    packer = _Packer(out)
    try:
        packer.dump((function, args, kwargs))
    except Exception as error:
        raise EngineError(f"the conversion cannot be sent to the cluster: {one_line(error)}") from error
    return PackedCall(out.getvalue(), packer.attachments, patience)


def unpacked(request: bytes, attachments: Mapping[bytes, bytes]) -> Any:
    """Return the function, the arguments and the keyword arguments of a packed call."""
    return _Unpacker(request, attachments).load()


def recently_used(limit: int, size: Callable[[V], int]) -> LRU[bytes, V]:
    """Return a mapping by digest that keeps as many of the last used values as fit into `limit` bytes."""
    return LRU(limit, {}, weight=lambda _, value: size(value))
