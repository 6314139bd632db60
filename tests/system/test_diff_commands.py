"""Real changes of a site: ``scrapy webcapture diff``, ``versions`` and earlier states, and the report of a run."""

from __future__ import annotations

import json
import os
import pty
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from playwright.sync_api import Page

from tests.support.browser import assert_accessible, open_in_browser
from tests.support.crawls import FIXED_TIME, Run, captured, run, webcapture
from tests.support.http_server import Reply, Site, SiteServer, page, redirect
from tests.support.pictures import grey_png
from wcspider.subcommands.display import is_coloured

LATER = "2026-03-02T12:00:00Z"
NAMES = ["prose", "table", "image", "moved", "latin", "link", "style", "title", "long", "gone", "stays", "code", "form"]
LINKS = "".join(f"<li><a href=/{name}>{name}</a>" for name in NAMES)
PROSE = (
    "Our lighthouse stands on the western cliff since 1871. The keeper lives in the small house beside it with his "
    "family and two dogs. Visitors may climb the tower on every day of the week, if the wind allows it. The stairs "
    "have two hundred and eleven steps, and the view reaches to the islands. Children are welcome with their parents."
)
LATIN = "<title>Encoding</title><p>Café Müller, straße"


def table(price: str) -> Reply:
    """A page with a table."""
    rows = f"<tr><td>Apples<td>3 kg<td>{price}<tr><td>Pears<td>2 kg<td>5.20"
    return page(f"<title>Prices</title><table border=1><tr><th>Fruit<th>Amount<th>Price{rows}</table>")


def form(name: str, place: str, checked: str) -> Reply:
    """A page with a form."""
    options = "".join(f"<option{' selected' * (place == value)}>{value}" for value in ("Tower", "Boathouse"))
    box = f"<input type=checkbox name=tea{checked}> with tea"
    fields = f"Name <input name=q value='{name}'> Place <select name=p>{options}</select> {box}"
    return page(f"<title>Visit</title><form>{fields}</form>")


def long(last: str) -> Reply:
    """A page of several PDF pages, with a sentence at the end of one of its paragraphs."""
    chapters = [f"<h2>Chapter {number}</h2><p>{PROSE}{last if number == 17 else ''}" for number in range(30)]
    return page("<title>Long</title>" + "".join(chapters))


BEFORE: Site = {
    "/": page(f"<title>Start</title><ul>{LINKS}</ul>"),
    "/prose": page(f"<title>Lighthouse</title><p>{PROSE}<p>This stays."),
    "/table": table("4.50"),
    "/image": page("<title>Map</title><p>The map:<p><img src=/map.png width=200 height=200>"),
    "/map.png": Reply(grey_png(40, 40, 60), content_type="image/png"),
    "/moved": page("<title>Contact</title><p>Write to us."),
    "/latin": Reply(LATIN.encode("latin-1"), content_type="text/html; charset=iso-8859-1"),
    "/link": page("<title>Links</title><p>Our friends: <a href=http://other.example/one>one</a>"),
    "/style": page("<title>Style</title><link rel=stylesheet href=/style.css><h1>Styled</h1>"),
    "/style.css": Reply(b"h1 { color: red }", content_type="text/css"),
    "/title": page("<title>Opening hours 2025</title><p>Monday to Friday"),
    "/long": long(""),
    "/gone": page("<title>Gone</title><p>Good bye"),
    "/stays": page("<title>Stays</title><p>as it is"),
    "/code": page("<title>Code</title><pre>def f(x):\n    return x + 1\n\nprint(f(1))\n</pre>"),
    "/form": form("Skerry Point", "Tower", ""),
}
AFTER: Site = {
    "/": page(f"<title>Start</title><ul>{LINKS}<li><a href=/new>new</a></ul>"),
    "/prose": page(f"<title>Lighthouse</title><p>{PROSE.replace('two dogs', 'three old dogs')}<p>This stays."),
    "/table": table("4.75"),
    "/map.png": Reply(grey_png(40, 40, 200), content_type="image/png"),
    "/moved": redirect("/contact"),
    "/contact": BEFORE["/moved"],
    "/latin": Reply(LATIN.encode(), content_type="text/html; charset=utf-8"),
    "/link": page("<title>Links</title><p>Our friends: <a href=http://other.example/two>one</a>"),
    "/style.css": Reply(b"h1 { color: blue }", content_type="text/css"),
    "/title": page("<title>Opening hours 2026</title><p>Monday to Friday"),
    "/long": long(" Not in winter."),
    "/gone": Reply(b"gone", status=410),
    "/code": page("<title>Code</title><pre>def f(x):\n    return x + 2\n\nprint(f(1))\n</pre>"),
    "/form": form("Skerry Head", "Boathouse", " checked"),
    "/new": page("<title>Brand new</title><p>News"),
}
EXPECTED = """\
revision 1 (2026-03-01T12:00:00Z) -> revision 2 (2026-03-02T12:00:00Z): 1 new, 11 changed, 1 moved, 1 gone
new       {site}/new  (page 19)  Brand new
changed   {site}/  (page 1)  Start
    text added: [+• new+]
    link added: {site}/new
changed   {site}/prose  (page 2)  Lighthouse
    text: his family and [-two-] [+three old+] dogs. Visitors may climb the tower on every …
changed   {site}/table  (page 3)  Prices
    text: Apples 3 kg [-4.50-] [+4.75+]
changed   {site}/image  (page 4)  Map
    image changed: {site}/map.png
changed   {site}/latin  (page 6)  Encoding
    only the source changed (markup or encoding): its text, images, links and form values are the same
changed   {site}/link  (page 7)  Links
    link added: http://other.example/two
    link removed: http://other.example/one
changed   {site}/style  (page 8)  Style
    style sheet changed: {site}/style.css
changed   {site}/title  (page 9)  Opening hours 2026
    title: Opening hours [-2025-] [+2026+]
changed   {site}/long  (page 10)  Long
    text on page 12: welcome with their parents. [+Not in winter.+]
changed   {site}/code  (page 17)  Code
    text: return x + [-1-] [+2+]
changed   {site}/form  (page 18)  Visit
    form field q: [-Skerry Point-] [+Skerry Head+]
    form field p: [-Tower-] [+Boathouse+]
    form field tea: [+on+]
moved     {site}/moved -> {site}/contact  (page 5)  Contact
gone      {site}/gone  (was page 15)  Gone
""".replace("[+", "{{+").replace("+]", "+}}")


