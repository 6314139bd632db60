"""The signals of a run, and the name of its file, with wcspider's own spiders."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.support.crawls import captured, run
from tests.support.http_server import SiteServer, page

NOTING = """
import json
from wcspider import signals


class Noting:
    @classmethod
    def from_crawler(cls, crawler):
        noting = cls()
        crawler.signals.connect(noting.captured, signals.page_set_captured)
        crawler.signals.connect(noting.replaced, signals.page_set_replaced)
        crawler.signals.connect(noting.dropped, signals.page_set_dropped)
        crawler.signals.connect(noting.finished, signals.file_finished)
        return noting

    def captured(self, page_set, spider):
        print("captured", page_set.title)

    def replaced(self, page_set):
        print("replaced", page_set.title)

    def dropped(self, page_set):
        print("dropped", page_set.title)

    def finished(self, path, counts, spider):
        print("finished", path.name, spider.name, counts["page_sets"], counts["changed"], counts["dropped"])
"""


def test_signals_of_a_capture_and_a_refresh(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    links = "<a href=/changes>1</a> <a href=/goes>2</a>"
    site = server({
        "/": page(f"<title>Start</title>{links}"),
        "/changes": page("<title>Before</title><p>one"),
        "/goes": page("<title>Gone</title><p>two"),
    })  # fmt: skip
    (tmp_path / "noting.py").write_text(NOTING)
    extensions = json.dumps({"wcspider.crawl.session.CaptureSession": 100, "noting.Noting": 200})
    options = {"environment": {"PYTHONPATH": str(tmp_path)}}
    common = ("-a", f"pdf={tmp_path / 'site.pdf'}", "-s", f"EXTENSIONS={extensions}", "-s", "WEBCAPTURE_WORKERS=1")
    first = run("crawl", "capture", "-a", f"url={site.url()}", "-a", "levels=2", *common, **options)
    assert first.output.splitlines() == [
        "captured Start",
        "captured Before",
        "captured Gone",
        "finished site.pdf capture 3 0 0",
    ]
    site.update({"/changes": page("<title>After</title><p>three"), "/goes": None})
    second = run("crawl", "refresh", "-a", "gone=drop", *common, **options)
    assert second.output.splitlines() == ["replaced After", "dropped Gone", "finished site.pdf refresh 0 1 1"]


def test_the_name_of_the_file_has_parameters(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    site = server({"/": page("<p>hello")})
    captured(site.url(), tmp_path / "%(name)s-%(_job)s 100%.pdf", _job=7)
    assert [path.name for path in tmp_path.iterdir()] == ["capture-7 100%.pdf"]
