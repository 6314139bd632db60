"""The checks of single values (dates, content types, URLs), and the documentation of each rule."""

from __future__ import annotations

import re

import pytest
from pikepdf import Name, String

from tests.support.paths import ROOT
from wcspider.archive.check.checker import Rule
from wcspider.archive.check.reading.entries import is_content_type, is_date
from wcspider.archive.check.rules.url_key_rules import broken_steps
from wcspider.web.urls import canonical_url

CONFORMANCE = ROOT / "docs" / "conformance.md"


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("D:199812231952-08'00", True),  # the example of 7.9.4
        ("D:2024", True),
        ("D:202402", True),
        ("D:20240229", True),
        ("D:2024022923", True),
        ("D:20240229235959", True),
        ("D:20240229235959Z", True),
        ("D:20240229235959Z00'00'", True),  # many writers
        ("D:20240229235959+05'30'", True),  # PDF 1.6 and before
        ("D:20240229235959+05", True),
        ("D:20240229235959+05'", True),
        ("20240229", False),
        ("D:24", False),
        ("D:20230229", False),
        ("D:20241301", False),
        ("D:20240229245959", False),
        ("D:20240229235960", False),
        ("D:20240229235959+24'00", False),
        ("D:20240229235959+05'60", False),
        ("D:20240229235959 ", False),
        ("D:2024\u0662", False),
        ("", False),
    ],
)
def test_date(text: str, valid: bool) -> None:
    assert is_date(String(text)) is valid


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("text/html", True),
        ("text / html", True),  # as the standard prints it
        ("text/html; charset=utf-8", True),
        ('text/html; charset="utf-8"; x="a\\"b"', True),
        ("application/vnd.oasis.opendocument.text", True),
        ("image/svg+xml", True),
        ("html", False),
        ("text/", False),
        ("text/html;", False),
        ("text/html; charset", False),
        ("text/html/x", False),
        ("text/h\xe4ml", False),
        ("", False),
    ],
)
def test_content_type(text: str, valid: bool) -> None:
    assert is_content_type(String(text)) is valid


@pytest.mark.parametrize("value", [None, 1, True, Name.Text])
def test_what_is_no_string_is_no_date_and_no_content_type(value: object) -> None:
    assert not is_date(value)
    assert not is_content_type(value)


@pytest.mark.parametrize(
    ("url", "steps"),
    [
        ("http://example.com/", ""),
        ("http://example.com", ""),  # no step adds the slash
        ("http://u:P@example.com:8080/A/%7e?Q=1&a=../x", ""),  # a query has no dot segments
        ("http://[2001:db8::1]:8080/", ""),
        ("https://example.com:443/", ""),  # the step names HTTP and FTP only
        ("file:///tmp/x", ""),
        ("file://host/x", ""),
        ("http://example.com/../x", ""),  # RFC 1808, 5.2: it stays
        ("mailto:A@EXAMPLE.COM#x", ""),  # not for the algorithm
        ("", "a"),
        ("x/y", "a"),
        ("//example.com/", "a"),
        ("http://example.com/#", "b"),
        ("http://example.com/#a#b", "b"),
        ("HTTP://example.com/", "c"),
        ("http://Example.com/", "d"),
        ("http://User@example.com/", ""),
        ("http://[2001:DB8::1]/", "d"),
        ("file://localhost/x", "e"),
        ("http://localhost/x", ""),
        ("http://example.com:80/", "f"),
        ("ftp://example.com:21/x", "f"),
        ("ftp://example.com:80/x", ""),
        ("http://example.com/a/../b", "g"),
        ("http://example.com/a/.", "g"),
        ("FTP://Example.com:21/./x#y", "bcdfg"),
    ],
)
def test_broken_steps_of_a_url(url: str, steps: str) -> None:
    assert "".join(re.findall(r"\(step (\w)\)", " ".join(broken_steps(url)))) == steps


@pytest.mark.parametrize(
    "url", ["HTTP://B\xfccher.Example:80/a/./b?q=\xe4#f", "file://LOCALHOST/x y", "ftp://h:21/%7E/..;p"]
)
def test_canonical_url_breaks_no_step(url: str) -> None:
    assert list(broken_steps(canonical_url(url))) == []


# docs/conformance.md


def documented() -> dict[str, str]:
    """The rules that the page has a row for, each with the clause that the row gives."""
    rows = [line.split("|") for line in CONFORMANCE.read_text("utf-8").splitlines() if line.startswith("|")]
    return {rule: row[1].strip() for row in rows for rule in re.findall(r"`(\d[\d.]+-[a-z0-9-]+)`", row[4])}


def test_each_rule_has_a_row_with_its_clause() -> None:
    assert documented() == {rule.id: rule.clause for rule in Rule}


def test_identifiers_of_rules_are_distinct_and_begin_with_a_clause() -> None:
    assert len({rule.id for rule in Rule}) == len(Rule)
    assert all(re.fullmatch(r"\d+(\.\d+)*", rule.clause) for rule in Rule)
