"""Results that take long and are the same in all workers of a capture: the first one stores them for the others."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from wcspider.engines.text.font_folder import given_folder, write_whole

_Result = TypeVar("_Result")


def shared(name: str, make: Callable[[], _Result]) -> _Result:
    """Return what `make` returns, from the private folder of the capture if another worker has called it before.

    `name` says what determines the result, and is a file name. A process without a private folder shares nothing.
    """
    folder = given_folder()
    if folder is None:
        return make()
    file = folder / f"{name}.result"
    with suppress(OSError, pickle.UnpicklingError, EOFError):
        result: _Result = pickle.loads(file.read_bytes())
        return result
    result = make()
    with suppress(OSError):  # without room for it, each worker makes its own
        write_whole(file, pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL))
    return result