@dataclass(frozen=True)
class Refreshed:
    """A file that was captured, and refreshed after the changes."""

    path: Path
    site: str
    report: Path
    done: Run


@pytest.fixture(scope="module")
def refreshed(tmp_path_factory: pytest.TempPathFactory) -> Refreshed:
    """The site in a file, before and after."""
    path = tmp_path_factory.mktemp("refreshed") / "site.pdf"
    report = path.with_name("report.html")
    settings = {"WEBCAPTURE_FIXED_TIME": LATER, "WEBCAPTURE_WORKERS": 1, "WEBCAPTURE_REPORT": report}
    given = [text for name, value in settings.items() for text in ("-s", f"{name}={value}")]
    with SiteServer(BEFORE) as site:
        captured(site.url(), path, {"WEBCAPTURE_FIXED_TIME": FIXED_TIME}, levels=2)
        site.update(AFTER)
        done = run("crawl", "refresh", "-a", f"pdf={path}", "-a", "force=true", *given)
        assert done.status == 0, done.log
        return Refreshed(path, site.url("").removesuffix("/"), report, done)


def test_ten_changes_are_shown(refreshed: Refreshed) -> None:
    done = webcapture("diff", refreshed.path)
    assert (done.status, done.log) == (1, "")
    assert done.output == EXPECTED.format(site=refreshed.site)


def test_one_page(refreshed: Refreshed) -> None:
    url = f"{refreshed.site}/table"
    found = json.loads(webcapture("diff", refreshed.path, "--json", "--url", url).output)
    [row] = found["changes"]
    pieces = [["equal", "Apples 3 kg"], ["removed", "4.50"], ["added", "4.75"]]
    assert row["contents"]["text"] == [{"page_before": 3, "page_after": 3, "pieces": pieces}]
    none = webcapture("diff", refreshed.path, "--url", f"{refreshed.site}/stays")
    assert (none.status, none.output) == (0, "no page differs between revisions 1 and 2\n")
    unknown = webcapture("diff", refreshed.path, "--url", f"{refreshed.site}/tabel")
    assert (unknown.status, unknown.output) == (2, "")
    assert f"revisions 1 and 2 have no page from {refreshed.site}/tabel" in unknown.log


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [("TERM", "xterm", True), ("NO_COLOR", "1", False), ("NO_COLOR", "", True), ("TERM", "dumb", False)],
)
def test_colours_on_a_terminal(monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: bool) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    assert not is_coloured()  # the output of tests is no terminal
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        assert is_coloured() is expected
    os.close(ours)


