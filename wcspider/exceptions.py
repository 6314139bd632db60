"""The errors of wcspider: one base class, a class for each kind of error, and the exit statuses of the commands.

Each message is one line: the file or URL, what is wrong, then what to do.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable
from enum import IntEnum

from wcspider.program_names import capture_command, file_command, flag

__all__ = [
    "ArgumentError",
    "CharsetError",
    "ContentCodingError",
    "CrawlStoppedError",
    "DeliveryError",
    "EngineCrashedError",
    "EngineError",
    "EngineTimeoutError",
    "ExitStatus",
    "InvalidURLError",
    "NoCommandsError",
    "NothingCapturedError",
    "PagesCollapsedError",
    "RedirectError",
    "RedirectLoop",
    "SettingError",
    "SitemapError",
    "SourceUnreadableError",
    "TargetDamagedError",
    "TargetEncryptedError",
    "TargetError",
    "TargetLockedError",
    "TargetMissingError",
    "TargetNotPdfError",
    "TargetNotWritableError",
    "TargetRewrittenError",
    "TargetUnfinishedError",
    "WebCaptureError",
]


class ExitStatus(IntEnum):
    """The exit statuses of the commands."""

    SUCCESS = 0
    FAILURE = 1
    """Nothing was captured or found, or FILE could not be written."""

    USAGE = 2
    """A setting or an argument is wrong."""

    NOT_DELIVERED = 3
    """FILE is in place, but a copy or a table could not be delivered."""


def _repair(path: object) -> str:
    return f"repair it first: {file_command('optimize', path, '--output REPAIRED')}"


def meant(name: str, known: Iterable[str]) -> str:
    """Return advice for an unknown name: the nearest of the known names, or all of them."""
    names = list(known)
    return nearest(name, names) or f"use one of: {', '.join(names)}"


def nearest(name: str, known: Collection[str]) -> str:
    """Return the question whether the nearest of the known names was meant; empty if none is near."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else ""


class WebCaptureError(Exception):
    """The base class of every error that wcspider raises on purpose."""

    advice = ""
    """What the user can do; appended to the message."""

    exit_status = ExitStatus.FAILURE
    """The exit status of a command that ends with this error."""

    def __init__(self, message: str, advice: str | None = None) -> None:
        self.problem = message
        self.advice = self.usual_advice() if advice is None else advice
        super().__init__(f"{message}; {self.advice}" if self.advice else message)

    def __reduce__(self) -> tuple[type[WebCaptureError], tuple[str, str]]:
        return type(self), (self.problem, self.advice)

    @classmethod
    def usual_advice(cls) -> str:
        """Return the advice of errors that are raised without advice. It may name commands of the user's program."""
        return cls.advice


class SettingError(WebCaptureError):
    """A WEBCAPTURE_ setting is unknown, missing or has an invalid value."""

    advice = "see docs/settings.md in the sources of wcspider"
    exit_status = ExitStatus.USAGE


class ArgumentError(WebCaptureError):
    """An argument of a spider or a command is unknown, missing or has an invalid value."""

    exit_status = ExitStatus.USAGE


class InvalidURLError(WebCaptureError):
    """A string is not an absolute URL, or its scheme cannot be captured."""

    advice = "give an absolute http, https, ftp or file URL"


class CharsetError(WebCaptureError):
    """The name of a character encoding is unknown."""


class ContentCodingError(WebCaptureError):
    """A body cannot be decompressed as its Content-Encoding header says, or its size exceeds the limit."""


class SitemapError(WebCaptureError):
    """A URL that is used as a sitemap is not a sitemap."""


class TargetError(WebCaptureError):
    """A PDF file cannot be used."""


class TargetMissingError(TargetError):
    """The file does not exist."""

    advice = "check the path"


class TargetNotPdfError(TargetError):
    """The file is not a PDF file."""

    advice = "name a PDF file"


class TargetDamagedError(TargetError):
    """The structure of the PDF file is damaged."""

    @classmethod
    def usual_advice(cls) -> str:
        """Return the command that repairs a file."""
        return _repair("FILE")

    @classmethod
    def of(cls, path: object, problem: str) -> TargetDamagedError:
        """Return the error of a file, with the command that repairs it."""
        return cls(f"{path}: {problem}", _repair(path))


class TargetEncryptedError(TargetError):
    """The file is encrypted, so nothing can be added to it."""

    advice = "decrypt it first, for instance with: qpdf --decrypt encrypted.pdf plain.pdf"


