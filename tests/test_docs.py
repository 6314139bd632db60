"""The documentation, compared with the code: undocumented names, and documented names that do not exist."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.crawls import captured
from tests.support.http_server import SiteServer, page
from tests.support.paths import ROOT
from wcspider import exceptions, settings
from wcspider.archive.run.summary import TITLES
from wcspider.config import CaptureConfig
from wcspider.crawl.inputs.spider_arguments import CAPTURE, REFRESH, SpiderArgument
from wcspider.subcommands.table import SUBCOMMANDS

DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.glob("*.md")])

_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_MODULE = re.compile(r"`([\w/]+\.\w+)`")


def rows(name: str, heading: str = "") -> Iterator[list[str]]:
    """The cells of the tables of a page, or of one section of it; without the heads of the tables."""
    text = (DOCS / name).read_text("utf-8")
    if heading:
        _, found, text = text.partition(f"\n{heading}\n")
        assert found, f"{name} has no section {heading!r}"
        level = heading.partition(" ")[0]
        text = re.split(rf"^#{{1,{len(level)}}} ", text, maxsplit=1, flags=re.MULTILINE)[0]
    lines = text.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("| ") and not line.startswith("| ---") and not following.startswith("| ---"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def first_cells(name: str, heading: str = "") -> list[str]:
    """The first cells of the tables, without their backquotes."""
    return [row[0].strip().strip("`") for row in rows(name, heading)]


def own_settings() -> dict[str, object]:
    """The settings of wcspider with their defaults."""
    return {name: value for name, value in vars(settings).items() if name.startswith("WEBCAPTURE_")}


def test_every_setting_has_a_row_with_its_default() -> None:
    documented = {row[0].strip("`"): row[2].strip("`") for row in rows("settings.md", "## wcspider's own")}
    defaults = {name: f'"{value}"' if isinstance(value, str) else str(value) for name, value in own_settings().items()}
    assert documented == defaults


@pytest.mark.parametrize("row", list(rows("settings.md", "## wcspider's own")), ids=lambda row: row[0].strip("`"))
def test_examples_and_types_of_settings_are_right(row: list[str]) -> None:
    name, kind, _, _, example = (cell.strip("`") for cell in row)
    config = CaptureConfig.from_settings({**own_settings(), name: example})
    value = getattr(config, name.removeprefix("WEBCAPTURE_").lower())
    assert kind == {bool: "true or false", int: "whole number", float: "number", str: "text"}[type(value)]
    assert str(value).lower() in (example, f"{example}.0", example.lower())


def test_every_changed_setting_of_scrapy_has_a_row() -> None:
    from scrapy.settings import default_settings

    changed = {
        name
        for name, value in vars(settings).items()
        if name.isupper() and not name.startswith("WEBCAPTURE_") and getattr(default_settings, name, None) != value
    }
    assert sorted(first_cells("settings.md", "## Scrapy's, changed")) == sorted(changed)


def test_every_stat_has_a_row(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    done = captured(server({"/": page("<p>hello")}).url(), tmp_path / "site.pdf")
    assert sorted(first_cells("settings.md", "## Stats")) == sorted(set(re.findall(r"'(webcapture/\w+)'", done.log)))


def test_every_error_has_a_row() -> None:
    classes = [name for name, value in vars(exceptions).items() if inspect.isclass(value) and _is_error(value)]
    assert first_cells("errors.md") == classes


def _is_error(value: type) -> bool:
    return issubclass(value, exceptions.WebCaptureError)


@pytest.mark.parametrize(
    ("heading", "arguments"), [("### Arguments", CAPTURE), ("### Arguments of a refresh", REFRESH)]
)
def test_every_argument_has_a_row_with_its_default(heading: str, arguments: tuple[SpiderArgument, ...]) -> None:
    documented = {row[0].strip("`"): row[1].replace("`", "") for row in rows("usage.md", heading)}
    assert documented == {argument.name: argument.shown_default for argument in arguments}


def test_every_subcommand_has_a_row() -> None:
    documented = {cell.removeprefix("scrapy webcapture ").partition(" ")[0] for cell in _subcommands()}
    assert documented == set(SUBCOMMANDS)


def test_every_heading_of_the_summary_has_a_row() -> None:
    documented = first_cells("usage.md", "## Read the summary")
    assert [title for title in TITLES.values() if not any(title in cell.replace("*", "") for cell in documented)] == []


def _subcommands() -> list[str]:
    return first_cells("usage.md", "## Look into a file")


def test_rules_are_kept_and_tested_where_the_page_says() -> None:
    missing = set()
    for _, rule, where, _, tested in (row for row in rows("conformance.md") if len(row) == 5):
        missing |= {(rule, name) for name in _MODULE.findall(where) if not (ROOT / "wcspider" / name).is_file()}
        missing |= {(rule, name) for name in _MODULE.findall(tested) if not (ROOT / "tests" / name).is_file()}
    assert missing == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = _FENCE.sub("", page.read_text("utf-8"))
    for target in _LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        file = (page.parent / path) if path else page
        assert file.exists(), f"{page.name} links to {target}"
        if fragment:
            assert fragment in _fragments(file), f"{page.name} links to {target}"


def _fragments(page: Path) -> set[str]:
    headings = _HEADING.findall(_FENCE.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
