"""The HTML of reports, with hostile values."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from wcspider.report.model import (
    CommandRow,
    NoteRow,
    PageRow,
    Report,
    Rows,
    RunRow,
    SignatureRow,
    SkippedRow,
    TreeNode,
    VersionsRow,
)
from wcspider.report.writing import LONGEST, display_text, write_html

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOSTILE = [
    "<script>alert(1)</script>",
    "</style></script><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "{{ 7 * 7 }}{% raw %}",
    "line\u2028separator\u2029paragraph",
    "\u202egnp.exe",
    "x" * 10_000,
    "nul\x00 bell\x07",
]


def page_row(text: str) -> PageRow:
    """A page whose title and URL are `text`."""
    return PageRow(text, text, "text/html", 1, 2, 3_000, MOMENT, None, b"0" * 16, 0, redirects=Rows([text], 3))


def report(text: str) -> Report:
    """A report in which every text from the web is `text`."""
    row = page_row(text)
    folder = TreeNode(text, {}, [row], 1)
    return Report(
        file_name=text,
        length=1_000,
        title=text,
        made=MOMENT,
        totals={"page sets": 1},
        tree=TreeNode("", {text: folder}, [], 1),
        pages=Rows([row], 9),
        largest_pages=[row],
        images=Rows([], 0),
        skipped={text: Rows([SkippedRow(text, text, text, (text, text), MOMENT)], 1)},
        skipped_total=1,
        runs=Rows(
            [
                RunRow(
                    1,
                    text,
                    MOMENT,
                    1_000,
                    counts={"added": 1},
                    skipped=1,
                    commands=(0,),
                    notes=(NoteRow("Title", text, Rows([text], 3)),),
                )
            ],
            1,
        ),
        commands=[CommandRow(text, "all", text, (text,), {text: text})],
        versions=Rows([VersionsRow(text, (row, row))], 1),
        incomplete={text: Rows([row], 1)},
        signatures=[SignatureRow("signature", text, text, MOMENT, revision, 0) for revision in (1, None)],
        digest="0" * 64,
        location="./site.pdf",
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_pages_add_no_markup(text: str) -> None:
    expected = html.document_fromstring(write_html(report("plain")))
    found = html.document_fromstring(write_html(report(text)))
    shape = [(element.tag, sorted(element.attrib)) for element in expected.iter() if isinstance(element.tag, str)]
    assert [(element.tag, sorted(element.attrib)) for element in found.iter() if isinstance(element.tag, str)] == shape


@pytest.mark.parametrize("text", HOSTILE)
def test_the_policy_allows_its_own_style_and_script_only(text: str) -> None:
    document = html.document_fromstring(write_html(report(text)))
    [policy] = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["img-src"] == "data:"
    for name, tag in (("style-src", "style"), ("script-src", "script")):
        [element] = document.iter(tag)
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert directives[name] == f"'sha256-{digest}'"


def test_nothing_is_loaded_from_elsewhere() -> None:
    document = html.document_fromstring(write_html(report("http://example.com/")))
    links = [link for _, attribute, link, _ in document.iterlinks() if attribute in ("src", "href")]
    assert links
    assert {link for link in links if not link.startswith(("#", "data:"))} == {"./site.pdf", "./site.pdf#page=1"}


def test_hidden_rows_are_counted() -> None:
    assert "8 more are not shown" in write_html(report("plain"))


def test_removed_pages_are_gone_since_a_date_in_the_tree_and_among_the_versions() -> None:
    row = replace(page_row("page"), gone=MOMENT)
    tree = TreeNode("", {"site": TreeNode("site", {}, [row], 1)}, [], 1)
    gone = replace(report("plain"), tree=tree, versions=Rows([VersionsRow("page", (row,))], 1))
    assert write_html(gone).count("gone since 2026-03-01") == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\u202eabc\u202c", "\ufffdabc\ufffd"),
        ("a\u2028b", "a\ufffdb"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # a zero-width non-joiner is part of Persian words
        ("x" * 400, f"{'x' * 150} … {'x' * 150}"),
    ],
)
def test_display_text(text: str, shown: str) -> None:
    assert display_text(text) == f"\u2068{shown}\u2069"


@given(st.text(max_size=2 * LONGEST))
def test_display_text_is_bounded_and_has_no_controls(text: str) -> None:
    shown = display_text(text)
    assert len(shown) <= LONGEST + 5
    assert not re.search("[\x00-\x1f\x7f\u2028\u2029\u202a-\u202e\u2066\u2067]", shown)


def test_a_deep_tree_is_written() -> None:
    row = page_row("deep")
    node = TreeNode("leaf", {}, [row], 1)
    for number in range(2_000):
        node = TreeNode(str(number), {node.name: node}, [], 1)
    values = {field: getattr(report("plain"), field) for field in Report.__slots__}
    written = write_html(Report(**{**values, "tree": TreeNode("", {node.name: node}, [], 1)}))
    assert written.count("<details") - write_html(report("plain")).count("<details") == 2_000