def test_versions_and_the_text_of_each(refreshed: Refreshed) -> None:
    url = f"{refreshed.site}/table"
    found = json.loads(webcapture("versions", refreshed.path, url, "--json").output)["versions"]
    assert [(row["revisions"], row["captured"], row["pages"]) for row in found] == [
        ([1, 1], FIXED_TIME, [3]),
        ([2, 2], LATER, [3]),
    ]
    for number, price in ((1, "4.50"), (2, "4.75")):
        text = webcapture("text", refreshed.path, "--url", url, "--revision", number)
        assert (text.status, price in text.output) == (0, True)
        one = webcapture("find", refreshed.path, "--url", url, "--revision", number, "--json")
        [content] = json.loads(one.output)["content_sets"]
        assert content["id"] == found[number - 1]["id"]
    missing = webcapture("versions", refreshed.path, f"{refreshed.site}/none")
    assert (missing.status, missing.output) == (1, "nothing found\n")
    wrong = webcapture("text", refreshed.path, "--revision", 3)
    assert (wrong.status, "has no revision 3" in wrong.log) == (2, True)


def test_the_report_of_the_run(refreshed: Refreshed) -> None:
    assert f"Wrote the report {refreshed.report}" in refreshed.done.log
    html = refreshed.report.read_text("utf-8")
    assert "Opening hours 2026" in html
    assert "Opening hours 2025" not in html


@pytest.fixture(scope="module")
def comparison(refreshed: Refreshed) -> Iterator[tuple[Path, Page, list[str], list[str]]]:
    """The comparison as HTML, in a browser, with the messages of its console and the URLs of its requests."""
    path = refreshed.path.with_name("changes.html")
    done = webcapture("diff", refreshed.path, "--html", path)
    assert (done.status, done.output, done.log) == (1, f"{path}\n", "")
    with open_in_browser(path) as opened:
        yield path, *opened


def test_both_states_side_by_side(comparison: tuple[Path, Page, list[str], list[str]]) -> None:
    path, shown, messages, requests = comparison
    assert messages == []
    assert [url for url in requests if not url.startswith("data:")] == [path.as_uri()]
    assert shown.locator("section.change").count() == EXPECTED.count("\n") - EXPECTED.count("\n    ") - 1
    prices = shown.locator("section.change", has_text="Prices")
    assert prices.locator("del").all_inner_texts() == ["4.50"]
    assert prices.locator("ins").all_inner_texts() == ["4.75"]
    assert prices.locator("img").evaluate_all("all => all.map(image => image.alt)") == ["Page 3 before", "Page 3 after"]
    long_page = shown.locator("section.change", has_text="Not in winter.")
    assert long_page.locator("figcaption").all_inner_texts() == ["Before: page 12", "After: page 12"]
    for name in ("Map", "Style"):  # nothing but the pictures shows what changed
        assert shown.locator("section.change", has_text=name).first.locator("img").count() == 2


def test_the_comparison_is_accessible(comparison: tuple[Path, Page, list[str], list[str]]) -> None:
    _, shown, _, _ = comparison
    assert_accessible(shown)


def test_the_comparison_does_not_replace_the_file(refreshed: Refreshed) -> None:
    content = refreshed.path.read_bytes()
    done = webcapture("diff", refreshed.path, "--html", refreshed.path)
    assert (done.status, done.output) == (2, "")
    assert "is the file itself" in done.log
    assert refreshed.path.read_bytes() == content
    with pypdfium2.PdfDocument(refreshed.path) as document:
        assert len(document) > 0


@pytest.mark.parametrize("report", ["nowhere/report.html", "mine.html", "%(none)s.html"])
def test_a_report_that_cannot_be_written_does_no_harm(tmp_path: Path, report: str) -> None:
    path, mine = tmp_path / "site.pdf", tmp_path / "mine.html"
    mine.write_text("<p>notes")
    with SiteServer({"/": page("<title>Start</title><p>Start")}) as site:
        settings: dict[str, Any] = {"WEBCAPTURE_REPORT": tmp_path / report}
        arguments = ["-a", f"url={site.url()}", "-a", f"pdf={path}", "-s", "WEBCAPTURE_WORKERS=1"]
        given = [text for name, value in settings.items() for text in ("-s", f"{name}={value}")]
        done = run("crawl", "capture", *arguments, *given)
    if "%" in report:  # a wrong name is reported before the first request
        assert done.status == 2
        assert "the spider has no attribute none" in done.log
        assert not path.exists()
    else:
        assert done.status == 0
        [line] = [line for line in done.log.splitlines() if "the report was not written" in line]
        assert f"{path} is complete" in line
        assert line.endswith("name another file in WEBCAPTURE_REPORT")
        assert "Captured 1 page into" in done.log
    assert mine.read_text() == "<p>notes"
