"""The author's style sheets: the same bytes at several URLs are read once, unless they have references."""

import pytest
import tinycss2

from wcspider.engines.base import Asset
from wcspider.engines.plutobook.sheets import author_sheets
from wcspider.engines.plutobook.sheets.author_sheets import Sheets
from wcspider.web.styles.responsive import Viewport

CSS = (
    b"@import 'more.css'; p { background: url(../i.png), url(\"a'b.png\") } "
    b"@font-face { font-family: Own; src: url(own.woff2) format('woff2'), url(own.ttf) }"
)


def read(url: str) -> Sheets:
    assets = {url: Asset(CSS, "text/css"), "http://h/b/more.css": Asset(b"i { color: red }", "text/css")}
    sheets = Sheets(assets, Viewport(), author_fonts=True)
    sheets.add_linked(url)
    return sheets


@pytest.mark.parametrize(("folder", "above"), [("http://h/a/", "http://h/"), ("http://h/b/c/", "http://h/b/")])
def test_references_are_relative_to_the_sheet(folder: str, above: str) -> None:
    sheets = read(f"{folder}s.css")
    assert f'url("{above}i.png")' in sheets.texts[-1]
    assert f'url("{folder}a\'b.png")' in sheets.texts[-1]
    (family,) = sheets.families
    assert family.name == "own"
    assert [url.partition("#")[0] for url in family.urls] == [f"{folder}own.woff2", f"{folder}own.ttf"]


def test_imports_are_relative_to_the_sheet() -> None:
    assert len(read("http://h/a/s.css").texts) == 1
    assert read("http://h/b/s.css").texts[0] == "i{color:red}"


def test_rules_are_parsed_once_for_all_urls() -> None:
    author_sheets._read.cache_clear()
    for url in ("http://h/1", "http://h/2"):
        Sheets({}, Viewport(), author_fonts=True).add_text("p { background: red url('data:image/png,') }", url)
    assert author_sheets._read.cache_info().misses == 1


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("'a' / 'spoken'", "content:'a'"),
        ("var(--icon) / ''", "content:var(--icon)"),
        ("attr(title) ' / '", "content:attr(title) ' / '"),
    ],
)
def test_generated_content_has_no_text_for_screen_readers(content: str, expected: str) -> None:
    sheets = Sheets({}, Viewport(), author_fonts=True)
    sheets.add_text(f"b::before {{ content: {content} }}", "http://h/")
    assert sheets.texts[0].replace('"', "'") == f"b::before{{{expected}}}"


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("@scope (.a) { p { color: red } }", ":is(:where(.a)) p{color:red}"),
        ("@scope (.a, .b) to (.c) { :scope > p { color: red } }", ":is(:where(.a, .b)) > p{color:red}"),
        ("@scope (.a) { :scope { color: red } }", ":is(:where(.a)){color:red}"),
        ("@scope { p { color: red } }", "p{color:red}"),
        (".a { @scope (.b) { p { color: red } } }", ":is(:is(.a) .b) p{color:red}"),
    ],
)
def test_rules_of_a_scope_apply_in_its_roots(css: str, expected: str) -> None:
    sheets = Sheets({}, Viewport(), author_fonts=True)
    sheets.add_text(css, "http://h/")
    assert sheets.texts == [expected]


@pytest.mark.parametrize("rule", ["p {{ width: {}px }}", "@media (min-width: {}px) {{ p {{ top: 0 }} }}"])
def test_overlong_numbers_do_not_lose_the_other_rules(rule: str) -> None:
    sheets = Sheets({}, Viewport(), author_fonts=True)
    sheets.add_text(f"{rule.format('9' * 5000)} i {{ color: red }}", "http://h/")
    assert sheets.texts[0].endswith("i{color:red}")


@pytest.mark.parametrize("value", [r"4px \9", r"4px\9", r"4px \9 ", "4px \\\t"])
def test_values_for_old_browsers_do_not_hide_the_end_of_their_rule(value: str) -> None:
    sheets = Sheets({}, Viewport(), author_fonts=True)
    sheets.add_text(f"b {{ margin: {value} }} i {{ color: red }}", "http://h/")
    rules = tinycss2.parse_stylesheet(sheets.texts[0], skip_whitespace=True)
    assert [rule.prelude[0].value for rule in rules] == ["b", "i"]


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("a { color: red } } b { color: blue } i { color: lime }", ["a{color:red}", "i{color:lime}"]),
        ("a[x='}'] { color: red }\nb { color: blue }", ['a[x="}"]{color:red}', "b{color:blue}"]),
        ("a\n{ --x: [{\n}\n1] }\nb,\ni { color: blue }", ["a{--x:[{ } 1]}", "b, i{color:blue}"]),
        ("@counter-style x {\nsystem: cyclic;\n}", ["@counter-style x { system: cyclic; }"]),
    ],
)
def test_each_valid_rule_is_on_a_line_of_its_own(css: str, expected: list[str]) -> None:
    sheets = Sheets({}, Viewport(), author_fonts=True)
    sheets.add_text(css, "http://h/")
    assert sheets.texts[0].splitlines() == expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (":root, :host", ":root"),
        (":host, :root[dir], .a:not(.b, .c)", ":root[dir], .a:not(.b, .c)"),
        ("::-webkit-scrollbar, input::file-selector-button", ""),
        (r".x\:open, .x:open", r".x\:open"),
        ("a:hover", "a:hover"),
        # Browsers do not know these either, so the rule does not apply.
        ("b, :-moz-any-link", "b, :-moz-any-link"),
    ],
)
def test_selectors_that_only_browsers_know_do_not_lose_the_others(selector: str, expected: str) -> None:
    sheets = Sheets({}, Viewport(), author_fonts=True)
    sheets.add_text(f"{selector} {{ color: red; & b {{ color: blue }} }}", "http://h/")
    rules = [f"{expected}{{color:red}}", f":is({expected}) b{{color:blue}}"] if expected else []
    assert "".join(sheets.texts).splitlines() == rules
