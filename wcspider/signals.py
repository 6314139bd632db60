"""The signals of a capture. Connect to them as to Scrapy's: ``crawler.signals.connect(handler, page_set_captured)``.

The first three are sent with `page_set` (`wcspider.pdf.webcapture.content_sets.PageSet`) and `spider`. They announce a
change of FILE that becomes permanent when `file_finished` is sent.
"""

from __future__ import annotations

page_set_captured = object()
"""A page set was added. A page that the file holds already only gets a source."""

page_set_replaced = object()
"""A refresh put the pages of a page set in the place of its old ones."""

page_set_dropped = object()
"""A refresh removed a page set."""

file_finished = object()
"""The file is in place. Sent with `path`, `counts` (as in the stats, by name) and `spider`; handlers may be async."""
