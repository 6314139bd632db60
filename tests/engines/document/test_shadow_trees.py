"""Declarative shadow trees: which contents stand in which slot, and what the rules of a tree apply to."""

from __future__ import annotations

import re

import pytest
from lxml import html

from wcspider.engines.document.page_parsing import parse_text
from wcspider.engines.document.shadow_trees import HOST

OPEN = "<template shadowrootmode=open>"


def body_of(source: str) -> str:
    """Return the source of the body of a page, without the names of the hosts."""
    written = html.tostring(parse_text(source).find("body"), encoding="unicode")
    return re.sub(f' {HOST}="[0-9a-f]*"', "", written).removeprefix("<body>").removesuffix("</body>")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(f"<x-a>{OPEN}<b>a</b></template></x-a>c", "<x-a><b>a</b></x-a>c", id="no slot"),
        pytest.param(
            f"<x-a>{OPEN}<b>a</b></template>c<i>d</i></x-a>", "<x-a><b>a</b></x-a>", id="contents without slot"
        ),
        pytest.param(
            f"<x-a>a{OPEN}[<slot>no</slot>]</template>b<i>c</i>d</x-a>", "<x-a>[ab<i>c</i>d]</x-a>", id="slot"
        ),
        pytest.param(f"<x-a>{OPEN}[<slot>a<i>b</i></slot>]</template></x-a>", "<x-a>[a<i>b</i>]</x-a>", id="default"),
        pytest.param(
            f"<x-a>{OPEN}(<slot name=s></slot>)<slot></slot></template>a<i slot=s>b</i>c<u slot=s>d</u><s slot=no>"
            "</s></x-a>",
            '<x-a>(<i slot="s">b</i><u slot="s">d</u>)ac</x-a>',
            id="named slot",
        ),
        pytest.param(
            f"<x-a>{OPEN}<slot></slot>,<slot>b</slot></template>a</x-a>", "<x-a>a,b</x-a>", id="slots of the same name"
        ),
        pytest.param(
            f"<x-a>{OPEN}<x-b>{OPEN}[<slot></slot>]</template>b<slot></slot>c</x-b></template>a</x-a>",
            "<x-a><x-b>[bac]</x-b></x-a>",
            id="tree in a tree",
        ),
        pytest.param(
            f"<x-a>{OPEN}(<slot></slot>)</template><x-b>{OPEN}[<slot></slot>]</template>a</x-b></x-a>",
            "<x-a>(<x-b>[a]</x-b>)</x-a>",
            id="host in a slot",
        ),
        pytest.param(
            f"<x-a>{OPEN}a<slot></slot></template>{OPEN}b</template>c</x-a>",
            '<x-a>a<template shadowrootmode="open">b</template>c</x-a>',
            id="second tree",
        ),
        pytest.param("<x-a><template>a</template>b</x-a>", "<x-a><template>a</template>b</x-a>", id="no tree"),
    ],
)
def test_contents_are_in_the_slots(source: str, expected: str) -> None:
    assert body_of(source) == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("p {}", "p {}"),
        (":host, p {}", "&, p {}"),
        (":host(.a) p {}", "&:is(.a) p {}"),
        (":host-context(.a) p {}", ":host-context(.a) p {}"),
        ("::slotted(p) {}", ":is(p) {}"),
        (".a slot::slotted(.b) {}", ".a :is(.b) {}"),
    ],
)
def test_rules_of_a_tree_are_nested_in_a_rule_for_its_host(rule: str, expected: str) -> None:
    root = parse_text(f"<x-a>{OPEN}<style media=print>{rule}</style></template></x-a>")
    (style,) = root.iter("style")
    assert style.getparent().tag == "head"
    assert style.get("media") == "print"
    assert style.text == f":where([{HOST}='{root.find('.//x-a').get(HOST)}']) {{ {expected} }}"


def test_trees_with_equal_rules_share_them() -> None:
    tree = f"<x-a>{OPEN}<style>p {{}}</style><x-b>{OPEN}<style>i {{}}</style></template></x-b></template></x-a>"
    root = parse_text(tree * 3)
    assert len(list(root.iter("style"))) == 2
    assert len({host.get(HOST) for host in root.iter("x-a")}) == 1
    assert len({host.get(HOST) for host in root.iter("x-a", "x-b")}) == 2
