"""wcspider in another project: the add-on beside the components of the project."""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from urllib.parse import urlsplit

import pytest

from tests.support.crawls import ROOT, Archive, Run, run, started, webcapture
from tests.support.http_server import Reply, SiteServer, page, redirect
from tests.support.pdf_samples import md5
from tests.support.pictures import grey_png

SETTINGS = """
SPIDER_MODULES = ["own"]
ROBOTSTXT_OBEY = False
ADDONS = {"wcspider.addon.WebCaptureAddon": 500}
WEBCAPTURE_ALLOWED_HOSTS = "127.0.0.2"  # or else no page could show what is there
HTTPCACHE_ENABLED = True
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 0.01
ITEM_PIPELINES = {"own.Pipeline": 300}
DOWNLOADER_MIDDLEWARES = {"own.Browser": 800}
WEBCAPTURE_WORKERS = 1
FEEDS = {
    "pages.jsonl": {"format": "jsonlines", "overwrite": True, "item_classes": ["wcspider.items.CaptureItem"]},
    "own.jsonl": {"format": "jsonlines", "overwrite": True, "item_classes": ["builtins.dict"]},
}
"""

OWN = '''
import json
from itemadapter import ItemAdapter
from scrapy import FormRequest, Request, Spider
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse
from wcspider import signals
from wcspider.items import CaptureItem


class Pipeline:
    def process_item(self, item):
        if ItemAdapter(item).get("title") == "Unwanted":
            raise DropItem("unwanted")
        if isinstance(item, dict):
            item["stamped"] = True
        return item


class Browser:
    """Answers as scrapy-playwright's handler does: the document as text, below the headers of the server."""

    def process_request(self, request):
        if not request.meta.get("playwright"):
            return None
        document = "<html><head><title>Łódź</title></head><body><p>made by a script</p></body></html>"
        return HtmlResponse(
            request.url,
            body=document.encode(),
            encoding="utf-8",
            headers={"Content-Type": "text/html; charset=iso-8859-1", "ETag": '"served"'},
            flags=["playwright"],
            request=request,
        )


class OwnSpider(Spider):
    name = "own"
    allowed_domains = ["127.0.0.1"]
    custom_settings = {"WEBCAPTURE_PDF": "%(name)s-%(part)s.pdf"}
    handle_httpstatus_list = [404]

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.captured = []
        crawler.signals.connect(spider.page_set_captured, signals.page_set_captured)
        crawler.signals.connect(spider.file_finished, signals.file_finished)
        return spider

    def page_set_captured(self, page_set):
        self.captured.append(page_set.sources[0].url)

    async def file_finished(self, path, counts):
        told = {"path": str(path), "exists": path.exists(), "counts": counts, "captured": self.captured}
        with open("told.json", "w") as file:
            json.dump(told, file)

    async def start(self):
        yield Request(self.site + "/")

    def parse(self, response):
        yield {"title": response.css("title::text").get()}
        yield CaptureItem.from_response(response)
        yield FormRequest.from_response(response, formdata={"name": "me"}, callback=self.keep)
        for path in ("/page", "/old", "/older", "/unwanted", "/data.json", "/broken"):
            yield response.follow(path, callback=self.keep)
        yield response.follow("/app", callback=self.keep, meta={"playwright": True})

    def keep(self, response):
        if response.url.endswith("/broken"):
            raise ValueError("a mistake of the project's")
        yield CaptureItem.from_response(response)


class QuietSpider(Spider):
    name = "quiet"

    async def start(self):
        yield Request(self.site + "/page")

    def parse(self, response):
        yield {"title": "quiet"}


class LinkSpider(QuietSpider):
    name = "links"

    def parse(self, response):
        yield CaptureItem.from_response(response)
        yield from response.follow_all(css="a", callback=self.parse)


class ItemsSpider(QuietSpider):
    name = "items"

    def parse(self, response):
        yield CaptureItem.from_response(response)


class CommandSpider(ItemsSpider):
    """A spider with attributes that those of wcspider have, too."""

    name = "commands"
    commands = "not those of wcspider"
    custom_settings = {"WEBCAPTURE_PDF": "site.pdf"}


class WrongSpider(QuietSpider):
    name = "wrong"
    custom_settings = {"WEBCAPTURE_MEDIA": "paper"}
'''


