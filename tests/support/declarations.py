"""Declarations of style rules in the results of tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tinycss2


def serialized(found: Sequence[Any]) -> str:
    """Return declarations as text, with "!" for important ones."""
    return "; ".join(f"{d.name}: {tinycss2.serialize(d.value).strip()}{' !' * d.important}" for d in found)
