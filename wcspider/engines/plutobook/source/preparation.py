"""The preparation of an HTML page for PlutoBook: all references become absolute.

Elements that are not shown are removed. Elements that PlutoBook does not know are replaced by others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from wcspider.engines.base import Asset, RenderTask, Step
from wcspider.engines.document import controls, html_trees, inline_text, page_head, page_parsing
from wcspider.engines.document.forms import Control
from wcspider.engines.document.html_trees import UNSHOWN, drop
from wcspider.engines.document.media import Media
from wcspider.engines.fields import Field
from wcspider.engines.images.reader import Picture
from wcspider.engines.plutobook.controls import button_texts, control_widths, field_lines, form_controls, gauges
from wcspider.engines.plutobook.css import data_urls
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.flow import (
    block_links,
    containers,
    fixed_widths,
    floats,
    nested_boxes,
    overlays,
    ratios,
    revealed,
    scrolled_code,
    shares_of_heights,
    sidebars,
    slides,
    static_positions,
    window_heights,
)
from wcspider.engines.plutobook.fonts import author_fonts
from wcspider.engines.plutobook.fonts.author_fonts import Family
from wcspider.engines.plutobook.grid import image_widths, text_columns
from wcspider.engines.plutobook.grid.boxless import replace_boxes
from wcspider.engines.plutobook.grid.container_width import ContainerWidths
from wcspider.engines.plutobook.grid.fixed_items import (
    keep_heights,
    keep_widths,
    let_shrink,
    let_text_wrap,
)
from wcspider.engines.plutobook.grid.grid_rewriting import rewrite_grids
from wcspider.engines.plutobook.grid.narrow_columns import Rooms, room_in_small_box
from wcspider.engines.plutobook.sheets import (
    large_boxes,
    least_heights,
    page_values,
    presentational_hints,
    textless_boxes,
)
from wcspider.engines.plutobook.sheets.author_sheets import Sheets
from wcspider.engines.plutobook.sheets.declarations import HREF, attribute_for_paper, value_on_page
from wcspider.engines.plutobook.sheets.fading import fade_controls
from wcspider.engines.plutobook.sheets.image_shapes import mark_shape, mark_small
from wcspider.engines.plutobook.source import (
    captions,
    formula_boxes,
    image_links,
    line_numbers,
    link_targets,
    page_limits,
    probable_language,
    reading_direction,
    relative_words,
    sibling_groups,
)
from wcspider.engines.plutobook.source.image_links import Area, Areas
from wcspider.engines.plutobook.source.link_targets import Link
from wcspider.engines.plutobook.source.named_places import Places
from wcspider.engines.plutobook.source.words import divide_code, keep_whole, mark_in_small_boxes, mark_long_words
from wcspider.engines.plutobook.svg import copies, definitions, drawing_transforms, drawings, masks
from wcspider.engines.plutobook.svg.sprites import Sprites
from wcspider.web.styles.responsive import Viewport

_AS_TEXT = {"xmp": "pre", "listing": "pre", "plaintext": "pre", "noscript": "div"}
"""Elements that become other elements, because PlutoBook would ignore their contents or show their tags as text."""

_OF_OWN_HEIGHT = frozenset(
    {"img", "svg", "input", "select", "textarea", "button", "hr", "html", "body", "col", "tr", "td", "th", "table",
     "object", "embed", "video"}
)  # fmt: skip
"""Elements whose height depends on their styles alone, not on their contents."""

_HIDING = re.compile("display:none|visibility:hidden", re.IGNORECASE)
_KEPT = ("id", "class")
"""The attributes of a control that its text gets."""

CLOSED = "closed parts of the page are not shown (DETAILS)"


@dataclass
class Page:
    """A page ready for layout."""

    root: Any
    title: str = ""
    language: str = ""
    sheets: list[str] = field(default_factory=list)
    """The author's stylesheets, in order."""

    families: list[Family] = field(default_factory=list)

    templates: list[str] = field(default_factory=list)
    """The style sheets with the templates of `page_values`, for another width of the page; empty if there are none."""

    has_columns: bool = False
    """True if elements have columns of text; see `text_columns`."""

    places: Places = field(default_factory=Places)
    links: list[Link] = field(default_factory=list)
    linked: list[Areas] = field(default_factory=list)
    """The areas of the images in links, by the numbers in their URLs."""

    fields: list[Field] = field(default_factory=list)
    controls: list[Control] = field(default_factory=list)
    images: Mapping[str, Asset] = field(default_factory=dict)
    """The images in data: URLs, by these URLs."""

    warnings: list[str] = field(default_factory=list)
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """The reasons why images cannot be shown, by the URLs of the images."""

    @cached_property
    def languages(self) -> list[str]:
        """The languages that the elements declare, in document order, when the page is ready."""
        return page_head.languages_of(self.root)


