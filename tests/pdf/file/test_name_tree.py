"""Name trees with byte-string keys: they have the content of a dictionary, in order, and stay balanced."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pdf.file.test_revision import new_file
from wcspider.exceptions import TargetDamagedError
from wcspider.pdf.file.name_tree import FANOUT, NameTree
from wcspider.pdf.objects import Ref

keys = st.binary(min_size=1, max_size=4)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    opened = new_file(tmp_path_factory.mktemp("trees") / "file.pdf")
    yield opened
    opened.close()


def nodes(tree, node, depth=0):
    """Yield every node of a tree with its depth."""
    content = tree.file.get(node)
    yield depth, content
    for kid in content.get("Kids", []):
        yield from nodes(tree, kid, depth + 1)


def assert_sound(tree):
    """Assert that a name tree keeps the rules of 7.9.6 and is balanced."""
    found = list(nodes(tree, tree.root))
    assert len({depth for depth, content in found if "Names" in content}) == 1
    assert "Limits" not in tree.file.get(tree.root)
    for depth, content in found:
        assert ("Names" in content) != ("Kids" in content)
        assert len(content.get("Kids", [])) <= FANOUT
        assert len(content.get("Names", [])) <= 2 * FANOUT
        if depth:
            below = [key for _, node in _below(tree, content) for key in node["Names"][::2]]
            assert content["Limits"] == [min(below), max(below)]
            assert below == sorted(below)


def _below(tree, content):
    if "Names" in content:
        return [(0, content)]
    return [pair for kid in content["Kids"] for pair in nodes(tree, kid) if "Names" in pair[1]]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(keys, st.integers(0, 99) | st.none()), max_size=150))
def test_a_tree_is_a_sorted_dictionary(file, changes):
    tree = NameTree(file, file.add({"Names": []}))
    expected = {}
    for key, value in changes:
        if value is not None:
            tree[key] = expected[key] = value
        elif key in expected:
            del tree[key], expected[key]
        else:
            with pytest.raises(KeyError):
                del tree[key]
        if len(key) % 3 == 0:
            tree.flush()
            file.commit()
    assert list(tree.items()) == sorted(expected.items())
    assert all((key in tree) == (key in expected) for key, _ in changes)
    tree.flush()
    assert list(tree.items()) == sorted(expected.items())
    assert all(tree.get(key) == expected.get(key) for key, _ in changes)  # the nodes that were searched have changed
    assert_sound(tree)


@settings(max_examples=30, deadline=None)
@given(st.sets(keys, max_size=200), keys, keys)
def test_a_range_is_what_lies_between(file, present, low, high):
    tree = NameTree(file, file.add({"Names": []}))
    for number, key in enumerate(sorted(present)):
        tree[key] = number
        if number % 50 == 49:
            tree.flush()
    found = [key for key, _ in tree.items(low, high)]
    assert found == [key for key in sorted(present) if low <= key <= high]


def test_md5_keys_of_many_sets_make_a_flat_tree(file):
    tree = NameTree(file, file.add({"Names": []}))
    digests = [hashlib.md5(b"%d" % number).digest() for number in range(3000)]
    for digest in digests:
        tree[digest] = Ref(1)
    tree.flush()
    file.commit()  # searching uses the syntax of the nodes that were written
    assert max(depth for depth, _ in nodes(tree, tree.root)) == 3
    assert all(digest in tree for digest in digests)
    assert b"absent" not in tree
    assert_sound(tree)


def test_a_leaf_that_was_searched_may_change(file):
    tree = NameTree(file, file.add({"Names": []}))
    for count in (1, FANOUT, 3 * FANOUT):
        for number in range(count):
            tree[b"%04d" % number] = number
        tree.flush()
        assert tree.get(b"0000") == 0


def test_a_flat_root_of_somebody_else_is_split_when_it_is_added_to(file):
    names = [part for number in range(500) for part in (b"%04d" % number, number)]
    tree = NameTree(file, file.add({"Names": names}))
    tree[b"0123a"] = -1
    tree.flush()
    assert [value for _, value in tree.items(b"0123", b"0124")] == [123, -1, 124]
    assert_sound(tree)


def test_a_tree_of_somebody_else_without_order_or_limits_is_read(file):
    leaf = file.add({"Names": [b"b", 2, b"a", 1]})
    kids = [{"Names": []}, leaf, {"Limits": [b"c", b"c"], "Names": [b"c", 3]}]
    tree = NameTree(file, file.add({"Kids": kids}))
    assert [tree[key] for key in (b"a", b"b", b"c")] == [1, 2, 3]
    tree[b"bb"] = 22
    tree.flush()
    assert [key for key, _ in tree.items()] == [b"a", b"b", b"bb", b"c"]


def test_nodes_of_somebody_else_without_keys_hide_nothing(file):
    leaves = [[b"a", 1, b"c", 3], [], [b"x", 24, b"z", 26], []]
    kids = [file.add({"Names": names}) for names in leaves]
    tree = NameTree(file, file.add({"Kids": kids}))
    assert [tree.get(key) for key in (b"a", b"c", b"d", b"x", b"z")] == [1, 3, None, 24, 26]
    tree[b"b"], tree[b"zz"] = 2, 27
    tree.flush()
    assert list(tree.items()) == [(b"a", 1), (b"b", 2), (b"c", 3), (b"x", 24), (b"z", 26), (b"zz", 27)]
    assert list(tree.items(b"b", b"x")) == [(b"b", 2), (b"c", 3), (b"x", 24)]
    assert_sound(tree)


@pytest.mark.parametrize("changed", [b"a", b"b", b"z"])
def test_keys_of_somebody_else_beside_kids_stay(file, changed):
    """A node has either Kids or Names (Table 36)."""
    kid = file.add({"Limits": [b"m", b"n"], "Names": [b"m", 1, b"n", 2]})
    tree = NameTree(file, file.add({"Names": [b"a", 3, b"z", 4], "Kids": [kid]}))
    expected = {b"a": 3, b"m": 1, b"n": 2, b"z": 4}
    assert [tree.get(key) for key in (*expected, b"b")] == [*expected.values(), None]
    tree[changed] = 5
    tree.flush()
    assert list(tree.items()) == sorted({**expected, changed: 5}.items())
    assert_sound(tree)


def test_keys_and_limits_of_somebody_else_may_stand_elsewhere(file):
    a, b, d, nothing = (file.add(value) for value in (b"a", b"b", b"d", None))
    first = file.add({"Limits": [a, b], "Names": [a, 1, b, 2, nothing, 3, 7, 4]})
    second = file.add({"Limits": [nothing, d], "Names": [b"c", 3, d, 4]})
    tree = NameTree(file, file.add({"Kids": [first, second]}))
    assert [tree.get(key) for key in (b"a", b"b", b"c", b"d", b"e")] == [1, 2, 3, 4, None]
    assert list(tree.items(b"b", b"c")) == [(b"b", 2), (b"c", 3)]
    tree[b"bb"] = 22
    del tree[b"d"]
    tree.flush()
    assert list(tree.items()) == [(b"a", 1), (b"b", 2), (b"bb", 22), (b"c", 3)]
    assert_sound(tree)


def test_an_unused_tree_is_an_empty_dictionary(file):
    tree = NameTree(file, file.add({}))
    assert list(tree.items()) == []
    tree[b"first"] = 1
    assert tree[b"first"] == 1


LIMITS = ({}, {"Limits": [b"a", b"z"]})


@pytest.mark.parametrize("has_root", [True, False], ids=["to its root", "to a kid"])
@pytest.mark.parametrize("limits", LIMITS, ids=["without limits", "with limits"])
@pytest.mark.parametrize(
    "use",
    [
        lambda tree: tree.get(b"key"),
        lambda tree: list(tree.items()),
        lambda tree: list(tree.items(b"a", b"z")),
        lambda tree: (tree.__setitem__(b"key", 1), tree.flush()),
    ],
    ids=["found", "listed", "listed in part", "changed"],
)
def test_a_tree_that_leads_back_to_itself_is_damaged(file, has_root, limits, use):
    root, kid = file.allocate(), file.allocate()
    file.put(root, {"Kids": [kid]})
    file.put(kid, {"Kids": [root, kid] if has_root else [kid], **limits})
    with pytest.raises(TargetDamagedError) as caught:
        use(NameTree(file, root))
    problem = f"the name tree in object {root.number} contains itself; use an older copy of the file"
    assert str(caught.value) == f"{file.path}: {problem}"
