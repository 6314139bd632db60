"""An engine that draws a blank page, written by hand, to prove that the interface requires no more."""

from __future__ import annotations

from wcspider.engines.base import Engine, Rendering, RenderTask


class NullEngine(Engine):
    """Makes one blank page of everything."""

    product = "null"
    version = "1"

    def render(self, task: RenderTask) -> Rendering:
        """One blank page of the size asked for."""
        size = f"{task.geometry.width:g} {task.geometry.height:g}"
        objects = (
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size}] /Resources << >> >>".encode(),
        )
        body, offsets = b"%PDF-1.7\n", []
        for number, value in enumerate(objects, 1):
            offsets.append(len(body))
            body += b"%d 0 obj\n%s\nendobj\n" % (number, value)
        table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        body += b"xref\n0 4\n0000000000 65535 f \n" + table
        return Rendering(body + b"trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % body.index(b"xref"))