def titled(title: str, body: str) -> Reply:
    return page(f"<title>{title}</title>{body}")


def site(elsewhere: str) -> dict[str, Reply]:
    form = '<form action="/login" method="post"><input name="name"></form>'
    return {
        "/": titled("Home", f'{form}<a href="/page">page</a><img src="{elsewhere}/far.png">'),
        "POST /login": Reply(status=302, headers={"Location": "/account", "Set-Cookie": "session=1"}),
        "/account": titled("Account", '<p>yours</p><img src="/yours.png">'),
        "/yours.png": Reply(grey_png(8, 8, 90), content_type="image/png"),
        "/page": titled("Page", "<p>text</p>"),
        "/old": redirect("/page", 301),
        "/older": redirect("/old", 302),
        "/unwanted": titled("Unwanted", "<p>text</p>"),
        "/data.json": Reply(b"{}", content_type="application/json"),
        "/app": titled("Loading", "<script></script>"),
    }


def project(folder: Path, **files: str) -> Path:
    """A project with the spiders above; other files by name."""
    folder.mkdir(exist_ok=True)
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = project_settings\n")
    for name, text in {"project_settings": SETTINGS, "own": OWN, **files}.items():
        (folder / f"{name}.py").write_text(dedent(text), "utf-8")
    return folder


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@dataclass(frozen=True)
class Crawl:
    """A crawl of the project."""

    folder: Path
    server: SiteServer
    far: SiteServer
    run: Run

    @property
    def url(self) -> str:
        return self.server.url("")

    @property
    def pdf(self) -> Path:
        return self.folder / "own-1.pdf"


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawl]:
    """The site above, crawled by the first of the spiders above."""
    folder = project(tmp_path_factory.mktemp("own"))
    picture = Reply(grey_png(6, 6, 200), content_type="image/png")
    with SiteServer({"/far.png": picture}, host="127.0.0.2") as far, SiteServer(site(far.url(""))) as server:
        done = run("crawl", "own", "-a", f"site={server.url('')}", "-a", "part=1", folder=folder)
        assert done.status == 0, done.log
        yield Crawl(folder, server, far, done)


def test_pages_are_in_the_file_with_their_ways(crawl: Crawl) -> None:
    with Archive(crawl.pdf) as archive:
        found = {page_set.title: page_set for page_set in archive.page_sets}
        assert set(found) == {"Home", "Account", "Page", "Łódź"}
        [source] = found["Page"].sources  # Scrapy answers one of the ways to it, and drops the others
        assert set(source.chains) == {(f"{crawl.url}/old",), (f"{crawl.url}/older", f"{crawl.url}/old")}
        [account] = found["Account"].sources
        assert account.chains == ((f"{crawl.url}/login",),)
        assert {entry.command for page_set in found.values() for entry in page_set.sources} == {None}
        assert archive.commands == []


def test_the_file_keeps_the_rules(crawl: Crawl) -> None:
    checked = webcapture("check", crawl.pdf)
    assert (checked.status, checked.output) == (0, f"{crawl.pdf}: no violation found\n")


def test_resources_are_fetched_as_their_page_was(crawl: Crawl) -> None:
    with Archive(crawl.pdf) as archive:
        images = {url for image_set in archive.image_sets for url in image_set.urls}
    assert images == {crawl.server.url("/yours.png"), crawl.far.url("/far.png")}  # though it is offsite
    cookies = {request.path: request.headers.get("cookie") for request in crawl.server.requests}
    assert (cookies["/"], cookies["/account"], cookies["/yours.png"]) == (None, "session=1", "session=1")
    assert [request.headers.get("cookie") for request in crawl.far.requests] == [None]


