"""The rules of style sheets: which ones a page needs, and what they declare."""

from __future__ import annotations

import cssselect2
import pytest
import tinycss2
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from wcspider.engines.document.html_trees import as_html_text
from wcspider.engines.plutobook.css.rules import declared_in, names_on, rules_of, used
from wcspider.web.styles.tokens import split_list


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("<p>a</p>", {"p"}),
        ('<P class="a B  a" id="c d">x</P>', {"p", ".a", ".B", "#c d"}),
        ('<a class="b&amp;c">x</a>', {"a", ".b&c"}),
        ('<svg><linearGradient id="x"/></svg>', {"svg", "lineargradient", "#x"}),
        ("<p><br/>", {"p", "br"}),
    ],
)
def test_names_on_a_page(source: str, names: set[str]) -> None:
    assert names_on(source) == names | {"html", "head", "body", "colgroup", "tbody", "tr"}


@pytest.mark.parametrize(
    ("rule", "is_used"),
    [
        ("p{color:red}", True),
        ("P.a{color:red}", True),
        ("q{color:red}", False),
        ("q,p{color:red}", True),
        (".a>#b{color:red}", True),
        (".a>#c{color:red}", False),
        (".A{color:red}", False),
        ("p:not(.c){color:red}", True),
        ("p:not(.a,.c):hover::before{color:red}", True),
        (".c:not(p)::before{color:red}", False),
        ("[class=c],.c{color:red}", True),
        (".c[title='p, .a']{color:red}", False),
        ("*,.c{color:red}", True),
        (".c *{color:red}", False),
        (".a+.c~p{color:red}", False),
        (":is(.a,.c) p{color:red}", True),
        (":is(.c,.d) p{color:red}", False),
        (":where(.c .a,.d:not(.a)):where(p){color:red}", False),
        (":where(.c .a,.b:not(.a)):where(:is(.c)){color:red}", False),
        (":where(.a:not(.c,.d)) > :where(.c){color:red}", True),  # only the list at the beginning is opened
        (":is(.c,.d{color:red}", True),  # it has no end
        (f":is({',.c' * 500}){{color:red}}", True),  # it is long
        ("::before{color:red}", True),
        ("table > tbody{color:red}", False),
        ("tbody tr{color:red}", True),
        (r".md\:w-1\/2{color:red}", True),
        (r".md\:w-1\/3{color:red}", False),
        (r".\31 0{color:red}", True),  # other escapes are not read
        (r".c\,.a{color:red}", True),
        ("svg|q{color:red}", True),
        ("@font-face{font-family:q}", True),
        ("/* q */\n@font-face{font-family:q}", True),
        ("/* p{} */ q\n{color:red}", False),
        ("q", False),
        ("{color:red}", True),
    ],
)
def test_rules_that_a_page_needs(rule: str, is_used: bool) -> None:
    names = names_on('<p class="a md:w-1/2" id="b">x</p>')
    assert used(f"{rule}\ni{{}}\np{{margin:0}}", names) == (f"{rule}\np{{margin:0}}" if is_used else "p{margin:0}")


tags, classes = st.sampled_from(["a", "b", "i"]), st.sampled_from([".x", ".y", ".x:y", ".z/1.5"])
pages = st.recursive(
    st.just(""),
    lambda inner: st.builds(
        lambda tag, names, inside: f"<{tag} class='{' '.join(n[1:] for n in names)}' id=k>{''.join(inside)}</{tag}>",
        tags,
        st.lists(classes, max_size=2),
        st.lists(inner, max_size=3),
    ),
    max_leaves=6,
)


def escaped(name: str) -> str:
    return name[0] + name[1:].replace(":", r"\:").replace("/", r"\/").replace(".", r"\.")


compounds = st.one_of(tags, classes.map(escaped), st.sampled_from(["#k", "#l", "*", "A", "[id]", "[class~='x']"]))
conditions = st.one_of(st.just(""), st.builds(":{}({})".format, st.sampled_from(["is", "where", "not"]), compounds))
complexes = st.lists(
    st.builds("{}{}".format, compounds, conditions)
    | st.builds(":{}({}, {})".format, st.sampled_from(["is", "where"]), compounds, compounds),
    min_size=1,
    max_size=3,
)
selectors = st.lists(complexes.map(" ".join), min_size=1, max_size=3).map(",".join)


@given(pages, selectors)
def test_no_rule_that_matches_is_left_out(page: str, selector: str) -> None:
    root = html.document_fromstring(f"<div>{page}</div>")
    rule = f"{selector}{{color:red}}"
    compiled = cssselect2.compile_selector_list(selector)
    wrappers = cssselect2.ElementWrapper.from_html_root(root).iter_subtree()
    if any(wrapper.matches(one) for wrapper in wrappers for one in compiled):
        assert used(rule, names_on(as_html_text(root))) == rule


WORDS = ["0", "1px", "-.5em", "50%", "#fff", "red", "auto", "var(--a)", "calc(1px + (2em * var(--b)))", "a,b", "1/2"]
ODD = [
    "'x;y'",
    'url("a;b")',
    "url(a)",
    "\\;",
    "!x",
    "(a;b)",
    "{a:b}",
    "[a]",
    "/**/",
    "1e5px",
    "U+26-4F",
    "@x",
    ":",
    "é",
]
declarations = st.builds(
    "{}:{}{}".format,
    st.sampled_from(["color", "COLOR", "--x", "--X", "-webkit-a", " margin ", "*zoom", "1x", "--", "-"]),
    st.lists(st.sampled_from(WORDS) | st.sampled_from(ODD), max_size=3).map(" ".join),
    st.sampled_from(["", "", "!important", " ! IMPORTANT ", "!importantly"]),
)
blocks = st.lists(declarations | st.sampled_from(["", " ", "color", "a:b:c"]), max_size=4).map(";".join)
prelude = st.sampled_from(
    ["p", "a , b", ".c:not(d,e)", "a[b='c,d'],e", "a[b=c]", r".\31 0,\,", ":is(a,b) > c", "@x", "é"]
)


@given(st.lists(st.builds("{}{{{}}}".format, prelude, blocks), max_size=4))
def test_rules_are_read_as_tinycss2_reads_them(rules: list[str]) -> None:
    sheet = "\n".join(rules)
    nodes = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    expected = [(split_list(r.prelude), declared_in(r.content)) for r in nodes if r.type == "qualified-rule"]
    assert [(tuple(found), list(block)) for found, block in rules_of(sheet)] == [(s, list(d)) for s, d in expected]
