"""An HTML page, prepared, laid out by PlutoBook, and what is known of the result."""

from __future__ import annotations

from wcspider.engines.base import Rendering, RenderTask
from wcspider.engines.plutobook import backgrounds, links, missing, output, widgets
from wcspider.engines.plutobook.anchors import destinations
from wcspider.engines.plutobook.preparation import prepare
from wcspider.engines.plutobook.printing import print_page
from wcspider.web.responsive import Viewport


def render(task: RenderTask) -> Rendering:
    """Lay out an HTML or XHTML page, as `Engine.render` says."""
    page = prepare(task, Viewport(task.geometry.media))
    text = "".join(page.root.find("body").itertext())
    printed = print_page(page, task)
    with output.opened(printed.pdf) as pdf:
        found = destinations(pdf)
        for sheet in pdf.pages:
            links.complete(sheet, page.links)
            backgrounds.extend(sheet, pdf, task.geometry)
        widgets.put_in_place(pdf, page, printed)
        images = printed.images.put_in_place(pdf)
        page.warnings += printed.images.warnings
        page.warnings += missing.warnings(
            pdf, text, page.language, system_fonts=task.system_fonts, author_fonts=bool(page.families)
        )
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