def test_a_page_that_a_browser_rendered_is_what_the_browser_left(crawl: Crawl) -> None:
    with Archive(crawl.pdf) as archive:
        found = archive.page_set(crawl.server.url("/app"))
    document = "<html><head><title>Łódź</title></head><body><p>made by a script</p></body></html>"
    assert (found.identifier, found.content_type) == (md5(document), "text/html")
    assert "/app" not in crawl.server.paths()


def test_what_is_no_page_is_in_the_summary(crawl: Crawl) -> None:
    assert crawl.run.left_out == {"not captured: application/json": [crawl.server.url("/data.json")]}


def test_the_project_has_its_own_way_with_items(crawl: Crawl) -> None:
    assert lines(crawl.folder / "own.jsonl") == [{"title": "Home", "stamped": True}]
    with Archive(crawl.pdf) as archive:
        assert "Unwanted" not in {page_set.title for page_set in archive.page_sets}
    assert "a mistake of the project's" in crawl.run.log


def test_each_page_is_a_line_of_the_feed(crawl: Crawl) -> None:
    with Archive(crawl.pdf) as archive:
        expected = {page_set.identifier.hex(): page_set for page_set in archive.page_sets}
    feed = {line["id"]: line for line in lines(crawl.folder / "pages.jsonl")}
    assert set(feed) == set(expected)
    for identifier, line in feed.items():
        page_set = expected[str(identifier)]
        assert (line["url"], line["title"], line["content_type"]) == (page_set.urls[0], page_set.title, "text/html")
        assert bytes.fromhex(str(line["text_id"])) == page_set.text_identifier


def test_list_has_a_line_for_each_content_set(crawl: Crawl) -> None:
    listed = [json.loads(line) for line in webcapture("list", crawl.pdf, "--lines").output.splitlines()]
    assert listed == json.loads(webcapture("list", crawl.pdf, "--json").output)["content_sets"]
    assert [content["subtype"] for content in listed] == ["SPS"] * 4 + ["SIS"] * 2


def test_signals_tell_what_is_captured(crawl: Crawl) -> None:
    told = json.loads((crawl.folder / "told.json").read_text())
    with Archive(crawl.pdf) as archive:
        assert sorted(told["captured"]) == sorted(page_set.urls[0] for page_set in archive.page_sets)
    assert (told["path"], told["exists"]) == ("own-1.pdf", True)
    assert (told["counts"]["page_sets"], told["counts"]["omitted_pages"]) == (4, 1)


def test_pages_out_of_the_cache_are_known_again(crawl: Crawl) -> None:
    crawl.server.forget()
    again = run("crawl", "own", "-a", f"site={crawl.url}", "-a", "part=1", folder=crawl.folder)
    assert again.status == 0, again.log
    assert [path for path in crawl.server.paths() if path != "/broken"] == []
    assert "'webcapture/page_sets': 0" in again.log
    assert "'webcapture/known': 4" in again.log


@pytest.fixture
def pages(server: Callable[..., SiteServer]) -> SiteServer:
    """A server with one page."""
    return server({"/page": titled("Page", "<p>text</p>")})


def crawl_with(folder: Path, spider: str, server: SiteServer, *arguments: object) -> Run:
    return run("crawl", spider, "-a", f"site={server.url('')}", *arguments, folder=folder)


def test_without_a_file_nothing_is_captured(pages: SiteServer, tmp_path: Path) -> None:
    done = crawl_with(project(tmp_path), "items", pages)
    assert (done.status, done.summary) == (0, [])
    assert list(tmp_path.glob("*.pdf*")) == []
    [line] = lines(tmp_path / "pages.jsonl")
    assert (line["title"], line["id"]) == ("Page", "")


