"""web/documents/doctype.py: the internal subset of a document type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.web.documents.doctype import has_internal_subset, without_internal_subset


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
