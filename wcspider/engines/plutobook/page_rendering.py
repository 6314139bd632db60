"""The rendering of a page: its preparation, the layout by PlutoBook, and the completion of the PDF pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any

import tinycss2
from lxml import etree

from wcspider.engines.base import SVG, PageStructure, Rendering, RenderTask
from wcspider.engines.plutobook.content_streams import content_streams
from wcspider.engines.plutobook.fonts import unreadable_fonts
from wcspider.engines.plutobook.fonts.author_fonts import in_data_urls, twins
from wcspider.engines.plutobook.pages import backgrounds, fallback_images, field_widgets, output
from wcspider.engines.plutobook.pages.destinations import anchors, destinations, outline
from wcspider.engines.plutobook.pages.drawn_xobjects import linked_areas
from wcspider.engines.plutobook.pages.link_annotations import LinkAnnotations
from wcspider.engines.plutobook.printing import print_page
from wcspider.engines.plutobook.source.preparation import Page, prepare
from wcspider.engines.plutobook.svg.drawing_page import page_of
from wcspider.engines.plutobook.text import absent_characters
from wcspider.engines.plutobook.text.retyping import retype
from wcspider.engines.saving import OpenDocument
from wcspider.engines.text.runs import warnings as missing_warnings
from wcspider.engines.text.scripts import SHAPED
from wcspider.engines.text.shaping import ANY_LANGUAGE
from wcspider.web.styles.responsive import Viewport


def render(task: RenderTask) -> Rendering:
    """Lay out an HTML or XHTML page, or an SVG file; see `Engine.render`."""
    if task.media_type == SVG:
        task = page_of(task)
    page = prepare(task, Viewport(task.geometry.media))
    task = replace(task, assets={**task.assets, **page.images, **in_data_urls(page.families)})
    texts = _texts(page.root)
    if silent := absent_characters.silent(texts):
        absent_characters.replace(page.root.find("body"), silent)
        texts = _texts(page.root)
    # An author's font may have characters that no other font has.
    absent = [] if page.families else absent_characters.absent(texts, system=task.system_fonts)
    stand_ins = absent_characters.stand_ins(absent)
    absent_characters.replace(page.root.find("body"), stand_ins)
    unused = unreadable_fonts.replaceable(task.assets, texts, system=task.system_fonts)
    named = ("in a data: URL" if url.startswith("data:") else url for url in unused)
    page.warnings += [f"the font {name} is not used, since its text could not be read from the page" for name in named]
    printed = print_page(page, replace(task, assets={url: a for url, a in task.assets.items() if url not in unused}))
    pdf = output.opened(printed.pdf, printed.pages)
    fallback_images.dissolve_groups(pdf)
    found = destinations(pdf)
    links = LinkAnnotations(page.links, printed.pdf)
    linked = {number: page.linked[areas] for number, areas in printed.images.linked.items()}
    annotations = [links.take_from(sheet, linked_areas(sheet, linked)) for sheet in pdf.pages]
    for sheet in pdf.pages:
        backgrounds.extend(sheet, pdf, task.geometry)
    field_widgets.put_in_place(pdf, page.controls, printed.images, printed.scale)
    streams = list(content_streams(pdf))
    images = printed.images.put_in_place(pdf, streams)
    backgrounds.join_tiles(streams)
    if page.families:
        absent = absent_characters.missing(pdf, texts, system=task.system_fonts)
    warnings = [*page.warnings, *printed.images.warnings, *missing_warnings(absent)]
    sources = {private: character for character, private in stand_ins.items()}
    shown = (*texts, *printed.images.texts, *_generated(page))
    edges = (task.geometry.margin_top, task.geometry.height - task.geometry.margin_bottom)
    retype(pdf, streams, shown, _languages(page), sources, twins(page.families, task.assets), edges)
    output.remove_other_entries(pdf)
    return Rendering(
        OpenDocument(pdf, annotations),
        PageStructure(page.title, page.language, anchors(page.places, found), outline(page.places, found)),
        images,
        tuple(dict.fromkeys(warnings)),
        page.unreadable,
        tuple(page.fields),
    )


_SHOWN_ATTRIBUTES = ("value", "placeholder", "label", "alt")
"""The attributes of form controls and images that are shown as text."""

_CONTENT = re.compile(r"(?<![\w-])content\s*:([^;{}]*)", re.IGNORECASE)
_ATTRIBUTE = re.compile("[a-z][a-z0-9-]*")
_LANGUAGE = re.compile("[A-Za-z0-9]+(-[A-Za-z0-9]+)*")
_TEXTS = etree.XPath("/html/body//text()", smart_strings=False)
_ATTRIBUTES = etree.XPath("|".join(f"//@{name}" for name in _SHOWN_ATTRIBUTES), smart_strings=False)


def _texts(root: Any) -> list[str]:
    """Return the texts of a page, and its attributes that are shown as text, as far as they are not in ASCII."""
    return [text for text in (*_TEXTS(root), *_ATTRIBUTES(root)) if not text.isascii()]


def _generated(page: Page) -> Iterator[str]:
    """Yield the texts with shaped letters in the values of ``content``, and in the attributes that these name."""
    found = [_content(sheet) for sheet in page.sheets]
    yield from chain.from_iterable(strings for strings, _ in found)
    for name in dict.fromkeys(chain.from_iterable(names for _, names in found)):
        yield from filter(SHAPED.search, page.root.xpath(f"//@{name}"))


# The pages of a site share their style sheets.
@lru_cache(maxsize=128)
def _content(sheet: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the strings with shaped letters, and the names of attributes, in the values of ``content``."""
    values = [value for value in _CONTENT.findall(sheet) if not value.isascii() or "\\" in value or "attr(" in value]
    tokens = list(chain.from_iterable(map(tinycss2.parse_component_value_list, values)))
    attributes = chain.from_iterable(t.arguments for t in tokens if t.type == "function" and t.lower_name == "attr")
    strings = [token.value for token in tokens if token.type == "string" and SHAPED.search(token.value)]
    return strings, [t.lower_value for t in attributes if t.type == "ident" and _ATTRIBUTE.fullmatch(t.lower_value)]


def _languages(page: Page) -> list[str]:
    """Return the languages of a page, as PlutoBook tells them to HarfBuzz."""
    declared = list(filter(_LANGUAGE.fullmatch, page.languages))
    return declared if page.root.get("lang") else [ANY_LANGUAGE, *declared]
