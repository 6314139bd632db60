"""The Scrapy add-on: a project that names it in ADDONS can capture the pages of its spiders into a PDF file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from wcspider.config import CaptureConfig, defaults
from wcspider.crawl.closing.outputs import REFUSED, check_outputs
from wcspider.crawl.session import CaptureSession
from wcspider.downloading.graceful_stop import GracefulStop
from wcspider.downloading.http_errors import HttpErrorReportMiddleware, NetworkErrorReportMiddleware
from wcspider.downloading.ssrf_guard import SsrfGuardMiddleware
from wcspider.exceptions import ArgumentError, SettingError
from wcspider.pipelines.auxiliary import AuxiliaryPipeline
from wcspider.pipelines.read import ReadPipeline
from wcspider.pipelines.render import RenderPipeline
from wcspider.pipelines.store import StorePipeline
from wcspider.settings import TWISTED_REACTOR

__all__ = ["WebCaptureAddon"]

PIPELINES: tuple[tuple[type, int], ...] = (
    (ReadPipeline, 10),
    (AuxiliaryPipeline, 910),
    (RenderPipeline, 920),
    (StorePipeline, 930),
)
"""The pipelines with their orders. A project's own run in between: they see the parsed page, and may drop it."""

BEHIND_PROXIES = 800
"""The order of the SSRF guard: after Scrapy's proxy middleware."""

BEFORE_HTTP_ERRORS = 60
"""The order of the report of HTTP errors: between the spider and Scrapy's HttpErrorMiddleware (50)."""

BEFORE_RETRIES = 10
"""The order of the report of network errors: between the spider and all middlewares that repeat requests."""


class WebCaptureAddon:
    """Adds the capture session, the pipelines, the SSRF guard, and the defaults of the WEBCAPTURE_ settings.

    The settings of the project and of its spiders keep their values, and no other component is replaced.
    """

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """End the program with one line if a setting of the project, or of the command line, is wrong.

        Scrapy has neither opened the log nor a feed, which must not overwrite the PDF file.
        """
        try:
            _check({**defaults(), **settings}, settings)
        except (ArgumentError, SettingError) as error:
            raise SystemExit(f"scrapy: {error}") from error

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components and defaults to the settings of a crawl; raises `SettingError` if a setting is wrong."""
        if not settings.getbool("TWISTED_REACTOR_ENABLED") or settings["TWISTED_REACTOR"] != TWISTED_REACTOR:
            needed = f"TWISTED_REACTOR_ENABLED = True and TWISTED_REACTOR = {TWISTED_REACTOR!r}"
            raise NotConfigured(f"wcspider needs the asyncio reactor: set {needed}")
        for name, value in defaults().items():
            settings.set(name, value, priority="addon")
        try:
            _check(settings, settings)
        except ArgumentError as error:  # of the settings of the spider; Scrapy opens the feeds next
            settings.setdict({REFUSED: error, "FEEDS": {}, "FEED_URI": None}, priority="cmdline")
        settings.setdefault_in_component_priority_dict("EXTENSIONS", CaptureSession, 100)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", GracefulStop, 150)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", SsrfGuardMiddleware, BEHIND_PROXIES)
        settings.setdefault_in_component_priority_dict(
            "DOWNLOADER_MIDDLEWARES", NetworkErrorReportMiddleware, BEFORE_RETRIES
        )
        settings.setdefault_in_component_priority_dict(
            "SPIDER_MIDDLEWARES", HttpErrorReportMiddleware, BEFORE_HTTP_ERRORS
        )
        for pipeline, place in PIPELINES:
            settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", pipeline, place)


def _check(values: Mapping[str, Any], settings: BaseSettings) -> None:
    """Raise `SettingError` for a wrong value of wcspider, and `ArgumentError` for an output that would overwrite FILE.

    `values` are the settings with the defaults of wcspider.
    """
    pdf = CaptureConfig.from_settings(values).pdf
    check_outputs(settings, Path(pdf) if pdf else None)
