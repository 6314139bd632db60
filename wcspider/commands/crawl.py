"""``scrapy crawl``: Scrapy's command with one-line messages, and an exit status that tells whether FILE was written.

Scrapy imports this module for every command, so the module imports the parts of a crawl only when it runs one.
"""

from __future__ import annotations

import argparse
import codecs
import json
import logging
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from scrapy import Spider
from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.spiderloader import get_spider_loader

from wcspider.archive.query.plain_text import without_controls
from wcspider.exceptions import WebCaptureError
from wcspider.program_end import end_at_once
from wcspider.program_names import crawl_name

logger = logging.getLogger(__name__)


_CAPTURE = "capture"
"""The name of the spider that always needs workers. A refresh may need none, because most pages have not changed."""


class Command(ScrapyCrawl):
    """The command; its exit statuses are those of `ExitStatus`."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options of Scrapy. The help is printed later, when the name of the spider is known."""
        parser.add_argument("-h", "--help", action="store_true", help="show this help message and exit")
        super().add_options(parser)
        self._parser = parser

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the help, or set the settings and start the fork server of a capture. Scrapy loads the spiders next."""
        if opts.help:
            from wcspider.crawl.inputs.spider_arguments import ARGUMENTS, help_text

            self._parser.print_help()
            assert self.settings is not None
            for name in args:
                if name in ARGUMENTS and name in get_spider_loader(self.settings).list():
                    print(f"\n{help_text(name, ARGUMENTS[name])}")
            raise SystemExit(0)
        _check_values(args, opts.spargs)
        _check_objects(opts.set, self.settings)
        super().process_options(args, opts)
        assert self.settings is not None
        _check_log(self.settings)
        _check_outputs(self.settings, opts.spargs)
        if args == [_CAPTURE]:
            _start_early(self.settings)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider, unless its name, settings or arguments are wrong."""
        end_at_once()
        from wcspider.spiders.starting import check, exit_status

        assert self.settings is not None
        assert self.crawler_process is not None
        try:
            opts.spargs = check(self.settings, self.crawler_process.spider_loader.list(), args, opts.spargs)
        except WebCaptureError as error:
            print(without_controls(f"{crawl_name(''.join(args[:1]))}: {error}"), file=sys.stderr)
            if self.settings["LOG_FILE"]:  # the log of the job, if Scrapyd runs the command
                logger.error("%s", error)
            self.exitcode = error.exit_status
            return
        super().run(args, opts)
        if self.exitcode == 0:
            self.exitcode = exit_status(self._crawler)

    def _create_crawler(self, spidercls: type[Spider] | str) -> Crawler:
        self._crawler = super()._create_crawler(spidercls)
        return self._crawler


def _check_values(args: list[str], given: list[str]) -> None:
    """Raise `UsageError` for an argument with two values. Scrapy would ignore the first of them."""
    from wcspider.crawl.inputs.spider_arguments import ARGUMENTS, single_values

    if args and args[0] in ARGUMENTS:
        try:
            single_values((name, value) for name, _, value in (text.partition("=") for text in given))
        except WebCaptureError as error:
            raise UsageError(str(error), print_help=False) from None


def _check_objects(given: list[str], settings: BaseSettings | None) -> None:
    """Raise `UsageError` for a setting that is no JSON object but has to be one. Scrapy would ask for NAME=VALUE."""
    for name, _, value in (text.partition("=") for text in given):
        if settings is None or not isinstance(settings.get(name), BaseSettings) or _is_object(value):
            continue
        advice = f"for a table of the pages, write -O {value}" if name == "FEEDS" else "give an object"
        raise UsageError(f"{name} is {value!r}, not a JSON object; {advice}", print_help=False)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _check_log(settings: BaseSettings) -> None:
    """Raise `UsageError` for wrong settings of the log, which Scrapy opens next. It would fail with a traceback."""
    level, known = settings["LOG_LEVEL"], logging.getLevelNamesMapping()
    if isinstance(level, str) and level not in known:
        raise UsageError(f"LOG_LEVEL is {level!r}; give one of {', '.join(known)}", print_help=False)
    try:
        codecs.lookup(settings["LOG_ENCODING"] or "utf-8")
        logging.Formatter(settings["LOG_FORMAT"], settings["LOG_DATEFORMAT"]).format(logging.makeLogRecord({}))
    except (LookupError, ValueError) as error:
        raise UsageError(f"LOG_FORMAT or LOG_ENCODING is wrong: {error}; correct it", print_help=False) from None


def _check_outputs(settings: BaseSettings, arguments: Mapping[str, str]) -> None:
    """Raise `UsageError` if the log or a table would overwrite a file of the crawl. Scrapy opens the log next."""
    if not any(map(settings.get, ("LOG_FILE", "FEEDS", "FEED_URI"))):
        return
    from wcspider.crawl.closing.outputs import check_outputs

    target = arguments.get("pdf") or settings.get("WEBCAPTURE_PDF")
    inputs = {name: Path(arguments[name]) for name in ("urls", "cookies") if arguments.get(name)}
    if arguments.get("data", "").startswith("@"):
        inputs["data"] = Path(arguments["data"][1:])
    if settings.get("WEBCAPTURE_NETRC"):
        inputs["WEBCAPTURE_NETRC"] = Path(settings["WEBCAPTURE_NETRC"]).expanduser()
    try:
        check_outputs(settings, Path(target) if target else None, inputs)
    except WebCaptureError as error:
        raise UsageError(str(error), print_help=False) from None


def _start_early(settings: BaseSettings) -> None:
    """Let the workers load their libraries while this process loads the modules of the crawl."""
    from wcspider.config import CaptureConfig, defaults
    from wcspider.crawl.processes.fork_servers import start_early

    with suppress(WebCaptureError):  # the checks report wrong settings
        start_early(CaptureConfig.from_settings({**defaults(), **settings}))
