"""The errors of wcspider: one root, one class for each thing that can go wrong.

Each message is one line that names the file or URL, says what is wrong, and then what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable


def meant(name: str, known: Iterable[str]) -> str:
    """Return advice to somebody who gave a name that is none: the nearest that is one, or all of them."""
    names = list(known)
    return nearest(name, names) or f"there are {', '.join(names)}"


def nearest(name: str, known: Collection[str]) -> str:
    """Return the question whether somebody meant the nearest of the names that there are; empty if none is near."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else ""


class WebCaptureError(Exception):
    """The root of every error that wcspider raises on purpose."""

    advice = ""
    """What the user can do; appended to the message."""

    def __init__(self, message: str, advice: str | None = None) -> None:
        self.problem = message
        self.advice = self.advice if advice is None else advice
        super().__init__(f"{message}; {self.advice}" if self.advice else message)

    def __reduce__(self) -> tuple[type[WebCaptureError], tuple[str, str]]:
        return type(self), (self.problem, self.advice)


class SettingError(WebCaptureError):
    """A WEBCAPTURE_ setting is unknown or its value is not of its type."""

    advice = "see docs/settings.md"


class ArgumentError(WebCaptureError):
    """An argument of a spider or a command is missing or has a value that it cannot have."""


class InvalidURLError(WebCaptureError):
    """A string that was to be a URL is none, or is of a scheme that cannot be captured."""

    advice = "give an absolute http, https, ftp or file URL"


class CharsetError(WebCaptureError):
    """Bytes that cannot be decoded by any step of the charset decision."""


class ContentCodingError(WebCaptureError):
    """A body that cannot be decompressed as its Content-Encoding header says, or only to more than is wanted."""


class SitemapError(WebCaptureError):
    """What a URL gave is no sitemap."""


class TargetError(WebCaptureError):
    """The PDF file that is captured into, or read, cannot be used."""


class TargetMissingError(TargetError):
    """There is no file at the path."""

    advice = "check the path"


class TargetNotPdfError(TargetError):
    """The file is not a PDF file."""

    advice = "name another file, or move this one away"


class TargetDamagedError(TargetError):
    """The file is a PDF file whose structure is broken."""

    advice = "repair it first, for instance with: qpdf damaged.pdf repaired.pdf"


class TargetEncryptedError(TargetError):
    """The file is encrypted, so nothing can be added to it."""

    advice = "decrypt it first, for instance with: qpdf --decrypt encrypted.pdf plain.pdf"


class TargetLockedError(TargetError):
    """Another process captures into the file."""

    advice = "wait for it to end, or name another file"


class TargetUnfinishedError(TargetError):
    """The unfinished work in FILE.part cannot be gone on with: it is another command's, or FILE has changed."""

    advice = "repeat the command that began it, or add -a fresh=true to begin anew"


class TargetRewrittenError(TargetError):
    """Another program has written the file anew, or changed what was in it: an earlier state is lost."""

    advice = "another program changed what earlier runs had written; an older copy of the file may have it"


class TargetNotWritableError(TargetError):
    """The file or its folder cannot be written to."""

    advice = "check the permissions and the free space of the folder"


class DeliveryError(WebCaptureError):
    """The file is in place, and a copy of it could not be brought to where WEBCAPTURE_SHIP_TO says."""

    advice = "the file itself is in place: copy it there, or see docs/usage.md"


class NothingCapturedError(WebCaptureError):
    """A crawl came to its end without a page, so there is nothing to write."""

    advice = "see above what was left out, and why"


class CrawlStoppedError(WebCaptureError):
    """A crawl was stopped before its end; what it captured waits in FILE.part."""

    advice = "repeat the command to go on, with -a partial=true to be content with what there is"


class PagesCollapsedError(WebCaptureError):
    """Most pages of a refresh came to be alike: an error page or a log-in may have taken their place."""

    advice = "look at the site; to take it as it is, repeat the command with -a force=true"


class NoCommandsError(WebCaptureError):
    """A file that is to be refreshed holds no command that can be repeated."""

    advice = "capture into it first: scrapy crawl capture -a url=... -a pdf=..."


class EngineError(WebCaptureError):
    """A conversion engine could not convert a page."""


class EngineTimeoutError(EngineError):
    """A conversion took longer than WEBCAPTURE_RENDER_TIMEOUT and was stopped."""


class EngineCrashedError(EngineError):
    """The worker process of a conversion died, or ran out of the memory it may use."""


class SourceUnreadableError(EngineError):
    """A source (a PDF file, an image) is too damaged to be turned into pages."""


class RedirectError(WebCaptureError):
    """A chain of redirects that leads nowhere."""


class RedirectLoop(RedirectError):  # noqa: N818 - the name says what it is
    """A chain of redirects comes back to a URL that it has passed."""

    advice = "open the URL in a browser: the site may want a cookie or a log-in first"


def one_line(error: Exception) -> str:
    """Return what an error of a library says, as the end of a message of ours."""
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