class TargetLockedError(TargetError):
    """Another process captures into the file."""

    advice = "wait for it to end, or name another file"


class TargetUnfinishedError(TargetError):
    """The unfinished work in FILE.part cannot be continued: it belongs to another command, or FILE has changed."""

    @classmethod
    def usual_advice(cls) -> str:
        """Return the advice to continue or to start again."""
        return f"repeat the command that began it, or add {flag('fresh')} to start again"


class TargetRewrittenError(TargetError):
    """Another program has rewritten the file, so that an earlier state is lost."""

    advice = "another program has rewritten the file; an older copy of it may have that state"


class TargetNotWritableError(TargetError):
    """The file, its folder or the folder for temporary files cannot be written to."""

    advice = "check the permissions and the free space of the folder"


class DeliveryError(WebCaptureError):
    """The file is in place, but a copy (WEBCAPTURE_SHIP_TO) or a table (-O) could not be written."""

    advice = "the file itself is in place: copy it there, or see docs/usage.md in the sources of wcspider"
    exit_status = ExitStatus.NOT_DELIVERED


class NothingCapturedError(WebCaptureError):
    """A crawl captured no page, so there is nothing to write."""

    advice = "the summary lists the pages with their reasons"


class CrawlStoppedError(WebCaptureError):
    """A crawl was stopped before its end; the pages captured so far are in FILE.part."""

    @classmethod
    def usual_advice(cls) -> str:
        """Return the advice to continue or to finish."""
        return f"run the same command to continue, or add {flag('partial')} to finish with these pages"


class PagesCollapsedError(WebCaptureError):
    """Most pages of a refresh now have the same text, are no longer linked, or redirect to other pages.

    An error page or a login page may stand in the place of the site.
    """

    @classmethod
    def usual_advice(cls) -> str:
        """Return the advice to look, and the argument that accepts the result."""
        return f"look at the site: a login may have expired; {flag('force')} accepts the result"


class NoCommandsError(WebCaptureError):
    """The file to refresh holds no command that can be repeated."""

    @classmethod
    def usual_advice(cls) -> str:
        """Return the command that captures into a file."""
        return f"capture into it first: {capture_command('URL', 'FILE')}"


class EngineError(WebCaptureError):
    """A conversion engine could not convert a page."""


class EngineTimeoutError(EngineError):
    """A conversion exceeded WEBCAPTURE_RENDER_TIMEOUT and was stopped."""


class EngineCrashedError(EngineError):
    """The worker process of a conversion died, or exceeded WEBCAPTURE_RENDER_MEMORY."""


class WorkersError(WebCaptureError):
    """The worker processes could not convert a page, for a reason that has nothing to do with the page."""


class WorkersFailedError(WorkersError):
    """The worker processes cannot be started, for instance because their memory limit is too small."""

    advice = "increase WEBCAPTURE_RENDER_MEMORY, or free memory and temporary files; then repeat the command"


class WorkersStoppedError(WorkersError):
    """The worker processes were stopped before a conversion was done, because the crawl ends."""

    def __init__(self, message: str = "the worker processes were stopped", advice: str | None = None) -> None:
        super().__init__(message, advice)


class SourceUnreadableError(EngineError):
    """A source (a PDF file, an image) is too damaged to be converted into pages."""


class RedirectError(WebCaptureError):
    """A chain of redirects does not lead to a page."""


class RedirectLoop(RedirectError):  # noqa: N818
    """A chain of redirects returns to a URL that it has passed."""

    advice = "open the URL in a browser: the site may need a cookie or a login first"


def in_words(error: BaseException) -> str:
    """Return what the system says about an error, without names of Python; other errors are described by `one_line`."""
    if not isinstance(error, OSError):
        return one_line(error)
    if error.strerror:
        return error.strerror.splitlines()[0]
    if str(error):
        return one_line(error).partition(": ")[2]
    return "no answer in time" if isinstance(error, TimeoutError) else one_line(error)


_OBJECT = re.compile(r"<[^<>]* at 0x[0-9a-fA-F]+>")


def one_line(error: BaseException) -> str:
    """Return the message of a library's exception as one line, the same in every process.

    Descriptions of Python objects contain a memory address and are replaced.
    """
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {_OBJECT.sub('an object', lines[0])[:200]}" if lines else type(error).__name__
