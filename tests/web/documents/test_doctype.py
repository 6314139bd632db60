"""web/documents/doctype.py: the internal subset of a document type, and quirks mode."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.web.documents.doctype import has_internal_subset, in_quirks_mode, without_internal_subset


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<!DOCTYPE html []><p>text", "<p>text"),
        ('<!doctype html [<!ENTITY e "]>">] ><p>text', "<p>text"),
        ("<!DOCTYPE html [<!ENTITY e ']>'>]>text", "text"),
        ("<!DOCTYPE html [<!-- ]> --><?p ]> ?>]>text", "text"),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD [" "http://a.example/" [<!ENTITY e "">]>text', "text"),
        ('<?xml version="1.0"?>\n<!-- one --><!DOCTYPE html []>text', '<?xml version="1.0"?>\n<!-- one -->text'),
    ],
)
def test_internal_subset_is_removed(text: str, rest: str) -> None:
    assert has_internal_subset(text)
    assert without_internal_subset(text) == rest


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE html [<!ENTITY e 'no end>]>text",
        "<!DOCTYPE html [<!-- no end ]>text",
        "<!DOCTYPE html [<?p no end ]>text",
        "<!DOCTYPE html [] and no end",
        "<!DOCTYPE html [",
    ],
)
def test_a_subset_without_an_end_stays(text: str) -> None:
    assert has_internal_subset(text)
    assert without_internal_subset(text) == text


@pytest.mark.parametrize(
    "text", ["", "text", "<!DOCTYPE html>[]>", "<p><!DOCTYPE html []>", "<!-- <!DOCTYPE a []> -->"]
)
def test_a_document_without_a_subset_stays(text: str) -> None:
    assert not has_internal_subset(text)
    assert without_internal_subset(text) == text


@given(st.text("<!DOCTYPE[]>-?\"' "))
def test_any_text_is_read(text: str) -> None:
    rest = without_internal_subset(text)
    assert rest == text or has_internal_subset(text)
    assert len(rest) <= len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>text", True),
        ("<!DOCTYPE html>", False),
        ("\n<!-- one --><!doctype HTML>", False),
        ('<?xml version="1.0"?><!DOCTYPE html>', False),
        ("text<!DOCTYPE html>", True),
        ("<!DOCTYPE svg>", True),
        ('<!DOCTYPE html SYSTEM "about:legacy-compat">', False),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">', False),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">', True),
        ("<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01 Frameset//EN'>", True),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "loose.dtd">', False),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.0 Transitional//EN" "loose.dtd">', True),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.0//EN">', False),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">', True),
        ('<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML//EN">', True),
        ('<!DOCTYPE html PUBLIC "HTML">', True),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "strict.dtd" [<!ENTITY e "">]>', False),
    ],
)  # fmt: skip
def test_quirks_mode(text: str, expected: bool) -> None:
    assert in_quirks_mode(text) is expected
