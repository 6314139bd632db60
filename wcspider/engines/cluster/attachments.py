"""Calls without their large parts: style sheets, fonts, images and sources travel once to each machine."""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from wcspider.exceptions import EngineError, one_line

V = TypeVar("V")

SMALLEST = 2048
"""The size in bytes from which a part of a call is an attachment."""

CACHE_BYTES = 128 << 20
"""How many bytes of attachments a machine keeps."""

LARGEST_KEPT = CACHE_BYTES // 4
"""The size up to which the attachments of a call are kept for other calls, in bytes."""


@dataclass(frozen=True, slots=True)
class PackedCall:
    """A pickled call that names its large parts by their digests."""

    request: bytes
    attachments: Mapping[bytes, bytes]
    """The large parts by digest."""

    patience: float = 1.0
    """The factor of the time limit."""

    @property
    def size(self) -> int:
        """The size of the attachments in bytes."""
        return sum(map(len, self.attachments.values()))


class _Packer(pickle.Pickler):
    """A pickler that takes large byte strings out of what it pickles."""

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


class RecentlyUsed(Generic[V]):
    """The values for digests, as many of the last used ones as fit into `limit` bytes."""

    def __init__(self, limit: int, size: Callable[[V], int]) -> None:
        self._limit = limit
        self._size = size
        self._bytes = 0
        self._kept: OrderedDict[bytes, V] = OrderedDict()

    def __contains__(self, digest: bytes) -> bool:
        return digest in self._kept

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._kept)

    def keep(self, values: Mapping[bytes, V]) -> None:
        """Keep values, and drop those that were not used for the longest time."""
        self.forget(values)
        self._kept.update(values)
        self._bytes += sum(map(self._size, values.values()))
        while self._bytes > self._limit:
            self._bytes -= self._size(self._kept.popitem(last=False)[1])

    def forget(self, digests: Iterable[bytes]) -> None:
        """Drop values."""
        for digest in self._kept.keys() & digests:
            self._bytes -= self._size(self._kept.pop(digest))

    def found(self, digests: Iterable[bytes]) -> dict[bytes, V]:
        """Return those values for digests that are here."""
        found = {digest: self._kept[digest] for digest in digests if digest in self._kept}
        for digest in found:
            self._kept.move_to_end(digest)
        return found
