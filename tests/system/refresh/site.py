"""A site that changes at random, by a seed: its text, its design, and its URLs.

A `ChangingSite` gives the replies for `tests.support.http_server.SiteServer`. Each URL has an ETag or not, a
Last-Modified header or not, and an expiry time or not, as the seed decides.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from tests.support.http_server import Reply
from tests.system.refresh.documents import Document, Habits, Page, Plain, Way, is_image, pdf_file, picture

FOLDERS = ("/", "/x/", "/y/")
START = "/"
WORDS = [
    "ahead", "born", "cold", "dusk", "east", "fire", "gold", "hill", "iron", "jade", "kind", "lake", "moon", "north",
    "oak", "pine", "quiet", "rain", "salt", "tide",
]  # fmt: skip
BEGAN = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@dataclass
class ChangingSite:
    """Documents by path, and how they change. `moment` is the day that its server has."""

    seed: int
    documents: dict[str, Document] = field(default_factory=dict)
    failing: dict[str, Reply] = field(default_factory=dict)
    """What fails for the moment, and how."""

    moment: datetime = BEGAN

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        self._count = 0
        self._versions: dict[str, tuple[bytes, int]] = {}
        self._buried: dict[str, Document] = {}
        self._served: set[str] = set()
        self._build()

    # The site as it begins

    def _build(self) -> None:
        for _ in range(6):
            self.documents[self._new_path("img", ".png")] = self._new_picture()
        for _ in range(2):
            self.documents[self._new_path("style", ".css")] = self._new_sheet()
        for folder in FOLDERS[1:]:
            self.documents[f"{folder}near.png"] = Plain(picture(3), "image/png")
        self.documents[START] = self._new_page()
        for _ in range(12):
            self._add_page()
        self.documents["/notes.txt"] = Plain(b"some notes", "text/plain")
        self.documents["/paper.pdf"] = Plain(pdf_file(2), "application/pdf")
        self._link(START, "/notes.txt")
        self._link(START, "/paper.pdf")
        self._link(START, self._any(self._images()))

    def _number(self) -> int:
        self._count += 1
        return self._count

    def _new_path(self, stem: str, suffix: str = "") -> str:
        return f"{self.dice.choice(FOLDERS)}{stem}{self._number()}{suffix}"

    def _new_picture(self) -> Plain:
        body = picture(self.dice.randrange(40))
        return Plain(body, "image/gif" if body.startswith(b"GIF") else "image/png")

    def _new_sheet(self) -> Plain:
        rules = [f"p {{ margin: {self._number()}pt }}"]
        if self.dice.random() < 0.5:
            rules.append(f"body {{ background: url({self._any(self._images())}) }}")
        if self.dice.random() < 0.3 and self._sheets():
            rules.insert(0, f"@import url({self._any(self._sheets())});")
        return Plain("\n".join(rules).encode(), "text/css")

    def _new_page(self) -> Page:
        dice = self.dice
        images = [self._any(self._images()) for _ in range(dice.randrange(3))]
        if dice.random() < 0.3:
            images.append("near.png")
        return Page(
            title=f"Title {self._number()}" if dice.random() < 0.9 else "",
            words=tuple(dice.choices(WORDS, k=dice.randrange(2, 40))),
            links=tuple(self._any_link() for _ in range(dice.randrange(4))),
            images=tuple(images),
            sheets=tuple(dice.sample(self._sheets(), dice.randrange(2))),
        )

    # What there is

    def _any(self, paths: list[str]) -> str:
        return self.dice.choice(paths)

    def _pages(self) -> list[str]:
        return [path for path, document in self.documents.items() if isinstance(document, Page)]

    def _readable(self) -> list[str]:
        """Return the paths that may be linked to."""
        return [path for path in self.documents if not path.endswith(".css")]

    def _images(self) -> list[str]:
        return [path for path in self.documents if is_image(path)]

    def _sheets(self) -> list[str]:
        return [path for path in self.documents if path.endswith(".css")]

    def any_page(self) -> str:
        """Return the path of a page, for a command to begin with."""
        return self._any(self._pages())

    def _any_link(self) -> str:
        path = self._any(self._readable() or [START])
        return f"{path}#{self._any(WORDS)}" if self.dice.random() < 0.3 else path

    def _page(self, path: str) -> Page:
        page = self.documents[path]
        assert isinstance(page, Page)
        return page

    def _link(self, path: str, to: str) -> None:
        page = self._page(path)
        at = self.dice.randrange(len(page.links) + 1)
        self.documents[path] = replace(page, links=(*page.links[:at], to, *page.links[at:]))

    def _leads_to(self, path: str, target: str) -> bool:
        """Tell whether redirections lead from a path to another."""
        seen = set()
        while path != target and path not in seen:
            seen.add(path)
            document = self.documents.get(path)
            if not isinstance(document, Way):
                return False
            path = document.to
        return True

    # Changes

    def change(self, times: int) -> list[str]:
        """Make so many random changes; return their descriptions."""
        done = []
        while len(done) < times:
            change = self.dice.choice(CHANGES)
            told = change(self)
            if told is not None:
                done.append(f"{change.__name__.strip('_')} {told}")
        return done

    def _change_text(self) -> str:
        path = self._any(self._pages() or [self._add_page()])
        words = self.dice.choices(WORDS, k=self.dice.randrange(2, 40))
        self.documents[path] = replace(self._page(path), words=tuple(words))
        return path

    def _change_markup(self) -> str:
        path = self._any(self._pages())
        self.documents[path] = replace(self._page(path), markup=self._number())
        return path

    def _change_title(self) -> str:
        path = self._any(self._pages())
        self.documents[path] = replace(self._page(path), title=f"Title {self._number()}")
        return path

    def _change_order_of_links(self) -> str:
        path = self._any(self._pages())
        links = list(self._page(path).links)
        self.dice.shuffle(links)
        self.documents[path] = replace(self._page(path), links=tuple(links))
        return path

    def _add_link(self) -> str:
        path, to = self._any(self._pages()), self._any_link()
        self._link(path, to)
        return f"{path} -> {to}"

    def _remove_link(self) -> str | None:
        path = self._any(self._pages())
        links = list(self._page(path).links)
        if not links:
            return None
        gone = links.pop(self.dice.randrange(len(links)))
        self.documents[path] = replace(self._page(path), links=tuple(links))
        return f"{path} -> {gone}"

    def _add_page(self) -> str:
        path = self._new_path("page", ".html")
        self.documents[path] = self._new_page()
        self._link(self._any([entry for entry in self._pages() if entry != path] or [path]), path)
        return path

    def _remove(self) -> str | None:
        path = self._any(list(self.documents))
        if path == START or len(self._pages()) < 4:
            return None
        self._buried[path] = self.documents.pop(path)
        return path

    def _bring_back(self) -> str | None:
        path = self._any([*self._buried, ""])
        if not path or path in self.documents:
            return None
        self.documents[path] = self._buried.pop(path)
        return path if self._is_sound() else self._undo(path)

    def _move(self) -> str | None:
        """Move a document to a new path, by way of another path or not; its old path redirects there."""
        path = self._any(list(self.documents))
        if isinstance(self.documents[path], Way) or (path == START and self.dice.random() < 0.7):
            return None
        new = self._new_path("moved", path[path.rfind(".") :] if "." in path else ".html")
        self.documents[new] = self.documents[path]
        over = new
        if self.dice.random() < 0.3:
            over = self._new_path("over")
            self.documents[over] = self._way(new)
        self.documents[path] = self._way(over)
        return f"{path} -> {over} -> {new}"

    def _way(self, to: str) -> Way:
        is_shown = is_image(to) or to.endswith(".css")
        return Way(to, self.dice.choice([301, 302, 307, 308] if is_shown else [301, 302, 303, 0]))

    def _move_back(self) -> str | None:
        """Let a document stand at a path again from which it was redirected to."""
        ways = [path for path, document in self.documents.items() if isinstance(document, Way)]
        path = self._any([*ways, ""])
        if not path:
            return None
        way = self.documents[path]
        assert isinstance(way, Way)
        document = self.documents.get(way.to)
        if document is None or isinstance(document, Way):
            return None
        self.documents[path] = document
        if self.dice.random() < 0.5:
            self.documents[way.to] = self._way(path)
        else:
            del self.documents[way.to]
        return f"{way.to} -> {path}"

    def _redirect_to_known(self) -> str | None:
        path, to = self._any(self._pages()), self._any(self._readable())
        if path == START or self._leads_to(to, path):
            return None
        self.documents[path] = self._way(to)
        return f"{path} -> {to}"

    def _change_picture(self) -> str | None:
        path = self._any(self._images())
        if isinstance(self.documents[path], Way):
            return None
        self.documents[path] = self._new_picture()
        return path

    def _swap_pictures(self) -> str:
        one, other = self._any(self._images()), self._any(self._images())
        documents = self.documents
        if not isinstance(documents[one], Way) and not isinstance(documents[other], Way):
            documents[one], documents[other] = documents[other], documents[one]
        return f"{one} {other}"

    def _show_picture(self) -> str:
        path, image = self._any(self._pages()), self._any([*self._images(), "near.png"])
        page = self._page(path)
        self.documents[path] = replace(page, images=(image, *page.images))
        return f"{path} {image}"

    def _hide_picture(self) -> str | None:
        path = self._any(self._pages())
        page = self._page(path)
        self.documents[path] = replace(page, images=page.images[1:])
        return path if page.images else None

    def _change_sheet(self) -> str | None:
        sheets = [path for path in self._sheets() if isinstance(self.documents[path], Plain)]
        if not sheets:
            return None
        path = self._any(sheets)
        self.documents[path] = self._new_sheet()
        return path

    def _use_sheet(self) -> str | None:
        path = self._any(self._pages())
        sheets = self._sheets()
        self.documents[path] = replace(self._page(path), sheets=tuple(self.dice.sample(sheets, min(len(sheets), 1))))
        return path

    def _make_twin(self) -> str:
        path, twin = self._any(self._pages()), self._any(self._pages())
        self.documents[twin] = self.documents[path]
        return f"{path} {twin}"

    def _copy(self) -> str:
        """Add a twin of a page in another folder, and link to it."""
        path, twin = self._any(self._pages()), self._new_path("twin", ".html")
        self.documents[twin] = self.documents[path]
        self._link(START if START in self._pages() else path, twin)
        return f"{path} {twin}"

    def _change_document(self) -> str | None:
        if self.dice.random() < 0.5:
            return self._set("/paper.pdf", Plain(pdf_file(self.dice.randrange(1, 4)), "application/pdf"))
        return self._set("/notes.txt", Plain(b"notes %d" % self._number(), "text/plain"))

    def _change_kind(self) -> str | None:
        """Replace a page by a text, or by content that becomes no page."""
        path = self._any(self._pages())
        kind = self.dice.choice(["text/plain", "application/zip"])
        return None if path == START else self._set(path, Plain(b"something else", kind))

    def _set(self, path: str, document: Document) -> str | None:
        if path not in self.documents:
            return None
        self.documents[path] = document
        return path

    def _is_sound(self) -> bool:
        """Tell whether no redirection leads back to itself."""
        ways = {path: document.to for path, document in self.documents.items() if isinstance(document, Way)}
        return not any(self._leads_to(to, path) for path, to in ways.items())

    def _undo(self, path: str) -> None:
        self._buried[path] = self.documents.pop(path)

    def fail(self) -> list[str]:
        """Let some of the existing paths fail, until `recover`."""
        paths = self.dice.sample(sorted(self.documents), 3)
        for path in paths:
            self.failing[path] = self.dice.choice(FAILURES)
        return paths

    def recover(self) -> None:
        """Let everything be as it was before `fail`."""
        self.failing.clear()

    # What the server answers

    def replies(self) -> dict[str, Reply | None]:
        """Return the replies by path; None for removed paths."""
        found = {path: self._reply(path, document) for path, document in self.documents.items()}
        gone = dict.fromkeys(self._served - found.keys())
        self._served |= found.keys()
        return {**gone, **found, **self.failing}

    def _reply(self, path: str, document: Document) -> Reply:
        if isinstance(document, Way) and document.status:
            return Reply(status=document.status, content_type=None, headers={"Location": document.to})
        habits = Habits.of(path, self.seed)
        body = document.body
        return Reply(
            body,
            content_type=document.kind,
            headers=habits.freshness(self.moment),
            etag=f'"{hashlib.md5(body).hexdigest()}"' if habits.etag else None,
            last_modified=self._modified(path, body) if habits.last_modified else None,
        )

    def _modified(self, path: str, body: bytes) -> str:
        """Return an HTTP date that is another one each time the path has changed."""
        known, version = self._versions.get(path, (None, 0))
        if known != body:
            version = self._number()
            self._versions[path] = (body, version)
        return format_datetime(BEGAN + timedelta(seconds=version), usegmt=True)


FAILURES = [
    Reply(b"try again", status=500, content_type="text/plain"),
    Reply(b"<p>not all of it", declared_length=1000),
    Reply(b"who are you", status=403, content_type="text/plain"),
]

CHANGES: list[Callable[[ChangingSite], str | None]] = [
    ChangingSite._change_text,
    ChangingSite._change_text,
    ChangingSite._change_markup,
    ChangingSite._change_title,
    ChangingSite._change_order_of_links,
    ChangingSite._add_link,
    ChangingSite._remove_link,
    ChangingSite._add_page,
    ChangingSite._remove,
    ChangingSite._bring_back,
    ChangingSite._move,
    ChangingSite._move_back,
    ChangingSite._redirect_to_known,
    ChangingSite._change_picture,
    ChangingSite._swap_pictures,
    ChangingSite._show_picture,
    ChangingSite._hide_picture,
    ChangingSite._change_sheet,
    ChangingSite._use_sheet,
    ChangingSite._make_twin,
    ChangingSite._copy,
    ChangingSite._change_document,
    ChangingSite._change_kind,
]
