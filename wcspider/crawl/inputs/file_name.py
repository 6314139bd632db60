"""File names with the parameters of Scrapy's feeds: ``%(name)s``, ``%(time)s``, attributes of the spider."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

from wcspider.exceptions import ArgumentError

_PARAMETER = re.compile(r"%\((\w+)\)s")


def output_path(template: str | Path, spider: Any, moment: datetime) -> Path:
    """Return a path with its parameters filled in; raises `ArgumentError` like `filled`."""
    return Path(filled(str(template), spider, moment))


def filled(template: str, spider: Any, moment: datetime) -> str:
    """Return a name with its parameters filled in; other percent signs are kept.

    Raises `ArgumentError` for a parameter that is not an attribute of the spider.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name == "time":
            return moment.replace(microsecond=0).isoformat().replace(":", "-")
        if not hasattr(spider, name):
            known = "%(time)s or an attribute of the spider, such as %(name)s"
            raise ArgumentError(f"{template}: the spider has no attribute {name} for %({name})s", f"use {known}")
        return str(getattr(spider, name))

    return _PARAMETER.sub(value, template)
