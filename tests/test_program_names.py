"""The command lines in messages are those of the program that the user runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from wcspider.cli.program import main
from wcspider.crawl.arguments import as_typed
from wcspider.exceptions import CrawlStoppedError, NoCommandsError, TargetDamagedError
from wcspider.program_names import (
    Program,
    argument,
    capture_command,
    crawl_name,
    file_command,
    flag,
    program_name,
    running,
    spider_command,
)

PACKAGE = ROOT / "wcspider"

LINES = [
    (program_name, (), "scrapy webcapture", "wcspider"),
    (crawl_name, ("capture",), "scrapy crawl", "wcspider capture"),
    (spider_command, ("refresh",), "scrapy crawl refresh", "wcspider refresh"),
    (file_command, ("list", "a b", "--json"), "scrapy webcapture list 'a b' --json", "wcspider list 'a b' --json"),
    (capture_command, ("URL", "FILE"), "scrapy crawl capture -a url=URL -a pdf=FILE", "wcspider capture URL FILE"),
    (argument, ("keep_headers", "true"), "-a keep_headers=true", "--keep-headers true"),
    (argument, ("title", "it's"), """-a 'title=it'"'"'s'""", """--title 'it'"'"'s'"""),
    (flag, ("same_site",), "-a same_site=true", "--same-site"),
]


@pytest.mark.parametrize(("function", "given", "scrapy", "wcspider"), LINES)
def test_a_line_is_that_of_the_program(function, given, scrapy, wcspider) -> None:  # type: ignore[no-untyped-def]
    assert function(*given) == scrapy
    with running(Program.WCSPIDER):
        assert function(*given) == wcspider
    assert function(*given) == scrapy


def test_a_flag_that_is_not_set() -> None:
    assert flag("same_site", is_set=False) == "-a same_site=false"
    with running(Program.WCSPIDER):
        assert flag("same_site", is_set=False) == "--no-same-site"


def test_a_typed_command_can_be_repeated() -> None:
    given = {"url": "https://me:secret@h/?a=1&b", "levels": "all", "same_site": "No", "headers": "{}", "pdf": "a.pdf"}
    url = "https://h/?a=1&b"
    assert as_typed("capture", given) == (
        f"scrapy crawl capture -a 'url={url}' -a levels=all -a same_site=false -a headers=..."
    )
    with running(Program.WCSPIDER):
        assert as_typed("capture", given) == (f"wcspider capture '{url}' --levels all --no-same-site --headers ...")


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        (CrawlStoppedError, "run the same command to continue, or add --partial to finish with these pages"),
        (NoCommandsError, "capture into it first: wcspider capture URL FILE"),
        (TargetDamagedError, "repair it first: wcspider optimize FILE --output REPAIRED"),
    ],
)
def test_an_error_advises_the_program(kind: type[CrawlStoppedError], advice: str) -> None:
    with running(Program.WCSPIDER):
        assert str(kind("problem")) == f"problem; {advice}"
    assert "wcspider " not in kind("problem").advice


def test_the_program_names_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "damaged.pdf"
    path.write_bytes(b"%PDF-1.7\ntrailer\n")
    assert main(["search", str(path), "  "]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("wcspider: ")
    assert "scrapy" not in printed
    assert program_name() == "scrapy webcapture", "the name is that of the running command"


_NAMED = re.compile(r"\bscrapy (?:crawl (?:capture|refresh)|webcapture) |\bwcspider [a-z]+ [A-Z]|(?<![\w-])-a [a-z_]+=")
"""A command line or an argument of one of the programs."""

_BOTH = {"program_names.py", "crawl/third_party.py"}
"""Other projects have spiders that only ``scrapy crawl`` runs."""


def test_no_other_module_names_a_program() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}: {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).as_posix() not in _BOTH
        for text in _messages(path)
        if _NAMED.search(text)
    ]
    templates = sorted((PACKAGE / "report" / "templates").glob("*.html"))
    found += [path.name for path in templates if _NAMED.search(path.read_text("utf-8"))]
    assert found == []


def _messages(path: Path) -> Iterator[str]:
    """Yield the strings of a module that are no docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            yield node.value
