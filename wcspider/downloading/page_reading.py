"""Reading pages beside the reactor: in a thread, or with the help of a worker process if they have large styles."""

from __future__ import annotations

from functools import partial

from wcspider.crawl.parsing import ParsedPage, read_page
from wcspider.crawl.session import CaptureSession
from wcspider.downloading.threads import in_thread
from wcspider.exceptions import EngineError, WorkersError
from wcspider.web.references import PageReferences, read_references
from wcspider.web.resources import Resource
from wcspider.web.styles.responsive import Viewport
from wcspider.web.styles.sheets import LARGE_SHEET


async def read_beside(
    session: CaptureSession,
    resource: Resource,
    *,
    link_charset: str | None,
    default_charset: str,
    viewport: Viewport,
    max_links: int,
    max_references: int,
) -> ParsedPage:
    """Parse a resource as `read_page` does, while the reactor does other work."""
    page = await in_thread(
        read_page,
        resource,
        link_charset=link_charset,
        default_charset=default_charset,
        viewport=viewport,
        max_links=max_links,
        max_references=max_references,
        max_styles=LARGE_SHEET if session.is_open else 0,
    )
    if not page.has_large_styles:
        return page
    reading = partial(
        read_references,
        resource.body,
        page.capture.encoding,
        resource.url,
        media_type=resource.content_type,
        viewport=viewport,
        most=max_references,
    )
    return page.referring_to(await _read_in_worker(session, reading))


async def _read_in_worker(session: CaptureSession, reading: partial[PageReferences]) -> PageReferences:
    """Read the references of a page in a worker process. If it fails, the STYLE elements are not read."""
    try:
        return await session.job.pool.run(reading)
    except EngineError:
        return await in_thread(reading, reads_styles=False)
    except WorkersError:  # the workers are at their end, and the page is read all the same
        return await in_thread(reading)
