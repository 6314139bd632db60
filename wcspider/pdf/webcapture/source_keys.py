"""The request keys of the sources of a file: a GET and each POST of one URL are different pages."""

from __future__ import annotations

from collections.abc import Iterator

from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.commands import read_command
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.webcapture.keys import key_of
from wcspider.webcapture.records import FormCode


class SourceKeys:
    """The request keys of sources. The key of a POST includes the data that its command has posted."""

    def __init__(self, file: RevisionFile) -> None:
        self._file = file
        self._posted: dict[Ref, bytes] = {}

    def of(self, source: SourceInformation) -> str:
        """Return the request key of a source."""
        return self.key(source.url, source.form, source.command)

    def of_redirects(self, source: SourceInformation) -> Iterator[str]:
        """Yield the request keys of the URLs that redirected to a source. Data is posted to the first one only."""
        for chain in source.chains:
            yield self.key(chain[0], source.form, source.command)
            yield from chain[1:]

    def key(self, url: str, form: FormCode, command: Ref | None) -> str:
        """Return the key of a request for a canonical URL by a command."""
        return key_of(url, "POST", self._data(command)) if form is FormCode.POST else url

    def _data(self, command: Ref | None) -> bytes:
        """Return the posted data of a command; empty if they were not stored."""
        if command is None:
            return b""
        if command not in self._posted:
            found = read_command(self._file.dictionary(command), self._file.resolve)
            self._posted[command] = found.data or b""
        return self._posted[command]
