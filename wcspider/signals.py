"""The signals of a capture. Connect to them as to Scrapy's: ``crawler.signals.connect(handler, page_set_captured)``.

The first three are sent with `page_set` (`wcspider.pdf.webcapture.content_sets.PageSet`) and `spider`. They announce a
change of FILE.part that becomes permanent when `file_finished` is sent.
"""

from __future__ import annotations

__all__ = ["file_finished", "page_set_captured", "page_set_dropped", "page_set_replaced"]

page_set_captured = object()
"""A page set was added. The signal is not sent for a page that the file already holds."""

page_set_replaced = object()
"""A refresh replaced the pages of a page set."""

page_set_dropped = object()
"""A refresh dropped a page set."""

file_finished = object()
"""FILE is in place. Sent with `path`, `counts` (the stats, by name) and `spider`; handlers may be asynchronous."""
