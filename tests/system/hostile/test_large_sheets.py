"""Large style sheets: their references are bounded, and they are read outside the process of the reactor."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.support.call_counts import crawl_calls
from tests.support.http_server import Reply, SiteServer, page
from tests.system.hostile.measuring import MEGABYTE, measured
from wcspider.webcapture.resource_limits import LISTED, note_of_unlisted

EXTENSIONS = {"wcspider.crawl.session.CaptureSession": 100, "tests.support.call_counts.CrawlCalls": 200}
RESOURCES = 20
MOST_CALLS = 2_000_000
"""Python calls in the main process. Measured: 840,000, most of them for the log lines of 10,000 skipped resources."""

MOST_READING_CALLS = 5_000
"""Of them, those of `wcspider.web`. Measured: 800. Reading the sheets takes more than a million."""

SIZE = 2 * MEGABYTE
RULE = "a{{b:url({name}{number:05})}}"
RULES = SIZE // len("a{b:url(x00000)}")
DIFFERENT = {name: "".join(RULE.format(name=name, number=number) for number in range(RULES)) for name in "xy"}
"""Style sheets of `SIZE` bytes with another image in each rule."""

SAME = "p.a { color: red; background: url(/z.png) }\n" * 25_000
"""A style sheet of 1.1 megabytes with the same image in each rule, so that it is read to its end."""


def test_sheets_with_an_image_in_every_rule_cost_little(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    sheets = {**DIFFERENT, "z": SAME}
    linked = "".join(f"<link rel=stylesheet href=/{name}.css>" for name in sheets)
    pages = {"/": page(f"{linked}<p>first<a href=/next>next</a>"), "/next": page(f"{linked}<p>next")}
    replies = {f"/{name}.css": Reply(text.encode(), content_type="text/css") for name, text in sheets.items()}
    site = server({**pages, **replies})
    settings = {
        "WEBCAPTURE_MAX_RESOURCES": RESOURCES,
        "WEBCAPTURE_REPORT_LIMIT": LISTED,
        "EXTENSIONS": json.dumps(EXTENSIONS),
        "CALL_COUNTS_FILE": tmp_path / "calls",
    }
    done, _ = measured(site.url(), tmp_path / "site.pdf", settings, levels=2, engine="null")
    assert done.status == 0, done.log
    total, reading = crawl_calls(tmp_path / "calls")
    assert total < MOST_CALLS
    assert reading < MOST_READING_CALLS
    fetched = RESOURCES - len(sheets)
    images = [site.url(f"/x{number:05}") for number in range(fetched + LISTED)]
    skipped = done.section("Resources skipped")
    assert sorted(skipped["HTTP 404"]) == images[:fetched]
    assert skipped[f"behind the first {RESOURCES} resources of a page (WEBCAPTURE_MAX_RESOURCES)"] == images[fetched:]
    assert set(done.section("Pages that may be incomplete")) == {note_of_unlisted(RESOURCES)}
    unlisted = len(DIFFERENT) * RULES - len(images) + 1
    assert done.log.count(f"which are not listed: {unlisted} references") == len(pages)