def test_capture_items_without_a_file_are_reported_once(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    site = server({"/page": page("<a href=/other>other</a>"), "/other": page("<p>other")})
    done = crawl_with(project(tmp_path), "links", site)
    assert [line for line in done.messages("WARNING") if "WEBCAPTURE_PDF" in line] == [
        "Capture items are not stored: set WEBCAPTURE_PDF to the name of a PDF file"
    ]
    stored = crawl_with(tmp_path, "links", site, "-s", "WEBCAPTURE_PDF=site.pdf")
    assert (stored.status, "are not stored" in stored.log) == (0, False)


def test_pages_that_the_server_refused_are_explained(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    site = server({
        "/page": page("<a href=/lost>lost</a> <a href=/hop>hop</a> <a href=/cut>cut</a>"),
        "/cut": Reply(b"half", declared_length=100, cut_after=2),
        "/hop": redirect("/denied"),
        "/denied": Reply(b"no", status=403),
    })  # fmt: skip
    options = ("-s", "WEBCAPTURE_PDF=site.pdf", "-s", "RETRY_TIMES=1", "-s", "DOWNLOAD_FAIL_ON_DATALOSS=True")
    done = crawl_with(project(tmp_path), "links", site, *options)
    assert done.status == 0, done.log
    reasons = {"HTTP 404": "/lost", "HTTP 403": "/hop", "the answer was cut short": "/cut"}
    assert done.left_out == {reason: [site.url(path)] for reason, path in reasons.items()}
    for reason, path in reasons.items():
        told = webcapture("why", tmp_path / "site.pdf", site.url(path))
        assert (told.status, told.output) == (1, f"{site.url(path)} is not in the file: {reason}\n")


def test_a_page_of_the_file_that_fails_now_is_reported(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    site = server({"/page": page("<a href=/more>more</a>"), "/more": page("more")})
    folder, options = project(tmp_path), ("-s", "WEBCAPTURE_PDF=site.pdf", "-s", "HTTPCACHE_ENABLED=False", "-s")
    days = [f"WEBCAPTURE_FIXED_TIME=2026-03-0{day}T12:00:00Z" for day in (1, 2)]
    assert crawl_with(folder, "links", site, *options, days[0]).left_out == {}
    site.update({"/more": None})
    assert crawl_with(folder, "links", site, *options, days[1]).left_out == {"HTTP 404": [site.url("/more")]}
    told = webcapture("why", tmp_path / "site.pdf", site.url("/more")).output
    assert "the last attempt to fetch it failed: HTTP 404" in told


def test_a_spider_whose_pages_all_fail_is_no_success(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    folder = project(tmp_path, project_settings=SETTINGS + 'COMMANDS_MODULE = "wcspider.commands"\n')
    site = server({})
    done = crawl_with(folder, "items", site, "-s", "WEBCAPTURE_PDF=site.pdf")
    assert done.status == 1
    assert done.left_out == {"HTTP 404": [site.url("/page")]}
    assert "no page was captured" in done.problem


@pytest.mark.parametrize("spider", ["items", "commands"])
def test_a_table_does_not_replace_the_file_of_a_spider(pages: SiteServer, tmp_path: Path, spider: str) -> None:
    """Scrapy empties a feed before its first request. The settings of a spider are known later than others."""
    folder = project(tmp_path)
    options = () if spider == "commands" else ("-s", "WEBCAPTURE_PDF=site.pdf")
    assert crawl_with(folder, spider, pages, *options).status == 0
    before = (tmp_path / "site.pdf").read_bytes()
    done = crawl_with(folder, spider, pages, *options, "-O", "site.pdf:csv")
    assert "the table site.pdf: this is the captured file itself; name another file" in done.log
    assert (tmp_path / "site.pdf").read_bytes() == before


def test_a_spider_that_captures_nothing_leaves_nothing(pages: SiteServer, tmp_path: Path) -> None:
    done = crawl_with(project(tmp_path), "quiet", pages, "-s", "WEBCAPTURE_PDF=%(name)s.pdf")
    assert (done.status, done.messages("ERROR")) == (0, [])
    assert lines(tmp_path / "own.jsonl") == [{"title": "quiet", "stamped": True}]
    assert list(tmp_path.glob("*.pdf*")) == []


@pytest.mark.parametrize("more", ["", 'COMMANDS_MODULE = "wcspider.commands"\n'])
def test_a_wrong_setting_stops_the_start_with_a_line(pages: SiteServer, tmp_path: Path, more: str) -> None:
    folder = project(tmp_path, project_settings=SETTINGS + more)
    done = crawl_with(folder, "items", pages, "-s", "WEBCAPTURE_MEIDA=screen")
    assert done.status == 1
    assert done.log == "scrapy: unknown setting WEBCAPTURE_MEIDA; did you mean WEBCAPTURE_MEDIA?\n"
    assert pages.paths() == []


def test_a_wrong_setting_of_a_spider_stops_it(pages: SiteServer, tmp_path: Path) -> None:
    done = crawl_with(project(tmp_path), "wrong", pages)
    assert done.status == 1
    assert "SettingError: WEBCAPTURE_MEDIA is 'paper', not print or screen" in done.log
    assert pages.paths() == []


# WEBCAPTURE_PDF, what is said
REFUSED = [
    ("nowhere/site.pdf", "nowhere: no such folder"),
    ("%(nobody)s.pdf", "%(nobody)s.pdf: the spider has no attribute nobody for %(nobody)s"),
    (".", ".: is a folder"),
]


@pytest.mark.parametrize(("pdf", "problem"), REFUSED)
def test_a_file_that_cannot_be_used_stops_the_spider(pages: SiteServer, tmp_path: Path, pdf: str, problem: str) -> None:
    done = crawl_with(project(tmp_path), "items", pages, "-s", f"WEBCAPTURE_PDF={pdf}")
    [line] = done.messages("ERROR")
    assert line.startswith(f"{problem}; ")
    assert "Spider closed (target_failed)" in done.log
    assert pages.paths() == []


def test_the_exit_status_tells_with_the_command_of_wcspider(pages: SiteServer, tmp_path: Path) -> None:
    folder = project(tmp_path, project_settings=SETTINGS + 'COMMANDS_MODULE = "wcspider.commands"\n')
    assert crawl_with(folder, "items", pages, "-s", "WEBCAPTURE_PDF=nowhere/site.pdf").status == 1
    assert crawl_with(folder, "quiet", pages).status == 0


def test_without_asyncio_the_addon_says_so(pages: SiteServer, tmp_path: Path) -> None:
    settings = SETTINGS + "TWISTED_REACTOR = 'twisted.internet.selectreactor.SelectReactor'\n"
    folder = project(tmp_path, project_settings=settings)
    done = crawl_with(folder, "quiet", pages, "-s", "WEBCAPTURE_PDF=site.pdf")
    assert done.status == 0
    assert any("WebCaptureAddon: wcspider needs the asyncio reactor" in line for line in done.messages("WARNING"))


def test_a_stopped_spider_goes_on(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    site = server({"/page": page("<p>late", gate="late")})
    folder = project(tmp_path)
    settings = ("-s", "WEBCAPTURE_PDF=site.pdf", "-s", "HTTPCACHE_ENABLED=False")
    with started("crawl", "items", "-a", f"site={site.url('')}", *settings, folder=folder) as command:
        site.wait_for("/page")
        command.process.send_signal(signal.SIGINT)
        assert command.process.stderr is not None
        while "Closing spider" not in command.process.stderr.readline():
            pass
        site.open_gate("late")
        command.end()
    assert [path.name for path in sorted(tmp_path.glob("*.pdf*"))] == ["site.pdf.part", "site.pdf.part.db"]
    other = crawl_with(folder, "quiet", site, *settings)
    [line] = other.messages("ERROR")
    assert line == (
        "site.pdf.part: holds the unfinished work of another command: scrapy crawl items; "
        "run the spider that began it, or remove FILE.part and FILE.part.db to start again"
    )
    done = crawl_with(folder, "items", site, *settings)
    assert any(line.startswith("Continuing the unfinished crawl in site.pdf.part") for line in done.messages("INFO"))
    assert [path.name for path in tmp_path.glob("*.pdf*")] == ["site.pdf"]


def test_the_sample_project(example_site: str, tmp_path: Path) -> None:
    folder = sample(tmp_path / "project")
    assert sorted(path.name for path in folder.iterdir()) == ["lighthouses.py", "scrapy.cfg", "settings.py"]
    done = run(
        "crawl", "lighthouses", "-a", f"url={example_site}", "-O", "headings.jsonl", "-s", "WEBCAPTURE_WORKERS=1",
        folder=folder,
    )  # fmt: skip
    assert_site_is_kept(done, folder, example_site)
    headings = [line for line in lines(folder / "headings.jsonl") if "heading" in line]
    with Archive(folder / "lighthouses.pdf") as archive:
        assert {line["page"] for line in headings} <= set(archive.urls)
        assert archive.links(example_site)[f"{example_site}visit.html"] == "GoTo"
        assert f"{example_site}cottage.html" not in archive.urls  # which the first page has no link to


@pytest.mark.parametrize(
    ("first", "last"),
    [("keepers.html", "sponsors.html"), ("archive.html", "thanks.html")],  # behind a mailto:, and behind another host
)
def test_the_sample_project_passes_over_other_links(example_site: str, tmp_path: Path, first: str, last: str) -> None:
    folder = sample(tmp_path / "project")
    done = run("crawl", "lighthouses", "-a", f"url={example_site}{first}", folder=folder)
    assert_ends_well(done, example_site)
    with Archive(folder / "lighthouses.pdf") as archive:
        assert f"{example_site}{last}" in archive.urls


def test_the_spider_of_the_page(example_site: str, tmp_path: Path) -> None:
    folder = sample(tmp_path / "project")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "addon.md").read_text("utf-8"), re.DOTALL)
    [text] = [block for block in blocks if "class LighthousesSpider" in block]
    here = text.replace("https://example.com/", example_site).replace(
        "example.com", str(urlsplit(example_site).hostname)
    )
    (folder / "lighthouses.py").write_text(here)
    done = run("crawl", "lighthouses", "-O", "headings.jsonl", "-s", "WEBCAPTURE_WORKERS=1", folder=folder)
    refused = {"HTTP 404": [f"{example_site}ferry.html"], "HTTP 410": [f"{example_site}closed.html"]}
    assert_site_is_kept(done, folder, example_site, refused)
    with Archive(folder / "lighthouses.pdf") as archive:
        assert f"{example_site}cottage.html" in archive.urls
    assert {"heading": "A light for eleven miles of rock"} in lines(folder / "headings.jsonl")


def sample(folder: Path) -> Path:
    """A copy of examples/project."""
    shutil.copytree(ROOT / "examples" / "project", folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def assert_site_is_kept(done: Run, folder: Path, site: str, refused: dict[str, list[str]] | None = None) -> None:
    """examples/site, which has links to other hosts, of schemes like mailto, and to files of many types."""
    assert_ends_well(done, site)
    assert done.left_out == {
        "not captured: application/zip": [f"{site}files/drawings.zip"],
        **(refused or {}),
    }
    with Archive(folder / "lighthouses.pdf") as archive:
        assert archive.page_set(f"{site}files/guide.pdf").content_type == "application/pdf"
        assert archive.page_set(f"{site}images/chart.png").content_type == "image/png"


def assert_ends_well(done: Run, site: str) -> None:
    """Assert that a crawl succeeded, and that it requested no other host."""
    assert (done.status, done.messages("ERROR")) == (0, []), done.log
    asked = [line.split("<GET ")[1] for line in done.messages("DEBUG", "scrapy.core.engine") if "<GET " in line]
    assert asked
    assert [url for url in asked if not url.startswith(site)] == []
    assert "downloader/exception_count" not in done.log  # as a host that is not there would have made
