"""A file that has grown by many revisions."""

from __future__ import annotations

from tests.archive.run.test_writer import new_writer
from tests.support.archive_samples import SITE, clock, new_database, rendered
from wcspider.archive.database.database import ContentDatabase

COUNT = 80
"""Page sets of the sample: more than a leaf of a name tree holds, and than a node of the page tree."""


def capture(path, numbers, batch=1):
    """Capture pages with links to each other and images, into a new or an existing file, in many revisions."""
    database = ContentDatabase.open(path, clock) if path.exists() else new_database(path)
    writer = new_writer(database, batch)
    for number in numbers:
        links = [f"{SITE}/{(number * 7 + step) % (COUNT + 9)}" for step in range(4)] + [f"{SITE}/{number}#part"]
        images = ("logo.png", f"photo-{number // 10}.png")
        anchors = (("part", 0),) if number % 2 else ()
        writer.add(rendered(f"/{number}", images=images, links=links, anchors=anchors, pages=1 + number % 3))
    writer.finish("A site")
    writer.close()
    database.close()
    return path
