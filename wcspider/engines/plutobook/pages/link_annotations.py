"""Link annotations that lead to where the links of the source lead (ISO 32000-1, 12.5.6.5)."""

from __future__ import annotations

from collections.abc import Sequence

import pikepdf

from wcspider.engines.plutobook.source.link_targets import PRIVATE, Link


def complete(page: pikepdf.Page, links: Sequence[Link]) -> None:
    """Let the Link annotations of a page lead to where the links of the source lead."""
    kept = []
    border = pikepdf.Array([0, 0, 0])
    for annotation in page.obj.get("/Annots", ()):
        action = annotation.get("/A")
        uri = "" if action is None else str(action.get("/URI", ""))
        if action is None or not uri.startswith(PRIVATE):
            continue
        link = links[int(uri.removeprefix(PRIVATE))]
        action["/URI"] = pikepdf.String(link.target)
        annotation["/Contents"] = pikepdf.String(link.description)
        annotation["/Border"] = border
        for key in ("/StructParent", "/BS"):
            if key in annotation:
                del annotation[key]
        kept.append(annotation)
    if kept:
        page.obj["/Annots"] = pikepdf.Array(kept)
    elif "/Annots" in page.obj:
        del page.obj["/Annots"]
