"""With a fixed time, the captures of a site are byte-identical, in whatever order the answers arrive."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tests.support.crawls import FIXED_TIME, Archive, captured
from tests.support.http_server import Reply, SiteServer, page, redirect
from tests.support.pdf_samples import plain_pdf
from tests.support.pictures import grey_png

SLOWEST_SECONDS = 0.2
FIXED = {"WEBCAPTURE_FIXED_TIME": FIXED_TIME}


def _site(folder: Path) -> dict[str, Reply]:
    """A site in which redirects compete with links to their targets, and equal pages with each other."""
    leaves = {f"/leaf{number}": page(f"<title>Leaf {number}</title><p>leaf {number}") for number in range(4)}
    start = "".join(
        f"<a href='{path}'>{path}</a> <img src='/shared.png'>"
        for path in (
            "/by-301", "/target", "/by-meta", "/target?", "/chain", "/hop2", "/twin-a", "/twin-b", "/posted",
            "/dead-end", "/gone", "/round", "/paper.pdf", "/lone.png", *leaves,
        )
    )  # fmt: skip
    return {
        "/": page(f"<title>Start</title><link rel=stylesheet href=/a.css><link rel=stylesheet href=/b.css>{start}"),
        "/by-301": redirect("/target", 301),
        "/by-meta": page("<meta http-equiv=refresh content='0; url=/target'>"),
        "/target": page("<title>Target</title><a href='/hop3'>3</a> <a href='/leaf0'>0</a> <img src='/lone.png'>"),
        "/chain": redirect("/hop2", 302),
        "/hop2": redirect("/hop3", 307),
        "/hop3": page("<title>Hop 3</title><a href='/chain'>chain</a> <a href='/deep'>deep</a>"),
        "/deep": page("<title>Deep</title><a href='/'>start</a> <a href='/target#x'>target</a>"),
        "/twin-a": page("<title>Twin</title><p>twins <a href='/leaf1'>1</a>"),
        "/twin-b": page("<title>Twin</title><p>twins <a href='/leaf1'>1</a>"),
        "/posted": page("<title>Posted</title><p>posted"),
        "/dead-end": redirect("/gone", 303),
        "/round": redirect("/round-again"),
        "/round-again": redirect("/round"),
        "/a.css": Reply(b"@import '/c.css'; p { background-image: url(/shared.png) }", content_type="text/css"),
        "/b.css": Reply(b"@import '/c.css'; b { color: red }", content_type="text/css"),
        "/c.css": Reply(b"i { color: blue }", content_type="text/css"),
        "/shared.png": Reply(grey_png(3, 2, 100), content_type="image/png"),
        "/lone.png": Reply(grey_png(5, 4, 200), content_type="image/png"),
        "/paper.pdf": Reply(plain_pdf(2, folder / "paper.pdf").read_bytes(), content_type="application/pdf"),
        **leaves,
    }


def _delayed(site: Mapping[str, Reply], seed: int) -> dict[str, Reply]:
    chance = random.Random(seed)
    return {path: replace(reply, delay=chance.random() * SLOWEST_SECONDS) for path, reply in site.items()}


VARIANTS: list[dict[str, object]] = [
    {"WEBCAPTURE_WORKERS": 1, "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "WEBCAPTURE_WAITING_BYTES": 0},
    {"WEBCAPTURE_WORKERS": 2, "CONCURRENT_REQUESTS_PER_DOMAIN": 2},
]
"""Settings of later captures, that change when things come and where they wait, and nothing else."""


def test_order_of_answers_leaves_no_trace(tmp_path: Path) -> None:
    site = _site(tmp_path)
    with SiteServer(site) as server:
        first = tmp_path / "first.pdf"
        run = captured(server.url(), first, FIXED, levels="all", environment={"PYTHONHASHSEED": "1"})
        asked = Counter(server.paths())
        # The answer that makes room for a request is not that of the page that links there.
        assert not any("referer" in request.headers for request in server.requests)
        for seed, settings in enumerate(VARIANTS):
            server.update(_delayed(site, seed))
            server.forget()
            other = tmp_path / f"other{seed}.pdf"
            hashes = {"PYTHONHASHSEED": str(seed + 2)}
            again = captured(server.url(), other, {**FIXED, **settings}, levels="all", environment=hashes)
            assert other.read_bytes() == first.read_bytes()
            assert again.left_out == run.left_out
            assert Counter(server.paths()) == asked
        # Nothing is fetched twice, but for the picture that is a page and a part of pages.
        assert {path for path, count in asked.items() if count > 1} == {"/lone.png"}
        with Archive(first) as archive:
            _check(archive, server.url("").rstrip("/"))
        assert run.left_out == {
            "HTTP 404": [f"{server.url('/dead-end')} -> {server.url('/gone')}", server.url("/gone")],
            "redirect loop": [" -> ".join(map(server.url, ("/round", "/round-again", "/round")))],
        }


def _check(archive: Archive, site: str) -> None:
    assert archive.order(site) == [
        "/", "/target", "/hop3", "/twin-a", "/posted", "/paper.pdf", "/lone.png", "/leaf0", "/leaf1", "/leaf2",
        "/leaf3", "/deep",
    ]  # fmt: skip
    target, hop3 = archive.page_set(f"{site}/target"), archive.page_set(f"{site}/hop3")
    assert target.sources[0].chains == ((f"{site}/by-301",), (f"{site}/by-meta",))
    assert hop3.sources[0].chains == ((f"{site}/chain", f"{site}/hop2"), (f"{site}/hop2",))
    assert archive.page_set(f"{site}/twin-b").urls == [f"{site}/twin-a", f"{site}/twin-b"]
    assert archive.image_set(f"{site}/lone.png").counts == (2,)
