"""Delivery of copies of the finished file to the destinations of WEBCAPTURE_SHIP_TO, with the storages of feeds."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import FeedStorageProtocol, FileFeedStorage
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.misc import build_from_crawler, load_object

from wcspider.crawl.closing.local_copies import replace_copy, write_copy
from wcspider.crawl.closing.outputs import local_path, use_of
from wcspider.crawl.inputs.file_name import filled
from wcspider.exceptions import ArgumentError, DeliveryError, SettingError, in_words, one_line

logger = logging.getLogger(__name__)

OPTIONS = {"format": "pdf", "overwrite": True}
"""The options that a storage gets, in the place of the options of a feed."""

_LOGIN = re.compile(r"//[^/?#]*@|//[^/?#@:]*:(?!\d+/).*@")
"""A login in a URI, which may be malformed: a slash in a password should have been written as %2F."""

_BETWEEN = re.compile(r",\s*(?=[A-Za-z][A-Za-z0-9+.-]*:|/)")
"""The separator of two URIs: a comma only if a scheme or an absolute path follows, as URIs may contain commas."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A URI, and the storage for it."""

    uri: str
    storage: FeedStorageProtocol


@dataclass(frozen=True, slots=True)
class Delivery:
    """The destinations of the finished file."""

    destinations: Sequence[Destination] = ()

    @classmethod
    def prepare(cls, crawler: Crawler, templates: str, path: Path, moment: datetime) -> Self:
        """Make the storages before the first request, so that an unusable one ends the crawl early.

        `templates` may have the parameters of file names. Raises `SettingError`, and `ArgumentError` for a parameter
        that is not an attribute of the spider.
        """
        uris = [_filled(template.strip(), crawler.spider, moment, path) for template in _BETWEEN.split(templates)]
        return cls([_destination(crawler, uri, path) for uri in uris if uri])

    async def send(self, path: Path, spider: Any) -> list[DeliveryError]:
        """Deliver the file to all destinations, one after the other; return the errors."""
        errors: list[DeliveryError] = []
        for destination in self.destinations:
            try:
                await store_copy(destination.storage, path, spider)
            except Exception as error:  # a storage may raise anything
                reason = failure(error, destination.uri)
                errors.append(DeliveryError(f"{path}: not delivered to {shown(destination.uri)}: {reason}"))
            else:
                logger.info("Delivered %s to %s", path, shown(destination.uri))
        return errors


def _filled(template: str, spider: Any, moment: datetime, path: Path) -> str:
    try:
        return filled(template, spider, moment, path)
    except ArgumentError as error:
        raise ArgumentError(_hidden(error.problem, template), error.advice) from None


def _destination(crawler: Crawler, uri: str, path: Path) -> Destination:
    try:
        scheme = urlsplit(uri).scheme
    except ValueError as error:
        raise _wrong(uri, one_line(error)) from None
    storages = crawler.settings.getwithbase("FEED_STORAGES")
    if not storages.get(scheme):
        known = ", ".join(sorted(name for name, storage in storages.items() if name and storage))
        raise _wrong(uri, f"no storage for the scheme {scheme!r}", f"FEED_STORAGES has {known}")
    copy = local_path(uri)
    if copy is not None and (use := use_of(copy, path)):
        raise _wrong(uri, f"this is {use}")
    if copy is not None and (copy.is_dir() or uri.endswith("/")):
        raise _wrong(uri, "this is a folder", f"name a file in it: {uri.rstrip('/')}/%(file)s.pdf")
    try:
        storage = build_from_crawler(load_object(storages[scheme]), crawler, uri, feed_options=dict(OPTIONS))
    except NotConfigured as error:
        raise _wrong(uri, str(error)) from error
    except Exception as error:
        raise _wrong(uri, one_line(error)) from error
    return Destination(uri, storage)


async def store_copy(storage: FeedStorageProtocol, path: Path, spider: Any) -> None:
    """Send a copy of a file to a storage. Raises what the storage raises."""
    # Scrapy's storage would empty the older copy before it writes the new one.
    if type(storage) is FileFeedStorage and storage.write_mode == "wb":
        await asyncio.to_thread(replace_copy, path, Path(storage.path))
        return
    file = storage.open(spider)
    try:
        await asyncio.to_thread(write_copy, path, file)
    except BaseException:
        file.close()
        raise
    await ensure_awaitable(storage.store(file))


def _wrong(uri: str, problem: str, advice: str | None = None) -> SettingError:
    return SettingError(f"WEBCAPTURE_SHIP_TO: {shown(uri)}: {_hidden(problem, uri)}", advice)


def failure(error: BaseException, uri: str) -> str:
    """Return why a storage has failed, without the login of its URI."""
    return _hidden(in_words(error), uri)


def shown(uri: str) -> str:
    """Return a URI without its login, for messages."""
    return _LOGIN.sub("//", uri, count=1)


def _hidden(text: str, uri: str) -> str:
    """Return the message of a storage without the login of its URI."""
    text = text.replace(uri, shown(uri))
    login = _LOGIN.search(uri)
    if login is not None:
        _, _, password = login[0].strip("/@").partition(":")
        for secret in filter(None, (login[0][2:], password, unquote(password), *re.split("[/?#]", password))):
            text = text.replace(secret, "...")
    return text
