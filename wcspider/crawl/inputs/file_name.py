"""File names with the parameters of Scrapy's feeds: ``%(time)s``, attributes of the spider; and with ``%(file)s``."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

from wcspider.exceptions import ArgumentError

_PARAMETER = re.compile(r"%\((\w+)\)s")


def output_path(template: str | Path, spider: Any, moment: datetime, file: Path | None = None) -> Path:
    """Return a path with its parameters filled in; raises `ArgumentError` like `filled`."""
    return Path(filled(str(template), spider, moment, file))


def filled(template: str, spider: Any, moment: datetime, file: Path | None = None) -> str:
    """Return a name with its parameters filled in; other percent signs are kept.

    The name of something that belongs to the PDF file `file` may have the parameter ``file``. Raises `ArgumentError`
    for a parameter that is not an attribute of the spider.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name == "time":
            return moment.replace(microsecond=0).isoformat().replace(":", "-")
        if name == "file" and file is not None:
            return file.stem
        if not hasattr(spider, name):
            own = "" if file is None else "%(file)s, "
            known = f"{own}%(time)s or an attribute of the spider, such as %(name)s"
            raise ArgumentError(f"{template}: the spider has no attribute {name} for %({name})s", f"use {known}")
        return str(getattr(spider, name))

    return _PARAMETER.sub(value, template)