def prepare(task: RenderTask, viewport: Viewport) -> Page:
    """Parse the body of `task` and make it ready for layout."""
    root = page_parsing.parse(task)
    page = Page(root, images=data_urls.images_in(root))
    # An image in a data: URL gets a private URL during the preparation.
    private = {data_urls.private_url(url): image for url, image in page.images.items()}
    _Preparation(replace(task, assets={**task.assets, **page.images, **private}), viewport, page).run()
    return page


class _Preparation:
    """The steps of the preparation of one page."""

    def __init__(self, task: RenderTask, viewport: Viewport, page: Page) -> None:
        self.task, self.page = task, page
        # Images are chosen as in the crawl, styles for the size of the paper, as browsers print.
        paper = task.geometry
        self.viewport = replace(viewport, width=paper.viewport_width, height=paper.viewport_height)
        self.root = page.root
        self.styled = task.step < Step.NO_AUTHOR_STYLES
        self.base = page_head.base_url(self.root, task)
        self.media = Media(task, self.base, viewport, self._picture)
        self.maps = image_links.maps_of(self.root)
        self.mapped: dict[Any, tuple[float, float]] = {}
        """The sizes of the images with image maps."""

        self.sprites = Sprites(task.assets, self.base, task.encoding)
        self.handlers: Mapping[str, Callable[[Any], None]] = {
            **self.media.handlers,
            **dict.fromkeys(controls.CONTROLS, self._control),
            "svg": self._drawing,
            "progress": gauges.draw,
            "meter": gauges.draw,
            "ruby": inline_text.write_ruby,
            "math": formula_boxes.write,
            "ol": inline_text.number_items,
            "details": self._details,
            "dialog": _dialog,
        }

    def run(self) -> None:
        """Take all steps, in order."""
        page = self.page
        self._head()
        for element in html_trees.outside_drawings(page.root, html_trees.STYLED(page.root)):
            self._inline_style(element)
        self._drop_hidden_frames()
        self.controls = controls.Controls(page.root, self.task, self.base, self.media, _KEPT, draws_inputs=True)
        for element in html_trees.elements(page.root, {*UNSHOWN, *_AS_TEXT, *self.handlers}):
            if element.getparent() is not None:  # not removed with the contents of the element around it
                self._element(element)
        for element in page.root.iter("img", "svg"):
            mark_small(element)
        data_urls.give_private_urls(page.root, page.images)
        page.unreadable = self.media.unreadable
        page.fields, page.controls = self.controls.fields, self.controls.shown
        self._links()
        if self.styled:
            containers.mark(page.root, page.sheets, self.viewport.width)
        styles = PageStyles(page.root, page.sheets)
        textless_boxes.mark(styles)
        least_heights.withdraw(styles)
        least_heights.resolve_variables(styles, partial(_is_box_of_text, may_images_be_text=False))
        floats.clear_at_breaks(styles)
        floats.contain_in_boxes(styles)
        scrolled_code.show_overflow(styles)
        scrolled_code.break_lines(styles)
        if self.styled:
            revealed.show(styles)
            revealed.keep_closed(styles)
            overlays.uncover(styles)
            definitions.show(styles)
            slides.unstack(styles)
            static_positions.write(styles)
            window_heights.fill(styles)
            shares_of_heights.keep(styles)
            ratios.keep(styles, self.viewport.width)
            replace_boxes(styles)
            image_widths.mark(styles, self.media.own_size)
            keep_widths(styles)
            keep_heights(styles)
            rewrite_grids(styles, self.viewport.width)
            widths = ContainerWidths(styles, self.viewport.width)
            let_shrink(styles, widths)
            let_text_wrap(styles)
            control_widths.fit(styles, widths)
            button_texts.center(styles)
            field_lines.center(styles)
            page.warnings += page_values.fill_in(styles, value_on_page, widths.around)
            sidebars.separate(styles, large_boxes.mark(styles, page.sheets))
            relative_words.keep_in_sentences(styles)
            page.has_columns = text_columns.fit(styles, self.viewport.width)
            drawing_transforms.write(styles)
            fixed_widths.mark_frames(styles)
            templates, page.sheets = page.sheets, list(map(page_values.without_templates, page.sheets))
            page.templates = templates if templates != page.sheets else []
        reading_direction.mark(styles)
        drawings.turn_circles(page.root, page.sheets)
        masks.become_clipping_paths(page.root, page.sheets)
        block_links.keep_from_underlines(styles)
        block_links.become_blocks(styles)
        page_limits.apply(page.root)
        if copies.remove_copies(page.root) or self.sprites.has_too_many:
            page.warnings.append(copies.TOO_MANY_COPIES)
        nested_boxes.untangle(styles)
        line_numbers.move_into_code(styles)
        mark_long_words(page.root)
        mark_in_small_boxes(styles.wrappers_of(self.media.with_alternatives), partial(room_in_small_box, styles))
        divide_code(page.root)
        probable_language.declare(page.root, page.language)
        page.places.collect(page.root)
        if self.styled:
            fade_controls(styles)
        rooms = Rooms(styles, self.viewport.width)
        keep_whole(page.root.find("body"), rooms.of)
        link_targets.fit_addresses(page.root, rooms.of)
        captions.keep_with_headers(page.root, page.sheets)
        sibling_groups.group(styles, page.sheets)

    def _links(self) -> None:
        """Give the links private URLs, including those in place of frames and media, and note the images in them."""
        links, linked = self.page.links, self.page.linked
        keeps_href = any(HREF in sheet for sheet in self.page.sheets)
        for element in self.root.xpath("//a[@href]"):
            warning = link_targets.mark(element, links, self.base, self.task.encoding, keeps_href=keeps_href)
            self.page.warnings += [warning] if warning else []
            for image in element.iter("img") if "href" in element.attrib else ():
                image_links.mark(image, (Area(len(links) - 1),), linked)
        image_links.mark_mapped(self.maps, links, self.base, self.task.encoding, linked, self.mapped)

    def _head(self) -> None:
        """Read the title, the language and the style sheets."""
        self.page.title = page_head.title_of(self.root)
        self.page.language = page_head.language_of(self.root)
        if self.styled:
            sheets = Sheets(self.task.assets, self.viewport, author_fonts=self.task.step < Step.NO_AUTHOR_FONTS)
            sheets.add_all(self.root, self.base, self.task.encoding)
            hints = presentational_hints.write(self.root, self.base, self.task.encoding)
            self.page.sheets = revealed.without_bans_on_printing(self.root, [*filter(None, [hints]), *sheets.texts])
            self.page.families = sheets.families
            self.page.warnings += author_fonts.problems(sheets.families, self.task.assets)

    def _drop_hidden_frames(self) -> None:
        """Remove the frames that a style sheet hides, such as those that count visitors. A link would be visible."""
        frames = set(self.root.iter("iframe"))
        if not frames:
            return
        styles = PageStyles(self.root, self.page.sheets)
        for wrapper in styles.wrappers_with(_HIDING, where=frames.__contains__):
            values = styles.values(wrapper)
            if values.get("display") == "none" or values.get("visibility") == "hidden":
                drop(wrapper.etree_element)

    def _element(self, element: Any) -> None:
        tag = element.tag
        if tag in UNSHOWN:
            drop(element)
            return
        if tag in _AS_TEXT:
            element.tag = _AS_TEXT[tag]
        if tag in self.handlers:
            self.handlers[tag](element)

    def _control(self, element: Any) -> None:
        field = self.controls.read(element)
        if field is not None:
            form_controls.show(element, field, self.media)

    def _picture(self, element: Any, picture: Picture) -> None:
        mark_shape(element, picture, geometry=self.task.geometry)
        if "usemap" in element.attrib:
            self.mapped[element] = picture.getSize()

    def _inline_style(self, element: Any) -> None:
        style = ""
        if self.styled:
            own = element.get("style")
            is_box = _is_box_of_text(element) if "height" in own.lower() else element.tag not in _OF_OWN_HEIGHT
            style = attribute_for_paper(own, self.base, is_box=is_box)
        if style:
            element.set("style", style)
        else:
            del element.attrib["style"]

    def _drawing(self, element: Any) -> None:
        self.sprites.copy_into(element)
        drawings.make_readable(element)
        self.media.resolve_images(element)

    def _details(self, element: Any) -> None:
        """Show only the SUMMARY of a closed DETAILS element."""
        if "open" in element.attrib:
            return
        summary = next((child for child in element if child.tag == "summary"), None)
        if summary is None:
            summary = element.makeelement("summary", {})
            summary.text = "Details"
        hidden = [child for child in element if child is not summary]
        is_menu = next(element.iterancestors("nav"), None) is not None
        if not is_menu and (hidden or (summary.tail or element.text or "").strip()):
            self.page.warnings.append(CLOSED)
        for name in [n for child in hidden for e in child.iter() for n in (e.get("id"), e.get("name")) if n]:
            self.page.places.hidden.setdefault(element, []).append(name)
        html_trees.empty(element)
        summary.tail = None
        element.append(summary)


def _is_box_of_text(element: Any, *, may_images_be_text: bool = True) -> bool:
    """Tell whether an element is as high as its text, at least."""
    is_textless = partial(textless_boxes.is_textless, may_images_be_text=may_images_be_text)
    return element.tag not in _OF_OWN_HEIGHT and not is_textless(element)


def _dialog(element: Any) -> None:
    if "open" not in element.attrib:
        drop(element)
