"""The refresh spider: repeats the commands that a file holds, and brings the file up to date."""

from __future__ import annotations

from collections.abc import Mapping

from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.session import CaptureSession
from wcspider.spiders.answers import Answers, ConditionalAnswers
from wcspider.spiders.capture import CaptureSpider


class RefreshSpider(CaptureSpider):
    """Requests the pages of a file again, and follows the links of unchanged pages, which the file holds."""

    name = "refresh"

    @staticmethod
    def read_arguments(given: Mapping[str, str]) -> CaptureArguments | RefreshArguments:
        """Return the arguments of the spider; raises `ArgumentError`."""
        return RefreshArguments.parse(given)

    def make_answers(self, session: CaptureSession) -> Answers:
        """Return the part that turns responses into items."""
        return ConditionalAnswers(session)
