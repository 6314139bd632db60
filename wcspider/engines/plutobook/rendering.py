"""An HTML page, prepared, laid out by PlutoBook, and what is known of the result."""

from __future__ import annotations

from wcspider.engines.base import Rendering, RenderTask
from wcspider.engines.plutobook import backgrounds, links, missing, output, widgets
from wcspider.engines.plutobook.anchors import destinations
from wcspider.engines.plutobook.preparation import prepare
from wcspider.engines.plutobook.printing import print_page
from wcspider.engines.plutobook.retyping import retype
from wcspider.web.responsive import Viewport


def render(task: RenderTask) -> Rendering:
    """Lay out an HTML or XHTML page, as `Engine.render` says."""
    page = prepare(task, Viewport(task.geometry.media))
    body = page.root.find("body")
    texts = list(body.itertext())
    # An author's font may have characters that no other font has.
    without_font = [] if page.families else missing.absent(texts, system=task.system_fonts)
    stand_ins = missing.stand_ins(without_font)
    missing.replace(body, stand_ins)
    page.warnings += missing.warnings(without_font)
    printed = print_page(page, task)
    with output.opened(printed.pdf) as pdf:
        found = destinations(pdf)
        for sheet in pdf.pages:
            links.complete(sheet, page.links)
            backgrounds.extend(sheet, pdf, task.geometry)
        widgets.put_in_place(pdf, page, printed)
        images = printed.images.put_in_place(pdf)
        page.warnings += printed.images.warnings
        retype(pdf, texts, {private: character for character, private in stand_ins.items()})
        content = output.saved(pdf)
    return Rendering(
        content,
        page.title,
        page.places.anchors(found),
        images,
        tuple(dict.fromkeys(page.warnings)),
        page.places.outline(found),
        page.language,
        tuple(page.fields),
    )
